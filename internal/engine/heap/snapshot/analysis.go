package snapshot

import (
	"context"
	"io"
	"runtime/debug"
)

// Analysis is a snapshot with what keeps its nodes alive: dominators, shortest paths and retained
// sizes. Like Graph, it is not safe for concurrent use.
type Analysis struct {
	*Graph

	roots    []Node   // global objects of the page
	scopes   []Node   // scopes of the page's scripts
	pathEdge []uint32 // the edge by which a shortest path reaches a node; noEdge without one
	idom     []uint32 // immediate dominator; noNode of what is unreachable
	order    []uint32 // reachable nodes, each after its dominator
	retained []uint64 // bytes that are freed with a node
}

// With reads and analyzes a snapshot, calls fn with it, and gives its memory back to the system. The
// errors are those of Read, Analyze and fn.
func With(ctx context.Context, file io.ReaderAt, size int64, foreign string, fn func(*Analysis) error) error {
	isLarge, err := with(ctx, file, size, foreign, fn)
	if isLarge {
		debug.FreeOSMemory() // the graph is dead only now
	}
	return err
}

func with(ctx context.Context, file io.ReaderAt, size int64, foreign string, fn func(*Analysis) error) (isLarge bool, err error) {
	g, err := Read(ctx, file, size)
	if err != nil {
		return size > manyNodes, err
	}
	a, err := Analyze(ctx, g, foreign)
	if err != nil {
		return true, err
	}
	return len(g.kinds) > manyNodes, fn(a)
}

// Analyze finds the shortest path to each node, its dominator and the size that it retains. A
// global object with a property of the name foreign is of scripts that are not the page's: their
// objects are left out of comparisons; "" for no name. The error is the cause of an ended context.
func Analyze(ctx context.Context, g *Graph, foreign string) (*Analysis, error) {
	a := &Analysis{Graph: g}
	a.release()
	var err error
	if a.idom, a.order, err = g.findDominators(ctx); err != nil {
		return nil, err
	}
	a.release()
	a.markForeign(foreign)
	a.findRoots()
	if err := a.findPaths(ctx); err != nil {
		return nil, err
	}
	a.release()
	a.sumRetained()
	a.markDetached()
	return a, nil
}

// sumRetained computes the size that each node retains.
func (a *Analysis) sumRetained() {
	a.retained = make([]uint64, len(a.kinds))
	for i := len(a.order) - 1; i >= 0; i-- { // each node before its dominator
		n := a.order[i]
		a.retained[n] += uint64(a.sizes[n])
		if i > 0 {
			a.retained[a.idom[n]] += a.retained[n]
		}
	}
}

// markDetached marks the elements below a detached one, which keeps its whole tree out of the document.
func (a *Analysis) markDetached() {
	for _, n := range a.order {
		if n != 0 && !a.isDetached(Node(n)) && a.kinds[n]&attachedBit == 0 && a.isDetached(Node(a.idom[n])) && a.isElement(Node(n)) {
			a.kinds[n] |= detachedBit
		}
	}
}

// manyNodes is the size from which on a snapshot gives memory back between two steps.
const manyNodes = 1 << 18

// release gives the memory of the last step back. The collector would wait until the memory in use
// has doubled, which it has no room for with a large snapshot.
func (a *Analysis) release() {
	if len(a.kinds) > manyNodes {
		debug.FreeOSMemory()
	}
}
