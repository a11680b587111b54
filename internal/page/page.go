package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
)

// Page is the document of one tab, whichever it is at the moment. Its methods
// must not run at the same time as each other; the tab's lock sees to that.
type Page struct {
	session  cdp.Session
	track    *tracker
	attached bool
	world    *world
	// loader is the document world was last installed in, kept when world is not.
	loader cdp.LoaderID
	// next is the first ref number no document of the tab has issued.
	next     int
	refs     refMemory
	readings []storedReading
	// readingSeq numbers readings for their continuation handles.
	readingSeq int
	pointer    pointerPlace
}

// New makes a page of the session. It subscribes to the session's events at
// once and says nothing to the browser until the first call.
func New(s cdp.Session) *Page {
	return &Page{session: s, track: newTracker(s), next: 1, refs: refMemory{names: map[int]named{}}}
}

// Close ends the event subscriptions and waits for their goroutines. The
// session stays open.
func (p *Page) Close() { p.track.close() }

// attach enables what the page relies on, once per session. Enabling a domain
// that is already enabled costs a round trip and changes nothing. Focus
// emulation makes a tab in the background take focus and draw frames like the
// one in front; without it an action there would wait for frames that never come.
func (p *Page) attach(ctx context.Context) error {
	if p.attached {
		return nil
	}
	if _, err := cdp.Call(ctx, p.session, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return fmt.Errorf("enabling page events: %w", err)
	}
	if _, err := cdp.Call(ctx, p.session, network.Enable, network.EnableParams{}); err != nil {
		return fmt.Errorf("enabling network events: %w", err)
	}
	if _, err := cdp.Call(ctx, p.session, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return fmt.Errorf("enabling focus emulation: %w", err)
	}
	p.attached = true
	return nil
}

// named is what a ref was last shown as.
type named struct{ role, name string }

// refMemory remembers what refs were called after their document is gone, so
// that a stale ref can be answered with candidates. It holds two documents:
// older refs are still known to be stale, but no longer by name.
type refMemory struct {
	names map[int]named
	// start is the first number the current document could have issued.
	start int
}

func (m *refMemory) turn(start int) {
	if start == m.start {
		return
	}
	for n := range m.names {
		if n < m.start {
			delete(m.names, n)
		}
	}
	m.start = start
}

func (m *refMemory) learn(i issued) { m.names[i.N] = named{role: i.Role, name: i.Name} }

// refNumber reads "e12"; 0 is no ref.
func refNumber(ref string) int {
	digits, ok := strings.CutPrefix(ref, "e")
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || digits[0] < '1' {
		return 0
	}
	return n
}

// known turns a ref into the number the engine wants, refusing what was never
// issued before any question is asked.
func (p *Page) known(ref string) (int, error) {
	n := refNumber(ref)
	if n == 0 || n >= p.next {
		return 0, &UnknownRefError{Ref: ref}
	}
	return n, nil
}

// refuse turns an engine's refusal about ref into the error of this package.
// Errors that are no refusals pass through.
func (p *Page) refuse(ctx context.Context, ref string, err error) error {
	if r, ok := errors.AsType[*refusal](err); ok {
		return p.refusalError(ctx, ref, r)
	}
	if errors.Is(err, errWorldGone) && ref != "" {
		return p.departed(ctx, ref)
	}
	return err
}

func (p *Page) refusalError(ctx context.Context, ref string, r *refusal) error {
	var d struct {
		Reason     string    `json:"reason"`
		Candidates []Element `json:"candidates"`
		Covering   *Element  `json:"covering"`
		Value      string    `json:"value"`
		Options    []string  `json:"options"`
		Total      int       `json:"total"`
		Selector   string    `json:"selector"`
	}
	if err := json.Unmarshal(r.data, &d); err != nil {
		return fmt.Errorf("reading a refusal of the page engine: %w", err)
	}
	switch r.kind {
	case "foreign":
		return p.departed(ctx, ref)
	case "stale":
		was := p.refs.names[refNumber(ref)]
		return &StaleRefError{Ref: ref, Role: was.role, Name: was.name, Reason: d.Reason, Candidates: d.Candidates}
	case "notActionable":
		return &NotActionableError{Ref: ref, Reason: d.Reason, Covering: d.Covering}
	case "notEditable":
		return &NotEditableError{Ref: ref, Reason: d.Reason}
	case "refused":
		return &ValueRefusedError{Ref: ref, Reason: d.Reason}
	case "noOption":
		return &OptionNotFoundError{Ref: ref, Value: d.Value, Options: d.Options, Total: d.Total}
	case "selector":
		return &BadSelectorError{Reason: d.Reason}
	case "nothing":
		return &NoElementError{Selector: d.Selector}
	}
	return fmt.Errorf("the page engine failed: %s", d.Reason)
}

// departed is the error for a ref of a document that is no longer shown.
func (p *Page) departed(ctx context.Context, ref string) error {
	stale := &StaleRefError{Ref: ref, Reason: "the document it belonged to was replaced"}
	who, ok := p.refs.names[refNumber(ref)]
	if !ok {
		return stale
	}
	stale.Role, stale.Name = who.role, who.name
	var near struct {
		Candidates []Element `json:"candidates"`
	}
	// Candidates are a courtesy: without them the answer is still right.
	if err := p.askAgain(ctx, "near", map[string]any{"role": who.role, "name": who.name}, &near); err == nil {
		stale.Candidates = near.Candidates
	}
	return stale
}

// Describe answers with one element as it is now.
func (p *Page) Describe(ctx context.Context, ref string) (ElementInfo, error) {
	var out ElementInfo
	n, err := p.known(ref)
	if err != nil {
		return out, err
	}
	err = p.ask(ctx, "describe", map[string]any{"n": n}, &out)
	return out, p.refuse(ctx, ref, err)
}

// remaining is the time until ctx ends, at most limit, in whole milliseconds.
// A quarter of a short time, and 300 ms of a long one, is left for the answer
// to come back: a reason that arrives late is lost to a bare deadline.
func remaining(ctx context.Context, limit time.Duration) int64 {
	if end, ok := ctx.Deadline(); ok {
		left := max(0, time.Until(end))
		limit = min(limit, left-min(left/4, 300*time.Millisecond))
	}
	return limit.Milliseconds()
}

func number(n int) jsonv2.Value { return strconv.AppendInt(nil, int64(n), 10) }
