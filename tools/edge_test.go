package tools_test

import (
	"net"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

func TestInvalidArgumentsNameEveryMistake(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{})
	c.refused("INVALID_ARGUMENTS", "navigate", args{"ulr": "x", "timeout": "soon"},
		`"/ulr"`, `did you mean \"url\"?`, `"/timeout"`, "expected an integer", `"/url"`, "required")
	c.refused("INVALID_ARGUMENTS", "computer", args{"action": "left_clik"}, `did you mean \"left_click\"?`)
	c.refused("INVALID_ARGUMENTS", "computer", args{"action": "key"}, `\"text\" is required`)
	c.refused("INVALID_ARGUMENTS", "computer", args{"action": "hover", "ref": "e1", "coordinate": []int{1, 2}}, "exactly one of")
	c.refused("INVALID_ARGUMENTS", "wait_for", args{"type": "timeout", "value": "long"}, "/value")
	if _, err := c.CallTool(t.Context(), params("navigat", nil)); err == nil || !strings.Contains(err.Error(), `did you mean "navigate"?`) {
		t.Errorf("an unknown tool gives %v", err)
	}
}

func TestRefsAreRefusedWhenTheyNoLongerHold(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/twins.html"})
	reading := c.call("read_page", nil)
	doomed := refOf(t, reading, "Doomed")
	if again := refOf(t, c.call("read_page", nil), "Doomed"); again != doomed {
		t.Errorf("the same element was %s and is %s", doomed, again)
	}
	c.says("javascript_tool", args{"code": "remove()"}, "removed")
	c.refused("STALE_REF", "interact", args{"ref": doomed}, "read_page", "candidates")
	c.refused("NOT_FOUND", "interact", args{"ref": "e9999"})
	c.refused("AMBIGUOUS", "interact", args{"query": "Delete"}, "First", "Second")
	c.says("interact", args{"ref": refOf(t, reading, "Delete")}, "clicked")
	c.says("tabs_context", nil, `"first"`)
	c.call("navigate", args{"url": home + "/"})
	c.refused("STALE_REF", "interact", args{"ref": refOf(t, reading, "Delete")})
}

func TestActionsReportWhatTheyCause(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/late.html"})
	c.says("interact", args{"query": "Load"}, "loaded")
	c.says("wait_for", args{"type": "selector", "value": "#later"}, "selector after")
	c.says("wait_for", args{"type": "text", "value": "arrived"}, "text after")
	c.says("wait_for", args{"type": "url_match", "value": "late.html"}, "url_match after")
	c.says("wait_for", args{"type": "function", "value": "document.title === 'Late'"}, "function after")
	c.says("wait_for", args{"type": "timeout", "value": "20"}, "timeout after")
	c.refused("TIMEOUT", "wait_for", args{"type": "navigation", "timeout": 200}, "there was none")
	c.refused("TIMEOUT", "wait_for", args{"type": "text_gone", "value": "arrived", "timeout": 100}, "arrived")
}

func TestKeyboardAndMouse(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/form.html"})
	reading := c.call("read_page", nil)
	c.says("computer", args{"action": "left_click", "ref": refOf(t, reading, `"Name"`)}, "clicked")
	c.says("computer", args{"action": "type", "text": "Ada"}, "typed")
	c.says("computer", args{"action": "key", "text": "Control+a Delete"}, "pressed")
	c.says("computer", args{"action": "type", "text": "Grace"}, "typed")
	c.says("javascript_tool", args{"code": "document.querySelector('[name=name]').value"}, "Grace")
	c.refused("INVALID_ARGUMENTS", "computer", args{"action": "key", "text": "Contrl+a"}, "Control")

	c.call("navigate", args{"url": home + "/colour.html"})
	c.says("computer", args{"action": "scroll", "coordinate": []int{600, 300}, "scroll_amount": 5}, "scrolled")
	if y := c.call("javascript_tool", args{"code": "scrollY"}); y != "500" {
		t.Errorf("scrolled to %s, want 500", y)
	}
	c.says("computer", args{"action": "wait", "duration": 0}, "waited 0s")
}

