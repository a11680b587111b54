package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
)

// Effect is what an action changed, seen after the page came to rest.
type Effect struct {
	// Navigated says that the address or the document is another one.
	Navigated bool `json:"navigated"`
	// NewDocument says that the document was replaced: all earlier refs are stale.
	NewDocument bool   `json:"newDocument,omitempty"`
	URL         string `json:"url"`
	Title       string `json:"title"`
	// Status is the HTTP status of a new document, after redirects; 0 when it came
	// without one.
	Status int `json:"status,omitempty"`
	// Element is what was acted on, as it is now; nil when the action had no
	// element. After a navigation it is as it was before.
	Element *Element `json:"element,omitempty"`
	// Focus is the focused element, nil when only the document has the focus.
	Focus *Element `json:"focus,omitempty"`
	// Changes are lines for a reader: live regions, dialogs, text that appeared
	// (+) or left (-). At most 8 lines and 500 bytes.
	Changes []string `json:"changes,omitempty"`
	// Detached says that the element acted on has left the page.
	Detached bool `json:"gone,omitempty"`
	// Pending says what was still under way when the wait was given up: a
	// slow navigation or request. "" when the page came to rest.
	Pending string `json:"unsettled,omitempty"`
}

const (
	// requestTimeout bounds the wait for requests an action started.
	requestTimeout = 5 * time.Second
	// navigationTimeout bounds the wait for the document an action led to.
	navigationTimeout = 15 * time.Second
	// mutationTimeout bounds the wait for a DOM that never keeps still.
	mutationTimeout = 300 * time.Millisecond
	// smoothScrollTimeout bounds the wait for the end of a smooth scroll.
	smoothScrollTimeout = 1500 * time.Millisecond
)

// action is one action under way: what was there before it began.
type action struct {
	startSeq int
	loader   cdp.LoaderID
	element  *Element
	// world is the frame that was acted in; nil is the top document.
	world *world
	// frames is how long the DOM must keep still. Input that a framework
	// answers in the same task needs none.
	frames int
	// mutationTimeout bounds the wait for a DOM that keeps moving; 0 is mutationTimeout.
	mutationTimeout time.Duration
	// skipFrame skips the frame when the page is known to have started nothing: for
	// one input, answered by handlers that have run when it is acknowledged.
	skipFrame bool
}

// domState is the engine's answer when the DOM has come to rest.
type domState struct {
	URL        string   `json:"url"`
	Title      string   `json:"title"`
	URLChanged bool     `json:"urlChanged"`
	Detached   bool     `json:"detached"`
	Element    *Element `json:"element"`
	Focus      *Element `json:"focus"`
	Changes    []string `json:"changes"`
	// WrongTarget is the element that the input arrived at instead of its target; Lost
	// says that text arrived at nothing.
	WrongTarget *Element `json:"wrongTarget"`
	TextLost    bool     `json:"textLost"`
}

// beginAction notes the moment before an action. The world must be installed.
func (p *Page) beginAction(frames int) action {
	p.hasActed = true
	return action{startSeq: p.tracker.markAction(), loader: p.loader, frames: frames}
}

// beginActionIn is begin for an action in a document of any frame. The top document
// opens a record too: what happens in a frame can change what is around it. With
// press, a pointer that meets anything around the frame is stopped there.
func (p *Page) beginActionIn(ctx context.Context, w *world, frames int, press bool) (action, error) {
	a := p.beginAction(frames)
	if w == nil || w.parent == nil {
		return a, nil
	}
	a.world = w
	for ; w.parent != nil; w = w.parent {
		if err := p.evaluateIn(ctx, w.parent, "beginAroundFrame", map[string]any{"frameKey": w.frameKey, "press": press}, nil); err != nil {
			return a, frameError(w, err)
		}
	}
	return a, nil
}

// waitForEffect waits for what the action caused, and only that: first for the tasks
// and the frame in which the page reacts, then for navigations and requests
// that began meanwhile, then again for the DOM, until nothing new began.
//
// Events arrive beside answers, not in line with them. An event is read before
// the answer that follows it is, for the answer to a question asked after the
// input takes at least one more round trip through the browser.
func (p *Page) waitForEffect(ctx context.Context, a action) (Effect, error) {
	effect := Effect{Element: a.element}
	begun := time.Now()
	for round := 1; ; round++ {
		if err := p.waitForDOM(ctx, a, &effect); err != nil {
			return effect, p.translate(ctx, "", err)
		}
		what, err := p.waitForPending(ctx, a.startSeq, begun)
		if err != nil {
			return effect, err
		}
		if what == "" {
			return effect, nil
		}
		if what != pendingEnded || round > maxRounds {
			effect.Pending = strings.TrimPrefix(what, pendingEnded)
			return effect, nil
		}
		a.frames, a.skipFrame = max(a.frames, 1), false
	}
}

