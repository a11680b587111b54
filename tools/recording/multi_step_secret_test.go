package recording_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveModal serves a page whose field for a password comes when a button is pressed, and goes when
// it is sent. Before that another element, or another field, fits the same words.
func serveModal(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, `<!doctype html><title>Modal</title><a href="#help">Password help</a> <label>Title <input></label>
<button id=open>Enter</button><p id=out></p><template id=form><form>
<div role=button tabindex=0 onclick="this.nextElementSibling.focus(); event.preventDefault()">Unlock</div><input type=password aria-label="Password">
<label>Remark <input></label><button>Send</button></form></template><script>
open.onclick = () => { const f = form.content.cloneNode(true).firstElementChild; document.body.append(f);
  f.onsubmit = (e) => { e.preventDefault(); out.textContent = 'sent'; f.remove(); } };
document.querySelector('#open').onclick = open.onclick;</script>`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// TestLaterStepsTypeSecrets types into fields that appear during a call: the recorder has not seen
// them before the call, so it treats what a later step types as a secret.
func TestLaterStepsTypeSecrets(t *testing.T) {
	t.Parallel()
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), serveModal(t)
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"screenshots": false}))
	c.Call("navigate", tooltest.Args{"url": home})
	reading := c.Call("read_page", nil)
	for _, steps := range [][]tooltest.Args{
		{{"action": "set", "query": "Password", "value": "secret-number-1"}},
		{{"action": "click", "query": "Unlock"}, {"action": "type", "value": "secret-number-2"}},
		{{"action": "click", "query": "Unlock"}, {"action": "key", "value": "s e c r e t 3"}},
		{{"action": "set", "query": "Title", "value": "x"}, {"action": "click", "query": "Unlock"}, {"action": "key", "value": "Shift+Tab"}, {"action": "key", "value": "Tab"}, {"action": "type", "value": "secret-number-5"}},
		{{"action": "type", "query": "Title", "value": "ann"}, {"action": "key", "value": "Tab Tab Tab"}, {"action": "type", "value": "secret-number-6"}},
		{{"action": "type", "query": "Title", "value": "ann\t\t\tsecret-number-7"}},
		{{"action": "set", "query": "Title", "value": "x"}, {"action": "if", "query": "Unlock"}, {"action": "click", "query": "Unlock"}, {"action": "end"}, {"action": "type", "value": "secret-number-8"}},
		{{"action": "set", "selector": "[type=password]", "value": "secret-number-9"}},
		{{"action": "click", "selector": "[role=button]"}, {"action": "type", "value": "secret-number-10"}},
	} {
		steps = append(append([]tooltest.Args{{"action": "click", "query": "Enter"}}, steps...), tooltest.Args{"action": "click", "query": "Send"})
		c.Expect("act", tooltest.Args{"steps": steps}, fmt.Sprintf("%d. clicked", len(steps)))
	}
	c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "set", "query": "Title", "value": "plain one"}, {"action": "click", "query": "Enter"}, {"action": "click", "query": "Send"}}})
	c.Call("act", tooltest.Args{"steps": []tooltest.Args{{"action": "click", "ref": tooltest.Ref(t, reading, `textbox "Title"`)}, {"action": "type", "value": " and two"}}})
	c.Call("oc_recording_stop", nil)
	var all strings.Builder
	for _, s := range exportRecording(c, id).Steps {
		all.Write(s.Args)
	}
	for _, secret := range []string{"secret-number", "s e c r e t"} {
		if strings.Contains(all.String(), secret) {
			t.Errorf("%q is in %s", secret, all.String())
		}
	}
	for _, plain := range []string{"plain one", " and two"} {
		if !strings.Contains(all.String(), plain) {
			t.Errorf("%q is not in %s", plain, all.String())
		}
	}
}
