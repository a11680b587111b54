package replay

import (
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

func step(seq int, tool, args string) recorder.Step {
	return recorder.Step{Seq: seq, Tool: tool, Args: json.RawMessage(args), Outcome: "ok", Tab: "t1"}
}

func TestGeneralise(t *testing.T) {
	typed := step(1, "form_input", `{"ref":"e1","value":"[masked]"}`)
	typed.MaskedPointers = []string{"/value"}
	typed.Targets = map[string]locate.Identity{"/ref": {Role: "textbox", Name: "Pass word"}}
	again := step(2, "fill_form", `{"fields":[{"ref":"e1","value":"[masked]"},{"ref":"e2","value":"Ada Lovelace"}]}`)
	again.MaskedPointers = []string{"/fields/0/value"}
	again.Targets = map[string]locate.Identity{"/fields/0/ref": {Role: "textbox", Name: "Pass word"}, "/fields/1/ref": {Role: "link", Name: "Ada Lovelace's page", Label: "Ada Lovelace"}}
	s, err := Generalise([]recorder.Step{typed, again, step(3, "computer", `{"action":"wait","duration":1.50}`)}, map[string]string{"who": "Ada Lovelace", "n": "1"}, "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range s.Parameters {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "n who pass_word pass_word_2" {
		t.Errorf("parameters %s", got)
	}
	var missing *MissingParametersError
	if _, err := s.parameterValues(nil); !errors.As(err, &missing) || strings.Join(missing.Names, " ") != "pass_word pass_word_2" {
		t.Errorf("without values: %v", err)
	}
	var unknown *UnknownParametersError
	if _, err := s.parameterValues(map[string]string{"whom": "x"}); !errors.As(err, &unknown) || len(unknown.Known) != 4 {
		t.Errorf("with an unknown one: %v", err)
	}
	values, err := s.parameterValues(map[string]string{"who": "Grace", "pass_word": "a\"b", "pass_word_2": "{secret:PW}"})
	if err != nil {
		t.Fatal(err)
	}
	steps, err := s.fillSteps(s.Steps, values)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{`{"ref":"e1","value":"a\"b"}`, `{"fields":[{"ref":"e1","value":"{secret:PW}"},{"ref":"e2","value":"Grace"}]}`, `{"action":"wait","duration":1.50}`} {
		if string(steps[i].Args) != want {
			t.Errorf("step %d has %s, want %s", i+1, steps[i].Args, want)
		}
	}
	if id := steps[1].Targets["/fields/1/ref"]; id.Name != "Grace's page" || id.Label != "Grace" {
		t.Errorf("the target is %+v", id)
	}
	if string(s.Steps[0].Args) != `{"ref":"e1","value":"{param:pass_word}"}` {
		t.Errorf("filling has changed the script: %s", s.Steps[0].Args)
	}
}

// TestGeneraliseInOnePass: a value may be a part of a place's name, and a contract is JSON whatever
// is put there.
func TestGeneraliseInOnePass(t *testing.T) {
	masked := step(1, "form_input", `{"ref":"e1","value":"[masked]"}`)
	masked.MaskedPointers = []string{"/value"}
	masked.Targets = map[string]locate.Identity{"/ref": {Role: "textbox", Name: "Password"}}
	judged := step(2, "oc_assert", `{"contract":"{\"dom_text\":\"Ada at who\"}"}`)
	s, err := Generalise([]recorder.Step{masked, judged}, map[string]string{"who": "Ada", "x": "who", "kind": "password"}, `{"dom_text":"Ada", "url":"/x"}`)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(s.Steps[0].Args); got != `{"ref":"e1","value":"{param:password}"}` {
		t.Errorf("the masked step has %s", got)
	}
	values, err := s.parameterValues(map[string]string{"password": "pw", "who": `"A" \`})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := replaceInContract(s.Contract, valueReplacer(values)), `{"dom_text":"\"A\" \\","url":"/x"}`; got != want {
		t.Errorf("the contract is %s, want %s", got, want)
	}
	steps, err := s.fillSteps(s.Steps, values)
	if want := `{"contract":"{\"dom_text\":\"\\\"A\\\" \\\\ at who\"}"}`; err != nil || string(steps[1].Args) != want {
		t.Errorf("the step that judges has %s, want %s: %v", steps[1].Args, want, err)
	}
}

// TestDriftsHideSecretParameters: values of masked arguments are in no part of a drift, in no
// encoding.
func TestDriftsHideSecretParameters(t *testing.T) {
	script := Script{Parameters: []Parameter{{Name: "password"}, {Name: "pin"}, {Name: "vault"}}}
	r := run{redact: script.parameterRedactor(map[string]string{"password": "wrong battery", "pin": "123", "vault": "{secret:PW}"})}
	r.stop(&Drift{Reason: "not wrong battery", Found: "123", URL: "http://a/?p=wrong+battery&x={secret:PW}", Similar: []string{`link "wrong battery"`}})
	d := r.report.Drift
	if got := strings.Join(append(d.Similar, d.Reason, d.Found, d.URL), "|"); got != `link "{param:password}"|not {param:password}|{param:pin}|http://a/?p={param:password}&x={secret:PW}` {
		t.Error(got)
	}
}

// TestClipSteps: a result that is too long leaves out what only went as recorded, and never where a
// replay began and ended.
func TestClipSteps(t *testing.T) {
	var steps []PlayedStep
	for i := range 1000 {
		s := PlayedStep{Seq: i + 1, Tool: "interact", Tab: "t7", Outcome: "ok"}
		if i%100 == 50 {
			s.addNote(strings.Repeat("x", 100))
		}
		steps = append(steps, s)
	}
	steps[0].Tab, steps[1].Tab, steps[999].Outcome = "", "t6", "drift"
	for most, want := range map[int]int{1 << 20: 1000, 5000: 12, 1000: 6, 1: 2} {
		told, left := ClipSteps(steps, most)
		if len(told) != want || len(told)+left != 1000 {
			t.Errorf("in %d bytes %d steps stay and %d are left out", most, len(told), left)
		}
		if most < 1<<20 && (told[0].Tab != "t6" || told[len(told)-1].Outcome != "drift") {
			t.Errorf("in %d bytes: %+v", most, told)
		}
	}
}

func TestParseParameters(t *testing.T) {
	if got, err := ParseParameters([]string{"a=b=c", "empty="}); err != nil || got["a"] != "b=c" || got["empty"] != "" {
		t.Errorf("%v %v", got, err)
	}
	for text, want := range map[string]string{"none": "no name=value", "1a=b": "no name", "a b=c": "no name"} {
		if _, err := ParseParameters([]string{text}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := ParseParameters([]string{"a=1", "a=2"}); err == nil {
		t.Error("a name was taken twice")
	}
}

func TestSetRef(t *testing.T) {
	for _, c := range []struct{ args, pointer, want string }{
		{`{"ref":"e1"}`, "/ref", `{"ref":"e9"}`},
		{`{"query":"the button"}`, "/query", `{"ref":"e9"}`},
		{`{"fields":[{"ref":"e1"},{"query":"x","value":"v"}]}`, "/fields/1/query", `{"fields":[{"ref":"e1"},{"ref":"e9","value":"v"}]}`},
		{`{"refs":["e1","e2"]}`, "/refs/1", `{"refs":["e1","e9"]}`},
		{`{"a/b":{"~":"e1"}}`, "/a~1b/~0", `{"a/b":{"~":"e9"}}`},
	} {
		args, err := decodeArguments(json.RawMessage(c.args))
		if err != nil {
			t.Fatal(err)
		}
		err = setRef(args, c.pointer, "e9")
		if got, _ := json.Marshal(args); err != nil || string(got) != c.want {
			t.Errorf("%s at %s: %s %v", c.args, c.pointer, got, err)
		}
	}
	for _, pointer := range []string{"/fields/7/ref", "/fields/x/ref", "/ref/deeper/still"} {
		args, _ := decodeArguments(json.RawMessage(`{"ref":"e1","fields":[]}`))
		if err := setRef(args, pointer, "e9"); err == nil {
			t.Errorf("%s is there", pointer)
		}
	}
}

func TestSameShape(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"http://a:1/x", "http://b:2/x?q=1", true},
		{"http://a/item/12", "http://a/item/345/", true},
		{"http://a/item/12", "http://a/list/12", false},
		{"http://a/#/home", "http://a/#/settings", false},
		{"about:blank", "http://a/", false},
		{"http://a/x", "http://a/y", false},
	} {
		if got := sameShape(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}

func TestActedElement(t *testing.T) {
	for summary, want := range map[string]string{
		"clicked button \"Say \\\"yes\\\"\" [e5] focused\nnow at x": `button "Say \"yes\""`,
		"double-clicked link \"More\" [e12]":                        `link "More"`,
		"clicked clickable [e5]":                                    "",
		"set 2 of 2 fields":                                         "",
	} {
		id, ok := ActedElement(summary)
		if got := strings.TrimSpace(id.String()); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s %t", summary, got, ok)
		}
	}
}

func TestCheck(t *testing.T) {
	good := Script{Steps: []recorder.Step{step(1, "navigate", `{"url":"x"}`)}, Handling: map[int]Handling{1: {Retries: 2, Then: ThenRetry, OnError: []recorder.Step{step(1, "page_reload", `{}`)}}}}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	bad := Script{
		Parameters: []Parameter{{Name: "a"}, {Name: "a"}, {Name: "no name"}},
		Steps:      []recorder.Step{step(1, "", `{}`), step(2, "navigate", `[]`)},
		Handling:   map[int]Handling{7: {}, 1: {Retries: 99, Then: "again"}},
	}
	err := bad.Check()
	for _, want := range []string{`parameter "a"`, `parameter "no name"`, "step 1: it needs", "step 2: it needs", "step 7: there is no such step", "retries is 0 to 10", `not "again"`, "onError, which has no steps"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v lacks %q", err, want)
		}
	}
}

func TestNames(t *testing.T) {
	grammar := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(rapid.String(), rapid.StringMatching("[A-Za-z0-9@\\[`{_-]{0,70}")).Draw(t, "name")
		if isName(name) != grammar.MatchString(name) {
			t.Fatalf("%q: %t", name, isName(name))
		}
	})
}
