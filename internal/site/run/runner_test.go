package run_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/run"
)

func TestRunOffersAndTakesThePath(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := newClient(t, s.site())
	_, err := c.run("add_item", `{"name":"Desk","price":"99"}`, run.Options{})
	var hidden *run.NotVisibleError
	if !errors.As(err, &hidden) || !slices.Equal(hidden.Path, []string{"login"}) || err.Error() != "add_item needs logged_in; call login first" {
		t.Fatalf("without the fact: %v", err)
	}
	if posts := s.posted(); len(posts) != 0 {
		t.Errorf("a refusal has posted %v", posts)
	}
	out := c.must("add_item", `{"name":"Desk","price":"99"}`, run.Options{Auto: true})
	if !slices.Equal(out.Via, []string{"login"}) || !slices.Equal(s.posted(), []string{"/login", "/items"}) || !out.Facts["logged_in"] {
		t.Errorf("by the path: %+v", out)
	}
	if len(out.Evidence) != 2 || out.Verdict == nil {
		t.Errorf("the evidence is %+v", out.Evidence)
	}
	out = c.must("list_items", `{}`, run.Options{})
	if got, want := string(out.Output), `{"heading":"Items","items":[{"name":"Lamp","price":12.5},{"name":"Chair","price":40},{"name":"Desk","price":99}]}`; got != want {
		t.Errorf("the output is %s, want %s", got, want)
	}
	c.must("delete_item", `{"name":"Chair"}`, run.Options{})
	if !slices.Equal(s.posted(), []string{"/items/delete"}) {
		t.Error("deleting a row posted otherwise")
	}
	if _, err := c.run("delete_item", `{}`, run.Options{}); err == nil || !strings.Contains(err.Error(), "name") {
		t.Errorf("without its argument: %v", err)
	}
}

// TestRedesign: classes, order and wrappers change, and every tool works.
func TestRedesign(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.setChange(func(path, text string) string {
		switch path {
		case "/items/new":
			return `<title>Shop</title><header><div><a href=/logout class=x9>Sign out</a></div></header><main><section><form id=neu method=post action=/items><div><div class=row><label for=p>Price</label><span><input id=p name=price></span></div></div>
				<div class=row><label for=n>Name</label><input id=n name=name></div><footer><button class="btn btn-primary"><b>Save</b></button></footer></form></section></main>`
		case "/items":
			text = strings.ReplaceAll(text, "<table class=t>", "<div class=card><table id=grid class=new>")
			return strings.ReplaceAll(text, "<button>Delete</button>", "<span><button class=danger><i></i> Delete</button></span>")
		}
		return strings.ReplaceAll(text, "<label>", "<label class=q>")
	})
	c := newClient(t, s.site())
	c.must("add_item", `{"name":"Desk","price":"99"}`, run.Options{Auto: true})
	c.must("delete_item", `{"name":"Lamp"}`, run.Options{})
	out := c.must("list_items", `{}`, run.Options{})
	if got := string(out.Output); got != `{"heading":"Items","items":[{"name":"Chair","price":40},{"name":"Desk","price":99}]}` {
		t.Errorf("the output is %s", got)
	}
}

// replaced returns a change of one page.
func replaced(path string, pairs ...string) func(*shop) {
	return func(s *shop) {
		s.setChange(func(at, text string) string {
			if at != path {
				return text
			}
			return strings.NewReplacer(pairs...).Replace(text)
		})
	}
}

