package document

import (
	"fmt"
	"math"
	"strings"
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
