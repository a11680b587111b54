package document

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"sync"
)

// Element is one element as a reading shows it.
type Element struct {
	// Ref is the handle, "e12". It is valid until the element leaves the page,
	// changes its role or name, or the document is replaced.
	Ref string `json:"ref"`
	// Role is the ARIA role, or "clickable" for an element without role that reacts to clicks.
	Role string `json:"role"`
	// Name is the accessible name, at most 200 characters; "" for the nameless.
	Name string `json:"name"`
	// Value is the current value of a field; passwords are masked.
	Value string `json:"value,omitempty"`
	// Checked is "true", "false" or "mixed", or "" for an element that cannot be checked.
	Checked string `json:"checked,omitempty"`
	// States lists what differs from the default: disabled, expanded, focused, …
	States []string `json:"states,omitempty"`
	// Before is the element as it was when the action began, nil if role and name are the same.
	Before *Element `json:"-"`
}

// RenamedSince returns the element with the one it was before, if role or name differ.
func (e Element) RenamedSince(before *Element) *Element {
	if before != nil && (before.Name != e.Name || before.Role != e.Role) {
		e.Before = before
	}
	return &e
}

// Line renders the element as one line of a result: button "Save" [e12] = "value" checked=true
// focused. An element that was renamed shows its earlier name first, and ends in: now "Saved".
func (e Element) Line() string {
	if e.Before != nil {
		was := e
		was.Role, was.Name, was.Before = e.Before.Role, e.Before.Name, nil
		now := Element{Role: e.Role, Name: e.Name}.Line()
		if e.Role == was.Role {
			now = fmt.Sprintf("%q", e.Name)
		}
		return was.Line() + ", now " + now
	}
	var b strings.Builder
	b.WriteString(e.Role)
	if e.Name != "" {
		fmt.Fprintf(&b, " %q", e.Name)
	}
	if e.Ref != "" {
		fmt.Fprintf(&b, " [%s]", e.Ref)
	}
	if e.Value != "" {
		fmt.Fprintf(&b, " = %q", e.Value)
	}
	if e.Checked != "" {
		b.WriteString(" checked=" + e.Checked)
	}
	for _, s := range e.States {
		b.WriteString(" " + s)
	}
	return b.String()
}

// Box is a rectangle in CSS pixels of the top viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Transform leads from a document to the top viewport, as a DOMMatrix does: x is A·x + C·y + E, and y is B·x + D·y + F.
type Transform struct{ A, B, C, D, E, F float64 }

// Then returns the transform that applies t first, and after it outer.
func (t Transform) Then(outer Transform) Transform {
	return Transform{
		A: outer.A*t.A + outer.C*t.B, B: outer.B*t.A + outer.D*t.B, C: outer.A*t.C + outer.C*t.D, D: outer.B*t.C + outer.D*t.D,
		E: outer.A*t.E + outer.C*t.F + outer.E, F: outer.B*t.E + outer.D*t.F + outer.F,
	}
}

// In returns the box in the top viewport of an element whose document has the transform: the box around its corners.
func (b Box) In(t Transform) Box {
	width, height := math.Abs(t.A)*b.Width+math.Abs(t.C)*b.Height, math.Abs(t.B)*b.Width+math.Abs(t.D)*b.Height
	x, y := b.X+b.Width/2, b.Y+b.Height/2
	return Box{X: t.A*x + t.C*y + t.E - width/2, Y: t.B*x + t.D*y + t.F - height/2, Width: width, Height: height}
}

// ElementInfo is an element with the details that selectors and debuggers use.
type ElementInfo struct {
	Element
	Tag string `json:"tag"`
	// Text is the text content, at most 200 characters, also when hidden.
	Text    string `json:"text,omitempty"`
	Visible bool   `json:"visible"`
	Box     Box    `json:"box"`
	// Path names the nearest landmarks, lists and dialogs around the element.
	Path string `json:"path,omitempty"`
	// Attributes holds the identifying attributes, never the value.
	Attributes map[string]string `json:"attributes,omitempty"`
	// Secret says that it is, or once was, a field for passwords, codes or card numbers.
	Secret bool `json:"secret,omitempty"`
}

// Point is a place in CSS pixels of the top viewport.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

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
