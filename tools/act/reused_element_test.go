package act_test

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// named is a list that keeps its buttons and gives them other names; rows keeps its rows and gives them other texts; fields
// gives its fields other labels.
const (
	named = `<div id=d></div><button onclick="people = ['Dan', 'Eve', 'Fay']; draw()">Next</button><script>
		let people = ['Ann', 'Bob', 'Cyd']; d.innerHTML = people.map(() => '<button></button>').join('');
		const draw = () => [...d.children].forEach((b, i) => { if (!people[i]) return b.remove(); b.textContent = 'Delete ' + people[i]; });
		d.onclick = e => { if (e.target === d) return; log.push(e.target.textContent.slice(7)); people.splice([...d.children].indexOf(e.target), 1); draw(); }; draw()</script>`
	rows = `<ul id=d></ul><button onclick="people = ['Dan', 'Eve', 'Fay']; draw()">Next</button><script>
		let people = ['Ann', 'Bob', 'Cyd']; d.innerHTML = people.map(() => '<li><span></span> <button>Delete</button></li>').join('');
		const draw = () => [...d.children].forEach((r, i) => { if (!people[i]) return r.remove(); r.firstChild.textContent = people[i]; });
		d.onclick = e => { if (e.target.tagName !== 'BUTTON') return; const i = [...d.children].indexOf(e.target.parentNode); log.push(people[i]); people.splice(i, 1); draw(); }; draw()</script>`
	fields = `<label><span id=a>Name</span> <input oninput="log.push(a.textContent); a.textContent = 'Street'; b.textContent = 'Card'"></label>
		<label><span id=b>City</span> <input onfocus="b.textContent = 'Card'" oninput="log.push(b.textContent)"></label>`
)

// TestReusedElements has a page use the element of a ref for something else before the ref's step.
func TestReusedElements(t *testing.T) {
	t.Parallel()
	body := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Reused</title><script>log = []</script>" + body))
	}))
	t.Cleanup(site.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	for name, row := range map[string]struct {
		body, before string   // before is a script between the reading and the call
		steps        []string // the line of a step's element, or a search
		log          string
		stale        bool
	}{
		"its old name is another element's": {body: named, steps: []string{`button "Delete Ann"`, "find Delete", `button "Delete Bob"`}, log: "Ann,Bob"},
		"a search shows the new names":      {body: named, steps: []string{`button "Next"`, "find Delete", `button "Delete Ann"`}, stale: true},
		"a reading shows the new names":     {body: named, steps: []string{`button "Next"`, "read", `button "Delete Cyd"`}, stale: true},
		"one ref twice":                     {body: named, steps: []string{`button "Delete Ann"`, `button "Delete Ann"`}, log: "Ann", stale: true},
		"before the call":                   {body: named, before: "people = ['Dan', 'Eve', 'Fay']; draw()", steps: []string{`button "Next"`, `button "Delete Bob"`}, stale: true},
		"its row is another element's":      {body: rows, steps: []string{"0", "1"}, log: "Ann,Bob"},
		"the last row":                      {body: rows, steps: []string{"0", "2"}, log: "Ann,Cyd"},
		"other rows":                        {body: rows, steps: []string{`button "Next"`, "1"}, stale: true},
		"an own name": {body: `<button onclick="log.push(this.textContent); this.textContent = this.textContent === 'Mute' ? 'Sound on' : 'Mute'">Mute</button>`,
			steps: []string{`button "Mute"`, `button "Mute"`}, log: "Mute,Sound on"},
		"an own name later": {body: `<button onclick="log.push(this.textContent); setTimeout(() => this.textContent = 'Remove', 300)">Add</button>`,
			steps: []string{`button "Add"`, "wait", `button "Add"`}, log: "Add,Remove"},
		"own number in a list": {body: `<ul><li>1 <button>+</button></li><li>5 <button>+</button></li></ul><script>onclick = e => { if (e.target.tagName === 'BUTTON') log.push(++e.target.previousSibling.data) }</script>`,
			steps: []string{"0", "0", "1"}, log: "2,3,6"},
	} {
		body = row.body
		c.Call("navigate", tooltest.Args{"url": site.URL})
		text := c.Call("read_page", nil)
		if row.before != "" {
			c.Call("javascript_tool", tooltest.Args{"code": row.before})
		}
		var steps []tooltest.Args
		for _, line := range row.steps {
			query, finds := strings.CutPrefix(line, "find ")
			switch {
			case finds:
				steps = append(steps, tooltest.Args{"action": "find", "query": query})
			case line == "read":
				steps = append(steps, tooltest.Args{"action": "read"})
			case line == "wait":
				steps = append(steps, tooltest.Args{"action": "wait", "value": "600"})
			case len(line) == 1:
				same := `button "Delete"`
				if !strings.Contains(text, same) {
					same = `button "+"`
				}
				steps = append(steps, tooltest.Args{"action": "click", "ref": nthRef(text, same, int(line[0]-'0'))})
			default:
				steps = append(steps, tooltest.Args{"action": "click", "ref": nthRef(text, line, 0)})
			}
		}
		res := c.Do("act", tooltest.Args{"steps": steps})
		if said := tooltest.Text(res); res.IsError != row.stale || row.stale && !strings.Contains(said, "STALE_REF") {
			t.Errorf("%s: %s", name, said)
		}
		if log := c.Call("javascript_tool", tooltest.Args{"code": "log.join() || 'none'"}); log != cmp.Or(row.log, "none") {
			t.Errorf("%s: the page saw %q, want %q", name, log, row.log)
		}
	}
	t.Run("in a form", func(*testing.T) {
		body = fields
		c.Call("navigate", tooltest.Args{"url": site.URL})
		text := c.Call("read_page", nil)
		c.ExpectRefusal("STALE_REF", "fill_form", tooltest.Args{"fields": []tooltest.Args{
			{"ref": nthRef(text, `textbox "Name"`, 0), "value": "x"}, {"ref": nthRef(text, `textbox "City"`, 0), "value": "y"},
		}})
		c.ExpectScript("log.join()", "Name")
	})
	t.Run("while it is recorded", func(*testing.T) {
		body = named
		c.Call("oc_recording_start", nil)
		c.Call("navigate", tooltest.Args{"url": site.URL})
		text := c.Call("read_page", nil)
		c.Call("javascript_tool", tooltest.Args{"code": "people = ['Dan', 'Eve', 'Fay']; draw()"})
		c.ExpectRefusal("STALE_REF", "interact", tooltest.Args{"ref": nthRef(text, `button "Delete Ann"`, 0)})
		c.ExpectScript("log.join() || 'none'", "none")
	})
	t.Run("in a batch", func(t *testing.T) {
		body = named
		c.Call("navigate", tooltest.Args{"url": site.URL})
		text := c.Call("read_page", nil)
		said := c.Call("batch_execute", tooltest.Args{"tasks": []any{
			tooltest.Args{"tool": "interact", "args": tooltest.Args{"ref": nthRef(text, `button "Next"`, 0)}},
			tooltest.Args{"tool": "interact", "args": tooltest.Args{"ref": nthRef(text, `button "Delete Bob"`, 0)}},
			tooltest.Args{"tool": "interact", "args": tooltest.Args{"ref": nthRef(text, `button "Delete Bob"`, 0)}},
		}})
		if !strings.Contains(said, "STALE_REF") {
			t.Errorf("the batch says %s", said)
		}
		c.ExpectScript("log.join() || 'none'", "none")
	})
}
