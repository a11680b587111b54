package snapshot

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Object describes one object.
type Object struct {
	ID       uint32
	Name     string
	Size     uint32 // bytes, without what it refers to
	Retained uint64 // bytes that are freed with it
	Path     string // shortest path from a global object or a root of the browser
	Function *Place // of a function
}

// Reference is an object that refers to another, or is referred to.
type Reference struct {
	Label  string // name or index of the property, or how the browser names the edge
	Weak   bool   // does not keep the object alive
	Object Object // without Path
}

// Summary is the size of a snapshot.
type Summary struct {
	Objects  int
	Size     uint64 // bytes
	Detached []ClassTotal
}

// Summary sums up the snapshot.
func (a *Analysis) Summary() Summary {
	s := Summary{Objects: len(a.order), Detached: a.detachedTotals()}
	for _, n := range a.order {
		s.Size += uint64(a.sizes[n])
	}
	return s
}

func (a *Analysis) object(n Node) Object {
	return Object{ID: a.ids[n], Name: a.Name(n), Size: a.sizes[n], Retained: a.retained[n], Function: a.place(n)}
}

// Describe describes an object with its path.
func (a *Analysis) Describe(n Node) Object {
	o := a.object(n)
	o.Path = a.Path(n)
	return o
}

// nodeHeap has the nodes that retain least at its top.
type nodeHeap struct {
	a     *Analysis
	nodes []Node
}

func (h *nodeHeap) Len() int           { return len(h.nodes) }
func (h *nodeHeap) Less(i, j int) bool { return h.a.compare(h.nodes[i], h.nodes[j]) > 0 }
func (h *nodeHeap) Swap(i, j int)      { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *nodeHeap) Push(x any)         { h.nodes = append(h.nodes, x.(Node)) }
func (h *nodeHeap) Pop() any {
	last := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return last
}

// compare orders nodes by what they retain, the largest first.
func (a *Analysis) compare(x, y Node) int {
	return cmp.Or(cmp.Compare(a.retained[y], a.retained[x]), cmp.Compare(x, y))
}

// ByClass returns the objects of a class that retain most, at most limit, and how many there are. A
// name that begins with Detached means the nodes that are in no document.
func (a *Analysis) ByClass(name string, limit int) (out []Object, total int) {
	top := &nodeHeap{a: a}
	for _, n := range a.order {
		if !a.isClass(Node(n), name) {
			continue
		}
		total++
		heap.Push(top, Node(n))
		if top.Len() > limit {
			heap.Pop(top)
		}
	}
	slices.SortFunc(top.nodes, a.compare)
	for _, n := range top.nodes {
		out = append(out, a.Describe(n))
	}
	return out, total
}

func (g *Graph) isClass(n Node, name string) bool {
	class := g.className(g.classOf(n))
	return class == name || g.isDetached(n) && "Detached "+class == name
}

// Classes are the names of all classes, for what comes closest to a wrong one.
func (a *Analysis) Classes() []string {
	return slicesx.Map(a.totals(), func(t indexedTotal) string { return t.Class })
}

// Retainers lists what refers to an object, those on the shortest path first, and how many there are.
func (a *Analysis) Retainers(n Node, limit int) (out []Reference, total int) {
	var list []uint32
	for e, to := range a.edgeTo {
		if Node(to) == n {
			list = append(list, uint32(e)) // an index of edges
		}
	}
	slices.SortStableFunc(list, func(x, y uint32) int {
		return cmp.Compare(a.rank(n, x), a.rank(n, y))
	})
	for _, e := range list[:min(len(list), limit)] {
		out = append(out, a.reference(e, a.edgeFrom(e)))
	}
	return out, len(list)
}

// rank orders retainers: the one of the path, those that keep the object, weak ones.
func (a *Analysis) rank(n Node, e uint32) int {
	switch {
	case a.pathEdge[n] == e:
		return 0
	case a.isEssential(a.edgeFrom(e), e):
		return 1
	}
	return 2
}

// References lists what an object refers to, the largest first, and how many there are.
func (a *Analysis) References(n Node, limit int) (out []Reference, total int) {
	from, to := a.edges(n)
	list := make([]uint32, 0, to-from)
	for e := from; e < to; e++ {
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(x, y uint32) int { return cmp.Compare(a.retained[a.edgeTo[y]], a.retained[a.edgeTo[x]]) })
	for _, e := range list[:min(len(list), limit)] {
		out = append(out, a.reference(e, Node(a.edgeTo[e])))
	}
	return out, len(list)
}

func (a *Analysis) reference(e uint32, other Node) Reference {
	label := a.edgeLabel(e)
	if label == "" {
		label = fmt.Sprintf("[%d]", a.edgeIndex(e))
	}
	if a.edgeKind(e) == edgeInternal || a.edgeKind(e) == edgeHidden {
		label = "(" + label + ")"
	}
	return Reference{Label: label, Weak: a.edgeKind(e) == edgeWeak, Object: a.object(other)}
}
