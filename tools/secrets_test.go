package tools_test

import (
	"encoding/hex"
	"encoding/json"
	"html"
	"image"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// leakedForms lists the forms of the password that a text holds.
func leakedForms(text string) (found []string) {
	quoted, _ := json.Marshal(tooltest.Password)
	twice, _ := json.Marshal(string(quoted[1 : len(quoted)-1]))
	for _, form := range []string{
		tooltest.Password, "hunter2", html.EscapeString(tooltest.Password), url.QueryEscape(tooltest.Password), url.PathEscape(tooltest.Password), string(quoted[1 : len(quoted)-1]),
		string(twice[1 : len(twice)-1]), hex.EncodeToString([]byte(tooltest.Password)), "aHVudGVyM", "h1bnRlcj", "odW50ZXIy",
	} {
		if strings.Contains(text, form) {
			found = append(found, form)
		}
	}
	return found
}

// TestSecretReachesNoClientAndNoFile types a password into a page that repeats it, uses every tool
// that could give it back, and searches all that the client and the disk were given.
func TestSecretReachesNoClientAndNoFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, home := tooltest.ConnectWithSecret(t, dir), tooltest.ServeEcho(t)
	redacted := 0
	see := func(tool string, a tooltest.Args) string {
		t.Helper()
		res := c.Do(tool, a)
		whole, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		text := string(whole)
		for _, link := range tooltest.Links(res) {
			text += c.ReadArtifact(link.URI)
		}
		if found := leakedForms(text + tooltest.Text(res)); found != nil {
			t.Errorf("%s %v gives %q in %.2000s", tool, a, found, text)
		}
		if strings.Contains(text, "[secret:PASSWORD]") {
			redacted++
		}
		return tooltest.Text(res)
	}
	see("navigate", tooltest.Args{"url": home})
	see("network_capture_full", tooltest.Args{"action": "start"})
	ref := tooltest.Ref(t, see("read_page", nil), "Plain")
	see("form_input", tooltest.Args{"ref": ref, "value": "{secret:PASSWORD}"})
	if got := see("javascript_tool", tooltest.Args{"code": "typed.length"}); got != "14" {
		t.Fatalf("the page was given %s characters", got)
	}
	parts, _ := c.EvidenceBundle(nil)
	for name, text := range parts {
		if found := leakedForms(text); found != nil {
			t.Errorf("%s of the evidence gives %q", name, found)
		}
	}
	if len(parts) != 5 || !strings.Contains(parts["console.json"], "[secret:PASSWORD]") {
		t.Errorf("the evidence has %d parts, and says on the console %s", len(parts), parts["console.json"])
	}
	for _, mode := range []string{"compact", "full", "dom", "css", "markdown"} {
		see("read_page", tooltest.Args{"mode": mode, "values": true, "hidden": true})
	}
	verdict := c.Do("oc_assert", tooltest.Args{"contract": `{"value":{"selector":"#plain","matches":"^.unter2"}}`, "timeout_ms": 0})
	if got, _ := verdict.StructuredContent.(map[string]any); got["verdict"] != "fail" {
		t.Errorf("a contract reveals what the secret is: %+v", got)
	}
	for _, step := range []struct {
		tool string
		args tooltest.Args
	}{
		{"javascript_tool", tooltest.Args{"code": "[typed, encodeURIComponent(typed), btoa(unescape(encodeURIComponent(typed))), JSON.stringify(typed)]"}},
		{"javascript_tool", tooltest.Args{"code": "throw new Error(typed)"}},
		{"page_content", nil},
		{"find", tooltest.Args{"query": "Plain"}},
		{"query_dom", tooltest.Args{"method": "css", "selector": "#echo"}},
		{"inspect", tooltest.Args{"query": "form fields, tabs, errors", "scope": "all"}},
		{"oc_observe", nil},
		{"oc_assert", tooltest.Args{"contract": `{"dom_text":"hunter","url":"hunter","value":{"selector":"#plain","contains":"hunter"},"console":{"contains":"typed","max":0}}`, "timeout_ms": 0}},
		{"oc_assert", tooltest.Args{"contract": `{"or":[{"value":{"selector":"#plain","matches":"r2."}},{"network":{"contains":"echo","max":0}}]}`, "timeout_ms": 0, "screenshot": true}},
		{"vision_find", nil},
		{"extract_data", tooltest.Args{"schema": `{"title":"string"}`}},
		{"validate_page", nil},
		{"tabs_context", nil},
		{"list_targets", nil},
		{"query_elements", tooltest.Args{"selector": "input"}},
		{"storage", tooltest.Args{"storageType": "local", "action": "get"}},
		{"cookies", tooltest.Args{"action": "get"}},
		{"console_capture", nil},
		{"get_console_logs", nil},
		{"network_capture_full", tooltest.Args{"action": "get"}},
		{"network_capture_full", tooltest.Args{"action": "get", "number": 1}},
		{"network_capture_full", tooltest.Args{"action": "har"}},
		{"network_capture_full", tooltest.Args{"action": "har", "path": "all.har"}},
		{"oc_performance_insights", tooltest.Args{"ms": 100}},
		{"javascript_tool", tooltest.Args{"code": "location.href = '/file?q=' + encodeURIComponent(typed); 1"}},
		{"downloads", tooltest.Args{"action": "wait"}},
		{"page_screenshot", nil},
		{"page_pdf", nil},
		{"oc_checkpoint", tooltest.Args{"action": "save", "taskDescription": "log in with {secret:PASSWORD}"}},
		{"oc_checkpoint", tooltest.Args{"action": "load"}},
		{"memory", tooltest.Args{"action": "record", "domain": "127.0.0.1", "key": "tip:x", "value": "{secret:PASSWORD}"}},
		{"memory", tooltest.Args{"action": "query", "domain": "127.0.0.1"}},
		{"oc_session_snapshot", tooltest.Args{"objective": "x", "currentStep": "y", "nextActions": []string{"z"}}},
		{"oc_session_resume", nil},
		{"oc_context_export", nil},
		{"oc_journal", tooltest.Args{"action": "recent"}},
		{"page_reload", nil},
		{"oc_connection_health", nil},
	} {
		see(step.tool, step.args)
	}
	if redacted < 10 {
		t.Errorf("only %d results were redacted: the page does not repeat what was typed", redacted)
	}
	searchFiles(t, dir)
}

