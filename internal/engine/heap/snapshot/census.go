package snapshot

import (
	"cmp"
	"context"
	"slices"
)

// ClassTotal sums up the objects of a class.
type ClassTotal struct {
	Class string
	Count int
	Size  uint64 // bytes, without what the objects refer to
	// Retained are the bytes that are freed when all objects of the class are; 0 where it was not
	// computed.
	Retained uint64
}

// Census is what is kept of a snapshot for a comparison with a later one: counts by class, the ids of
// the page's objects, and how many objects of a class each holder has.
type Census struct {
	Nodes    int
	Size     uint64 // bytes
	Detached []ClassTotal

	classes map[string]ClassTotal
	ids     []uint32 // of the page's objects, sorted
	index   map[string]class
	held    []uint64 // a heldKey for each of the page's objects, sorted
}

// heldKey is an object's holder by its id, and the object's class.
func heldKey(holder uint32, c class) uint64 { return uint64(holder)<<32 | uint64(c) }

// Census counts an analyzed snapshot.
func (g *Graph) Census(ctx context.Context) (*Census, error) {
	c := &Census{classes: make(map[string]ClassTotal), index: make(map[string]class)}
	for _, total := range g.totals() {
		c.classes[total.Class] = total.ClassTotal
		c.index[total.Class] = total.class
	}
	s := g.Summary()
	c.Nodes, c.Size, c.Detached = s.Objects, s.Size, s.Detached
	holders := g.holders()
	own := 0
	for _, n := range g.order {
		if g.isOwn(Node(n)) {
			own++
		}
	}
	c.ids, c.held = make([]uint32, 0, own), make([]uint64, 0, own)
	for i, n := range g.order {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !g.isOwn(Node(n)) {
			continue
		}
		c.ids = append(c.ids, g.ids[n])
		if holders[n] != noNode {
			c.held = append(c.held, heldKey(g.ids[holders[n]], g.classOf(Node(n))))
		}
	}
	slices.Sort(c.ids)
	slices.Sort(c.held)
	return c, nil
}

// has reports whether an object was in the snapshot.
func (c *Census) has(id uint32) bool {
	_, ok := slices.BinarySearch(c.ids, id)
	return ok
}

// count is the number of objects of a class that a holder had.
func (c *Census) count(holder uint32, name string) int {
	at, ok := c.index[name]
	if !ok {
		return 0
	}
	from, _ := slices.BinarySearch(c.held, heldKey(holder, at))
	to, _ := slices.BinarySearch(c.held, heldKey(holder, at)+1)
	return to - from
}

// indexedTotal is a total with its class in the graph.
type indexedTotal struct {
	ClassTotal
	class class
}

// totals sums up the classes of the page's objects and of what the browser keeps for them, in no order.
func (g *Graph) totals() []indexedTotal {
	all := make([]indexedTotal, 2*len(g.classNames))
	for _, n := range g.order {
		c := g.classOf(Node(n))
		if g.sizes[n] == 0 && c/2 == classString || g.kinds[n]&foreignBit != 0 { // shared by all pages, or of no page
			continue
		}
		all[c].Count++
		all[c].Size += uint64(g.sizes[n])
	}
	out := all[:0]
	for c := range all {
		if all[c].Count > 0 {
			t := all[c]
			t.class = class(c) // an index of classes
			t.Class = g.className(t.class)
			out = append(out, t)
		}
	}
	return out
}

// Largest returns the classes of the page's objects that retain most, at most limit.
func (g *Graph) Largest(limit int) []ClassTotal {
	mask, of := g.masks(limit)
	out := make([]ClassTotal, len(of))
	for i, c := range of {
		out[i].Class = g.className(c)
	}
	at := make(map[class]int, len(of))
	for i, c := range of {
		at[c] = i
	}
	for _, n := range g.order {
		i, ok := at[g.classOf(Node(n))]
		if !ok {
			continue
		}
		out[i].Count++
		out[i].Size += uint64(g.sizes[n])
		if n == 0 || mask[g.idom[n]]&(1<<i) == 0 {
			out[i].Retained += g.retained[n]
		}
	}
	slices.SortFunc(out, func(a, b ClassTotal) int {
		return cmp.Or(cmp.Compare(b.Retained, a.Retained), cmp.Compare(a.Class, b.Class))
	})
	return out
}

// maxMasks is the most classes whose retained sizes are computed at once.
const maxMasks = 32

// masks marks below which of the largest classes each node is, itself included.
func (g *Graph) masks(limit int) (mask []uint32, of []class) {
	size := make([]uint64, 2*len(g.classNames))
	for _, n := range g.order {
		if c := g.classOf(Node(n)); g.isOwn(Node(n)) && g.idom[n] != noNode {
			if g.classOf(Node(g.idom[n])) != c { // a first guess, which counts some bytes twice
				size[c] += g.retained[n]
			}
		}
	}
	for c := range size {
		if size[c] > 0 {
			of = append(of, class(c)) // an index of classes
		}
	}
	slices.SortFunc(of, func(a, b class) int { return cmp.Or(cmp.Compare(size[b], size[a]), cmp.Compare(a, b)) })
	of = of[:min(len(of), limit, maxMasks)]
	bits := make([]uint32, 2*len(g.classNames))
	for i, c := range of {
		bits[c] = 1 << i
	}
	mask = make([]uint32, len(g.kinds))
	for _, n := range g.order {
		mask[n] = bits[g.classOf(Node(n))]
		if n != 0 {
			mask[n] |= mask[g.idom[n]]
		}
	}
	return mask, of
}

// detachedTotals counts the nodes of the DOM that are in no document, by class.
func (g *Graph) detachedTotals() (out []ClassTotal) {
	at := make(map[class]int)
	for _, n := range g.order {
		if !g.isDetached(Node(n)) {
			continue
		}
		c := g.classOf(Node(n))
		i, ok := at[c]
		if !ok {
			i = len(out)
			at[c] = i
			out = append(out, ClassTotal{Class: "Detached " + g.className(c)})
		}
		out[i].Count++
		out[i].Size += uint64(g.sizes[n])
		if !g.isDetached(Node(g.idom[n])) {
			out[i].Retained += g.retained[n]
		}
	}
	slices.SortFunc(out, func(a, b ClassTotal) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Class, b.Class)) })
	return out
}

// holders returns for each node the object of the page that dominates it: past the bookkeeping of
// the browser, and past objects of its own class, so that all of a list or a tree are held by what
// holds its first one. It is noNode where only the browser holds a node.
func (g *Graph) holders() []uint32 {
	out := filled(len(g.kinds))
	for i, n := range g.order {
		if i == 0 {
			continue
		}
		up := g.idom[n]
		if !g.isOwn(Node(up)) {
			out[n] = out[up]
			continue
		}
		out[n] = up
		if g.isOwn(Node(n)) && g.classOf(Node(up)) == g.classOf(Node(n)) {
			out[n] = out[up]
		}
	}
	return out
}
