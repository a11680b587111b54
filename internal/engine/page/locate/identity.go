package locate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Identity describes an element so that it can be found in a document that was loaded again: role
// and name first, position last. A recording keeps it for each ref.
type Identity struct {
	Ref      string `json:"ref,omitempty"`      // good while the document lives
	Document string `json:"document,omitempty"` // which that is: the browser's id of the top document
	Role     string `json:"role,omitempty"`     // together with Name
	Name     string `json:"name,omitempty"`     // accessible name
	TestID   string `json:"testId,omitempty"`   // data-testid, data-test or data-test-id
	Text     string `json:"text,omitempty"`     // visible text, clipped; never a field's value
	Tag      string `json:"tag,omitempty"`
	Kind     string `json:"kind,omitempty"` // of an input: text, password, file…
	// Label is the text beside the element (a row's first cell, a card's heading). It is set only
	// if other elements of the document have the same role and name.
	Label      string `json:"label,omitempty"`
	Ordinal    int    `json:"nth,omitempty"` // from 1, among those alike in role, name and label; 0: the only one
	AlikeCount int    `json:"of,omitempty"`  // how many those were
	// Leads is the target of a click by a link or a form: "POST /cart", with the origin where it is not
	// the document's own; "" for neither. Relocate does not compare it.
	Leads string `json:"leads,omitempty"`
	Frame string `json:"frame,omitempty"` // path of the frame's document, when it is not the top one's
	// Words name the element as [Locator.Name] has it, in the place of all that is above; with Field they name a field.
	Words string `json:"words,omitempty"`
	Field bool   `json:"field,omitempty"`
}

// String describes the element for a sentence: button "Save" beside "Alice".
func (id Identity) String() string {
	var b strings.Builder
	b.WriteString(id.Role)
	switch {
	case id.Words != "":
		b.WriteString(strconv.Quote(id.Words))
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

// Identify returns the identity of a ref's element. The ref must hold.
func (l *Locator) Identify(ctx context.Context, ref string) (Identity, error) {
	var id Identity
	if _, err := l.doc.EvaluateRef(ctx, ref, "identify", nil, &id); err != nil {
		return id, err
	}
	if top := l.doc.Current(); top != nil {
		id.Document = string(top.Loader)
	}
	return id, nil
}

// LocatorStrategy is the mark by which an element was relocated, the surest first.
type LocatorStrategy string

// The ways to recognise an element.
const (
	ByRef    LocatorStrategy = "ref"    // the document is the same one
	ByName   LocatorStrategy = "name"   // role and name, with label and ordinal if several are alike
	ByTestID LocatorStrategy = "testId" // another name; test id, role and kind are the same
	ByText   LocatorStrategy = "text"   // it has no name
	ByRole   LocatorStrategy = "role"   // a field without name and text, the only one of its kind
)

// Relocation is an element that was found again.
type Relocation struct {
	Ref      string
	Strategy LocatorStrategy
	Role     string
	Name     string // the current name; it differs from the recorded one only with ByTestID
}

// Drift says why a page no longer has an element.
type Drift string

// The kinds of drift.
const (
	DriftGone      Drift = "gone"      // no element has its role and name
	DriftRole      Drift = "role"      // an element of another role has its name or test id
	DriftAmbiguous Drift = "ambiguous" // several elements fit
	DriftCount     Drift = "count"     // the number of elements like it changed
	DriftLabel     Drift = "label"     // elements with its name exist, none beside its label
	DriftNameless  Drift = "nameless"  // it has no name, no test id and no text
)

// NotRelocatedError says why no element was taken for the described one.
type NotRelocatedError struct {
	Identity Identity
	Drift    Drift
	// Reason is a clause: "no button is called \"Save\"".
	Reason string
	// Attempts lists the marks that were tried and what each found, in order.
	Attempts []string
	// Similar lists the most similar elements, none of which is meant.
	Similar []document.Element
}

func (e *NotRelocatedError) Error() string {
	text := fmt.Sprintf("cannot find %s again: %s", e.Identity, e.Reason)
	if len(e.Similar) > 0 {
		names := make([]string, len(e.Similar))
		for i, n := range e.Similar {
			names[i] = fmt.Sprintf("%s %q [%s]", n.Role, n.Name, n.Ref)
		}
		text += "; similar are " + strings.Join(names, ", ")
	}
	return text
}

// Relocate finds the element of an identity: by its ref in the same document, else by role and
// name, else by test id with the same role and kind, else, for a nameless element, by its text. It
// never takes a merely similar element: the error is then a [NotRelocatedError].
func (l *Locator) Relocate(ctx context.Context, id Identity) (Relocation, error) {
	if id.Words != "" {
		return l.relocateByWords(ctx, id)
	}
	var tried []string
	if found, why, err := l.relocateByRef(ctx, id); err != nil || found.Ref != "" {
		return found, err
	} else if why != "" {
		tried = append(tried, why)
	}
	var all candidates
	err := l.doc.EvaluateAll(ctx, "relocate", id, func(w *document.World, result json.RawMessage) error {
		if w.Parent == nil {
			all = candidates{}
		}
		var here candidates
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the candidates: %w", err)
		}
		all.add(here)
		return nil
	})
	if err != nil {
		return Relocation{}, fmt.Errorf("relocating %s: %w", id, l.doc.Translate(ctx, "", err))
	}
	all.filterFrame(id.Frame)
	judge := relocator{id: id, attempts: tried}
	return judge.decide(all)
}

// relocateByWords takes the one element that the words name.
func (l *Locator) relocateByWords(ctx context.Context, id Identity) (Relocation, error) {
	o := FindOptions{Limit: 5}
	if id.Field {
		o.Want = WantField
	}
	m, err := l.Name(ctx, id.Words, o)
	if err == nil {
		return Relocation{Ref: m.Ref, Strategy: ByName, Role: m.Role, Name: m.Name}, nil
	}
	judge, how := relocator{id: id}, DriftAmbiguous
	if _, missing := errors.AsType[*NoMatchError](err); missing {
		how = DriftGone
	} else if _, several := errors.AsType[*AmbiguousError](err); !several {
		return Relocation{}, err
	}
	found, _ := l.Find(ctx, id.Words, o)
	near := slicesx.Map(found, func(m Match) candidate { return candidate{Ref: m.Ref, Role: m.Role, Name: m.Name} })
	return judge.fail(how, near, err.Error())
}

// relocateByRef tries the ref in the document that issued it: in other tabs the number means
// another element.
func (l *Locator) relocateByRef(ctx context.Context, id Identity) (found Relocation, why string, err error) {
	if id.Ref == "" || id.Document == "" {
		return found, "", nil
	}
	top, err := l.doc.TopWorld(ctx)
	if err != nil || string(top.Loader) != id.Document {
		return found, "", l.doc.Translate(ctx, "", err)
	}
	now, err := l.doc.Peek(ctx, id.Ref)
	if err == nil && now.Role == id.Role && now.Name == id.Name {
		return Relocation{Ref: id.Ref, Strategy: ByRef, Role: now.Role, Name: now.Name}, "", nil
	}
	if ctx.Err() != nil {
		return found, "", err
	}
	return found, fmt.Sprintf("ref %s: no longer names it", id.Ref), nil
}
