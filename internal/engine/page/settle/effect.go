package settle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/track"
)

// Waiter begins actions in one tab's document and waits for their effects.
type Waiter struct {
	doc   *document.Document
	guard *secret.Guard
	idle  idlePage
}

// New makes the waiter of a document.
func New(d *document.Document, g *secret.Guard) *Waiter { return &Waiter{doc: d, guard: g} }

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
	Element *document.Element `json:"element,omitempty"`
	// Focus is the focused element, nil when only the document has the focus.
	Focus *document.Element `json:"focus,omitempty"`
	// Changes are lines for a reader: live regions, dialogs, text that appeared
	// (+) or left (-). At most 8 lines and 500 bytes.
	Changes []string `json:"changes,omitempty"`
	// Detached says that the element acted on has left the page.
	Detached bool `json:"gone,omitempty"`
	// Unscrolled says that a scroll moved nothing.
	Unscrolled bool `json:"-"`
	// Scrolled says how far a scroll went, to where, and how much there is; "" where that is unknown.
	Scrolled string `json:"-"`
	// Pending describes a slow navigation or request that was still pending when the wait ended. It
	// is "" when the page became stable.
	Pending string `json:"unsettled,omitempty"`

	// Fields are those of [Action.Fields] as they are then. HeldPending says that the page may still put a field back.
	Fields      []FieldState `json:"-"`
	HeldPending bool         `json:"-"`

	notApplied *FieldState
}

const (
	// navigationTimeout bounds the wait for the document that an action led to.
	navigationTimeout = 15 * time.Second
	// MutationTimeout bounds the wait for a DOM that keeps changing.
	mutationTimeout = 300 * time.Millisecond
)

// Action is an action in progress and the state before it began.
type Action struct {
	startSeq int
	loader   cdp.LoaderID
	Element  *document.Element
	// world is the frame of the action; nil is the top document.
	World *document.World
	// Frames is the number of frames in which the DOM must not change. Input that a framework handles in the same
	// task needs none.
	Frames int
	// MutationTimeout bounds the wait for a DOM that keeps changing; 0 is the default of that name.
	MutationTimeout time.Duration
	// SkipFrame skips the frame when the page is known to have started nothing. It suits one input
	// whose handlers have run when the browser acknowledges it.
	SkipFrame bool
	// commit sends the events that follow text in the field that was set: keyup and change.
	Commit bool
	// Typed is the text that was typed, "" of a secret; nil when the action types nothing.
	Typed *string
	// InForm leaves the wait for a page that puts the field back to the end of its form, which Fields has the fields of.
	InForm bool
	Fields []FormField
}

// waitArgument is the argument of the engine's waitForStable.
func (a Action) waitArgument() map[string]any {
	limit := cmp.Or(a.MutationTimeout, mutationTimeout)
	argument := map[string]any{"frames": a.Frames, "limit": limit.Milliseconds(), "commit": a.Commit}
	if a.Typed != nil {
		argument["typed"] = *a.Typed
	}
	if a.InForm {
		argument["inForm"] = true
	}
	if a.Fields != nil {
		argument["fields"] = a.Fields
	}
	return argument
}

// domState is the engine's report once the DOM is stable.
type domState struct {
	URL        string            `json:"url"`
	Title      string            `json:"title"`
	URLChanged bool              `json:"urlChanged"`
	Detached   bool              `json:"detached"`
	Element    *document.Element `json:"element"`
	Focus      *document.Element `json:"focus"`
	Changes    []string          `json:"changes"`
	// WrongTarget is the element that the input hit instead of its target. TextLost and PressLost say
	// that text or a press arrived nowhere.
	WrongTarget *document.Element `json:"wrongTarget"`
	TextLost    bool              `json:"textLost"`
	PressLost   bool              `json:"pressLost"`
	NotApplied  *FieldState       `json:"notApplied"`
	Fields      []FieldState      `json:"fields"`
	Pending     bool              `json:"pending"`
}

// lostInput returns an error when the input did not arrive at its target.
func (s *domState) lostInput() error {
	if s.WrongTarget != nil || s.TextLost || s.PressLost {
		return &WrongTargetError{Element: s.WrongTarget}
	}
	return nil
}