// searchFiles looks for the password in every file below a directory.
func searchFiles(t *testing.T, dir string) {
	t.Helper()
	count := 0
	for _, file := range tooltest.FilesContaining(t, dir, "") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count++
		if found := leakedForms(string(data)); found != nil {
			t.Errorf("%q is in %s", found, file)
		}
	}
	if count < 5 {
		t.Errorf("only %d files were written, so little was tested", count)
	}
}

// TestScreenshotShowsNoSecret looks at the pixels of what holds a secret, and at what the page
// notices of that.
func TestScreenshotShowsNoSecret(t *testing.T) {
	t.Parallel()
	c, home := tooltest.ConnectWithSecret(t, t.TempDir()), tooltest.ServeEcho(t)
	c.Call("navigate", tooltest.Args{"url": home})
	ref := tooltest.Ref(t, c.Call("read_page", nil), "Plain")
	strip := func(top float64) int {
		return countDark(tooltest.Picture(t, c.Do("page_screenshot", tooltest.Args{"clip": []float64{0, top, 300, 30}}), "image/png"))
	}
	c.Call("form_input", tooltest.Args{"ref": ref, "value": "harmless words"})
	for _, top := range []float64{0, 40, 80, 120} {
		if strip(top) == 0 {
			t.Fatalf("harmless text at %v is not in the picture, so nothing is tested", top)
		}
	}
	c.Call("form_input", tooltest.Args{"ref": ref, "value": "{secret:PASSWORD}"})
	c.Call("javascript_tool", tooltest.Args{"code": `new MutationObserver((all) => { changes += all.length }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true}); 1`})
	for what, top := range map[string]float64{"the field": 0, "its echo": 80, "its echo in a shadow tree": 120} {
		if n := strip(top); n != 0 {
			t.Errorf("%s shows %d dark pixels", what, n)
		}
	}
	if strip(40) == 0 {
		t.Error("a field without a secret was hidden too")
	}
	if res := c.Do("vision_find", tooltest.Args{"showBoundingBoxes": false}); res.IsError {
		t.Error(tooltest.Text(res))
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "[changes, document.adoptedStyleSheets.length, getComputedStyle(plain).webkitTextFillColor].join()"}, "0,0,rgb(0, 0, 0)")
}

