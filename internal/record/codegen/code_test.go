package codegen_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/codegen"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// step is a step of tab t1 that went well, with one element under each pointer.
func step(seq int, tool, args string, targets ...string) recorder.Step {
	s := recorder.Step{Seq: seq, Tool: tool, Args: json.RawMessage(args), Outcome: "ok", Tab: "t1", URL: "https://a.example/x"}
	for _, pointer := range targets {
		if s.Targets == nil {
			s.Targets = map[string]locate.Identity{}
		}
		s.Targets[pointer] = locate.Identity{Role: "textbox", Name: "Your name"}
	}
	return s
}

// lines are the statements of both tests, from the first that names a tab.
func lines(t *testing.T, label string, steps ...recorder.Step) (inGo, inTypeScript string) {
	t.Helper()
	rec := recorder.Recording{ID: "rec-1", Label: label}
	g, err := codegen.Go(rec, steps) // what gofmt reads is Go
	if err != nil {
		t.Fatal(err)
	}
	ts, err := codegen.Playwright(rec, steps)
	if err != nil {
		t.Fatal(err)
	}
	_, inGo, _ = strings.Cut(string(g), "_ = browser")
	inGo, _, _ = strings.Cut(inGo, "\n}\n")
	_, inTypeScript, _ = strings.Cut(string(ts), "async ({ context }) => {")
	return inGo, inTypeScript
}

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("there is no %s in %s", part, text)
		}
	}
}

// TestDialogBelongsToItsOp: a call that was refused while it was open is a comment.
func TestDialogBelongsToItsOp(t *testing.T) {
	t.Parallel()
	refused := step(2, "read_page", `{}`)
	refused.Outcome = "DIALOG_OPEN"
	g, ts := lines(t, "x", step(1, "interact", `{"ref":"e1"}`, "/ref"), refused, step(3, "dialog", `{"accept":true,"text":"yes"}`), step(4, "read_page", `{}`))
	has(t, g, `t1.answering(true, "yes", func() {`, "t1.click(element{", "// 2 read_page: was refused")
	has(t, ts, ".waitForEvent('dialog')", `dialog.accept("yes")`)
	g, _ = lines(t, "x", step(1, "read_page", `{}`), step(2, "dialog", `{"accept":true}`))
	has(t, g, "// 2 dialog: the dialog was open before")
}

// TestOnlyPassedContractsAreAsserted: another verdict becomes a comment.
func TestOnlyPassedContractsAreAsserted(t *testing.T) {
	t.Parallel()
	passed, failed := step(1, "oc_assert", `{"contract":"{\"dom_text\":\"Thanks\"}"}`), step(2, "oc_assert", `{"contract":"{\"dom_text\":\"Sorry\"}"}`)
	passed.Verdict, failed.Verdict = json.RawMessage(`{"verdict":"pass"}`), json.RawMessage(`{"verdict":"fail"}`)
	g, ts := lines(t, "x", passed, failed)
	for _, text := range []string{g, ts} {
		has(t, text, "Thanks", "its verdict was fail")
		if strings.Contains(text, "Sorry") {
			t.Errorf("what failed is asserted: %s", text)
		}
	}
}

// TestAddresses: one without a scheme has that of the page it led to, and history is no address.
func TestAddresses(t *testing.T) {
	t.Parallel()
	local := step(2, "navigate", `{"url":"localhost:8080/y"}`)
	local.URL = "http://localhost:8080/y"
	g, ts := lines(t, "x", step(1, "navigate", `{"url":"a.example/x"}`), local, step(3, "navigate", `{"url":"back"}`),
		step(4, "navigate", `{"url":"forward"}`), step(5, "page_reload", `{}`), step(6, "navigate", `{"url":"about:blank"}`))
	has(t, g, `t1.navigate(base + "/x")`, `t1.navigate("http://localhost:8080/y")`, "t1.travel(-1)", "t1.travel(1)", "t1.reload()", `t1.navigate("about:blank")`)
	has(t, ts, `await t1.goto(base + "/x");`, "await t1.goBack();", "await t1.goForward();", "await t1.reload();")
}

