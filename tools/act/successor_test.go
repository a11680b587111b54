package act_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestStepsFollowWhatTheyRedraw has steps name elements by refs that an earlier step of the call replaces or renames.
func TestStepsFollowWhatTheyRedraw(t *testing.T) {
	t.Parallel()
	body := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Redrawn</title>" + body + "<script>log = []</script>"))
	}))
	t.Cleanup(site.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	const redraw = `<form id=f><label>City <input id=a onchange="log[0] = this.value; this.setAttribute('value', this.value); const h = f.innerHTML; f.innerHTML = h"></label><label>Street <input id=b onchange="log[1] = this.value"></label></form>`
	for name, row := range map[string]struct {
		body      string
		names     []string // of the refs of the steps
		action    string
		said, log string
		code      string
	}{
		"redrawn field": {body: redraw, names: []string{`textbox "City"`, `textbox "Street"`}, action: "set", said: "drawn", log: "x,x"},
		"redrawn buttons": {body: `<div id=d><button onclick="log.push('a'); d.innerHTML = d.innerHTML">First</button><button onclick="log.push('b')">Second</button></div>`,
			names: []string{`button "First"`, `button "Second"`}, action: "click", said: "drawn", log: "a,b"},
		"one of several rows": {body: `<table id=d><tr><td>Ann</td><td><button onclick="log.push('ann'); d.innerHTML = d.innerHTML">Edit</button></td></tr><tr><td>Bob</td><td><button onclick="log.push('bob')">Edit</button></td></tr></table>`,
			names: []string{`button "Edit"`, `button "Edit"`}, action: "click", said: "drawn", log: "ann,bob"},
		"renamed and back": {body: `<button onclick="log.push(this.textContent); this.textContent = 'Selected'; setTimeout(() => this.textContent = 'Select', 150)">Select</button>`,
			names: []string{`button "Select"`, "", `button "Select"`}, action: "click", log: "Select,Select"},
		"renamed": {body: `<button onclick="log.push(this.textContent); setTimeout(() => this.textContent = 'Following', 100)">Follow</button>`,
			names: []string{`button "Follow"`, "", `button "Follow"`}, action: "click", said: "", log: "Follow,Following"},
		"two successors": {body: `<div id=d><button onclick="d.innerHTML = '<button>First</button><button>Second</button><button>Second</button>'">First</button><button onclick="log.push('b')">Second</button></div>`,
			names: []string{`button "First"`, `button "Second"`}, action: "click", code: "STALE_REF"},
		"another dialog": {body: `<div role=dialog aria-label=One id=d><button onclick="d.remove(); document.body.insertAdjacentHTML('beforeend', '<div role=dialog aria-label=Two><button>OK</button></div>')">Go on</button><button onclick="log.push('ok')">OK</button></div>`,
			names: []string{`button "Go on"`, `button "OK"`}, action: "click", code: "STALE_REF"},
	} {
		body = row.body
		c.Call("navigate", tooltest.Args{"url": site.URL})
		text := c.Call("read_page", nil)
		var steps []tooltest.Args
		seen := map[string]int{}
		for _, line := range row.names {
			if line == "" {
				steps = append(steps, tooltest.Args{"action": "wait", "value": "400"})
				continue
			}
			step := tooltest.Args{"action": row.action, "ref": nthRef(text, line, seen[line])}
			if strings.Contains(text, "Ann |") || strings.Count(text, line) > 1 {
				seen[line]++
			}
			if row.action == "set" {
				step["value"] = "x"
			}
			steps = append(steps, step)
		}
		if row.code != "" {
			c.ExpectRefusal(row.code, "act", tooltest.Args{"steps": steps})
			continue
		}
		if said := tooltest.Text(c.Do("act", tooltest.Args{"steps": steps})); !strings.Contains(said, row.said) {
			t.Errorf("%s: %s", name, said)
		}
		if log := c.Call("javascript_tool", tooltest.Args{"code": "log.join()"}); log != row.log {
			t.Errorf("%s: the page saw %q, want %q", name, log, row.log)
		}
	}
}

// nthRef returns the ref behind the nth place, from 0, where a reading has a line.
func nthRef(text, line string, n int) string {
	parts := strings.Split(text, line+" [")
	ref, _, _ := strings.Cut(parts[min(n+1, len(parts)-1)], "]")
	return ref
}
