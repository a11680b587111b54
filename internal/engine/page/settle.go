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

const (
	// requestLimit bounds the wait for requests an action started.
	requestLimit = 5 * time.Second
	// navigationLimit bounds the wait for the document an action led to.
	navigationLimit = 15 * time.Second
	// noiseLimit bounds the wait for a DOM that never keeps still.
	noiseLimit = 300 * time.Millisecond
	// glideLimit bounds the wait for the end of a smooth scroll.
	glideLimit = 1500 * time.Millisecond
)

// action is one action under way: what was there before it began.
type action struct {
	mark    int
	loader  cdp.LoaderID
	element *Element
	// world is the frame that was acted in; nil is the top document.
	world *world
	// frames is how long the DOM must keep still. Input that a framework
	// answers in the same task needs none.
	frames int
	// noise bounds the wait for a DOM that keeps moving; 0 is noiseLimit.
	noise time.Duration
	// brief skips the frame when the page is known to have started nothing: for
	// one input, answered by handlers that have run when it is acknowledged.
	brief bool
}

// rest is the engine's answer when the DOM has come to rest.
type rest struct {
	URL     string   `json:"url"`
	Title   string   `json:"title"`
	Moved   bool     `json:"moved"`
	Gone    bool     `json:"gone"`
	Element *Element `json:"element"`
	Focus   *Element `json:"focus"`
	Changes []string `json:"changes"`
	// Missed is the element that the input arrived at instead of its target; Lost
	// says that text arrived at nothing.
	Missed *Element `json:"missed"`
	Lost   bool     `json:"lost"`
}

// begin notes the moment before an action. The world must be installed.
func (p *Page) begin(frames int) action {
	p.acted = true
	return action{mark: p.track.mark(), loader: p.loader, frames: frames}
}

// beginIn is begin for an action in a document of any frame. The top document
// opens a record too: what happens in a frame can change what is around it. With
// press, a pointer that meets anything around the frame is stopped there.
func (p *Page) beginIn(ctx context.Context, w *world, frames int, press bool) (action, error) {
	a := p.begin(frames)
	if w == nil || w.parent == nil {
		return a, nil
	}
	a.world = w
	for ; w.parent != nil; w = w.parent {
		if err := p.askIn(ctx, w.parent, "mark", map[string]any{"door": w.door, "press": press}, nil); err != nil {
			return a, frameGone(w, err)
		}
	}
	return a, nil
}

// settle waits for what the action caused, and only that: first for the tasks
// and the frame in which the page reacts, then for navigations and requests
// that began meanwhile, then again for the DOM, until nothing new began.
//
// Events arrive beside answers, not in line with them. An event is read before
// the answer that follows it is, for the answer to a question asked after the
// input takes at least one more round trip through the browser.
func (p *Page) settle(ctx context.Context, a action) (Effect, error) {
	effect := Effect{Element: a.element}
	begun := time.Now()
	for round := 1; ; round++ {
		if err := p.askRest(ctx, a, &effect); err != nil {
			return effect, p.refuse(ctx, "", err)
		}
		what, err := p.awaitPending(ctx, a.mark, begun)
		if err != nil {
			return effect, err
		}
		if what == "" {
			return effect, nil
		}
		if what != resumed || round > mostRounds {
			effect.Unsettled = strings.TrimPrefix(what, resumed)
			return effect, nil
		}
		a.frames, a.brief = max(a.frames, 1), false
	}
}

// askRest waits for the DOM and reports. In a new document it first waits
// until that has been parsed.
func (p *Page) askRest(ctx context.Context, a action, effect *Effect) error {
	for {
		err := p.askRestOnce(ctx, a, effect)
		if !errors.Is(err, errWorldGone) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("waiting for the page to settle: %w", context.Cause(ctx))
		}
		// Between documents: the next event tells when there is one again.
		if _, err := p.awaitPending(ctx, a.mark, time.Now()); err != nil {
			return err
		}
	}
}

