package settle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/fault"
)

// PollInterval is the time between checks of a condition while no event reports a change: styles and
// timers change pages without a mutation.
const PollInterval = 200 * time.Millisecond

// WaitOptions is the condition of a wait. All set parts must hold at the same time. Duration alone
// is a pause.
type WaitOptions struct {
	// Selector waits until it matches an element, in any tree of the page. With Visible one match
	// must be visible, with Hidden none may be.
	Selector string
	Visible  bool
	Hidden   bool
	// Ref waits until the element it names is visible. A stale ref fails at once.
	Ref string
	// Text waits until a person can read it, a short one with Words as whole words, TextGone until no
	// person can.
	Text     string
	Words    bool
	TextGone string
	// URL is a part of the address, or a regular expression between slashes.
	URL string
	// Navigation waits until the page has navigated since the last action began, also within the
	// document, and is stable. The navigation may have happened before the call.
	Navigation bool
	// Idle waits until no counted request has been pending for idleTime.
	Idle bool
	// Duration is a pause before the other conditions are checked.
	Duration time.Duration

	function string // see WaitForFunction
}

// probe is the engine's check of a condition, in one document or summed over all.
type probe struct {
	URL        string `json:"url"`
	Generation int    `json:"generation"`
	Count      int    `json:"count"`
	Shown      int    `json:"shown"`
	Text       bool   `json:"text"`
	// FrameTimedOut says that a frame did not answer: it may hold what was not found.
	FrameTimedOut bool `json:"-"`
}

// unseen is the last state of a wait that ended before its first check.
const unseen = "nothing was seen"

// WaitFor waits until the condition holds and returns the time that took. It continues across
// navigations. When ctx ends by its deadline the error is a [WaitTimeoutError] with the last state.
func (wt *Waiter) WaitFor(ctx context.Context, o WaitOptions) (time.Duration, error) {
	begun := time.Now()
	address, err := addressTest(o.URL)
	if err != nil {
		return 0, err
	}
	if o.Duration > 0 {
		if err := Pause(ctx, o.Duration); err != nil {
			return time.Since(begun), &WaitTimeoutError{
				Condition: "a pause of " + o.Duration.String(), LastState: "the deadline came first", Elapsed: time.Since(begun),
			}
		}
	}
	if o.Navigation || o.Idle {
		if err := wt.waitForNetwork(ctx, o); err != nil {
			if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
				last := "requests are still under way"
				if o.Navigation {
					last = "there was none"
				}
				return time.Since(begun), &WaitTimeoutError{Condition: o.String(), LastState: last, Elapsed: time.Since(begun)}
			}
			return time.Since(begun), fmt.Errorf("waiting for %s: %w", o, err)
		}
	}
	last := unseen
	for {
		// A check that the deadline shortens cannot tell that a frame does not answer.
		short := last != unseen && document.Remaining(ctx, document.FrameTimeout) < document.FrameTimeout.Milliseconds()
		held, generation, seen, err := wt.checkConditions(ctx, o, address)
		if err == nil && held {
			return time.Since(begun), nil
		}
		if err == nil {
			if !short || !wt.doc.Frames.TimedOut {
				last = seen
			}
			err = wt.WaitForChange(ctx, generation, PollInterval)
		}
		switch {
		case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
			return time.Since(begun), &WaitTimeoutError{Condition: o.String(), LastState: last, Elapsed: time.Since(begun)}
		case ctx.Err() != nil:
			return time.Since(begun), fmt.Errorf("waiting for %s: %w", o, context.Cause(ctx))
		case err != nil:
			return time.Since(begun), fmt.Errorf("waiting for %s: %w", o, document.NameSelector(wt.doc.Translate(ctx, "", err), o.Selector))
		}
	}
}

// Holds reports whether the condition holds now. It looks at no navigation and no request.
func (wt *Waiter) Holds(ctx context.Context, o WaitOptions) (bool, error) {
	address, err := addressTest(o.URL)
	if err != nil {
		return false, err
	}
	held, _, _, err := wt.checkConditions(ctx, o, address)
	return held, err
}

// WaitForFunction waits as WaitFor does, until an expression is true in the page's own world. A
// promise is awaited.
func (wt *Waiter) WaitForFunction(ctx context.Context, s power.Script, expression string) (time.Duration, error) {
	if err := s.Check(); err != nil {
		return 0, err
	}
	return wt.WaitFor(ctx, WaitOptions{function: expression})
}

// checkConditions checks once. seen describes the state for the error of a timeout.
func (wt *Waiter) checkConditions(
	ctx context.Context, o WaitOptions, address func(string) bool,
) (held bool, generation int, seen string, err error) {
	state, err := wt.probe(ctx, o.Selector, o.Text, o.Words)
	if err != nil {
		return false, 0, "", err
	}
	switch {
	case !address(state.URL):
		return false, state.Generation, "the address is " + state.URL, nil
	case o.Selector != "" && o.Hidden && state.Shown > 0:
		return false, state.Generation, fmt.Sprintf("%d matching element(s) are visible", state.Shown), nil
	case o.Selector != "" && o.Hidden && state.FrameTimedOut:
		return false, state.Generation, "a frame does not answer", nil
	case o.Selector != "" && !o.Hidden && state.Count == 0:
		return false, state.Generation, "no element matches", nil
	case o.Selector != "" && o.Visible && state.Shown == 0:
		return false, state.Generation, fmt.Sprintf("%d element(s) match, none is visible", state.Count), nil
	case o.Text != "" && !state.Text:
		return false, state.Generation, "the text is not there", nil
	}
	if o.Ref != "" {
		element, err := wt.doc.Describe(ctx, o.Ref)
		if err != nil || !element.Visible {
			return false, state.Generation, "the element is not visible", err
		}
	}
	if o.TextGone != "" {
		still, err := wt.probe(ctx, "", o.TextGone, false)
		if err != nil {
			return false, 0, "", err
		}
		if still.Text {
			return false, state.Generation, "the text is still there", nil
		}
		if still.FrameTimedOut {
			return false, state.Generation, "a frame does not answer", nil
		}
	}
	if o.function != "" {
		held, seen, err := wt.evaluateExpression(ctx, o.function)
		return held, state.Generation, seen, err
	}
	return true, state.Generation, "", nil
}

