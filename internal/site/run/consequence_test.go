package run_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/site/run"
)

func enter() run.Step {
	return run.Step{Tool: "act", Args: json.RawMessage(`{"steps":[{"action":"key","value":"Enter"}]}`)}
}

// TestEnterInAnOrder: Enter that an order presses is looked at as a click is.
func TestEnterInAnOrder(t *testing.T) {
	t.Parallel()
	s, stranger := newShop(t), newShop(t)
	site := s.site()
	site.Tools = []run.Tool{{Name: "add", Start: "/items/new", Steps: []run.Step{{Tool: "form_input", Args: value("Desk"), Targets: at("textbox", "Name")}, enter()}}}
	c := newClient(t, site)
	replaced("/items/new", "action=/items", "action="+stranger.URL+"/items")(s)
	out, err := c.run("add", `{}`, run.Options{})
	if err != nil || out.Drift == nil || out.Drift.Kind != run.DriftOrigin || out.Drift.Step != 2 || out.Drift.Acted || len(stranger.posted()) != 0 {
		t.Errorf("another origin: %v, %+v", err, out.Drift)
	}
	s.setChange(nil)
	c.must("add", `{}`, run.Options{})
	if posts := s.posted(); !slices.Equal(posts, []string{"/items"}) {
		t.Errorf("posted %v", posts)
	}
}

// TestLeadsOfOriginsAndEscapes: leads without an origin is that of the page, also where the other origin is one
// of the site's. A path is compared without its escapes.
func TestLeadsOfOriginsAndEscapes(t *testing.T) {
	t.Parallel()
	s, pay := newShop(t), newShop(t)
	site := s.site()
	site.Origins = append(site.Origins, pay.URL)
	open := func(leads string) []run.Step {
		return []run.Step{{Tool: "interact", Targets: map[string]locate.Identity{"/ref": {Role: "link", Name: "Open", Leads: leads}}}}
	}
	site.Tools = append(site.Tools,
		run.Tool{Name: "open", Start: "/home", Steps: open("GET /caf%C3%A9/{name}"), Parameters: []run.Parameter{{Name: "name", Required: true}}},
		run.Tool{Name: "pay", Start: "/home", Steps: open("GET " + pay.URL + "/items")})
	c := newClient(t, site)
	link := func(href string) {
		s.setChange(func(path, text string) string {
			if path == "/home" {
				text += "<a href=\"" + href + "\">Open</a>"
			}
			return text
		})
	}
	link("/café/it's (2)")
	c.must("open", `{"name":"it's (2)"}`, run.Options{})
	link("/café/other")
	if out, err := c.run("open", `{"name":"it's"}`, run.Options{}); err != nil || out.Drift == nil || out.Drift.Kind != run.DriftLeads {
		t.Errorf("another path: %v, %+v", err, out.Drift)
	}
	link(pay.URL + "/items")
	c.must("pay", `{}`, run.Options{})
	link("/items")
	if out, err := c.run("pay", `{}`, run.Options{}); err != nil || out.Drift == nil || out.Drift.Found != "a way to GET /items" {
		t.Errorf("without its origin: %v, %+v", err, out.Drift)
	}
	s.setChange(nil)
	c.must("login", `{}`, run.Options{})
	s.posted()
	replaced("/items/new", "action=/items", "action="+pay.URL+"/items")(s)
	out, err := c.run("add_item", `{"name":"Desk","price":"99"}`, run.Options{})
	if err != nil || out.Drift == nil || out.Drift.Kind != run.DriftLeads || out.Drift.Found != "a way to POST "+pay.URL+"/items" || len(pay.posted())+len(s.posted()) != 0 {
		t.Errorf("another origin of the site: %v, %+v", err, out.Drift)
	}
}

// TestStartElsewhere: a start that leads out of the site is a drift of the start.
func TestStartElsewhere(t *testing.T) {
	t.Parallel()
	s, stranger := newShop(t), newShop(t)
	c := newClient(t, s.site())
	s.setChange(func(path, text string) string {
		if path == "/login" {
			return "<script>location.replace('" + stranger.URL + "/login')</script>"
		}
		return text
	})
	out, err := c.run("login", `{}`, run.Options{})
	if d := out.Drift; err != nil || d == nil || d.Step != 0 || d.Kind != run.DriftOrigin || strings.Contains(d.String(), "step") {
		t.Errorf("%v, %+v", err, d)
	}
	if posts := append(s.posted(), stranger.posted()...); len(posts) != 0 {
		t.Errorf("posted %v", posts)
	}
}

// TestDialogOfTheStart: the first step answers what the page asks when it is opened.
func TestDialogOfTheStart(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.setChange(func(path, text string) string {
		if path == "/home" {
			text += `<p id=p>waits</p><script>p.textContent = confirm('Sure?') ? 'agreed' : 'refused'</script>`
		}
		return text
	})
	site := s.site()
	site.Tools = []run.Tool{{Name: "agree", Start: "/home", Steps: []run.Step{{Tool: "dialog", Args: json.RawMessage(`{"accept":true}`)}},
		Postcondition: json.RawMessage(`{"dom_text":"agreed"}`)}}
	newClient(t, site).must("agree", `{}`, run.Options{})
}

// TestStopBeforeAConfirmation: a run that stops before the last step makes none that an optional one follows.
func TestStopBeforeAConfirmation(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	site := s.site()
	del := &site.Tools[2]
	del.Steps = append(del.Steps, run.Step{Tool: "interact", Targets: at("button", "Yes"), Optional: true},
		run.Step{Tool: "act", Args: json.RawMessage(`{"steps":[{"action":"wait","value":"Items"}]}`)})
	c := newClient(t, site)
	c.must("login", `{}`, run.Options{})
	s.posted()
	c.must("delete_item", `{"name":"Lamp"}`, run.Options{StopBeforeLast: true})
	if posts := s.posted(); len(posts) != 0 {
		t.Errorf("posted %v", posts)
	}
	c.must("delete_item", `{"name":"Lamp"}`, run.Options{})
}

// TestValuesOfTheSite: facts and contracts have the values of the site's parameters, numbers as numbers, and a
// step without its value is left out.
func TestValuesOfTheSite(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	site := s.site()
	site.Facts[0].Observe.Element.Name = "Sign {way}"
	site.Parameters, site.Values = []string{"way", "rows", "note"}, map[string]any{"way": "out", "rows": int64(2)}
	list := &site.Tools[3]
	list.Postcondition = json.RawMessage(`{"dom_count":{"selector":"tbody tr","eq":"{rows}"}}`)
	list.Steps = []run.Step{
		{Tool: "interact", Args: json.RawMessage(`{}`), Targets: at("button", "{note}")},
		{Tool: "interact", Targets: at("button", "Nothing"), When: &run.Observation{URL: "/{note}"}},
		{Tool: "interact", Targets: at("button", "Nothing"), Expect: json.RawMessage(`{"dom_text":"{note}"}`)},
	}
	c := newClient(t, site)
	c.must("login", `{}`, run.Options{})
	if out := c.must("list_items", `{}`, run.Options{}); !slices.Equal(out.Skipped, []int{1, 2, 3}) || !out.Facts["logged_in"] {
		t.Errorf("skipped %v, facts %v", out.Skipped, out.Facts)
	}
	if _, err := c.run("delete_item", `{"name":"{secret:PW}"}`, run.Options{}); err == nil || !strings.Contains(err.Error(), "only the secrets") {
		t.Errorf("an argument that names a secret: %v", err)
	}
}