func TestScriptsAnswerAndFail(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/"})
	c.says("javascript_tool", args{"code": "1+1"}, "2")
	c.says("javascript_tool", args{"code": "const r = await fetch('/second.html'); (await r.text()).includes('You made it')"}, "true")
	c.refused("SCRIPT_FAILED", "javascript_tool", args{"code": "nothing.here"}, "ReferenceError")
	c.refused("TIMEOUT", "javascript_tool", args{"code": "new Promise(() => {})", "timeout": 100})
	long := c.call("javascript_tool", args{"code": "'é'.repeat(40000)"})
	if len(long) > 50200 || !strings.Contains(long, "[cut:") {
		t.Errorf("a long answer has %d bytes and ends in %q", len(long), long[len(long)-80:])
	}
}

func TestNavigationThatFails(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	c.refused("NAVIGATION_FAILED", "navigate", args{"url": "http://" + address}, "ERR_CONNECTION_REFUSED")
	c.refused("NAVIGATION_FAILED", "tabs_create", args{"url": "http://" + address}, "ERR_CONNECTION_REFUSED", " is open, but: navigate to")
	c.refused("POLICY_DENIED", "navigate", args{"url": "javascript:alert(1)"}, `"surface":"navigation"`)
	c.refused("POLICY_DENIED", "navigate", args{"url": "file:///etc/passwd"})
	c.says("navigate", args{"url": home + "/missing"}, " 404")
	c.refused("TIMEOUT", "navigate", args{"url": home + "/slow?ms=600000", "timeout": 300})
	c.says("navigate", args{"url": strings.TrimPrefix(home, "http://") + "/second.html"}, "Second page")
}

func TestFindAndQuery(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/form.html"})
	c.says("find", args{"query": "send button"}, `button "Send order" [e`)
	c.refused("NOT_FOUND", "find", args{"query": "unicorn", "waitForMs": 0})
	found := c.says("query_dom", args{"method": "css", "selector": "input", "multiple": true}, "3 of 3", `name="password"`)
	c.says("form_input", args{"ref": refOf(t, found, `name="name"`), "value": "Ada"}, "set")
	c.says("query_dom", args{"method": "xpath", "xpath": "//button"}, "Send order")
	c.says("query_dom", args{"method": "css", "selector": ".none"}, "0 of 0")
	c.refused("INVALID_ARGUMENTS", "query_dom", args{"method": "css", "selector": "a["})
	c.refused("INVALID_ARGUMENTS", "query_dom", args{"method": "xpath", "selector": "a"}, `\"xpath\" is required when method is xpath`)
}

func TestReadingsKeepToTheirBudget(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/"})
	c.call("javascript_tool", args{"code": "for (let i = 0; i < 500; i++) document.body.insertAdjacentHTML('beforeend', `<p>paragraph ${i}</p>`)"})
	first := c.call("read_page", args{"max_bytes": 2000})
	if len(first) > 2300 {
		t.Errorf("a reading of at most 2,000 bytes has %d", len(first))
	}
	_, rest, ok := strings.Cut(first, `[cut; cursor "`)
	cursor, _, _ := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("the reading ends in %q", first[len(first)-100:])
	}
	c.says("read_page", args{"cursor": cursor, "max_bytes": 100000}, "paragraph 499")
}

func TestAnOpenDialogIsToldAndCanBeLeft(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	id, _, _ := strings.Cut(c.call("navigate", args{"url": home + "/"}), " ")
	c.call("javascript_tool", args{"code": "setTimeout(() => alert('stop'), 50)"})
	c.refused("DIALOG_OPEN", "wait_for", args{"type": "text", "value": "never", "timeout": 5000}, "stop", "answer it with dialog")
	c.refused("DIALOG_OPEN", "read_page", nil, `"kind":"alert"`)
	c.says("tabs_close", args{"tabId": id}, "closed "+id)
	c.says("navigate", args{"url": home + "/"}, "Fixture home")
}

func TestProfileWithoutABrowser(t *testing.T) {
	t.Parallel()
	c := connect(t, toolkit.Options{})
	c.says("oc_profile_status", nil, `"profileType":"temporary"`)
	c.refused("NOT_FOUND", "list_profiles", args{"userDataDir": t.TempDir()}, "Local State")
}
