package snapshot_test

import (
	"errors"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
)

// grown is the page of small with more objects: kept ones have a holder that gained them, others
// replace earlier ones.
func grown(kept, replaced int) *file {
	f := small()
	for i := range kept {
		f.linkNamed(3, internal, "x", f.add(object, "Entry", 20+i))
	}
	list := f.add(object, "Array", 16)
	f.linkNamed(1, property, "list", list)
	for range replaced {
		f.link(list, element, 1, f.add(object, "Row", 20))
	}
	return f
}

func compare(t *testing.T, before, now *file) (*snapshot.Comparison, error) {
	t.Helper()
	c, err := graph(t, before).Census(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return graph(t, now).Compare(t.Context(), []*snapshot.Census{c}, snapshot.Options{Min: 3, Limit: 10})
}

func TestGrowingHoldersAreNamed(t *testing.T) {
	t.Parallel()
	c, err := compare(t, small(), grown(4, 0))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Findings) != 1 {
		t.Fatalf("%+v", c.Findings)
	}
	if f := c.Findings[0]; f.Class != "Entry" || f.Before != 2 || f.Now != 6 || f.HolderClass != "Map" || f.Holder != "cache (Map)" || f.Retained != 86 {
		t.Errorf("%+v", f)
	}
	if d := c.Deltas[0]; d.Class != "Entry" || d.New != 4 || d.Deleted != 0 {
		t.Errorf("%+v", d)
	}
}

// TestReplacedObjectsAreNoGrowth compares a page that has as many rows as before, all of them new.
func TestReplacedObjectsAreNoGrowth(t *testing.T) {
	t.Parallel()
	before, now := grown(0, 6), grown(0, 6)
	for i := range now.nodes[7:] {
		now.nodes[7+i].id += 1000
	}
	c, err := compare(t, before, now)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Findings) != 0 {
		t.Errorf("%+v", c.Findings)
	}
}

// TestListsCountOnce: of a chain of objects that hold each other, the holder of the first is named.
func TestListsCountOnce(t *testing.T) {
	t.Parallel()
	f := small()
	last := 1
	for range 5 {
		n := f.add(object, "Step", 10)
		f.linkNamed(last, property, "next", n)
		last = n
	}
	c, err := compare(t, small(), f)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Findings) != 1 || c.Findings[0].Now != 5 || c.Findings[0].Retained != 50 || c.Findings[0].HolderClass != "Window" {
		t.Errorf("%+v", c.Findings)
	}
}

func TestUnrelatedSnapshotsAreRefused(t *testing.T) {
	t.Parallel()
	other := small()
	for i := range other.nodes {
		other.nodes[i].id += 10_000
	}
	if _, err := compare(t, small(), other); !errors.Is(err, snapshot.ErrUnrelated) {
		t.Error(err)
	}
}
