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
	session        cdp.Session
	tracker        *tracker
	domainsEnabled bool
	world          *world
	// loader is the document world was last installed in, kept when world is not.
	loader cdp.LoaderID
	// nextRef is the first ref number no document of the tab has issued.
	nextRef int
	refs    refHistory
	// frameWorlds are the worlds of frames that are doors for the world around them,
	// and remotes the sessions with those in other processes.
	frameWorlds  map[cdp.FrameID]*world
	remoteFrames map[cdp.FrameID]remoteFrame
	attachFrame  Attacher
	// frameTimedOut says that some frame did not answer in its part of the time, since it was last asked.
	frameTimedOut bool
	readings      []storedReading
	// readingSeq numbers readings for their continuation handles.
	readingSeq int
	pointer    pointerPosition
	// snapshot is the latest one taken; it counts until the next.
	snapshot Snapshot
	// RestoreFileChoosers has file choosers shown again after an upload that met one: for
	// tabs in which a person works too. It is set before the first call.
	RestoreFileChoosers bool
	// undeliveredLoader is the document that no input reaches, or "".
	undeliveredLoader cdp.LoaderID
	// hasActed says that an action has begun in this tab.
	hasActed bool
}

// New makes a page of the session and says nothing to the browser until the first call. Its owner reads the session's events
// and hands each to [Page.HandleEvent] before it reads on. reach opens sessions with frames of other processes; without it those are
// not entered.
func New(s cdp.Session, reach Attacher) *Page {
	return &Page{
		session: s, attachFrame: reach, tracker: newTracker(), nextRef: 1, refs: refHistory{entries: map[int]refEntry{}},
		frameWorlds: map[cdp.FrameID]*world{}, remoteFrames: map[cdp.FrameID]remoteFrame{},
	}
}

// Close lets go of the frames and waits until nobody follows their events. The session stays open.
func (p *Page) Close() {
	p.dropFrames()
	p.tracker.readers.Wait()
}

// Replace has refs of another page of the same tab, which is used no more, be stale here, and none of them be given again.
func (p *Page) Replace(other *Page) {
	p.nextRef, p.refs, p.readingSeq = other.nextRef, other.refs, other.readingSeq
}

// enableDomains enables what the page relies on, once per session. Enabling a domain
// that is already enabled costs a round trip and changes nothing. Focus
// emulation makes a tab in the background take focus and draw frames like the
// one in front; without it an action there would wait for frames that never come.
func (p *Page) enableDomains(ctx context.Context) error {
	if p.domainsEnabled {
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
	p.domainsEnabled = true
	return nil
}

// refEntry is what a ref was last shown as, and where. world is nil for elements
// of the top document, whose world may be entered anew.
type refEntry struct {
	role, name string
	world      *world
}

// refHistory remembers what refs were called after their document is gone, so
// that a stale ref can be answered with candidates. It holds two documents:
// older refs are still known to be stale, but no longer by name.
type refHistory struct {
	entries map[int]refEntry
	// firstNumber is the first number the current document could have issued.
	firstNumber int
}

func (m *refHistory) startDocument(start int) {
	if start == m.firstNumber {
		return
	}
	for n := range m.entries {
		if n < m.firstNumber {
			delete(m.entries, n)
		}
	}
	m.firstNumber = start
}

func (m *refHistory) record(i issuedRef, w *world) {
	if w.parent == nil {
		w = nil
	}
	m.entries[i.N] = refEntry{role: i.Role, name: i.Name, world: w}
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

// issuedNumber turns a ref into the number the engine wants, refusing what was never
// issued before any question is asked.
func (p *Page) issuedNumber(ref string) (int, error) {
	n := refNumber(ref)
	if n == 0 || n >= p.nextRef {
		return 0, &UnknownRefError{Ref: ref}
	}
	return n, nil
}

// translate turns an engine's refusal about ref into the error of this package.
// Errors that are no refusals pass through.
func (p *Page) translate(ctx context.Context, ref string, err error) error {
	if r, ok := errors.AsType[*engineError](err); ok {
		return p.translateEngineError(ctx, ref, r)
	}
	if errors.Is(err, errDocumentReplaced) && ref != "" {
		return p.replacedDocumentError(ctx, ref)
	}
	return err
}

func (p *Page) translateEngineError(ctx context.Context, ref string, r *engineError) error {
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
	case "otherDocument":
		return p.replacedDocumentError(ctx, ref)
	case "stale":
		was := p.refs.entries[refNumber(ref)]
		return &StaleRefError{Ref: ref, Role: was.role, Name: was.name, Reason: d.Reason, Candidates: d.Candidates}
	case "notActionable":
		return &NotActionableError{Ref: ref, Reason: d.Reason, Covering: d.Covering}
	case "notEditable":
		return &NotEditableError{Ref: ref, Reason: d.Reason}
	case "valueRefused":
		return &ValueRefusedError{Ref: ref, Reason: d.Reason}
	case "noOption":
		return &OptionNotFoundError{Ref: ref, Value: d.Value, Options: d.Options, Total: d.Total}
	case "badSelector":
		return &BadSelectorError{Reason: d.Reason}
	case "noElement":
		return &NoElementError{Selector: d.Selector}
	}
	return fmt.Errorf("the page engine failed: %s", d.Reason)
}

// replacedDocumentError is the error for a ref of a document that is no longer shown.
func (p *Page) replacedDocumentError(ctx context.Context, ref string) error {
	stale := &StaleRefError{Ref: ref, Reason: "the document it belonged to was replaced"}
	who, ok := p.refs.entries[refNumber(ref)]
	if !ok {
		return stale
	}
	stale.Role, stale.Name = who.role, who.name
	// Candidates are a courtesy: without them the answer is still right.
	_ = p.evaluateAll(ctx, "similarElements", map[string]any{"role": who.role, "name": who.name}, func(_ *world, result json.RawMessage) error {
		var near struct {
			Candidates []Element `json:"candidates"`
		}
		err := json.Unmarshal(result, &near)
		stale.Candidates = append(stale.Candidates, near.Candidates[:min(len(near.Candidates), 3-len(stale.Candidates))]...)
		return err
	})
	return stale
}

// locateRef finds the world that a ref was issued in: the one way from a ref to the
// document that knows its element.
func (p *Page) locateRef(ctx context.Context, ref string) (*world, int, error) {
	n, err := p.issuedNumber(ref)
	if err != nil {
		return nil, 0, err
	}
	top, err := p.topWorld(ctx)
	if err != nil {
		return nil, 0, p.translate(ctx, ref, err)
	}
	w := p.refs.entries[n].world
	if w == nil {
		w = top
	}
	if w.replaced {
		return nil, 0, p.replacedDocumentError(ctx, ref)
	}
	return w, n, nil
}

// evaluateRef asks an operation about a ref in the document it belongs to; the number
// is added to the argument as "n". Refusals come back as errors of this package.
func (p *Page) evaluateRef(ctx context.Context, ref, operation string, argument map[string]any, out any) (*world, error) {
	w, n, err := p.locateRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	if argument == nil {
		argument = map[string]any{}
	}
	argument["n"] = n
	return w, p.translate(ctx, ref, p.evaluateIn(ctx, w, operation, argument, out))
}

// Describe answers with one element as it is now.
func (p *Page) Describe(ctx context.Context, ref string) (ElementInfo, error) {
	var out ElementInfo
	w, err := p.evaluateRef(ctx, ref, "describe", nil, &out)
	if err != nil {
		return out, err
	}
	off, err := p.frameOffset(ctx, w)
	out.Box = out.Box.shifted(off)
	return out, p.translate(ctx, ref, err)
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
