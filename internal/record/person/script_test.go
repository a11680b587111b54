package person

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// memory keeps steps as a recording does.
type memory struct {
	steps   []recorder.ManualStep
	secrets []string
}

func (m *memory) Append(s recorder.ManualStep) { m.steps = append(m.steps, s) }
func (m *memory) Amend(s recorder.ManualStep)  { m.steps[len(m.steps)-1] = s }
func (m *memory) AddSecrets(values ...string)  { m.secrets = append(m.secrets, values...) }

// String lists the steps without refs.
func (m *memory) String() string {
	var all []string
	for _, s := range m.steps {
		args, targets := map[string]any{}, ""
		for name, value := range s.Args {
			if !strings.HasSuffix(name, "ref") {
				args[name] = value
			}
		}
		for _, pointer := range []string{"/ref", "/target_ref"} {
			if id, ok := s.Targets[pointer]; ok {
				targets += " " + id.Name
			}
		}
		text, _ := json.Marshal(args)
		all = append(all, fmt.Sprintf("%s%s %s", s.Tool, targets, text))
	}
	return strings.Join(all, "\n")
}

func target(role, name string) *locate.Identity { return &locate.Identity{Role: role, Name: name} }

func value(text any) json.RawMessage {
	data, _ := json.Marshal(text)
	return data
}

func typed(n int, name, text string) *event {
	return &event{Kind: kindField, N: n, Target: target("textbox", name), Field: fieldText, Value: value(text)}
}

func click(n int, name string) *event {
	return &event{Kind: kindClick, N: n, Target: target("button", name), Count: 1}
}

func focus(n int, name string) *event {
	return &event{Kind: kindClick, N: n, Target: target("textbox", name), Field: fieldText, Count: 1}
}

func with(e *event, change func(*event)) *event {
	change(e)
	return e
}

