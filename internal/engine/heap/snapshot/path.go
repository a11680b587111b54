package snapshot

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// seedEdge marks the global objects, where paths begin.
const seedEdge = noEdge - 1

// findRoots finds where the page's paths begin: what the root has shortcuts to, windows, and the
// scopes of scripts, which hold variables that are declared outside of functions.
func (a *Analysis) findRoots() {
	for e := a.firstEdge[0]; e < a.firstEdge[1]; e++ {
		if a.edgeKind(e) == edgeShortcut {
			a.roots = append(a.roots, Node(a.edgeTo[e]))
		}
	}
	for n := range a.kinds {
		if a.isWindow(Node(n)) && a.kinds[n]&foreignBit == 0 {
			a.roots = append(a.roots, Node(n))
		}
	}
	for n := range a.kinds {
		if a.kindOf(Node(n)) != kindNative || a.classNames[a.classes[a.names[n]]] != "system / ScriptContextTable" {
			continue
		}
		from, to := a.edges(Node(n))
		for e := from; e < to; e++ {
			if a.isScope(Node(a.edgeTo[e])) {
				a.scopes = append(a.scopes, Node(a.edgeTo[e]))
			}
		}
	}
}

// isScope reports whether a node has the variables of a function or a script.
func (g *Graph) isScope(n Node) bool {
	return g.kindOf(n) == kindObject && g.classNames[g.classes[g.names[n]]] == "system / Context"
}

func (g *Graph) isWindow(n Node) bool {
	return g.kindOf(n) == kindObject && strings.HasPrefix(g.classNames[g.classes[g.names[n]]], "Window") &&
		strings.Contains(g.text(g.names[n], maxName), "[JSGlobalObject]")
}

// findPaths finds the shortest path from a global object to each node; from the root, and through
// compiled code and shapes of objects, only where there is no other.
func (a *Analysis) findPaths(ctx context.Context) error {
	a.pathEdge = filled(len(a.kinds))
	w := &pathWalk{a: a, queue: make([]uint32, 0, len(a.kinds))}
	w.begin(a.roots)
	w.begin(a.scopes)
	if err := w.expand(ctx, false); err != nil {
		return err
	}
	w.begin([]Node{0})
	w.next = 0
	return w.expand(ctx, true)
}

// pathWalk is a breadth-first walk.
type pathWalk struct {
	a     *Analysis
	queue []uint32
	next  int // the first node whose edges were not followed
}

func (w *pathWalk) begin(nodes []Node) {
	for _, n := range nodes {
		if w.a.pathEdge[n] == noEdge {
			w.a.pathEdge[n] = seedEdge
			w.queue = append(w.queue, uint32(n))
		}
	}
}

// expand follows the edges of what was reached; unless all, only to ordinary nodes.
func (w *pathWalk) expand(ctx context.Context, all bool) error {
	a := w.a
	for ; w.next < len(w.queue); w.next++ {
		if w.next%checkEvery == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := w.queue[w.next]
		for e := a.firstEdge[n]; e < a.firstEdge[n+1]; e++ {
			to := a.edgeTo[e]
			if a.pathEdge[to] == noEdge && a.isEssential(Node(n), e) && (all || a.isOrdinary(Node(to))) {
				a.pathEdge[to] = e
				w.queue = append(w.queue, to)
			}
		}
	}
	return nil
}

func (g *Graph) isOrdinary(n Node) bool {
	if g.kinds[n]&foreignBit != 0 {
		return false
	}
	switch g.kindOf(n) {
	case kindCode, kindShape, kindHidden, kindSynthetic:
		return false
	}
	return true
}

// maxSteps bounds a path that is shown; the middle of a longer one is left out.
const maxSteps = 12

// Path writes the shortest path from a global object or a root of the browser to a node, as DevTools
// names its steps: Window / cache (Map) / Entry.
func (a *Analysis) Path(n Node) string {
	if a.pathEdge[n] == noEdge {
		return "(not reachable)"
	}
	nodes := []Node{n}
	for at := n; a.pathEdge[at] != seedEdge; {
		at = a.edgeFrom(a.pathEdge[at])
		nodes = append(nodes, at)
	}
	slices.Reverse(nodes)
	var steps []string
	for i, at := range nodes {
		step := a.step(at, i == len(nodes)-1)
		if step != "" && (len(steps) == 0 || steps[len(steps)-1] != step || step != listenerStep && step != "Window") {
			steps = append(steps, step)
		}
	}
	if len(steps) > maxSteps {
		steps = append(append(slices.Clone(steps[:4]), fmt.Sprintf("… %d more", len(steps)-maxSteps)), steps[len(steps)-maxSteps+4:]...)
	}
	return strings.Join(steps, " / ")
}

// listenerStep stands for the browser's record of an event listener.
const listenerStep = "event listener"

// step writes one node of a path, with the edge to it; "" for the browser's bookkeeping, unless it is
// the last.
func (a *Analysis) step(n Node, last bool) string {
	if n == 0 {
		return ""
	}
	name := a.Name(n)
	if a.classNames[a.classOf(n)/2] == "V8EventListener" {
		return listenerStep
	}
	e := a.pathEdge[n]
	if e == seedEdge && a.isScope(n) {
		return "Window"
	}
	if e == seedEdge || a.kindOf(n) == kindSynthetic || name == "Window" {
		return name
	}
	if !last && !a.isOwn(n) {
		return ""
	}
	label := ""
	switch a.edgeKind(e) {
	case edgeProperty, edgeContext:
		label = a.edgeLabel(e)
	case edgeElement:
		if a.kindOf(a.edgeFrom(e)) == kindObject {
			label = fmt.Sprintf("[%d]", a.edgeIndex(e))
		}
	}
	switch {
	case label == "", label+"()" == name:
		return name
	}
	return label + " (" + name + ")"
}

// Name writes a node as DevTools does: the class of an object, a function with its parentheses, an
// element with its attributes, a text in quotes.
func (g *Graph) Name(n Node) string {
	switch g.kindOf(n) {
	case kindString, kindConsString, kindSlicedString:
		return fmt.Sprintf("%q", g.text(g.names[n], 40))
	case kindNative:
		name := g.className(g.classOf(n))
		if strings.HasPrefix(name, "<") {
			name = g.text(g.names[n], 80)
		}
		if g.isDetached(n) {
			return "Detached " + strings.TrimPrefix(name, "Detached ")
		}
		return name
	case kindArray:
		return g.text(g.names[n], 40) + " (array)"
	}
	return g.className(g.classOf(n))
}