// TestSemanticChanges: each change is a drift of the right tool and step, and nothing is posted but what
// the case says.
func TestSemanticChanges(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	stranger := newShop(t)
	c := newClient(t, s.site())
	c.must("login", `{}`, run.Options{})
	s.posted()
	add, del := `{"name":"Desk","price":"99"}`, `{"name":"Lamp"}`
	for name, x := range map[string]struct {
		change             func(*shop)
		tool, args         string
		step               int
		kind, found, mends string
		posts              int
	}{
		"delete where save was":    {replaced("/items/new", "data-testid=save>Save", "data-testid=save>Delete"), "add_item", add, 3, run.DriftRenamed, `button "Delete"`, "/steps/2/targets/~1ref/name", 0},
		"another action in a row":  {replaced("/items", "<button>Delete</button>", "<button>Delete all</button>"), "delete_item", del, 1, "gone", "nothing", "", 0},
		"the row is gone":          {replaced("/items", "<td>Lamp", "<td>Lantern"), "delete_item", del, 1, "label", "nothing", "", 0},
		"a field renamed":          {replaced("/items/new", "<label>Price", "<label>Discount"), "add_item", add, 2, "gone", "nothing", "", 0},
		"a field renamed in part":  {replaced("/items/new", "<label>Price", "<label>Net price"), "add_item", add, 2, "gone", "nothing", "/steps/1/targets/~1ref/name", 0},
		"a required field":         {replaced("/items/new", "<button", "<label>Phone <input name=phone required></label><button"), "add_item", add, 3, run.DriftRequired, "fields that no step fills", "/input/phone", 0},
		"two buttons":              {replaced("/items/new", "<button data", "<button>Save</button><button data"), "add_item", add, 3, "ambiguous", "2 like it", "", 0},
		"a link in place":          {replaced("/items/new", "<button data-testid=save>Save</button>", "<a href=/items/new>Save</a>"), "add_item", add, 3, "role", `link "Save"`, "/steps/2/targets/~1ref/role", 0},
		"another form action":      {replaced("/items/new", "action=/items", "action=/items/delete"), "add_item", add, 3, run.DriftLeads, "a way to POST /items/delete", "/steps/2/targets/~1ref/leads", 0},
		"another origin":           {replaced("/items/new", "action=/items", "action="+stranger.URL+"/items"), "add_item", add, 3, run.DriftOrigin, "a way to " + stranger.URL, "", 0},
		"a confirmation":           {replaced("/items", "class=d>", `class=d onsubmit="return confirm('Delete for ever?')">`), "delete_item", del, 1, run.DriftDialog, `a confirm: "Delete for ever?"`, "", 0},
		"a column renamed":         {replaced("/items", "<th>Price", "<th>Unit price"), "list_items", `{}`, 1, run.DriftOutput, "nothing fits", "/extract/items/list/price/element/label", 0},
		"a column of other values": {replaced("/items", "<td>€ 40", "<td>on request"), "list_items", `{}`, 1, run.DriftOutput, `"on request"`, "", 0},
		"another page afterwards":  {replaced("/items", "<td>Desk", "<td>Pending"), "add_item", add, 4, run.DriftContract, "", "", 1},
	} {
		// the cases share a session, so that they follow one after the other
		x.change(s)
		out, err := c.run(x.tool, x.args, run.Options{})
		s.setChange(nil)
		posts := s.posted()
		d := out.Drift
		if err != nil || d == nil {
			t.Errorf("%s: no drift, error %v", name, err)
			continue
		}
		if d.Tool != x.tool || d.Step != x.step || d.Kind != x.kind || x.found != "" && d.Found != x.found {
			t.Errorf("%s: %+v", name, *d)
		}
		mends := ""
		if d.Repair != nil {
			mends = d.Repair.Changes[0].Path
		}
		if mends != x.mends {
			t.Errorf("%s: the repair is %q, want %q", name, mends, x.mends)
		}
		if len(posts) != x.posts || len(stranger.posted()) != 0 {
			t.Errorf("%s: posted %v", name, posts)
		}
		if len(out.Evidence) == 0 {
			t.Errorf("%s: no evidence", name)
		}
	}
	c.must("delete_item", `{"name":"Desk"}`, run.Options{})
	replaced("/items", "Sign out", "Log off")(s)
	out, err := c.run("login", `{}`, run.Options{})
	if d := out.Drift; err != nil || d == nil || d.Kind != run.DriftFact || d.Step != 4 || !d.Acted {
		t.Errorf("without a sign of the login: %v, %+v", err, d)
	}
}

// TestStopBeforeLast: everything of the last step is checked, and it is not made.
func TestStopBeforeLast(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	c := newClient(t, s.site())
	c.must("login", `{}`, run.Options{})
	s.posted()
	c.must("add_item", `{"name":"Desk","price":"99"}`, run.Options{StopBeforeLast: true})
	replaced("/items/new", "<button", "<input name=q required><button")(s)
	out, err := c.run("add_item", `{"name":"Desk","price":"99"}`, run.Options{StopBeforeLast: true})
	if err != nil || out.Drift == nil || out.Drift.Kind != run.DriftRequired {
		t.Errorf("with a required field: %+v, %v", out.Drift, err)
	}
	if posts := s.posted(); len(posts) != 0 {
		t.Errorf("posted %v", posts)
	}
}

// TestStepsInWords: a step in words acts on the element that a call of its tool would, and drifts where that is refused.
func TestStepsInWords(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	site := s.site()
	for name, query := range map[string]string{"remove": "Delete for {name}", "remove_one": "Delete", "remove_last": "last Delete"} {
		site.Tools = append(site.Tools, run.Tool{
			Name: name, Needs: "logged_in", Start: "/items", Parameters: []run.Parameter{{Name: "name"}},
			Steps: []run.Step{{Tool: "interact", Args: json.RawMessage(`{"query":"` + query + `"}`)}},
		})
	}
	c := newClient(t, site)
	c.must("login", `{}`, run.Options{})
	s.posted()
	for _, x := range []struct{ tool, args, drift, left string }{
		{"remove_one", `{}`, "fits several elements", "Lamp Chair"},
		{"remove", `{"name":"Desk"}`, "nothing visible matches", "Lamp Chair"},
		{"remove_last", `{}`, "", "Lamp"},
		{"remove", `{"name":"Lamp"}`, "", ""},
	} {
		out, err := c.run(x.tool, x.args, run.Options{})
		if err != nil || (out.Drift == nil) != (x.drift == "") || out.Drift != nil && !strings.Contains(out.Drift.Reason, x.drift) {
			t.Errorf("%s %s: %v %+v, want %q", x.tool, x.args, err, out.Drift, x.drift)
		}
		if posts := s.posted(); (len(posts) == 1) != (x.drift == "") {
			t.Errorf("%s %s posted %v", x.tool, x.args, posts)
		}
		s.mu.Lock()
		var left []string
		for _, item := range s.items {
			left = append(left, item[0])
		}
		s.mu.Unlock()
		if got := strings.Join(left, " "); got != x.left {
			t.Errorf("%s %s leaves %q, want %q", x.tool, x.args, got, x.left)
		}
	}
}
