package toolkit_test

import (
	"context"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

func row(name, area, text string, tier int) toolkit.Tool {
	return toolkit.Tool{Name: name, Area: area, Capability: "core", Scopes: []string{"default"}, Tier: tier,
		Definition: `{"name":"` + name + `","description":"` + text + `"}`,
		Invoke: func(context.Context, *toolkit.Call, grant.Grant, []byte) (toolkit.CallResult, error) {
			return toolkit.Unstructured(toolkit.Text(text), nil)
		}}
}

// A session follows its surface to another version of the registry, keeps what it had revealed, and
// every index stays good.
func TestUpdate(t *testing.T) {
	reg := (&toolkit.Registry{Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"},
		Tools: []toolkit.Tool{row("deep", "page", "built in", 2), row("zoom", "page", "built in", 1)}}).Index()
	reg, err := reg.With(toolkit.Capability{Name: "made"}, "made", []toolkit.Tool{row("gone", "made", "1", 1), row("kept", "made", "1", 1)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	updates := 0
	s.OnUpdate(func() { updates++ })
	session, static := s.NewSession("a", nil), s.NewStaticSession("b")
	if _, err := session.Expand(toolkit.Selection{Name: "deep"}); err != nil {
		t.Fatal(err)
	}
	before, _ := reg.Lookup("zoom")
	update := func(rows ...toolkit.Tool) {
		t.Helper()
		if reg, err = s.Registry().Replace("made", rows); err != nil {
			t.Fatal(err)
		}
		if err := s.Update(reg); err != nil {
			t.Fatal(err)
		}
	}
	update(row("added", "made", "2", 1), row("kept", "made", "2", 1))
	if now, _ := reg.Lookup("zoom"); now != before || updates != 1 {
		t.Errorf("index %d → %d, %d updates", before, now, updates)
	}
	for of, want := range map[*toolkit.Session]string{session: "deep kept=2 zoom added=2", static: "kept=2 zoom added=2"} {
		list := string(of.List())
		at := -1
		for _, name := range strings.Fields(want) {
			name, text, _ := strings.Cut(name, "=")
			next := strings.Index(list, `"name":"`+name+`","description":"`+text)
			if next <= at {
				t.Errorf("%s of %q is not in its place in %s", name, want, list)
			}
			at = next
		}
		if strings.Contains(list, "gone") {
			t.Error(list)
		}
		if _, err := of.Dispatch(t.Context(), toolkit.Request{Tool: "gone"}); err == nil {
			t.Error("what is gone can be called")
		}
		if res, err := of.Dispatch(t.Context(), toolkit.Request{Tool: "kept"}); err != nil || !strings.HasPrefix(res.Content[0].Text, "2") {
			t.Errorf("%v %v", res, err)
		}
	}
	changed := row("kept", "made", "2", 1)
	changed.Traits.Keeps = true
	update(row("added", "made", "2", 1), changed)
	if updates != 1 {
		t.Error("clients would be sent the same, and are notified all the same")
	}
	update(row("gone", "made", "3", 1))
	if list := string(session.List()); !strings.Contains(list, `"gone","description":"3"`) || strings.Contains(list, "kept") || updates != 2 {
		t.Errorf("%d updates, %s", updates, list)
	}
	if _, err := reg.Replace("made", []toolkit.Tool{row("zoom", "made", "", 1)}); err == nil {
		t.Error("a built-in tool was replaced")
	}
}

// A flag that names a tool which is gone leaves the surface as it was.
func TestUpdateKeepsTheGates(t *testing.T) {
	reg := (&toolkit.Registry{Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"}}).Index()
	reg, err := reg.With(toolkit.Capability{Name: "made"}, "made", []toolkit.Tool{row("only", "made", "1", 1), row("other", "made", "1", 1)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := toolkit.NewSurface(reg, toolkit.Options{Tools: []string{"only"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, rows := range [][]toolkit.Tool{{row("other", "made", "2", 1)}, nil} {
		next, err := s.Registry().Replace("made", rows)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Update(next); err == nil || !s.Allows("only") {
			t.Errorf("%v", err)
		}
	}
	next, err := s.Registry().Replace("made", []toolkit.Tool{row("only", "made", "2", 1), row("third", "made", "2", 1)})
	if err != nil || s.Update(next) != nil || s.Allows("third") || !s.Allows("only") {
		t.Errorf("%v", err)
	}
}
