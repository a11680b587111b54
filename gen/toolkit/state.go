package toolkit

import "sync"

// If is the fact when on, and no fact otherwise. It is for generated code.
func (f Facts) If(on bool) Facts {
	if on {
		return f
	}
	return 0
}

// Invariant is a relation of facts that always holds. Depends are the facts to clear where it does not:
// in "paused -> debugger_enabled" that is paused.
type Invariant struct {
	Holds   func(Facts) bool
	Depends Facts
}

// Cell keeps the facts of one connection, legal at every moment. It is safe for
// concurrent use.
type Cell struct {
	invariants []Invariant
	changed    func(Facts)

	mu    sync.Mutex
	facts Facts

	notifying sync.Mutex // held while changed runs, so that it gets changes in their order
	notified  Facts
}

// NewCell makes a cell in which no fact is true. Changed, which may be nil, is called after each
// change, one call at a time, without the lock of the facts; it must not change this cell.
func NewCell(changed func(Facts), invariants ...Invariant) *Cell {
	return &Cell{invariants: invariants, changed: changed}
}

// Facts returns the facts that hold now.
func (c *Cell) Facts() Facts {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.facts
}

// Observe replaces the facts by those that hold, less those that depend on one that is false. Facts
// that break an invariant beyond repair change nothing. When Observe returns, changed has run with
// these facts or later ones.
func (c *Cell) Observe(facts Facts) {
	c.mu.Lock()
	if next, ok := c.legalize(facts); ok {
		c.facts = next
	}
	c.mu.Unlock()
	c.notify()
}

// legalize clears dependent facts until nothing is left to clear, and reports whether every
// invariant holds then.
func (c *Cell) legalize(f Facts) (Facts, bool) {
	for {
		before, ok := f, true
		for _, i := range c.invariants {
			if !i.Holds(f) {
				f, ok = f&^i.Depends, false
			}
		}
		if f == before {
			return f, ok
		}
	}
}

// notify passes on the newest facts unless they equal those passed on last.
func (c *Cell) notify() {
	if c.changed == nil {
		return
	}
	c.notifying.Lock()
	defer c.notifying.Unlock()
	if now := c.Facts(); now != c.notified {
		c.notified = now
		c.changed(now)
	}
}
