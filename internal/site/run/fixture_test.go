package run_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// shop is a site with a login and a table of items. It counts what is posted.
type shop struct {
	*httptest.Server

	mu     sync.Mutex
	items  [][2]string
	posts  []string                    // path of each post
	change func(path, s string) string // of every page; nil changes nothing
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{items: [][2]string{{"Lamp", "12.50"}, {"Chair", "40"}}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cookie, _ := r.Cookie("in")
	in := cookie != nil
	if r.Method == http.MethodPost {
		s.posts = append(s.posts, r.URL.Path)
		s.post(w, r)
		return
	}
	text := s.page(r.URL.Path, in)
	if s.change != nil {
		text = s.change(r.URL.Path, text)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(text))
}

func (s *shop) post(w http.ResponseWriter, r *http.Request) {
	to := "/items"
	switch name := r.FormValue("name"); r.URL.Path {
	case "/login":
		if r.FormValue("password") == "pw" {
			http.SetCookie(w, &http.Cookie{Name: "in", Value: "1", Path: "/"})
		} else {
			to = "/login"
		}
	case "/items":
		s.items = append(s.items, [2]string{name, r.FormValue("price")})
	case "/items/delete":
		s.items = slices.DeleteFunc(s.items, func(i [2]string) bool { return i[0] == name })
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (s *shop) page(path string, in bool) string {
	var b strings.Builder
	b.WriteString("<!doctype html><title>Shop</title>")
	if in {
		b.WriteString(`<nav><a href=/items>Items</a> <a href=/logout>Sign out</a></nav>`)
	} else {
		b.WriteString(`<nav><a href=/login>Sign in</a></nav>`)
	}
	switch path {
	case "/login":
		b.WriteString(`<form method=post action=/login><label>User <input name=user></label> <label>Password <input type=password name=password></label><button>Continue</button></form>`)
	case "/items":
		b.WriteString(`<h1>Items</h1><table class=t><thead><tr><th>Name<th>Price<th>Do</thead><tbody>`)
		for _, i := range s.items {
			n := html.EscapeString(i[0])
			fmt.Fprintf(&b, `<tr><td>%s<td>€ %s<td><form method=post action=/items/delete class=d><input type=hidden name=name value="%s"><button>Delete</button></form>`, n, i[1], n)
		}
		b.WriteString("</tbody></table>")
	case "/items/new":
		b.WriteString(`<form class=f method=post action=/items><label>Name <input name=name></label><label>Price <input name=price></label><button data-testid=save>Save</button></form>`)
	}
	return b.String()
}

// posted returns the paths that were posted, and forgets them.
func (s *shop) posted() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.posts
	s.posts = nil
	return out
}

func (s *shop) setChange(change func(path, s string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.change = change
}

func at(role, name string) map[string]locate.Identity {
	return map[string]locate.Identity{"/ref": {Role: role, Name: name}}
}

func value(v string) json.RawMessage { return json.RawMessage(fmt.Sprintf(`{"value":%q}`, v)) }

// site is the compiled site of the shop.
func (s *shop) site() *run.Site {
	in := &run.Predicate{Fact: "logged_in"}
	save := map[string]locate.Identity{"/ref": {Role: "button", Name: "Save", TestID: "save", Leads: "POST /items"}}
	cell := func(label string) *run.Element {
		return &run.Element{Identity: locate.Identity{Role: "cell", Label: label}}
	}
	return &run.Site{
		Name: "shop", Origins: []string{s.URL},
		Facts: []run.Fact{{Name: "logged_in", Observe: run.Observation{Element: &run.Element{Identity: locate.Identity{Role: "link", Name: "Sign out"}}}}},
		Path: func(f run.Facts, tool string) ([]string, bool) {
			if f["logged_in"] {
				return nil, true
			}
			return []string{"login", tool}, true
		},
		Tools: []run.Tool{
			{Name: "login", Start: "/login", Sets: []string{"logged_in"}, Parameters: []run.Parameter{{Name: "user", Default: json.RawMessage(`"ann"`)}}, Steps: []run.Step{
				{Tool: "form_input", Args: json.RawMessage(`{"query":"User","value":"{user}"}`)},
				{Tool: "form_input", Args: value("pw"), Targets: at("textbox", "Password")},
				{Tool: "interact", Args: json.RawMessage(`{"query":"Continue button","action":"click"}`)},
			}},
			{Name: "add_item", Visible: in, Needs: "logged_in", Start: "/items/new", Postcondition: json.RawMessage(`{"url":"/items","dom_text":"{name}"}`),
				Parameters: []run.Parameter{{Name: "name", Required: true}, {Name: "price", Required: true}}, Steps: []run.Step{
					{Tool: "form_input", Args: value("{name}"), Targets: at("textbox", "Name"), Pos: "tools/add_item.yaml:9"},
					{Tool: "form_input", Args: value("{price}"), Targets: at("textbox", "Price")},
					{Tool: "interact", Targets: save},
				}},
			{Name: "delete_item", Visible: in, Needs: "logged_in", Start: "/items", Postcondition: json.RawMessage(`{"not":{"dom_text":"{name}"}}`),
				Parameters: []run.Parameter{{Name: "name", Required: true}}, Steps: []run.Step{
					{Tool: "interact", Targets: map[string]locate.Identity{"/ref": {Role: "button", Name: "Delete", Label: "{name}", Leads: "POST /items/delete"}}},
				}},
			{Name: "list_items", Visible: in, Needs: "logged_in", Start: "/items", Outputs: []run.Output{
				{Name: "heading", Required: true, Element: &run.Element{Identity: locate.Identity{Role: "heading", Name: "Items"}}},
				{Name: "items", Type: "array", Required: true, List: true, Element: &run.Element{Identity: locate.Identity{Role: "row"}}, Members: []run.Output{
					{Name: "name", Required: true, Element: cell("Name")}, {Name: "price", Type: "number", Required: true, Element: cell("Price")},
				}},
			}},
		},
	}
}

// wait bounds the time until a drift, and patience that of a run without one on a busy machine.
const wait, patience = 3 * time.Second, 30 * time.Second

// client runs the tools of a site in a session of its own.
type client struct {
	t *testing.T
	*run.Runner

	kept *[]string
}

func newClient(t *testing.T, site *run.Site) client {
	t.Helper()
	server := tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	kept := &[]string{}
	player := replay.ForSession(server.Surface.NewStaticSession(t.Name()), server.Session(t.Name()))
	t.Cleanup(func() { server.EndSession(t.Name()) })
	return client{t, &run.Runner{Site: site, Player: player, Keep: func(_ context.Context, name, mime string, data []byte) (run.Evidence, error) {
		if len(data) == 0 {
			t.Errorf("%s is empty", name)
		}
		*kept = append(*kept, name)
		return run.Evidence{Name: name, MIME: mime}, nil
	}}, kept}
}

func (c client) run(tool, args string, o run.Options) (run.Result, error) {
	c.t.Helper()
	o.Network = power.NewNetwork(operator.Grant("test"))
	o.Window, o.Wait = power.NewWindow(operator.Grant("test")), cmp.Or(o.Wait, wait)
	return c.Run(c.t.Context(), tool, json.RawMessage(args), o)
}

// must runs a tool that does what it says.
func (c client) must(tool, args string, o run.Options) run.Result {
	c.t.Helper()
	o.Wait = patience
	out, err := c.run(tool, args, o)
	if err != nil {
		c.t.Fatalf("%s: %v", tool, err)
	}
	if out.Drift != nil {
		c.t.Fatalf("%s: %s", tool, out.Drift)
	}
	return out
}
