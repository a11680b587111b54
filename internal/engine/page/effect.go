package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
)

// Effect is the result of an action, read once the page is stable.
type Effect struct {
	// Navigated says that the address or the document changed.
	Navigated bool `json:"navigated"`
	// NewDocument says that the document was replaced: all earlier refs are stale.
	NewDocument bool   `json:"newDocument,omitempty"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	// Status is the HTTP status of a new document, after redirects; 0 when it came
	// without one.
	Status int `json:"status,omitempty"`
	// Element is the current state of the element acted on; nil when the action had none. After a
	// navigation it is the state before.
	Element *Element `json:"element,omitempty"`
	// Focus is the focused element, nil when only the document has the focus.
	Focus *Element `json:"focus,omitempty"`
	// Changes are lines for a reader: live regions, dialogs, text that appeared
	// (+) or left (-). At most 8 lines and 500 bytes.
	Changes []string `json:"changes,omitempty"`
	// Detached says that the element acted on has left the page.
	Detached bool `json:"gone,omitempty"`
	// Unscrolled says that a scroll moved nothing.
	Unscrolled bool `json:"-"`
	// Pending describes a slow navigation or request that was still pending when the wait ended. It
	// is "" when the page became stable.
	Pending string `json:"unsettled,omitempty"`
}

const (
	// navigationTimeout bounds the wait for the document that an action led to.
	navigationTimeout = 15 * time.Second
	// mutationTimeout bounds the wait for a DOM that keeps changing.
	mutationTimeout = 300 * time.Millisecond
)

// action is an action in progress and the state before it began.
type action struct {
	startSeq int
	loader   cdp.LoaderID
	element  *Element
	// world is the frame of the action; nil is the top document.
	world *world
	// frames is how many frames the DOM must not change. Input that a framework handles in the same
	// task needs none.
	frames int
	// mutationTimeout bounds the wait for a DOM that keeps changing; 0 is the default of that name.
	mutationTimeout time.Duration
	// skipFrame skips the frame when the page is known to have started nothing. It suits one input
	// whose handlers have run when the browser acknowledges it.
	skipFrame bool
	// commit sends the events that follow text in the field that was set: keyup and change.
	commit bool
}

// waitArgument is the argument of the engine's waitForStable.
func (a action) waitArgument() map[string]any {
	limit := cmp.Or(a.mutationTimeout, mutationTimeout)
	return map[string]any{"frames": a.frames, "limit": limit.Milliseconds(), "commit": a.commit}
}

// domState is the engine's report once the DOM is stable.
type domState struct {
	URL        string   `json:"url"`
	Title      string   `json:"title"`
	URLChanged bool     `json:"urlChanged"`
	Detached   bool     `json:"detached"`
	Element    *Element `json:"element"`
	Focus      *Element `json:"focus"`
	Changes    []string `json:"changes"`
	// WrongTarget is the element that the input hit instead of its target. TextLost and PressLost say
	// that text or a press arrived nowhere.
	WrongTarget *Element `json:"wrongTarget"`
	TextLost    bool     `json:"textLost"`
	PressLost   bool     `json:"pressLost"`
}

// lostInput returns an error when the input did not arrive at its target.
func (s *domState) lostInput() error {
	if s.WrongTarget != nil || s.TextLost || s.PressLost {
		return &wrongTargetError{element: s.WrongTarget}
	}
	return nil
}

// beginAction records the moment before an action. The engine must be injected.
func (p *Page) beginAction(frames int) action {
	return action{startSeq: p.tracker.markAction(), loader: p.Loader(), frames: frames}
}

// beginActionIn is beginAction for a document of any frame. The documents around it open a record
// too, because an action in a frame can change them. With press, they stop a pointer that hits an
// element around the frame.
func (p *Page) beginActionIn(ctx context.Context, w *world, frames int, press bool) (action, error) {
	a := p.beginAction(frames)
	if w == nil || w.parent == nil {
		return a, nil
	}
	a.world = w
	for ; w.parent != nil; w = w.parent {
		argument := map[string]any{"frameKey": w.frameKey, "press": press}
		if err := p.evaluateIn(ctx, w.parent, "beginAroundFrame", argument, nil); err != nil {
			return a, frameError(w, err)
		}
	}
	return a, nil
}

// waitForEffect waits for the consequences of an action, and only for those: first for the tasks
// and the frame in which the page reacts, then for navigations and requests that began meanwhile,
// then for the DOM again, until nothing new begins. A request that ended while the DOM was read may
// have brought something after the reading: then the page's queued tasks run, and the DOM is read again.
//
// Events arrive beside responses, not in line with them. An event is handled before a later
// response, because a call made after the input takes at least one more round trip through the
// browser.
func (p *Page) waitForEffect(ctx context.Context, a action) (Effect, error) {
	effect := Effect{Element: a.element}
	begun, frames := time.Now(), a.frames
	for round := 1; ; round++ {
		ended := p.tracker.requestsEnded()
		err := p.waitForDOM(ctx, a, &effect)
		if reloading, ok := errors.AsType[*ReloadingError](err); ok {
			effect.Pending = fmt.Sprintf("the page reloads itself all the time (%d documents so far)", reloading.Documents)
			return effect, nil
		}
		if err != nil {
			return effect, p.translate(ctx, "", err)
		}
		what, err := p.waitForPending(ctx, a.startSeq, begun)
		if err != nil {
			return effect, err
		}
		switch {
		case what != "" && what != pendingEnded:
			effect.Pending = what
			return effect, nil
		case round > maxRounds, what == "" && p.tracker.requestsEnded() == ended:
			return effect, nil
		case what == pendingEnded:
			a.frames = max(frames, 1)
		default:
			a.frames = 0
		}
		a.skipFrame = false
	}
}

// waitForDOM waits until the DOM is stable and reads its state. In a new document it first waits
// until that is parsed.
func (p *Page) waitForDOM(ctx context.Context, a action, effect *Effect) error {
	replaced := newReplacements()
	for {
		err := p.waitForDOMOnce(ctx, a, effect)
		if !errors.Is(err, errDocumentReplaced) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the page to settle: %w", context.Cause(ctx))
		}
		if err := replaced.add(); err != nil {
			return err
		}
		// Between documents: the next event reports the new one.
		if _, err := p.waitForPending(ctx, a.startSeq, time.Now()); err != nil {
			return err
		}
	}
}

func (p *Page) waitForDOMOnce(ctx context.Context, a action, effect *Effect) error {
	if _, err := p.topWorld(ctx); err != nil {
		return err
	}
	replaced := p.Loader() != a.loader
	argument := a.waitArgument()
	argument["skipFrame"] = a.skipFrame && !replaced
	if replaced {
		argument["parsed"] = remaining(ctx, navigationTimeout)
	}
	var r domState
	if err := p.evaluate(ctx, "waitForStable", argument, &r); err != nil {
		return err
	}
	if err := r.lostInput(); err != nil {
		return err
	}
	effect.URL, effect.Title, effect.Changes = r.URL, r.Title, r.Changes
	effect.Focus, effect.Detached = r.Focus, r.Detached
	effect.NewDocument = replaced
	if replaced {
		effect.Status = p.tracker.status(p.Loader())
	}
	effect.Navigated = replaced || r.URLChanged
	if r.Element != nil {
		effect.Element = r.Element.renamedSince(a.element)
	}
	if a.world != nil {
		return p.waitForFrameDOM(ctx, a, effect)
	}
	return nil
}

// waitForFrameDOM adds a frame's report about an action in it. A frame that left the page took the
// element with it.
func (p *Page) waitForFrameDOM(ctx context.Context, a action, effect *Effect) error {
	var r domState
	err := errDocumentReplaced
	if !a.world.replaced {
		err = p.evaluateIn(ctx, a.world, "waitForStable", a.waitArgument(), &r)
	}
	if errors.Is(err, errDocumentReplaced) {
		effect.Detached = true
		return nil
	}
	if err != nil {
		return err
	}
	if err := r.lostInput(); err != nil {
		return err
	}
	effect.Changes = append(effect.Changes, r.Changes...)
	effect.Changes = effect.Changes[:min(len(effect.Changes), 8)]
	effect.Detached = r.Detached
	if r.Element != nil {
		effect.Element = r.Element.renamedSince(a.element)
	}
	if r.Focus != nil {
		effect.Focus = r.Focus
	}
	return nil
}

// maxRounds bounds how long a chain of requests is followed. A page that polls would otherwise hold
// every action for requestTimeout.
const maxRounds = 6

// pendingEnded says that a pending operation has ended: check again.
const pendingEnded = "resumed"

// waitForPending waits for operations that began after startSeq and before this call. It returns ""
// when there was none, pendingEnded when all ended, and else a description of those that still run.
func (p *Page) waitForPending(ctx context.Context, start int, begun time.Time) (string, error) {
	answer, until := "", p.tracker.latestSeq()
	for {
		what, navigating, changed, grace := p.tracker.pending(start, until)
		if what == "" {
			return answer, nil
		}
		answer = pendingEnded
		limit := requestTimeout
		if navigating {
			limit = navigationTimeout
		}
		left := limit - time.Since(begun)
		if left <= 0 {
			return what, nil
		}
		if err := waitForTrackerEvent(ctx, what, changed, left, grace); err != nil {
			return what, err
		}
	}
}

// waitForTrackerEvent waits for the tracker's next event while what is pending: for left, or for
// grace if that is set and shorter; see [tracker.pending].
func waitForTrackerEvent(ctx context.Context, what string, changed <-chan struct{}, left, grace time.Duration) error {
	if grace > 0 {
		left = min(left, grace)
	}
	select {
	case <-changed:
	case <-time.After(left):
	case <-ctx.Done():
		return fmt.Errorf("waiting while %s: %w", what, context.Cause(ctx))
	}
	return nil
}

// WaitForStable waits until the page is stable after something that another caller began, such as a
// navigation by address: until the document is parsed, its scripts and data requests have ended,
// and the DOM does not change. Pending says what the wait gave up on.
func (p *Page) WaitForStable(ctx context.Context) (Effect, error) {
	if _, err := p.topWorld(ctx); err != nil && !errors.Is(err, errDocumentReplaced) {
		return Effect{}, err
	}
	effect, err := p.waitForEffect(ctx, action{startSeq: 0, loader: "", frames: 1})
	effect.NewDocument, effect.Navigated = false, false
	return effect, err
}
