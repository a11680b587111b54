package tabs_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestDialogOfAnAction(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/dialogs"}))
	c.Expect("interact", tooltest.Args{"query": "Delete"}, `clicked button "Delete"`, `a confirm dialog is open in tab `+tab+`: "Delete it?"; answer it with dialog`)
	for tool, a := range map[string]tooltest.Args{
		"read_page": nil, "interact": {"query": "Rename"}, "javascript_tool": {"code": "1"}, "page_screenshot": nil,
		"wait_for": {"type": "text", "value": "x"}, "page_pdf": nil,
	} {
		c.ExpectRefusal("DIALOG_OPEN", tool, a, "Delete it?", "answer it with dialog")
	}
	c.Expect("tabs_context", nil, tab)
	c.Expect("dialog", tooltest.Args{"accept": true}, "accepted the confirm dialog of tab "+tab)
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "confirmed true")
	c.Call("interact", tooltest.Args{"query": "Delete"})
	c.Expect("dialog", tooltest.Args{"accept": false}, "dismissed")
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "confirmed false")
}

func TestDialogPrompt(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/dialogs"})
	for _, test := range []struct {
		answer tooltest.Args
		want   string
	}{
		{tooltest.Args{"accept": true, "text": "Grace"}, "prompted Grace"},
		{tooltest.Args{"accept": true}, "prompted Ada"}, // as a person who presses Enter
		{tooltest.Args{"accept": true, "text": ""}, "prompted"},
		{tooltest.Args{"accept": false, "text": "x"}, "prompted null"},
	} {
		c.Expect("interact", tooltest.Args{"query": "Rename"}, `a prompt dialog is open`, `"Your name?" (proposes "Ada")`)
		c.Call("dialog", test.answer)
		if title := c.Call("javascript_tool", tooltest.Args{"code": "document.title"}); title != test.want {
			t.Errorf("%v gives %q, want %q", test.answer, title, test.want)
		}
	}
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "dialog", tooltest.Args{"accept": true}, "dialog_open", "no JavaScript dialog is open")
	c.Call("javascript_tool", tooltest.Args{"code": "document.querySelector('input').focus()"})
	c.Expect("computer", tooltest.Args{"action": "key", "text": "Enter"}, "a confirm dialog is open", "Submit?")
	c.ExpectRefusal("INVALID_ARGUMENTS", "dialog", nil, "accept")
	c.ExpectRefusal("NO_TAB", "dialog", tooltest.Args{"accept": true, "tabId": "t99999"})
	c.Call("dialog", tooltest.Args{"accept": true})
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "entered true")
}

func TestDialogSequence(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/dialogs"})
	c.Expect("interact", tooltest.Args{"query": "Twice"}, `"one"`)
	c.Expect("dialog", tooltest.Args{"accept": true}, "accepted", `an alert dialog is open`, `"two"`)
	c.Call("dialog", tooltest.Args{"accept": true})
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, "both")
}

// TestDialogDuringACall repeats with more time on a machine where the dialog opens before the call.
func TestDialogDuringACall(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/dialogs"})
	for delay := 500; ; delay *= 3 {
		code := fmt.Sprintf("setTimeout(() => { alert('late'); document.title = 'seen %[1]d' }, %[1]d); 0", delay)
		res := c.Do("javascript_tool", tooltest.Args{"code": code}) // the dialog may open during it
		refusal := c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never", "timeout": 60_000}, "late")
		c.Call("dialog", tooltest.Args{"accept": true})
		c.Expect("javascript_tool", tooltest.Args{"code": "document.title"}, fmt.Sprintf("seen %d", delay))
		switch message := fmt.Sprint(refusal["message"]); {
		case strings.Contains(message, "during the call"):
			return
		case delay > 10_000:
			t.Fatalf("after %s, the refusal says %q", tooltest.Text(res), message)
		}
	}
}

func TestDialogOfAnotherTab(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	first := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/dialogs"}))
	c.Call("interact", tooltest.Args{"query": "Delete"})
	second := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home + "/second"}))
	c.Expect("read_page", nil, "Second")
	c.ExpectRefusal("DIALOG_OPEN", "read_page", tooltest.Args{"tabId": first})
	c.Expect("dialog", tooltest.Args{"accept": false}, "dismissed the confirm dialog of tab "+first)
	c.Expect("read_page", tooltest.Args{"tabId": first}, "Delete")

	c.Expect("interact", tooltest.Args{"tabId": first, "query": "Child"}, "opened tab")
	c.Call("javascript_tool", tooltest.Args{"tabId": second, "code": "setTimeout(() => alert('second'), 0)"})
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"tabId": second, "type": "text", "value": "never"}, "second")
	c.Expect("dialog", tooltest.Args{"accept": true, "tabId": second}, "accepted the alert dialog of tab "+second)
}

