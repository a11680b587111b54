package snapshot

import (
	"context"
)

// isEssential reports whether an edge keeps the node alive that it leads to.
func (g *Graph) isEssential(from Node, e uint32) bool {
	switch g.edgeKind(e) {
	case edgeWeak:
		return false
	case edgeShortcut:
		return from == 0
	case edgeInternal:
		if len(g.tables) > 0 {
			if table, ok := g.tables[g.edgeIndex(e)]; ok {
				return g.ids[from] != table
			}
		}
	}
	return true
}

// dominance is the state of the semi-NCA algorithm (Georgiadis, Linear-Time Algorithms for
// Dominators and Related Problems, 2005). All but number are by numbers of a depth-first walk.
type dominance struct {
	g      *Graph
	number []uint32 // by node; noNode of what is unreachable
	vertex []uint32
	parent []uint32 // and then the dominator
	semi   []uint32
	label  []uint32
	link   []uint32 // ancestor in the forest; noNode of a root
	stack  []uint32
}

// checkEvery is the number of nodes between two looks at the context.
const checkEvery = 1 << 16

// findDominators returns the immediate dominator of each node, noNode of what is unreachable, and the
// reachable nodes, each after its dominator.
func (g *Graph) findDominators(ctx context.Context) (idom, order []uint32, err error) {
	n := len(g.kinds)
	d := &dominance{g: g, number: filled(n), vertex: make([]uint32, 0, n), parent: make([]uint32, 0, n)}
	if err := d.walk(ctx); err != nil {
		return nil, nil, err
	}
	count := len(d.vertex)
	d.semi, d.label, d.link = make([]uint32, count), make([]uint32, count), filled(count)
	for i := range d.semi {
		d.semi[i], d.label[i] = uint32(i), uint32(i) // an index of nodes
	}
	first, from := d.predecessors()
	for w := count - 1; w > 0; w-- {
		if w%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		for _, v := range from[first[w]:first[w+1]] {
			d.semi[w] = min(d.semi[w], d.semi[d.eval(v)])
		}
		d.link[w] = d.parent[w]
	}
	for w := 1; w < count; w++ {
		if w%checkEvery == 0 && ctx.Err() != nil {
			return nil, nil, context.Cause(ctx)
		}
		at := d.parent[w]
		for at > d.semi[w] {
			at = d.parent[at]
		}
		d.parent[w] = at
	}
	idom = d.number
	for node, number := range d.number {
		if number != noNode {
			idom[node] = d.vertex[d.parent[number]]
		}
	}
	return idom, d.vertex, nil
}

func filled(n int) []uint32 {
	out := make([]uint32, n)
	for i := range out {
		out[i] = noNode
	}
	return out
}

// walk numbers the reachable nodes in the order of a depth-first walk.
func (d *dominance) walk(ctx context.Context) error {
	g := d.g
	type frame struct{ number, edge uint32 }
	visit := func(node, parent uint32) frame {
		number := uint32(len(d.vertex)) // fewer than nodes
		d.number[node] = number
		d.vertex, d.parent = append(d.vertex, node), append(d.parent, parent)
		return frame{number, g.firstEdge[node]}
	}
	stack := []frame{visit(0, 0)}
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		node := d.vertex[top.number]
		e := top.edge
		if e == g.firstEdge[node+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		top.edge++
		to := g.edgeTo[e]
		if d.number[to] != noNode || !g.isEssential(Node(node), e) {
			continue
		}
		if len(d.vertex)%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		stack = append(stack, visit(to, top.number))
	}
	return nil
}

// predecessors lists the numbers of the nodes that edges come from, by the numbers of those that
// they lead to.
func (d *dominance) predecessors() (first, from []uint32) {
	g := d.g
	first = make([]uint32, len(d.vertex)+1)
	each := func(fn func(from, to uint32)) {
		for v, node := range d.vertex {
			for e := g.firstEdge[node]; e < g.firstEdge[node+1]; e++ {
				if to := d.number[g.edgeTo[e]]; g.isEssential(Node(node), e) {
					fn(uint32(v), to) // an index of nodes
				}
			}
		}
	}
	total := uint32(0)
	each(func(_, to uint32) { first[to]++; total++ })
	sum := uint32(0)
	for i, n := range first {
		sum += n
		first[i] = sum // the end; filling moves it to the beginning
	}
	from = make([]uint32, total)
	each(func(v, to uint32) {
		first[to]--
		from[first[to]] = v
	})
	return first, from
}

// eval returns the node with the least semidominator on the way from v up to the root of its tree in
// the forest, and shortens the way.
func (d *dominance) eval(v uint32) uint32 {
	if d.link[v] == noNode {
		return v
	}
	d.stack = d.stack[:0]
	for at := v; d.link[d.link[at]] != noNode; at = d.link[at] {
		d.stack = append(d.stack, at)
	}
	for i := len(d.stack) - 1; i >= 0; i-- {
		at := d.stack[i]
		up := d.link[at]
		if d.semi[d.label[up]] < d.semi[d.label[at]] {
			d.label[at] = d.label[up]
		}
		d.link[at] = d.link[up]
	}
	return d.label[v]
}
