package document

import (
	"maps"
	"strconv"
	"strings"
	"sync"
)

// RefEntry is the role and name that a ref was last shown with. world is nil for elements of the
// top document, whose world may be injected again.
type RefEntry struct {
	Role, Name string
	world      *World
}

// Refs holds the refs of the elements that a tab has shown. It keeps the role and name of refs after their
// document was replaced, so that the error for a stale ref can list candidates. It holds two documents;
// older refs are stale without a name.
type Refs struct {
	entries map[int]RefEntry
	// next is the first number that no document of the tab has issued.
	next int
	// firstNumber is the first number that the current document can have issued.
	firstNumber int
	numbers     *RefNumbers
}

func newRefs() *Refs { return &Refs{entries: map[int]RefEntry{}, next: 1, numbers: &RefNumbers{}} }

// Share takes the numbers of later refs from a set that other tabs use too.
func (r *Refs) Share(n *RefNumbers) { r.numbers = n }

// RefNumbers gives the refs of several tabs their numbers, so that a number means one element of a
// session. The zero value is ready for use, and its methods may run concurrently.
type RefNumbers struct {
	mu      sync.Mutex
	next    int // the first number that no call has issued
	last    int // where the latest call that runs began
	running int
}

// refsOfCall is the number of refs that a call may issue while calls on other tabs run: those of the largest page that is read.
const refsOfCall = 100_000

// begin returns the first number for the refs of a call, apart from those of the calls that run.
func (n *RefNumbers) begin() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	start := max(n.next, 1)
	if n.running > 0 {
		start = max(start, n.last+refsOfCall)
	}
	n.running++
	n.last = max(n.last, start)
	return start
}

// end says that a call that began at a number has issued refs up to the one before next.
func (n *RefNumbers) end(start, next int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.running--
	if next > start {
		n.next = max(n.next, next)
	}
	if n.running == 0 {
		n.last = 0
	}
}

// Entry returns the role and name that a ref was last shown with; the zero value for an unknown ref.
func (r *Refs) Entry(ref string) RefEntry { return r.entries[RefNumber(ref)] }

// All returns a copy of the entries by number.
func (r *Refs) All() map[int]RefEntry { return maps.Clone(r.entries) }

// startDocument forgets the refs of all documents but the one that ends.
func (r *Refs) startDocument() {
	if r.next == r.firstNumber {
		return
	}
	for n := range r.entries {
		if n < r.firstNumber {
			delete(r.entries, n)
		}
	}
	r.firstNumber = r.next
}

// record keeps the role and name of a ref that a world has issued.
func (r *Refs) record(i issuedRef, w *World) {
	if w.Parent == nil {
		w = nil
	}
	r.entries[i.N] = RefEntry{Role: i.Role, Name: i.Name, world: w}
}

// IsRef reports whether text is spelt as a ref: "e12", "@e12", or "e12/3", a cell of row e12.
func IsRef(text string) bool {
	base, _, _ := strings.Cut(text, "/")
	return RefNumber(base) > 0
}

// RefNumber parses "e12" or "@e12". It returns 0 for anything else.
func RefNumber(ref string) int {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(ref, "@"), "e")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || digits[0] < '1' {
		return 0
	}
	return n
}

// issuedNumber returns the number of a ref. A ref that this tab never issued is an [UnknownRefError],
// without a call to the browser.
func (r *Refs) issuedNumber(ref string) (int, error) {
	n := RefNumber(ref)
	if _, known := r.entries[n]; n == 0 || n >= r.next || !known && n >= r.firstNumber {
		return 0, &UnknownRefError{Ref: ref}
	}
	return n, nil
}