func TestDialogBeforeUnload(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/stay"})
	c.Call("interact", tooltest.Args{"query": "Touch"}) // without it a page may not ask
	c.Expect("interact", tooltest.Args{"query": "Leave"}, "clicked link", "a beforeunload dialog is open")
	c.Expect("dialog", tooltest.Args{"accept": false}, "dismissed the beforeunload dialog")
	c.Expect("read_page", nil, "/stay")
	c.Expect("navigate", tooltest.Args{"url": home + "/second"}, "has not navigated: it is still at "+home+"/stay", "a beforeunload dialog is open")
	c.Expect("dialog", tooltest.Args{"accept": true}, "accepted", "/second")
	c.Expect("read_page", nil, "Second")
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/stay"}))
	c.Call("interact", tooltest.Args{"query": "Touch"})
	c.Expect("tabs_close", tooltest.Args{"tabId": tab}, "closed "+tab)
}

func TestDialogDuringLoad(t *testing.T) {
	t.Parallel()
	home, other := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Expect("navigate", tooltest.Args{"url": home + "/greeting"}, "an alert dialog is open", "before anything")
	c.Expect("dialog", tooltest.Args{"accept": true}, "accepted")
	c.Expect("read_page", nil, "After")
	c.Call("navigate", tooltest.Args{"url": other + "/framed-dialog"})
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never"}, "from the frame")
	c.Expect("dialog", tooltest.Args{"accept": true}, "accepted")
	c.Expect("javascript_tool", tooltest.Args{"code": "1+1"}, "2")
}

func TestDialogVisibility(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.ConnectAs(t, toolkit.Options{Visibility: toolkit.Follow}, tooltest.SessionRevision, nil)
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
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/dialogs"}))
	if listed() {
		t.Error("dialog is listed without a dialog")
	}
	c.Call("interact", tooltest.Args{"query": "Delete"})
	if !listed() {
		t.Error("dialog is not listed with a dialog")
	}
	c.Call("tabs_close", tooltest.Args{"tabId": tab})
	if listed() {
		t.Error("dialog is listed after its tab has closed")
	}
	c.ExpectRefusal("TOOL_NOT_VISIBLE", "dialog", tooltest.Args{"accept": true})
}

func TestCloseTabWithDialog(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	id, _, _ := strings.Cut(c.Call("navigate", tooltest.Args{"url": home + "/"}), " ")
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => alert('stop'), 50)"})
	c.ExpectRefusal("DIALOG_OPEN", "wait_for", tooltest.Args{"type": "text", "value": "never", "timeout": 5000}, "stop", "answer it with dialog")
	c.ExpectRefusal("DIALOG_OPEN", "read_page", nil, `"kind":"alert"`)
	c.Expect("tabs_close", tooltest.Args{"tabId": id}, "closed "+id)
	c.Expect("navigate", tooltest.Args{"url": home + "/"}, "Fixture home")
}

// TestTitlesAndDialogsAreBounded calls tools on a page whose title and dialogs are as long as it likes.
func TestTitlesAndDialogsAreBounded(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/" {
			_, _ = io.WriteString(w, `<script>document.title = 'Next ' + 'é'.repeat(100000)</script><p>text`)
			return
		}
		_, _ = io.WriteString(w, `<script>const long = 'é'.repeat(100000); document.title = 'Begin ' + long</script><p>text
<button onclick="document.title = 'Changed ' + long">Rename</button><button onclick="alert('Asked ' + long)">Ask</button><a href="/next">Go</a>`)
	}))
	t.Cleanup(site.Close)
	page := site.URL
	bounded := func(limit int, got string) {
		t.Helper()
		if len(got) > limit {
			t.Errorf("%d bytes, more than %d: %.100s", len(got), limit, got)
		}
	}
	bounded(3000, c.Expect("navigate", tooltest.Args{"url": page + "/"}, "Begin"))
	bounded(3000, c.Expect("interact", tooltest.Args{"query": "Rename"}, "Changed"))
	bounded(3000, c.Expect("tabs_context", nil, "tabCount"))
	bounded(3000, c.Expect("list_targets", nil, page))
	bounded(3000, c.Expect("page_reload", nil, page))
	bounded(5000, c.Expect("interact", tooltest.Args{"query": "Ask"}, "Asked"))
	bounded(5000, fmt.Sprint(c.ExpectRefusal("DIALOG_OPEN", "read_page", nil, "Asked")))
	bounded(5000, c.Expect("dialog", tooltest.Args{"accept": true}, "accepted"))
	bounded(3000, c.Expect("interact", tooltest.Args{"query": "Go"}, "Next"))
}
