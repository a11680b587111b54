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

// Census is the summary of a snapshot for a comparison with a later one: counts by class, the ids of
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

// Census counts the snapshot.
func (a *Analysis) Census(ctx context.Context) (*Census, error) {
	c := &Census{classes: make(map[string]ClassTotal), index: make(map[string]class)}
	for _, total := range a.totals() {
		c.classes[total.Class] = total.ClassTotal
		c.index[total.Class] = total.class
	}
	s := a.Summary()
	c.Nodes, c.Size, c.Detached = s.Objects, s.Size, s.Detached
	holders := a.holders()
	own := 0
	for _, n := range a.order {
		if a.isOwn(Node(n)) {
			own++
		}
	}
	c.ids, c.held = make([]uint32, 0, own), make([]uint64, 0, own)
	for i, n := range a.order {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !a.isOwn(Node(n)) {
			continue
		}
		c.ids = append(c.ids, a.ids[n])
		if holders[n] != noNode {
			c.held = append(c.held, heldKey(a.ids[holders[n]], a.classOf(Node(n))))
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
func (a *Analysis) totals() []indexedTotal {
	all := make([]indexedTotal, 2*len(a.classNames))
	for _, n := range a.order {
		c := a.classOf(Node(n))
		if a.sizes[n] == 0 && c/2 == classString || a.kinds[n]&foreignBit != 0 { // shared by all pages, or of no page
			continue
		}
		all[c].Count++
		all[c].Size += uint64(a.sizes[n])
	}
	out := all[:0]
	for c := range all {
		if all[c].Count > 0 {
			t := all[c]
			t.class = class(c) // an index of classes
			t.Class = a.className(t.class)
			out = append(out, t)
		}
	}
	return out
}

// Largest returns the classes of the page's objects that retain most, at most limit.
func (a *Analysis) Largest(limit int) []ClassTotal {
	mask, of := a.masks(limit)
	out := make([]ClassTotal, len(of))
	for i, c := range of {
		out[i].Class = a.className(c)
	}
	at := make(map[class]int, len(of))
	for i, c := range of {
		at[c] = i
	}
	for _, n := range a.order {
		i, ok := at[a.classOf(Node(n))]
		if !ok {
			continue
		}
		out[i].Count++
		out[i].Size += uint64(a.sizes[n])
		if n == 0 || mask[a.idom[n]]&(1<<i) == 0 {
			out[i].Retained += a.retained[n]
		}
	}
	slices.SortFunc(out, func(x, y ClassTotal) int {
		return cmp.Or(cmp.Compare(y.Retained, x.Retained), cmp.Compare(x.Class, y.Class))
	})
	return out
}

// maxMasks is the most classes whose retained sizes are computed at once.
const maxMasks = 32

// masks marks below which of the largest classes each node is, itself included.
func (a *Analysis) masks(limit int) (mask []uint32, of []class) {
	size := make([]uint64, 2*len(a.classNames))
	for _, n := range a.order {
		if c := a.classOf(Node(n)); a.isOwn(Node(n)) && a.idom[n] != noNode {
			if a.classOf(Node(a.idom[n])) != c { // a first guess, which counts some bytes twice
				size[c] += a.retained[n]
			}
		}
	}
	for c := range size {
		if size[c] > 0 {
			of = append(of, class(c)) // an index of classes
		}
	}
	slices.SortFunc(of, func(x, y class) int { return cmp.Or(cmp.Compare(size[y], size[x]), cmp.Compare(x, y)) })
	of = of[:min(len(of), limit, maxMasks)]
	bits := make([]uint32, 2*len(a.classNames))
	for i, c := range of {
		bits[c] = 1 << i
	}
	mask = make([]uint32, len(a.kinds))
	for _, n := range a.order {
		mask[n] = bits[a.classOf(Node(n))]
		if n != 0 {
			mask[n] |= mask[a.idom[n]]
		}
	}
	return mask, of
}

// detachedTotals counts the nodes of the DOM that are in no document, by class.
func (a *Analysis) detachedTotals() (out []ClassTotal) {
	at := make(map[class]int)
	for _, n := range a.order {
		if !a.isDetached(Node(n)) {
			continue
		}
		c := a.classOf(Node(n))
		i, ok := at[c]
		if !ok {
			i = len(out)
			at[c] = i
			out = append(out, ClassTotal{Class: "Detached " + a.className(c)})
		}
		out[i].Count++
		out[i].Size += uint64(a.sizes[n])
		if !a.isDetached(Node(a.idom[n])) {
			out[i].Retained += a.retained[n]
		}
	}
	slices.SortFunc(out, func(x, y ClassTotal) int { return cmp.Or(cmp.Compare(y.Count, x.Count), cmp.Compare(x.Class, y.Class)) })
	return out
}

// holders returns for each node the object of the page that dominates it: past the bookkeeping of
// the browser, and past objects of its own class, so that all of a list or a tree are held by what
// holds its first one. It is noNode where only the browser holds a node.
func (a *Analysis) holders() []uint32 {
	out := filled(len(a.kinds))
	for i, n := range a.order {
		if i == 0 {
			continue
		}
		up := a.idom[n]
		if !a.isOwn(Node(up)) {
			out[n] = out[up]
			continue
		}
		out[n] = up
		if a.isOwn(Node(n)) && a.classOf(Node(up)) == a.classOf(Node(n)) {
			out[n] = out[up]
		}
	}
	return out
}
