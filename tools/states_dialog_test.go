package tools_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// tabOf is the tab id that a report of a navigation begins with.
func tabOf(report string) string {
	id, _, _ := strings.Cut(report, " ")
	return id
}

func TestAnActionThatOpensADialogReturnsAndSaysSo(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	tab := tabOf(c.call("navigate", args{"url": home + "/dialogs"}))
	c.says("interact", args{"query": "Delete"}, `clicked button "Delete"`, `a confirm dialog is open in tab `+tab+`: "Delete it?"; answer it with dialog`)
	for tool, a := range map[string]args{
		"read_page": nil, "interact": {"query": "Rename"}, "javascript_tool": {"code": "1"}, "page_screenshot": nil,
		"navigate": {"url": home + "/second"}, "page_reload": nil, "wait_for": {"type": "text", "value": "x"}, "page_pdf": nil,
	} {
		c.refused("DIALOG_OPEN", tool, a, "Delete it?", "answer it with dialog")
	}
	c.says("tabs_context", nil, tab)
	c.says("dialog", args{"accept": true}, "accepted the confirm dialog of tab "+tab)
	c.says("javascript_tool", args{"code": "document.title"}, "confirmed true")
	c.call("interact", args{"query": "Delete"})
	c.says("dialog", args{"accept": false}, "dismissed")
	c.says("javascript_tool", args{"code": "document.title"}, "confirmed false")
}

func TestPromptsTakeText(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/dialogs"})
	for _, test := range []struct {
		answer args
		want   string
	}{
		{args{"accept": true, "text": "Grace"}, "prompted Grace"},
		{args{"accept": true}, "prompted Ada"}, // as a person who presses Enter
		{args{"accept": true, "text": ""}, "prompted"},
		{args{"accept": false, "text": "x"}, "prompted null"},
	} {
		c.says("interact", args{"query": "Rename"}, `a prompt dialog is open`, `"Your name?" (proposes "Ada")`)
		c.call("dialog", test.answer)
		if title := c.call("javascript_tool", args{"code": "document.title"}); title != test.want {
			t.Errorf("%v gives %q, want %q", test.answer, title, test.want)
		}
	}
	c.refused("TOOL_NOT_VISIBLE", "dialog", args{"accept": true}, "dialog_open")
	c.call("javascript_tool", args{"code": "document.querySelector('input').focus()"})
	c.says("computer", args{"action": "key", "text": "Enter"}, "a confirm dialog is open", "Submit?")
	c.refused("INVALID_ARGUMENTS", "dialog", nil, "accept")
	c.refused("NO_TAB", "dialog", args{"accept": true, "tabId": "t99999"})
	c.call("dialog", args{"accept": true})
	c.says("javascript_tool", args{"code": "document.title"}, "entered true")
}

func TestTwoDialogsInARowAndALateOne(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/dialogs"})
	c.says("interact", args{"query": "Twice"}, `"one"`)
	c.says("dialog", args{"accept": true}, "accepted", `a alert dialog is open`, `"two"`)
	c.call("dialog", args{"accept": true})
	c.says("javascript_tool", args{"code": "document.title"}, "both")
	c.says("interact", args{"query": "Later"}, "clicked")
	c.refused("DIALOG_OPEN", "wait_for", args{"type": "text", "value": "never", "timeout": 8000}, "late", "during the call")
	c.call("dialog", args{"accept": true})
	c.says("javascript_tool", args{"code": "document.title"}, "late seen")
}

func TestADialogInAnotherTabBlocksNothingElse(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	first := tabOf(c.call("navigate", args{"url": home + "/dialogs"}))
	c.call("interact", args{"query": "Delete"})
	second := tabOf(c.call("tabs_create", args{"url": home + "/second"}))
	c.says("read_page", nil, "Second")
	c.refused("DIALOG_OPEN", "read_page", args{"tabId": first})
	c.says("dialog", args{"accept": false}, "dismissed the confirm dialog of tab "+first)
	c.says("read_page", args{"tabId": first}, "Delete")

	c.says("interact", args{"tabId": first, "query": "Child"}, "opened tab")
	c.call("javascript_tool", args{"tabId": second, "code": "setTimeout(() => alert('second'), 0)"})
	c.refused("DIALOG_OPEN", "wait_for", args{"tabId": second, "type": "text", "value": "never"}, "second")
	c.says("dialog", args{"accept": true, "tabId": second}, "accepted the alert dialog of tab "+second)
}

func TestBeforeunloadAsksAndIsAnswered(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.call("navigate", args{"url": home + "/stay"})
	c.call("interact", args{"query": "Touch"}) // without it a page may not ask
	c.says("interact", args{"query": "Leave"}, "clicked link", "a beforeunload dialog is open")
	c.says("dialog", args{"accept": false}, "dismissed the beforeunload dialog")
	c.says("read_page", nil, "/stay")
	c.says("navigate", args{"url": home + "/second"}, "a beforeunload dialog is open")
	c.says("dialog", args{"accept": true}, "accepted", "/second")
	c.says("read_page", nil, "Second")
	tab := tabOf(c.call("navigate", args{"url": home + "/stay"}))
	c.call("interact", args{"query": "Touch"})
	c.says("tabs_close", args{"tabId": tab}, "closed "+tab)
}

func TestADialogBeforeThePageIsThere(t *testing.T) {
	t.Parallel()
	home, other := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.says("navigate", args{"url": home + "/greeting"}, "a alert dialog is open", "before anything")
	c.says("dialog", args{"accept": true}, "accepted")
	c.says("read_page", nil, "After")
	c.call("navigate", args{"url": other + "/framed-dialog"})
	c.refused("DIALOG_OPEN", "wait_for", args{"type": "text", "value": "never"}, "from the frame")
	c.says("dialog", args{"accept": true}, "accepted")
	c.says("javascript_tool", args{"code": "1+1"}, "2")
}

func TestTheDialogToolComesAndGoes(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connectAs(t, toolkit.Options{}, sessions, nil)
	listed := func() bool {
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, tool := range list.Tools {
			if tool.Name == "dialog" {
				return true
			}
		}
		return false
	}
	tab := tabOf(c.call("navigate", args{"url": home + "/dialogs"}))
	if listed() {
		t.Error("dialog is listed without a dialog")
	}
	c.call("interact", args{"query": "Delete"})
	if !listed() {
		t.Error("dialog is not listed with a dialog")
	}
	c.call("tabs_close", args{"tabId": tab})
	if listed() {
		t.Error("dialog is listed after its tab has closed")
	}
	c.refused("TOOL_NOT_VISIBLE", "dialog", args{"accept": true})
}
