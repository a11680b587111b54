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
	next int
	refs refMemory
	// frames are the worlds of frames that are doors for the world around them,
	// and remotes the sessions with those in other processes.
	frames  map[cdp.FrameID]*world
	remotes map[cdp.FrameID]remote
	reach   Attacher
	// hung says that some frame did not answer in its part of the time, since it was last asked.
	hung     bool
	readings []storedReading
	// readingSeq numbers readings for their continuation handles.
	readingSeq int
	pointer    pointerPlace
	// snapshot is the latest one taken; it counts until the next.
	snapshot Snapshot
	// ReturnChoosers has file choosers shown again after an upload that met one: for
	// tabs in which a person works too. It is set before the first call.
	ReturnChoosers bool
	// deaf is the document that no input reaches, or "".
	deaf cdp.LoaderID
	// acted says that an action has begun in this tab.
	acted bool
}

// New makes a page of the session and says nothing to the browser until the first call. Its owner reads the session's events
// and hands each to [Page.Notice] before it reads on. reach opens sessions with frames of other processes; without it those are
// not entered.
func New(s cdp.Session, reach Attacher) *Page {
	return &Page{
		session: s, reach: reach, track: newTracker(), next: 1, refs: refMemory{names: map[int]named{}},
		frames: map[cdp.FrameID]*world{}, remotes: map[cdp.FrameID]remote{},
	}
}

// Close lets go of the frames and waits until nobody follows their events. The session stays open.
func (p *Page) Close() {
	p.forgetFrames()
	p.track.done.Wait()
}

// Succeed has refs of another page of the same tab, which is used no more, be stale here, and none of them be given again.
func (p *Page) Succeed(other *Page) {
	p.next, p.refs, p.readingSeq = other.next, other.refs, other.readingSeq
}

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

// named is what a ref was last shown as, and where. world is nil for elements
// of the top document, whose world may be entered anew.
type named struct {
	role, name string
	world      *world
}

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

func (m *refMemory) learn(i issued, w *world) {
	if w.parent == nil {
		w = nil
	}
	m.names[i.N] = named{role: i.Role, name: i.Name, world: w}
}

// IsRef reports whether text is spelt as a ref, "e12" or "@e12".
func IsRef(text string) bool { return refNumber(text) > 0 }

// refNumber reads "e12", which some write "@e12"; 0 is no ref.
func refNumber(ref string) int {
	digits, ok := strings.CutPrefix(strings.TrimPrefix(ref, "@"), "e")
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
	// Candidates are a courtesy: without them the answer is still right.
	_ = p.everywhere(ctx, "near", map[string]any{"role": who.role, "name": who.name}, func(_ *world, result json.RawMessage) error {
		var near struct {
			Candidates []Element `json:"candidates"`
		}
		err := json.Unmarshal(result, &near)
		stale.Candidates = append(stale.Candidates, near.Candidates[:min(len(near.Candidates), 3-len(stale.Candidates))]...)
		return err
	})
	return stale
}

// locate finds the world that a ref was issued in: the one way from a ref to the
// document that knows its element.
func (p *Page) locate(ctx context.Context, ref string) (*world, int, error) {
	n, err := p.known(ref)
	if err != nil {
		return nil, 0, err
	}
	top, err := p.install(ctx)
	if err != nil {
		return nil, 0, p.refuse(ctx, ref, err)
	}
	w := p.refs.names[n].world
	if w == nil {
		w = top
	}
	if w.gone {
		return nil, 0, p.departed(ctx, ref)
	}
	return w, n, nil
}

// askRef asks an operation about a ref in the document it belongs to; the number
// is added to the argument as "n". Refusals come back as errors of this package.
func (p *Page) askRef(ctx context.Context, ref, operation string, argument map[string]any, out any) (*world, error) {
	w, n, err := p.locate(ctx, ref)
	if err != nil {
		return nil, err
	}
	if argument == nil {
		argument = map[string]any{}
	}
	argument["n"] = n
	return w, p.refuse(ctx, ref, p.askIn(ctx, w, operation, argument, out))
}

// Describe answers with one element as it is now.
func (p *Page) Describe(ctx context.Context, ref string) (ElementInfo, error) {
	var out ElementInfo
	w, err := p.askRef(ctx, ref, "describe", nil, &out)
	if err != nil {
		return out, err
	}
	off, err := p.offset(ctx, w)
	out.Box = out.Box.moved(off)
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