// TestKeys: keys have the names that both languages know, however they were given.
func TestKeys(t *testing.T) {
	t.Parallel()
	g, ts := lines(t, "x", step(1, "computer", `{"action":"key","text":"ctrl+a RETURN Shift++ x pgdn"}`))
	has(t, g, `t1.press("Control+a Enter Shift++ x PageDown")`)
	has(t, ts, `("Control+a Enter Shift++ x PageDown").split(' ')`)
}

// TestScroll: a scroll of the page is one of the wheel; in an element it is a comment.
func TestScroll(t *testing.T) {
	t.Parallel()
	g, ts := lines(t, "x", step(1, "computer", `{"action":"scroll","scroll_direction":"up","scroll_amount":5}`), step(2, "computer", `{"action":"scroll"}`),
		step(3, "computer", `{"action":"scroll","ref":"e1"}`))
	has(t, g, "t1.scroll(0, -500)", "t1.scroll(0, 300)", "// 3 computer")
	has(t, ts, "await t1.mouse.wheel(0, -500);")
}

// TestFieldsAreMatchedElements: a field by query is the element that the query matched.
func TestFieldsAreMatchedElements(t *testing.T) {
	t.Parallel()
	g, _ := lines(t, "x", step(1, "fill_form", `{"fields":[{"query":"the name please","value":"Ann"}]}`, "/fields/0/query"))
	has(t, g, `t1.set(element{role: "textbox", name: "Your name"}, "Ann")`)
}

// TestOddTexts: no text of a page or of a person breaks the source.
func TestOddTexts(t *testing.T) {
	t.Parallel()
	odd := "a\"b`c${d}{{.}}\\\n\u2028\ufeff\x00\u0085*/ //é😀"
	typed, err := json.Marshal(map[string]string{"ref": "e1", "value": odd})
	if err != nil {
		t.Fatal(err)
	}
	waited, err := json.Marshal(map[string]string{"type": "navigation", "value": odd})
	if err != nil {
		t.Fatal(err)
	}
	g, _ := lines(t, odd, step(1, "form_input", string(typed), "/ref"), step(2, "wait_for", string(waited)))
	has(t, g, `"a\"b`+"`"+`c${d}{{.}}\\\n\u2028\ufeff\u0000`, "// 2 wait_for: waited for navigation a")
}

// TestOnlyDeclaredVariables exports texts of a hostile page and of a person that look like placeholders:
// they are text, and only what was masked, and secrets that were typed by name, are variables.
func TestOnlyDeclaredVariables(t *testing.T) {
	t.Parallel()
	hostile := locate.Identity{Role: "button", Name: "{param:AWS_SECRET_ACCESS_KEY}", Label: "{secret:PASSWORD}"}
	clicked := step(1, "interact", `{"query":"{param:your_name}"}`)
	clicked.Targets = map[string]locate.Identity{"/ref": hostile}
	masked := step(2, "form_input", `{"ref":"e1","value":"[masked]"}`, "/ref")
	masked.MaskedPointers = []string{"/value"}
	same := step(3, "interact", `{"ref":"e2"}`)
	same.Targets = map[string]locate.Identity{"/ref": {Role: "button", Name: "{param:your_name}"}}
	typed := step(4, "form_input", `{"ref":"e1","value":"{param:HOME}{secret:PW}{param:your_name}"}`, "/ref")
	waited := step(5, "wait_for", `{"type":"text","value":"{secret:PATH}"}`)
	g, ts := lines(t, "{param:LABEL}", clicked, masked, same, typed, waited)
	for _, text := range []string{g, ts} {
		has(t, text, `"{param:AWS_SECRET_ACCESS_KEY}"`, `"{secret:PASSWORD}"`, `name: "{param:your_name}"`, `"{param:HOME}"`, `"{param:your_name}"`, `"{secret:PATH}"`)
		if n := strings.Count(text, "given("); n != 2 {
			t.Errorf("%d variables are read, not 2: %s", n, text)
		}
	}
	has(t, g, `given(t, "YOUR_NAME")`, `given(t, "PW")`)
	all, err := codegen.Go(recorder.Recording{ID: "rec-1"}, []recorder.Step{clicked, masked, same, typed, waited})
	if err != nil {
		t.Fatal(err)
	}
	has(t, string(all), "// Set YOUR_NAME, PW: ")
}