// BeginAction records the moment before an action. The engine must be injected.
func (wt *Waiter) BeginAction(frames int) Action {
	return Action{startSeq: wt.doc.Tracker.MarkAction(), loader: wt.doc.Loader(), Frames: frames}
}

// BeginActionIn is BeginAction for a document of any frame. The documents around it open a record
// too, because an action in a frame can change them. With press, they stop a pointer that hits an
// element around the frame.
func (wt *Waiter) BeginActionIn(ctx context.Context, w *document.World, frames int, press bool) (Action, error) {
	a := wt.BeginAction(frames)
	if w == nil || w.Parent == nil {
		return a, nil
	}
	a.World = w
	for ; w.Parent != nil; w = w.Parent {
		argument := map[string]any{"frameKey": w.FrameKey, "press": press}
		if err := wt.doc.EvaluateIn(ctx, w.Parent, "beginAroundFrame", argument, nil); err != nil {
			return a, document.FrameError(w, err)
		}
	}
	return a, nil
}

// WaitForEffect waits for the consequences of an action, and only for those: first for the tasks
// and the frame in which the page reacts, then for navigations and requests that began meanwhile,
// then for the DOM again, until nothing new begins. A request that ended while the DOM was read may
// have brought something after the reading: then the page's queued tasks run, and the DOM is read again.
//
// Events arrive beside responses, not in line with them. An event is handled before a later
// response, because a call made after the input takes at least one more round trip through the
// browser.
func (wt *Waiter) WaitForEffect(ctx context.Context, a Action) (Effect, error) {
	effect := Effect{Element: a.Element}
	begun, frames := time.Now(), a.Frames
	for round := 1; ; round++ {
		ended := wt.doc.Tracker.RequestsEnded()
		err := wt.waitForDOM(ctx, a, &effect)
		if reloading, ok := errors.AsType[*document.ReloadingError](err); ok {
			effect.Pending = fmt.Sprintf("the page reloads itself all the time (%d documents so far)", reloading.Documents)
			return effect, nil
		}
		if err != nil {
			return effect, wt.doc.Translate(ctx, "", err)
		}
		what, err := wt.waitForPending(ctx, a.startSeq, begun)
		if err != nil {
			return effect, err
		}
		switch {
		case what == "" && wt.doc.Tracker.RequestsEnded() == ended:
			return effect, nil
		case what != "" && what != pendingEnded && what != pendingUnread:
			effect.Pending = what
			return effect, wt.readAgain(ctx, a, &effect)
		case round > maxRounds:
			return effect, wt.readAgain(ctx, a, &effect)
		case what == pendingEnded:
			a.Frames = max(frames, 1)
		default:
			a.Frames = 0
		}
		a.SkipFrame = false
	}
}

// readAgain reads what the page has shown since the last reading, where the wait for its requests ends before them.
func (wt *Waiter) readAgain(ctx context.Context, a Action, effect *Effect) error {
	a.Frames, a.SkipFrame = 0, false
	err := wt.waitForDOM(ctx, a, effect)
	if _, reloading := errors.AsType[*document.ReloadingError](err); reloading || err == nil {
		return nil
	}
	return wt.doc.Translate(ctx, "", err)
}

// waitForDOM waits until the DOM is stable and reads its state. In a new document it first waits
// until that is parsed.
func (wt *Waiter) waitForDOM(ctx context.Context, a Action, effect *Effect) error {
	replaced := document.NewReplacements()
	for {
		err := wt.waitForDOMOnce(ctx, a, effect)
		if !errors.Is(err, document.ErrReplaced) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the page to settle: %w", context.Cause(ctx))
		}
		if err := replaced.Add(); err != nil {
			return err
		}
		// Between documents: the next event reports the new one.
		if _, err := wt.waitForPending(ctx, a.startSeq, time.Now()); err != nil {
			return err
		}
	}
}