// TestScript makes steps of the events of a person.
func TestScript(t *testing.T) {
	t.Parallel()
	toggle := func(n int, on string) *event {
		return &event{Kind: kindField, N: n, Target: target("checkbox", "Terms"), Field: fieldToggle, Value: value(on)}
	}
	completed := func(text string) *event {
		return with(typed(1, "City", text), func(e *event) { e.Completed = true })
	}
	key := func(n int, role, keys string) *event {
		return &event{Kind: kindKey, N: n, Target: target(role, "Menu"), Keys: keys}
	}
	for _, c := range []struct {
		name   string
		events []*event
		want   string
	}{
		{"typing is one step, and its click none", []*event{focus(1, "Name"), typed(1, "Name", "A"), typed(1, "Name", "Al"), focus(2, "City"), typed(2, "City", "R")},
			"form_input Name {\"value\":\"Al\"}\nform_input City {\"value\":\"R\"}"},
		{"a click alone stays", []*event{focus(1, "Name"), click(2, "Go")}, "interact Name {}\ninteract Go {}"},
		{"typing after another step is another step", []*event{typed(1, "Name", "A"), click(2, "Go"), typed(1, "Name", "B")},
			"form_input Name {\"value\":\"A\"}\ninteract Go {}\nform_input Name {\"value\":\"B\"}"},
		{"a box", []*event{with(click(1, "Terms"), func(e *event) { e.Field = fieldToggle }), toggle(1, "true")}, "form_input Terms {\"value\":\"true\"}"},
		{"clicks in a row", []*event{click(1, "More"), with(click(1, "More"), func(e *event) { e.Count = 2 }), with(click(1, "More"), func(e *event) { e.Count = 3 })},
			"interact More {\"action\":\"double_click\"}\ninteract More {}"},
		{"a second click elsewhere", []*event{click(1, "One"), with(click(2, "Two"), func(e *event) { e.Count = 2 })}, "interact One {}\ninteract Two {}"},
		{"a click with a key held", []*event{with(click(1, "Row"), func(e *event) { e.Modifiers = []string{"Control"} })}, "computer Row {\"action\":\"left_click\",\"text\":\"Control\"}"},
		{"a hover", []*event{with(click(2, "Sales"), func(e *event) { e.Hovered = []locate.Identity{*target("link", "Reports")} })},
			"interact Reports {\"action\":\"hover\"}\ninteract Sales {}"},
		{"what a scroll added", []*event{with(click(2, "Open"), func(e *event) { e.Scrolls = 1 })},
			"computer {\"action\":\"scroll\",\"scroll_amount\":200,\"scroll_direction\":\"down\"}\ninteract Open {}"},
		{"a field that is completed", []*event{focus(1, "City"), completed("L"), completed("Lo")}, "interact City {}\ncomputer {\"action\":\"type\",\"text\":\"Lo\"}"},
		{"the same without a click", []*event{completed("L"), completed("Lo")}, "interact City {}\ncomputer {\"action\":\"type\",\"text\":\"Lo\"}"},
		{"Enter", []*event{typed(1, "Menu", "x"), key(1, "textbox", "Enter")}, "form_input Menu {\"value\":\"x\"}\ncomputer {\"action\":\"key\",\"text\":\"Enter\"}"},
		{"Enter in another field", []*event{click(2, "Go"), key(1, "textbox", "Enter")}, "interact Go {}\ninteract Menu {}\ncomputer {\"action\":\"key\",\"text\":\"Enter\"}"},
		{"keys in a row", []*event{key(1, "menu", "ArrowDown"), key(1, "menu", "ArrowDown")}, "computer {\"action\":\"key\",\"text\":\"ArrowDown ArrowDown\"}"},
		{"a drag", []*event{{Kind: kindDrag, Target: target("listitem", "Card"), To: target("region", "Done")}}, "drag_drop Card Done {}"},
		{"a drag along", []*event{{Kind: kindDrag, Target: target("slider", "Price"), Offset: []float64{40, 0}}}, "drag_drop Price {\"offset\":[40,0]}"},
		{"files", []*event{click(1, "Attach"), {Kind: kindChooser}, {Kind: kindField, N: 2, Target: target("button", "Photo"), Field: fieldFile, Value: value([]string{"a.png", "b.png"})}},
			"file_upload Photo {\"filePaths\":[\"a.png\",\"b.png\"]}"},
	} {
		m := &memory{}
		s := script{steps: m, now: time.Now}
		for _, e := range c.events {
			s.handle(place{tab: "t1", url: "https://a.example/", document: "d"}, e)
		}
		if got := m.String(); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
}

// TestSecretsAreLearnedWhole types a password: the recording masks it at each key, and learns it once, when
// something else happens.
func TestSecretsAreLearnedWhole(t *testing.T) {
	t.Parallel()
	m := &memory{}
	s := script{steps: m, now: time.Now}
	at := place{tab: "t1", url: "https://a.example/", document: "d"}
	for i := range len("hunter2") {
		s.handle(at, with(typed(1, "Password", "hunter2"[:i+1]), func(e *event) { e.Secret = true }))
		if got := m.steps[0].Secrets["/value"]; got != "hunter2"[:i+1] || len(m.secrets) != 0 {
			t.Fatalf("%q, %v", got, m.secrets)
		}
	}
	s.moved("t1", "https://a.example/?p=hunter2")
	if len(m.steps) != 1 || !slices.Equal(m.secrets, []string{"hunter2"}) || m.steps[0].Secrets["/value"] != "hunter2" {
		t.Errorf("%v, %v", m.steps, m.secrets)
	}
}

// TestEffectsBelongToTheLastStep: an address and a tab that came of a step are amended to it.
func TestEffectsBelongToTheLastStep(t *testing.T) {
	t.Parallel()
	m := &memory{}
	s := script{steps: m, now: time.Now}
	s.moved("t1", "https://a.example/early") // of no step
	s.handle(place{tab: "t1", url: "https://a.example/", document: "d"}, click(1, "Go"))
	s.opened("t2")
	s.opened("t2")
	s.moved("t2", "https://b.example/")
	s.moved("t1", "https://a.example/done")
	if len(m.steps) != 1 || m.steps[0].URL != "https://a.example/done" || !slices.Equal(m.steps[0].OpenedTabs, []string{"t2"}) {
		t.Errorf("%+v", m.steps)
	}
}

// TestContracts writes what the menu offers as contracts.
func TestContracts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		e    event
		want string
	}{
		{event{Type: "visible", Selector: "#a"}, `{"element":{"selector":"#a","state":"visible"}}`},
		{event{Type: "text", Selector: "#a", Value: value("Hi \"you\"")}, `{"dom_text":{"contains":"Hi \"you\"","selector":"#a"}}`},
		{event{Type: "value", Selector: "#a", Value: value("1")}, `{"value":{"equals":"1","selector":"#a"}}`},
		{event{Type: "checked", Selector: "#a", Value: value("false")}, `{"element":{"selector":"#a","state":"unchecked"}}`},
		{event{Type: "count", Selector: "li", Count: 3}, `{"dom_count":{"eq":3,"selector":"li"}}`},
		{event{Type: "url"}, `{"url":"/a/b#c"}`},
		{event{Type: "other"}, ""},
	} {
		if got := contractOf(&c.e, "https://a.example/a/b?token=1#c"); got != c.want {
			t.Errorf("%s: %s, want %s", c.e.Type, got, c.want)
		}
	}
}
