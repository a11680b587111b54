package page

import (
	"maps"
	"strconv"
	"strings"
)

// refEntry is the role and name that a ref was last shown with. world is nil for elements of the
// top document, whose world may be injected again.
type refEntry struct {
	role, name string
	world      *world
}

// refs numbers the elements that a tab has shown. It keeps the role and name of refs after their
// document was replaced, so that the error for a stale ref can list candidates. It holds two documents;
// older refs are stale without a name.
type refs struct {
	entries map[int]refEntry
	// next is the first number that no document of the tab has issued.
	next int
	// firstNumber is the first number that the current document can have issued.
	firstNumber int
}

func newRefs() *refs { return &refs{entries: map[int]refEntry{}, next: 1} }

// entry returns the role and name that a ref was last shown with; the zero value for an unknown ref.
func (r *refs) entry(ref string) refEntry { return r.entries[refNumber(ref)] }

// all returns a copy of the entries by number.
func (r *refs) all() map[int]refEntry { return maps.Clone(r.entries) }

// startDocument forgets the refs of all documents but the one that ends.
func (r *refs) startDocument() {
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
func (r *refs) record(i issuedRef, w *world) {
	if w.parent == nil {
		w = nil
	}
	r.entries[i.N] = refEntry{role: i.Role, name: i.Name, world: w}
}

// IsRef reports whether text is spelt as a ref: "e12", "@e12", or "e12/3", a cell of row e12.
func IsRef(text string) bool {
	base, _, _ := strings.Cut(text, "/")
	return refNumber(base) > 0
}

// refNumber parses "e12" or "@e12". It returns 0 for anything else.
func refNumber(ref string) int {
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

// issuedNumber returns the number of a ref. A ref that was never issued is an [UnknownRefError],
// without a call to the browser.
func (r *refs) issuedNumber(ref string) (int, error) {
	n := refNumber(ref)
	if n == 0 || n >= r.next {
		return 0, &UnknownRefError{Ref: ref}
	}
	return n, nil
}
