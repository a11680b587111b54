package page

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

// Identity is how a person would describe an element to somebody who opens the page anew: what it is and what it is
// called, and only then where it stands. It is what a recording keeps of a ref.
type Identity struct {
	Ref      string `json:"ref,omitempty"`      // good while the document lives
	Document string `json:"document,omitempty"` // which that is: the browser's id of the top document
	Role     string `json:"role,omitempty"`     // together with Name
	Name     string `json:"name,omitempty"`     // accessible name
	TestID   string `json:"testId,omitempty"`   // data-testid, data-test or data-test-id
	Text     string `json:"text,omitempty"`     // visible text, shortened; never what a field holds
	Tag      string `json:"tag,omitempty"`
	Kind     string `json:"kind,omitempty"` // of an input: text, password, file…
	// Label is what is said beside it (a row's first cell, a card's heading), kept only if others in the document have
	// the same role and name: it is what tells them apart.
	Label      string `json:"label,omitempty"`
	Ordinal    int    `json:"nth,omitempty"`   // from 1, among those alike in role, name and label; 0: the only one
	AlikeCount int    `json:"of,omitempty"`    // how many those were
	Frame      string `json:"frame,omitempty"` // path of the frame's document, when it is not the top one's
}

// String is the element as a sentence would name it: button "Save" beside "Alice".
func (id Identity) String() string {
	var b strings.Builder
	b.WriteString(id.Role)
	switch {
	case id.Name != "":
		fmt.Fprintf(&b, " %q", id.Name)
	case id.Text != "":
		fmt.Fprintf(&b, " with text %q", id.Text)
	case id.TestID != "":
		fmt.Fprintf(&b, " with test id %q", id.TestID)
	}
	if id.Label != "" {
		fmt.Fprintf(&b, " beside %q", id.Label)
	}
	if id.AlikeCount > 1 {
		fmt.Fprintf(&b, " (%d of %d)", id.Ordinal, id.AlikeCount)
	}
	if id.Frame != "" {
		fmt.Fprintf(&b, " in frame %s", id.Frame)
	}
	return b.String()
}

// Identify describes the element of a ref so that it can be recognised in another document. The ref must hold.
func (p *Page) Identify(ctx context.Context, ref string) (Identity, error) {
	var id Identity
	if _, err := p.evaluateRef(ctx, ref, "identify", nil, &id); err != nil {
		return id, err
	}
	if p.world != nil {
		id.Document = string(p.world.loader)
	}
	return id, nil
}

// By says by what an element was recognised, surest first.
type LocatorStrategy string

// The ways to recognise an element.
const (
	ByRef    LocatorStrategy = "ref"    // the document is the same one
	ByName   LocatorStrategy = "name"   // role and name, with label and number where several were alike
	ByTestID LocatorStrategy = "testId" // the name is gone; test id, role and kind are the same
	ByText   LocatorStrategy = "text"   // it never had a name
	ByRole   LocatorStrategy = "role"   // a field without name and text, the only one of its kind
)

// Relocation is an element that was found again.
type Relocation struct {
	Ref      string
	Strategy LocatorStrategy
	Role     string
	Name     string // what it is called now: another name than before only with ByTestID
}

// Drift says how a page no longer has an element.
type Drift string

// The kinds of drift.
const (
	DriftGone      Drift = "gone"      // nothing has its role and name
	DriftRole      Drift = "role"      // its name or test id is on something of another role
	DriftAmbiguous Drift = "ambiguous" // several fit, and nothing tells which
	DriftCount     Drift = "count"     // it was one of several alike, and those are another number now
	DriftLabel     Drift = "label"     // some are called so, none beside what it stood beside
	DriftNameless  Drift = "nameless"  // it had nothing to be recognised by
)

// NotRelocatedError says why no element was taken for the one described.
type NotRelocatedError struct {
	Identity Identity
	Drift    Drift
	// Reason is a clause: "no button is called \"Save\"".
	Reason string
	// Attempts are the ways that were tried with what each found, in order.
	Attempts []string
	// Similar are the most similar elements there are, none of which is meant.
	Similar []Element
}

func (e *NotRelocatedError) Error() string {
	text := fmt.Sprintf("cannot recognise %s: %s", e.Identity, e.Reason)
	if len(e.Similar) > 0 {
		names := make([]string, len(e.Similar))
		for i, n := range e.Similar {
			names[i] = fmt.Sprintf("%s %q [%s]", n.Role, n.Name, n.Ref)
		}
		text += "; near are " + strings.Join(names, ", ")
	}
	return text
}

// Relocate finds the element that an identity describes: by its ref while the document is the same, else by role and
// name, else by test id if role and kind are the same, else, for what had no name, by its text. It never takes what is merely similar:
// the error is then an [NotRelocatedError].
func (p *Page) Relocate(ctx context.Context, id Identity) (Relocation, error) {
	var tried []string
	if found, why, err := p.relocateByRef(ctx, id); err != nil || found.Ref != "" {
		return found, err
	} else if why != "" {
		tried = append(tried, why)
	}
	var all candidates
	err := p.evaluateAll(ctx, "relocate", id, func(w *world, result json.RawMessage) error {
		if w.parent == nil {
			all = candidates{}
		}
		var here candidates
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading who was recognised: %w", err)
		}
		all.add(here)
		return nil
	})
	if err != nil {
		return Relocation{}, fmt.Errorf("recognising %s: %w", id, p.translate(ctx, "", err))
	}
	all.filterFrame(id.Frame)
	judge := relocator{id: id, attempts: tried}
	return judge.decide(all)
}

// relocateByRef holds only in the document that issued the ref: numbers mean other elements in other tabs.
func (p *Page) relocateByRef(ctx context.Context, id Identity) (found Relocation, why string, err error) {
	if id.Ref == "" || id.Document == "" {
		return found, "", nil
	}
	top, err := p.topWorld(ctx)
	if err != nil || string(top.loader) != id.Document {
		return found, "", p.translate(ctx, "", err)
	}
	now, err := p.Describe(ctx, id.Ref)
	if err == nil && now.Role == id.Role && now.Name == id.Name {
		return Relocation{Ref: id.Ref, Strategy: ByRef, Role: now.Role, Name: now.Name}, "", nil
	}
	if ctx.Err() != nil {
		return found, "", err
	}
	return found, fmt.Sprintf("ref %s: no longer names it", id.Ref), nil
}
