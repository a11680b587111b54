package document

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/engine/page/script"
)

const (
	// delegatedTimeout bounds, in milliseconds, how long the page's world may take to answer.
	delegatedTimeout = 200
	// maxDelegated bounds, in bytes, the answer of the page's world.
	maxDelegated = 1 << 18
)

// setDelegatedFunction receives what [script.Delegated] has found.
const setDelegatedFunction = "function(c,n){this.setDelegated(c,n)}\n//# sourceURL=callsheet:delegated\n"

// listeningRoots are the facts of a listing about frameworks: the kinds of the events that
// anything listens to, and whether an element listens to all that React does.
type listeningRoots struct {
	kinds   map[string]listenerKinds
	isReact bool
}

// markDelegated tells the engine of a world which elements have handlers that a framework delegates. The
// page can forge the answer: it is a list of numbers, and at worst it lists elements that take no input.
// An error leaves the marks as they are.
func (w *World) markDelegated(ctx context.Context) error {
	kinds, err := json.Marshal(w.roots.kinds)
	if err != nil {
		return fmt.Errorf("marking delegated handlers: %w", err)
	}
	expression := fmt.Sprintf("%s(%s,%t)\n//# sourceURL=callsheet:delegated\n", script.Delegated, kinds, w.roots.isReact)
	yes := true
	got, err := cdp.Call(ctx, w.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, ReturnByValue: &yes, Silent: &yes, Timeout: delegatedTimeout,
	})
	if err != nil {
		return fmt.Errorf("marking delegated handlers: %w", w.CallError(err))
	}
	if got.ExceptionDetails != nil || len(got.Result.Value) > maxDelegated {
		return nil
	}
	var numbers struct {
		Count int   `json:"count"`
		Found []int `json:"found"`
	}
	var text string
	if json.Unmarshal(got.Result.Value, &text) != nil || json.Unmarshal([]byte(text), &numbers) != nil {
		return nil
	}
	if len(numbers.Found) == 0 && !w.delegated {
		return nil
	}
	list, err := json.Marshal(numbers.Found)
	if err != nil {
		return fmt.Errorf("marking delegated handlers: %w", err)
	}
	_, err = cdp.Call(ctx, w.Session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: setDelegatedFunction, ObjectID: w.Entry,
		Arguments: []*runtime.CallArgument{{Value: number(numbers.Count)}, {Value: list}},
	})
	if err != nil {
		return fmt.Errorf("marking delegated handlers: %w", w.CallError(err))
	}
	w.delegated = len(numbers.Found) > 0
	return nil
}