// probe checks every document of the page. The address and the mutation counter are those of the
// top document; remote frames are checked at each PollInterval.
func (wt *Waiter) probe(ctx context.Context, selector, text string, words bool) (probe, error) {
	var sum probe
	wt.doc.Frames.TimedOut = false
	argument := map[string]any{"selector": selector, "text": text, "words": words}
	err := wt.doc.EvaluateAll(ctx, "probe", argument, func(w *document.World, result json.RawMessage) error {
		var here probe
		if err := json.Unmarshal(result, &here); err != nil {
			return fmt.Errorf("reading the state of the page: %w", err)
		}
		if w.Parent == nil {
			sum = here
			return nil
		}
		sum.Count, sum.Shown, sum.Text = sum.Count+here.Count, sum.Shown+here.Shown, sum.Text || here.Text
		return nil
	})
	sum.FrameTimedOut = wt.doc.Frames.TimedOut
	return sum, err
}

// evaluateExpression evaluates the expression in the page's own world. An exception counts as
// false: the values it reads may exist later.
func (wt *Waiter) evaluateExpression(ctx context.Context, expression string) (bool, string, error) {
	if err := wt.guard.BeginScript(ctx); err != nil {
		return false, "", err
	}
	yes := true
	res, err := cdp.Call(ctx, wt.doc.Session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: "(async()=>!!(await(" + expression + "\n)))()", AwaitPromise: &yes, ReturnByValue: &yes,
	})
	if err != nil {
		err = document.Classify(err)
		if errors.Is(err, document.ErrReplaced) {
			return false, "the document was being replaced", nil
		}
		return false, "", err
	}
	if res.ExceptionDetails != nil {
		return false, "the expression threw " + strings.SplitN(document.Exception(res.ExceptionDetails).Error(), "\n", 2)[0], nil
	}
	var held bool
	if err := json.Unmarshal(res.Result.Value, &held); err != nil {
		return false, "", fmt.Errorf("reading the expression's value: %w", err)
	}
	return held, "the expression is false", nil
}

// DOMGeneration returns the mutation counter that WaitForChange compares with.
func (wt *Waiter) DOMGeneration(ctx context.Context) (int, error) {
	var s probe
	err := wt.doc.EvaluateWithRetry(ctx, "pageState", nil, &s)
	return s.Generation, err
}

// WaitForChange returns when the DOM changed since the given counter, when the page navigated, or
// after interval. A document that is replaced meanwhile counts as a change.
func (wt *Waiter) WaitForChange(ctx context.Context, since int, interval time.Duration) error {
	changed := wt.doc.Tracker.NextEvent()
	err := wt.doc.Evaluate(ctx, "waitForChange", map[string]any{"since": since, "beat": max(1, interval.Milliseconds())}, nil)
	if !errors.Is(err, document.ErrReplaced) {
		return err
	}
	return waitForSignal(ctx, changed, interval)
}

// addressTest compiles WaitOptions.URL.
func addressTest(want string) (func(string) bool, error) {
	if len(want) > 2 && want[0] == '/' && want[len(want)-1] == '/' {
		expression, err := regexp.Compile(want[1 : len(want)-1])
		if err != nil {
			return nil, fmt.Errorf("reading the address pattern: %w", err)
		}
		return expression.MatchString, nil
	}
	return func(url string) bool { return strings.Contains(url, want) }, nil
}

// String describes the condition.
func (o WaitOptions) String() string {
	var parts []string
	if o.Selector != "" {
		state := "to appear"
		if o.Visible {
			state = "to be visible"
		} else if o.Hidden {
			state = "to be hidden"
		}
		parts = append(parts, fmt.Sprintf("%q %s", o.Selector, state))
	}
	for _, p := range []struct{ label, value string }{
		{"the element", o.Ref}, {"the text", o.Text}, {"the end of the text", o.TextGone},
		{"the address", o.URL}, {"the expression", o.function},
	} {
		if p.value != "" {
			parts = append(parts, fmt.Sprintf("%s %q", p.label, p.value))
		}
	}
	if o.Navigation {
		parts = append(parts, "a navigation")
	}
	if o.Idle {
		parts = append(parts, "an idle network")
	}
	if len(parts) == 0 {
		return "nothing in particular"
	}
	return strings.Join(parts, " and ")
}

// WaitTimeoutError says that a condition did not hold before the deadline.
type WaitTimeoutError struct {
	Condition string
	// LastState is the state at the end, as a clause.
	LastState string
	Elapsed   time.Duration
}

func (e *WaitTimeoutError) Error() string {
	return fmt.Sprintf("waited %s for %s; %s", e.Elapsed.Round(time.Millisecond), e.Condition, e.LastState)
}

// Code is TIMEOUT.
func (*WaitTimeoutError) Code() codes.Code { return codes.Timeout }

// Fields gives the time waited in milliseconds.
func (e *WaitTimeoutError) Fields() []fault.Field {
	return []fault.Field{{Name: "ms", Value: e.Elapsed.Round(time.Millisecond).Milliseconds()}}
}
