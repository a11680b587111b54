package page

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"
)

const outlinesFunction = "function(r,m){return this.outlines(r,m)}\n//# sourceURL=callsheet:outlines\n"

// maxOutlines bounds the elements of Outlines.
const maxOutlines = 300

// engineEntry is the engine of a document, as a call without the tab's lock may use it.
type engineEntry struct {
	session cdp.Session
	entry   runtime.RemoteObjectID
}

// Outline is an element that has a ref, with its box in CSS pixels of the top viewport.
type Outline struct {
	Ref  string `json:"ref"`
	Role string `json:"role"` // as the latest reading showed it, as is Name
	Name string `json:"name"`
	Box  Box    `json:"box"`
}

// Outlines returns the elements in the viewport that have refs, at most maxOutlines; with refs, only
// those. It issues no ref, changes nothing, and may run beside every other method: it is for people who
// watch. Elements in frames of other processes are left out, as are those of a document in which no
// call has worked yet.
func (p *Page) Outlines(ctx context.Context, refs []string) ([]Outline, error) {
	at := p.shown.Load()
	if at == nil {
		return nil, nil
	}
	numbers := make([]int, 0, len(refs))
	for _, ref := range refs {
		numbers = append(numbers, refNumber(ref))
	}
	asked, _ := json.Marshal(numbers) // numbers always encode
	byValue := true
	res, err := cdp.Call(ctx, at.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: outlinesFunction, ObjectID: at.entry, ReturnByValue: &byValue,
		Arguments: []*runtime.CallArgument{{Value: asked}, {Value: number(maxOutlines)}},
	})
	if err == nil && res.ExceptionDetails != nil {
		err = exception(res.ExceptionDetails)
	}
	if err != nil {
		return nil, fmt.Errorf("outline refs: %w", classify(err))
	}
	var out []Outline
	if err := json.Unmarshal(res.Result.Value, &out); err != nil {
		return nil, fmt.Errorf("outline refs: %w", err)
	}
	return out, nil
}
