package read

import (
	"context"
	"fmt"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

const outlinesFunction = "function(r,m){return this.outlines(r,m)}\n//# sourceURL=callsheet:outlines\n"

// maxOutlines bounds the elements of Outlines.
const maxOutlines = 300

// Outline is an element that has a ref, with its box in CSS pixels of the top viewport.
type Outline struct {
	Ref  string       `json:"ref"`
	Role string       `json:"role"` // as the latest reading showed it, as is Name
	Name string       `json:"name"`
	Box  document.Box `json:"box"`
}

// Outlines returns the elements in the viewport that have refs, at most maxOutlines; with refs, only
// those. It issues no ref, changes nothing, and may run beside every other method: it is for people who
// watch. Elements in frames of other processes are left out, as are those of a document in which no
// call has worked yet.
func (rd *Reader) Outlines(ctx context.Context, refs []string) ([]Outline, error) {
	numbers := slicesx.List(refs, document.RefNumber)
	var out []Outline
	if err := rd.doc.CallShown(ctx, outlinesFunction, &out, numbers, maxOutlines); err != nil {
		return nil, fmt.Errorf("outline refs: %w", err)
	}
	return out, nil
}