// countDark counts pixels that are text on white.
func countDark(img image.Image) (n int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				n++
			}
		}
	}
	return n
}

// TestSecretIsTypedByName types a password into a real page, reads it back in every way that there
// is, and searches everything that the client and the disk were given.
func TestSecretIsTypedByName(t *testing.T) {
	dir, home := t.TempDir(), tooltest.ServeSite(t)
	c := tooltest.ConnectWithSecret(t, dir)
	c.Call("navigate", tooltest.Args{"url": home + "/form.html"})
	ref := tooltest.Ref(t, c.Call("read_page", nil), "textbox")
	var seen []string
	see := func(tool string, a tooltest.Args) {
		t.Helper()
		seen = append(seen, c.Call(tool, a))
	}
	see("form_input", tooltest.Args{"ref": ref, "value": "{secret:PASSWORD}"})
	see("javascript_tool", tooltest.Args{"code": `const f = [...document.querySelectorAll("input,textarea")].find(e => e.value.startsWith("hunter2"));
		document.title = f.value; localStorage.setItem("pw", f.value); document.cookie = "pw=" + encodeURIComponent(f.value);
		const b = btoa(unescape(encodeURIComponent("ann:" + f.value)));
		[f.value, encodeURIComponent(f.value), b, JSON.stringify(f.value), f.value.length]`})
	if want := "14"; !strings.Contains(seen[len(seen)-1], want) {
		t.Errorf("the page was given another value: %s", seen[len(seen)-1])
	}
	see("read_page", tooltest.Args{"mode": "full"})
	see("tabs_context", nil)
	see("storage", tooltest.Args{"storageType": "local", "action": "get", "key": "pw"})
	see("cookies", tooltest.Args{"action": "get"})
	see("navigate", tooltest.Args{"url": home + "/cookies"})
	see("read_page", nil)
	see("oc_journal", tooltest.Args{"action": "recent"})
	see("oc_checkpoint", tooltest.Args{"action": "save", "taskDescription": "log in with {secret:PASSWORD}"})
	for _, text := range seen {
		if strings.Contains(text, "hunter2") || strings.Contains(text, "aHVudGVyM") || strings.Contains(text, "h1bnRlcj") {
			t.Errorf("the value came back: %s", text)
		}
	}
	if !strings.Contains(strings.Join(seen, ""), "[secret:PASSWORD]") {
		t.Error("nothing was redacted, so nothing was tested")
	}
	c.Expect("oc_checkpoint", tooltest.Args{"action": "load"}, "log in with {secret:PASSWORD}")
	for _, form := range []string{"hunter2", "aHVudGVyM", "h1bnRlcj"} {
		if files := tooltest.FilesContaining(t, dir, form); files != nil {
			t.Errorf("%q is in %v", form, files)
		}
	}
	c.ExpectRefusal("POLICY_DENIED", "javascript_tool", tooltest.Args{"code": "'{secret:PASSWORD}'"}, "script")
	c.ExpectRefusal("POLICY_DENIED", "navigate", tooltest.Args{"url": home + "/?{secret:PASSWORD}"}, "address")
	c.ExpectRefusal("INVALID_ARGUMENTS", "form_input", tooltest.Args{"ref": ref, "value": "{secret:PASSWD}"}, "PASSWORD")
	c.ExpectRefusal("NOT_FOUND", "find", tooltest.Args{"query": tooltest.Password, "waitForMs": 0})
}