// waitForDOM waits for the DOM and reports. In a new document it first waits
// until that has been parsed.
func (p *Page) waitForDOM(ctx context.Context, a action, effect *Effect) error {
	for {
		err := p.waitForDOMOnce(ctx, a, effect)
		if !errors.Is(err, errDocumentReplaced) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the page to settle: %w", context.Cause(ctx))
		}
		// Between documents: the next event tells when there is one again.
		if _, err := p.waitForPending(ctx, a.startSeq, time.Now()); err != nil {
			return err
		}
	}
}

func (p *Page) waitForDOMOnce(ctx context.Context, a action, effect *Effect) error {
	if _, err := p.topWorld(ctx); err != nil {
		return err
	}
	replaced := p.loader != a.loader
	question := map[string]any{"frames": a.frames, "limit": cmp.Or(a.mutationTimeout, mutationTimeout).Milliseconds(), "skipFrame": a.skipFrame && !replaced}
	if replaced {
		question["parsed"] = remaining(ctx, navigationTimeout)
	}
	var r domState
	if err := p.evaluate(ctx, "waitForStable", question, &r); err != nil {
		return err
	}
	if r.WrongTarget != nil || r.TextLost {
		return &wrongTargetError{element: r.WrongTarget}
	}
	effect.URL, effect.Title, effect.Changes, effect.Focus, effect.Detached = r.URL, r.Title, r.Changes, r.Focus, r.Detached
	effect.NewDocument = replaced
	if replaced {
		effect.Status = p.tracker.status(p.loader)
	}
	effect.Navigated = replaced || r.URLChanged
	if r.Element != nil {
		effect.Element = r.Element
	}
	if a.world != nil {
		return p.waitForFrameDOM(ctx, a, effect)
	}
	return nil
}

// waitForFrameDOM adds what a frame has to say about an action in it. A frame that went
// away took the element with it.
func (p *Page) waitForFrameDOM(ctx context.Context, a action, effect *Effect) error {
	var r domState
	err := errDocumentReplaced
	if !a.world.replaced {
		err = p.evaluateIn(ctx, a.world, "waitForStable", map[string]any{"frames": a.frames, "limit": cmp.Or(a.mutationTimeout, mutationTimeout).Milliseconds()}, &r)
	}
	if errors.Is(err, errDocumentReplaced) {
		effect.Detached = true
		return nil
	}
	if err != nil {
		return err
	}
	if r.WrongTarget != nil || r.TextLost {
		return &wrongTargetError{element: r.WrongTarget}
	}
	effect.Changes = append(effect.Changes, r.Changes...)
	effect.Changes = effect.Changes[:min(len(effect.Changes), 8)]
	effect.Detached = r.Detached
	if r.Element != nil {
		effect.Element = r.Element
	}
	if r.Focus != nil {
		effect.Focus = r.Focus
	}
	return nil
}

// maxRounds bounds how long a chain of requests is followed. A page that asks
// for news all the time would otherwise hold every action for requestTimeout.
const maxRounds = 6

// pendingEnded says that something was pending and has ended: look again.
const pendingEnded = "resumed"

// waitForPending waits until nothing goes on that began after mark and before
// this call; what begins meanwhile is for the next round. It answers "" when
// there was nothing, resumed when it ended, and else what still goes on.
func (p *Page) waitForPending(ctx context.Context, mark int, begun time.Time) (string, error) {
	answer, until := "", p.tracker.latestSeq()
	for {
		what, navigating, moved, grace := p.tracker.pending(mark, until)
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
		if err := waitForTrackerEvent(ctx, what, moved, left, grace); err != nil {
			return what, err
		}
	}
}

// waitForTrackerEvent waits, while something is pending, for the tracker's next event: for as long as is left, or shorter when there is
// a grace; see [tracker.pending].
func waitForTrackerEvent(ctx context.Context, what string, moved <-chan struct{}, left, grace time.Duration) error {
	if grace > 0 {
		left = min(left, grace)
	}
	select {
	case <-moved:
	case <-time.After(left):
	case <-ctx.Done():
		return fmt.Errorf("waiting while %s: %w", what, context.Cause(ctx))
	}
	return nil
}

// WaitForStable waits until the page has come to rest after something that was begun
// elsewhere, such as a navigation by address: until the document is parsed,
// its scripts and data requests have ended, and the DOM keeps still. It
// reports what is there then; Unsettled says what was given up on.
func (p *Page) WaitForStable(ctx context.Context) (Effect, error) {
	if _, err := p.topWorld(ctx); err != nil && !errors.Is(err, errDocumentReplaced) {
		return Effect{}, err
	}
	effect, err := p.waitForEffect(ctx, action{startSeq: 0, loader: "", frames: 1})
	effect.NewDocument, effect.Navigated = false, false
	return effect, err
}