func (p *Page) askRestOnce(ctx context.Context, a action, effect *Effect) error {
	if _, err := p.install(ctx); err != nil {
		return err
	}
	replaced := p.loader != a.loader
	question := map[string]any{"frames": a.frames, "limit": cmp.Or(a.noise, noiseLimit).Milliseconds(), "brief": a.brief && !replaced}
	if replaced {
		question["parsed"] = remaining(ctx, navigationLimit)
	}
	var r rest
	if err := p.ask(ctx, "settled", question, &r); err != nil {
		return err
	}
	if r.Missed != nil || r.Lost {
		return &missedError{at: r.Missed}
	}
	effect.URL, effect.Title, effect.Changes, effect.Focus, effect.Gone = r.URL, r.Title, r.Changes, r.Focus, r.Gone
	effect.NewDocument = replaced
	if replaced {
		effect.Status = p.track.status(p.loader)
	}
	effect.Navigated = replaced || r.Moved
	if r.Element != nil {
		effect.Element = r.Element
	}
	if a.world != nil {
		return p.askRestIn(ctx, a, effect)
	}
	return nil
}

// askRestIn adds what a frame has to say about an action in it. A frame that went
// away took the element with it.
func (p *Page) askRestIn(ctx context.Context, a action, effect *Effect) error {
	var r rest
	err := errWorldGone
	if !a.world.gone {
		err = p.askIn(ctx, a.world, "settled", map[string]any{"frames": a.frames, "limit": cmp.Or(a.noise, noiseLimit).Milliseconds()}, &r)
	}
	if errors.Is(err, errWorldGone) {
		effect.Gone = true
		return nil
	}
	if err != nil {
		return err
	}
	if r.Missed != nil || r.Lost {
		return &missedError{at: r.Missed}
	}
	effect.Changes = append(effect.Changes, r.Changes...)
	effect.Changes = effect.Changes[:min(len(effect.Changes), 8)]
	effect.Gone = r.Gone
	if r.Element != nil {
		effect.Element = r.Element
	}
	if r.Focus != nil {
		effect.Focus = r.Focus
	}
	return nil
}

// mostRounds bounds how long a chain of requests is followed. A page that asks
// for news all the time would otherwise hold every action for requestLimit.
const mostRounds = 6

// resumed says that something was pending and has ended: look again.
const resumed = "resumed"

// awaitPending waits until nothing goes on that began after mark and before
// this call; what begins meanwhile is for the next round. It answers "" when
// there was nothing, resumed when it ended, and else what still goes on.
func (p *Page) awaitPending(ctx context.Context, mark int, begun time.Time) (string, error) {
	answer, until := "", p.track.latest()
	for {
		what, navigating, moved, grace := p.track.pending(mark, until)
		if what == "" {
			return answer, nil
		}
		answer = resumed
		limit := requestLimit
		if navigating {
			limit = navigationLimit
		}
		left := limit - time.Since(begun)
		if left <= 0 {
			return what, nil
		}
		if err := awaitMove(ctx, what, moved, left, grace); err != nil {
			return what, err
		}
	}
}

// awaitMove waits, while something is pending, for the tracker's next event: for as long as is left, or shorter when there is
// a grace; see [tracker.pending].
func awaitMove(ctx context.Context, what string, moved <-chan struct{}, left, grace time.Duration) error {
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

// Settle waits until the page has come to rest after something that was begun
// elsewhere, such as a navigation by address: until the document is parsed,
// its scripts and data requests have ended, and the DOM keeps still. It
// reports what is there then; Unsettled says what was given up on.
func (p *Page) Settle(ctx context.Context) (Effect, error) {
	if _, err := p.install(ctx); err != nil && !errors.Is(err, errWorldGone) {
		return Effect{}, err
	}
	effect, err := p.settle(ctx, action{mark: 0, loader: "", frames: 1})
	effect.NewDocument, effect.Navigated = false, false
	return effect, err
}
