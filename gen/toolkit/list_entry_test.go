package toolkit_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// TestListEntries gives a session entries of its own: calls of them are calls of their tool, other sessions do
// not have them, and no name of the registry is theirs.
func TestListEntries(t *testing.T) {
	t.Parallel()
	fixed := row("fixed", "page", "built in", 1)
	fixed.Invoke = func(_ context.Context, call *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
		return toolkit.Unstructured(toolkit.Text(call.Tool.Name+" "+string(args)), nil)
	}
	reg := (&toolkit.Registry{Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"},
		Tools: []toolkit.Tool{fixed, row("zoom", "page", "built in", 1)}}).Index()
	s, err := toolkit.NewSurface(reg, toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	v, other, static := s.NewSession("a", func() { changes++ }), s.NewSession("b", nil), s.NewStaticSession("c")
	entry := func(name, words string) toolkit.ListEntry {
		return toolkit.ListEntry{Name: name, Definition: `{"name":"` + name + `","description":"` + words + `"}`, Tool: "fixed",
			Bind: func(args []byte) []byte { return []byte(`{"of":"` + name + `","args":` + string(args) + `}`) }}
	}
	elsewhere := entry("lost", "")
	elsewhere.Tool = "nothing"
	for _, of := range []*toolkit.Session{v, static} {
		of.SetEntries([]toolkit.ListEntry{entry("made", "1"), entry("zoom", "shadow"), entry("made", "twice"), elsewhere})
	}
	if list := string(v.List()); !json.Valid(v.List()) || strings.Count(list, `"made"`) != 1 || strings.Contains(list, "shadow") || strings.Contains(list, "lost") {
		t.Errorf("the list: %s", list)
	}
	if strings.Contains(string(other.List())+string(static.List()), "made") {
		t.Error("another session has the entry")
	}
	v.SetEntries([]toolkit.ListEntry{entry("made", "1")})
	if changes != 1 {
		t.Errorf("equal entries are announced: %d changes", changes)
	}
	res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "made", Args: []byte(`{}`)})
	if err != nil || res.Content[0].Text != `fixed {"of":"made","args":{}}` {
		t.Errorf("a call of the entry: %v %v", res, err)
	}
	if res, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "zoom"}); err != nil || res.Content[0].Text != "built in" {
		t.Errorf("the tool of a taken name: %v %v", res, err)
	}
	v.SetEntries([]toolkit.ListEntry{entry("made", "2")})
	if changes != 2 || !strings.Contains(string(v.List()), `"2"`) {
		t.Errorf("%d changes, %s", changes, v.List())
	}
	v.SetEntries(nil)
	if _, err := v.Dispatch(t.Context(), toolkit.Request{Tool: "made"}); err == nil || changes != 3 {
		t.Errorf("an entry that is gone is called: %d changes", changes)
	}
}