func (wt *Waiter) waitForDOMOnce(ctx context.Context, a Action, effect *Effect) error {
	w, err := wt.doc.TopWorld(ctx)
	if err != nil {
		return err
	}
	w.RefreshInternals(ctx)
	replaced := wt.doc.Loader() != a.loader
	argument := a.waitArgument()
	argument["skipFrame"] = a.SkipFrame && !replaced
	if replaced {
		argument["parsed"] = document.Remaining(ctx, navigationTimeout)
	}
	var r domState
	if err := wt.doc.Evaluate(ctx, "waitForStable", argument, &r); err != nil {
		return err
	}
	if err := r.lostInput(); err != nil {
		return err
	}
	effect.URL, effect.Title, effect.Changes = r.URL, r.Title, r.Changes
	effect.Focus, effect.Detached, effect.notApplied = r.Focus, r.Detached, r.NotApplied
	effect.Fields, effect.HeldPending = r.Fields, r.Pending
	effect.NewDocument = replaced
	if replaced {
		effect.Status = wt.doc.Tracker.Status(wt.doc.Loader())
	}
	effect.Navigated = replaced || r.URLChanged
	if r.Element != nil {
		effect.Element = r.Element.RenamedSince(a.Element)
	}
	if a.World != nil {
		return wt.waitForFrameDOM(ctx, a, effect)
	}
	return nil
}

// waitForFrameDOM adds a frame's report about an action in it. A frame that left the page took the
// element with it.
func (wt *Waiter) waitForFrameDOM(ctx context.Context, a Action, effect *Effect) error {
	var r domState
	err := document.ErrReplaced
	if !a.World.Replaced {
		a.World.RefreshInternals(ctx)
		err = wt.doc.EvaluateIn(ctx, a.World, "waitForStable", a.waitArgument(), &r)
	}
	if errors.Is(err, document.ErrReplaced) {
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
	effect.Detached, effect.notApplied = r.Detached, r.NotApplied
	effect.Fields, effect.HeldPending = r.Fields, r.Pending
	if r.Element != nil {
		effect.Element = r.Element.RenamedSince(a.Element)
	}
	if r.Focus != nil {
		effect.Focus = r.Focus
	}
	return nil
}

// maxRounds bounds how long a chain of requests is followed. A page that polls would otherwise hold
// every action for RequestTimeout.
const maxRounds = 6

// pendingEnded says that a pending operation has ended: check again. pendingUnread says that only
// responses have that the page does not read: what it does about their headers is done.
const pendingEnded, pendingUnread = "resumed", "unread"

// waitForPending waits for operations that began after startSeq and before this call. It returns ""
// when there was none, pendingEnded or pendingUnread when all ended, and else a description of those
// that still run.
func (wt *Waiter) waitForPending(ctx context.Context, start int, begun time.Time) (string, error) {
	answer, until := "", wt.doc.Tracker.LatestSeq()
	ended, unread := wt.doc.Tracker.RequestsEnded(), 0
	for {
		what, navigating, changed, grace := wt.doc.Tracker.Pending(start, until)
		switch {
		case what == "" && unread > 0 && wt.doc.Tracker.RequestsEnded() == ended+unread:
			return pendingUnread, nil
		case what == "":
			return answer, nil
		}
		answer = pendingEnded
		limit := track.RequestTimeout
		if navigating {
			limit = navigationTimeout
		}
		left := limit - time.Since(begun)
		if left <= 0 {
			return what, nil
		}
		if err := track.WaitForEvent(ctx, what, changed, left, grace); err != nil {
			return what, err
		}
		unread += wt.endUnreadBodies(ctx)
	}
}

// WaitForStable waits until the page is stable after something that another caller began, such as a
// navigation by address: until the document is parsed, its scripts and data requests have ended,
// and the DOM does not change. Pending says what the wait gave up on.
func (wt *Waiter) WaitForStable(ctx context.Context) (Effect, error) {
	if _, err := wt.doc.TopWorld(ctx); err != nil && !errors.Is(err, document.ErrReplaced) {
		return Effect{}, err
	}
	effect, err := wt.WaitForEffect(ctx, Action{startSeq: 0, loader: "", Frames: 1})
	effect.NewDocument, effect.Navigated = false, false
	return effect, err
}

// Pause waits for a duration. It fails with the cause of ctx when that ends first.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
