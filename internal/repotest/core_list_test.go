package repotest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/prove"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/tools"
)

// TestCoreListIsTheSameInEveryState holds the lists of both protocol eras against each other in every state that a session can
// reach, on the shortest way there from each other state that a call or an event leads from: the core has the same bytes, a
// state only adds to its end, and what stays keeps its place.
func TestCoreListIsTheSameInEveryState(t *testing.T) {
	t.Parallel()
	set := manifestSet(t)
	space := prove.Walk(set)
	surface, err := toolkit.NewSurface(tools.Registry(tools.Needs{}), toolkit.Options{Visibility: toolkit.Core})
	if err != nil {
		t.Fatal(err)
	}
	core := surface.NewStaticSession("stateless").List()
	if limit := set.DefaultListBytes; len(core) > limit {
		t.Errorf("the core list has %d bytes, and may have %d", len(core), limit)
	}
	begin := bytes.TrimSuffix(core, []byte("]"))
	for _, step := range space.Transitions() {
		v := surface.NewSession("s", nil)
		if first := v.List(); !bytes.Equal(first, core) {
			t.Fatalf("a session begins with %s", first)
		}
		v.Replace(toolkit.Facts(step.From))
		before, names := bytes.Clone(v.List()), joined(t, v, core)
		v.Replace(toolkit.Facts(step.To))
		after := v.List()
		where := fmt.Sprintf("from %v to %v", step.From.Names(set.Facts), step.To.Names(set.Facts))
		if !bytes.HasPrefix(before, begin) || !bytes.HasPrefix(after, begin) {
			t.Fatalf("%s: a list does not begin with the core", where)
		}
		now := joined(t, v, core)
		stay := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(now, name) })
		if !slices.Equal(stay, now[:len(stay)]) {
			t.Errorf("%s: %v becomes %v", where, names, now)
		}
		for _, tool := range set.Tools {
			if !tool.IsCore() && tool.JoinsIn(uint64(step.To)) != slices.Contains(now, tool.Name) {
				t.Errorf("%s: %s is listed or not, unlike the manifest says", where, tool.Name)
			}
		}
		v.Replace(0)
		if last := v.List(); !bytes.Equal(last, core) {
			t.Errorf("%s: the list does not shrink back to the core: %s", where, last)
		}
	}
}

// joined returns the names of the tools behind the core list.
func joined(t *testing.T, v *toolkit.Session, core []byte) []string {
	t.Helper()
	return names(t, v.List())[len(names(t, core)):]
}
