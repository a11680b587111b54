package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
)

// small is a page with a map of two entries.
func small() *file {
	f := newFile()
	window := f.add(object, "Window [JSGlobalObject] / http://x", 10)
	cache := f.add(object, "Map", 16)
	table := f.add(array, "", 100)
	one, two := f.add(object, "Entry", 20), f.add(object, "Entry", 20)
	name := f.add(text, "a \"quoted\"\n\u2028 text", 30)
	f.link(root, element, 1, window)
	f.linkNamed(window, property, "cache", cache)
	f.linkNamed(cache, internal, "table", table)
	f.linkNamed(table, internal, "1", one)
	f.linkNamed(table, internal, "3", two)
	f.linkNamed(one, property, "name", name)
	f.linkNamed(two, weak, "other", name)
	return f
}

func TestSizesAndPaths(t *testing.T) {
	t.Parallel()
	g := graph(t, small())
	list, total := g.ByClass("Entry", 1)
	if total != 2 || len(list) != 1 || list[0].Retained != 50 || list[0].Path != "Window / cache (Map) / Entry" {
		t.Errorf("%+v of %d", list, total)
	}
	if s := g.Summary(); s.Objects != 7 || s.Size != 196 {
		t.Errorf("%+v", s)
	}
	n, ok := g.NodeByID(list[0].ID)
	if !ok {
		t.Fatal("no node")
	}
	refs, _ := g.References(n, 5)
	if len(refs) != 1 || refs[0].Label != "name" || refs[0].Object.Name != `"a \"quoted\"\n\u2028 text"` {
		t.Errorf("%+v", refs)
	}
	holders, total := g.Retainers(n, 5)
	if total != 1 || holders[0].Label != "(1)" {
		t.Errorf("%+v", holders)
	}
	for _, l := range g.Largest(10) {
		if l.Class == "Map" && (l.Count != 1 || l.Retained != 186) {
			t.Errorf("%+v", l)
		}
	}
}

// TestDamagedFilesAreRefused cuts and changes a file at each byte: it is read, or refused as no
// snapshot, and never more.
func TestDamagedFilesAreRefused(t *testing.T) {
	t.Parallel()
	whole := small().bytes(t)
	for i := range whole {
		if _, err := read(t, whole[:i]); !errors.Is(err, snapshot.ErrFormat) {
			t.Fatalf("cut at %d: %v", i, err)
		}
		for _, c := range []byte{'0', '9', '"', ']', ',', 0, 0xff} {
			changed := bytes.Clone(whole)
			changed[i] = c
			if g, err := read(t, changed); err == nil {
				_, _ = g.ByClass("Entry", 5)
			} else if !errors.Is(err, snapshot.ErrFormat) {
				t.Fatalf("%q at %d: %v", c, i, err)
			}
		}
	}
	for name, text := range map[string]string{
		"empty": "", "another format": `{"nodes":[{"id":1}],"startTime":1}`, "a list": "[]", "a page": "<!doctype html>", "no members": "{}",
		"counts larger than the file": strings.Replace(string(whole), `"node_count":7`, `"node_count":700000000`, 1),
		"twice":                       strings.Replace(string(whole), `"trace_tree":[]`, `"nodes":[]`, 1),
	} {
		if _, err := read(t, []byte(text)); !errors.Is(err, snapshot.ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(small().bytes(f))
	f.Add([]byte(`{"snapshot":{},"nodes":[]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := read(t, data)
		if err != nil {
			return
		}
		c, err := g.Census(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.Compare(t.Context(), []*snapshot.Census{c}, snapshot.Options{Min: 1, Limit: 5}); err != nil && !errors.Is(err, snapshot.ErrUnrelated) {
			t.Fatal(err)
		}
	})
}

func TestReadingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	data := small().bytes(t)
	if _, err := snapshot.Read(ctx, bytes.NewReader(data), int64(len(data))); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRetainedSizes holds retained sizes of random graphs against their definition: what is not
// reachable without the node.
func TestRetainedSizes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		f := newFile()
		count := 2 + r.IntN(20)
		for range count {
			f.add(object, "Thing", 1+r.IntN(9))
		}
		for range r.IntN(3 * count) {
			kind := property
			if r.IntN(8) == 0 {
				kind = weak
			}
			f.linkNamed(r.IntN(count+1), kind, "p", r.IntN(count+1))
		}
		g := graph(t, f)
		list, _ := g.ByClass("Thing", count)
		for _, o := range list {
			if want := f.retainedBy(int(o.ID-1) / 2); o.Retained != want {
				t.Fatalf("seed %d: @%d retains %d, want %d", seed, o.ID, o.Retained, want)
			}
		}
	}
}

// retainedBy is the size of what the root reaches with a node and not without it.
func (f *file) retainedBy(node int) (size uint64) {
	with, without := f.reachable(-1), f.reachable(node)
	for n := range f.nodes {
		if with[n] && !without[n] {
			size += uint64(f.nodes[n].size)
		}
	}
	return size
}

func (f *file) reachable(without int) []bool {
	seen := make([]bool, len(f.nodes))
	var visit func(n int)
	visit = func(n int) {
		if n == without || seen[n] {
			return
		}
		seen[n] = true
		for _, e := range f.nodes[n].edges {
			if e[0] != weak {
				visit(e[2])
			}
		}
	}
	visit(root)
	return seen
}
