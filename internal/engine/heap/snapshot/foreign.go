package snapshot

// maxPrototypes bounds a chain of prototypes.
const maxPrototypes = 20

// markForeign marks the objects of worlds whose global object has a property of this name: those that
// inherit from the Object.prototype of the world, and what only they hold.
func (a *Analysis) markForeign(name string) {
	if name == "" || a.proto == noEdge {
		return
	}
	ends := make(map[Node]bool)
	for n := range a.kinds {
		if a.isWindow(Node(n)) {
			if value, ok := a.property(Node(n), name); ok {
				ends[a.lastPrototype(value)] = true
				a.kinds[n] |= foreignBit
			}
		}
	}
	if len(ends) == 0 {
		return
	}
	for _, n := range a.order {
		switch k := a.kindOf(Node(n)); {
		case k == kindNative || k == kindSynthetic:
		case n != 0 && a.kinds[a.idom[n]]&foreignBit != 0, (k == kindObject || k == kindClosure || k == kindRegExp) && ends[a.lastPrototype(Node(n))]:
			a.kinds[n] |= foreignBit
		}
	}
}

// lastPrototype is the end of an object's chain of prototypes.
func (g *Graph) lastPrototype(n Node) Node {
	for range maxPrototypes {
		up, ok := g.prototype(n)
		if !ok {
			break
		}
		n = up
	}
	return n
}

func (g *Graph) prototype(n Node) (Node, bool) {
	from, to := g.edges(n)
	for e := from; e < to; e++ {
		if g.edgeIndex(e) == g.proto && g.edgeKind(e) == edgeProperty {
			return Node(g.edgeTo[e]), true
		}
	}
	return 0, false
}

// property finds the value of an object's property.
func (g *Graph) property(n Node, name string) (Node, bool) {
	from, to := g.edges(n)
	for e := from; e < to; e++ {
		if g.edgeKind(e) == edgeProperty && g.edgeLabel(e) == name {
			return Node(g.edgeTo[e]), true
		}
	}
	return 0, false
}
