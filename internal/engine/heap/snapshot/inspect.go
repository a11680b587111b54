package snapshot

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
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

// Summary sums up an analyzed snapshot.
func (g *Graph) Summary() Summary {
	s := Summary{Objects: len(g.order), Detached: g.detachedTotals()}
	for _, n := range g.order {
		s.Size += uint64(g.sizes[n])
	}
	return s
}

func (g *Graph) object(n Node) Object {
	return Object{ID: g.ids[n], Name: g.Name(n), Size: g.sizes[n], Retained: g.retained[n], Function: g.place(n)}
}

// Describe describes an object with its path.
func (g *Graph) Describe(n Node) Object {
	o := g.object(n)
	o.Path = g.Path(n)
	return o
}

// nodeHeap has the nodes that retain least at its top.
type nodeHeap struct {
	g     *Graph
	nodes []Node
}

func (h *nodeHeap) Len() int           { return len(h.nodes) }
func (h *nodeHeap) Less(i, j int) bool { return h.g.compare(h.nodes[i], h.nodes[j]) > 0 }
func (h *nodeHeap) Swap(i, j int)      { h.nodes[i], h.nodes[j] = h.nodes[j], h.nodes[i] }
func (h *nodeHeap) Push(x any)         { h.nodes = append(h.nodes, x.(Node)) }
func (h *nodeHeap) Pop() any {
	last := h.nodes[len(h.nodes)-1]
	h.nodes = h.nodes[:len(h.nodes)-1]
	return last
}

// compare orders nodes by what they retain, the largest first.
func (g *Graph) compare(a, b Node) int {
	return cmp.Or(cmp.Compare(g.retained[b], g.retained[a]), cmp.Compare(a, b))
}

// ByClass returns the objects of a class that retain most, at most limit, and how many there are. A
// name that begins with Detached means the nodes that are in no document.
func (g *Graph) ByClass(name string, limit int) (out []Object, total int) {
	top := &nodeHeap{g: g}
	for _, n := range g.order {
		if !g.isClass(Node(n), name) {
			continue
		}
		total++
		heap.Push(top, Node(n))
		if top.Len() > limit {
			heap.Pop(top)
		}
	}
	slices.SortFunc(top.nodes, g.compare)
	for _, n := range top.nodes {
		out = append(out, g.Describe(n))
	}
	return out, total
}

func (g *Graph) isClass(n Node, name string) bool {
	class := g.className(g.classOf(n))
	return class == name || g.isDetached(n) && "Detached "+class == name
}

// Classes are the names of all classes, for what comes closest to a wrong one.
func (g *Graph) Classes() (out []string) {
	for _, t := range g.totals() {
		out = append(out, t.Class)
	}
	return out
}

// Retainers lists what refers to an object, those on the shortest path first, and how many there are.
func (g *Graph) Retainers(n Node, limit int) (out []Reference, total int) {
	var list []uint32
	for e, to := range g.edgeTo {
		if Node(to) == n {
			list = append(list, uint32(e)) // an index of edges
		}
	}
	slices.SortStableFunc(list, func(a, b uint32) int {
		return cmp.Compare(g.rank(n, a), g.rank(n, b))
	})
	for _, e := range list[:min(len(list), limit)] {
		out = append(out, g.reference(e, g.edgeFrom(e)))
	}
	return out, len(list)
}

// rank orders retainers: the one of the path, those that keep the object, weak ones.
func (g *Graph) rank(n Node, e uint32) int {
	switch {
	case g.pathEdge[n] == e:
		return 0
	case g.isEssential(g.edgeFrom(e), e):
		return 1
	}
	return 2
}

// References lists what an object refers to, the largest first, and how many there are.
func (g *Graph) References(n Node, limit int) (out []Reference, total int) {
	from, to := g.edges(n)
	list := make([]uint32, 0, to-from)
	for e := from; e < to; e++ {
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b uint32) int { return cmp.Compare(g.retained[g.edgeTo[b]], g.retained[g.edgeTo[a]]) })
	for _, e := range list[:min(len(list), limit)] {
		out = append(out, g.reference(e, Node(g.edgeTo[e])))
	}
	return out, len(list)
}

func (g *Graph) reference(e uint32, other Node) Reference {
	label := g.edgeLabel(e)
	if label == "" {
		label = fmt.Sprintf("[%d]", g.edgeIndex(e))
	}
	if g.edgeKind(e) == edgeInternal || g.edgeKind(e) == edgeHidden {
		label = "(" + label + ")"
	}
	return Reference{Label: label, Weak: g.edgeKind(e) == edgeWeak, Object: g.object(other)}
}
