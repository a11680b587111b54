package page

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
)

// Page is the current document of one tab. Its methods must not run concurrently; the tab's lock
// ensures that.
type Page struct {
	session cdp.Session
	tracker *tracker
	// shown is the engine of the top document, for Outlines.
	shown          atomic.Pointer[engineEntry]
	domainsEnabled bool
	top            *world
	// loader identifies the document of the last injection. It stays when top is reset.
	loader   cdp.LoaderID
	refs     *refs
	frames   *frames
	readings []storedReading
	// readingSeq numbers readings for their continuation handles.
	readingSeq int
	pointer    pointerPosition
	// snapshot is the latest snapshot. Only its refs can be clicked with ClickSnapshot.
	snapshot Snapshot
	// RestoreFileChoosers shows file choosers again after an upload that intercepted one, for tabs
	// in which a person works too. The owner sets it before the first call.
	RestoreFileChoosers bool
	// Related returns the pages of tabs whose documents may reach this one by script. ScriptSource returns
	// why a script of the caller may run in any document of the tab, or "". The owner sets both before the
	// first call.
	Related      func() []*Page
	ScriptSource func() string
	// undeliveredLoader is the document that the browser may deliver no input to, or "".
	undeliveredLoader cdp.LoaderID
}

// New makes a page of the session. It sends nothing to the browser before the first call. The owner
// passes each of the session's events to [Page.HandleEvent] before it reads the next message.
// attach opens sessions with frames of other processes; without it those frames are not read.
func New(s cdp.Session, attach Attacher) *Page {
	t := newTracker()
	return &Page{session: s, tracker: t, refs: newRefs(), frames: newFrames(attach, t)}
}

// Loader returns the loader of the top document that the latest call read, "" before the first. The
// browser gives each document that it loads another one.
func (p *Page) Loader() cdp.LoaderID { return p.loader }

// Close detaches the frames and waits until no goroutine reads their events. The session stays
// open.
func (p *Page) Close() {
	p.frames.drop()
	p.tracker.readers.Wait()
}

// Replace takes over the refs of the tab's previous page and marks them stale. Their numbers are
// not issued again.
func (p *Page) Replace(other *Page) {
	p.refs, p.readingSeq = other.refs, other.readingSeq
}

// HandleEvent records an event of the session as cdproto decodes it. It does not block. The owner
// calls it in line with responses.
func (p *Page) HandleEvent(event any) { p.tracker.handleEvent(event) }

// enableDomains enables the required CDP domains, once per session: enabling a domain again costs a
// round trip. Focus emulation makes a background tab take focus and draw frames like the one in
// front; without it an action there would wait for frames that never come.
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
	focus := emulation.SetFocusEmulationEnabledParams{Enabled: true}
	if _, err := cdp.Call(ctx, p.session, emulation.SetFocusEmulationEnabled, focus); err != nil {
		return fmt.Errorf("enabling focus emulation: %w", err)
	}
	p.domainsEnabled = true
	return nil
}

// translate turns an engine error about ref into a typed error of this package. Other errors pass
// through.
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
	var detail struct {
		Reason     string    `json:"reason"`
		Remedy     Remedy    `json:"remedy"`
		Ref        string    `json:"ref"` // of the element that takes the value instead; "" for none
		Example    string    `json:"example"`
		Candidates []Element `json:"candidates"`
		Covering   *Element  `json:"covering"`
		Rest       bool      `json:"rest"`
		Value      string    `json:"value"`
		Options    []string  `json:"options"`
		Total      int       `json:"total"`
		Selector   string    `json:"selector"`
	}
	if err := json.Unmarshal(r.data, &detail); err != nil {
		return fmt.Errorf("reading a refusal of the page engine: %w", err)
	}
	switch r.kind {
	case "emptyDocument":
		return &EmptyDocumentError{}
	case "otherDocument":
		return p.replacedDocumentError(ctx, ref)
	case "stale":
		was := p.refs.entry(ref)
		return &StaleRefError{Ref: ref, Role: was.role, Name: was.name, Reason: detail.Reason, Candidates: detail.Candidates}
	case "notActionable":
		return &NotActionableError{Ref: ref, Reason: detail.Reason, Covering: detail.Covering, atRest: detail.Rest}
	case "outsideViewport":
		outside := &OutsideViewportError{}
		if err := json.Unmarshal(r.data, outside); err != nil {
			return fmt.Errorf("reading a refusal of the page engine: %w", err)
		}
		return outside
	case "notEditable":
		return &NotEditableError{Ref: ref, Reason: detail.Reason, Remedy: detail.Remedy}
	case "valueRefused":
		return &ValueRefusedError{Ref: cmp.Or(detail.Ref, ref), Reason: detail.Reason, Example: detail.Example, Remedy: detail.Remedy}
	case "noOption":
		return &OptionNotFoundError{Ref: ref, Value: detail.Value, Options: detail.Options, Total: detail.Total}
	case "badSelector":
		return &BadSelectorError{Reason: detail.Reason}
	case "noCell":
		return &NoCellError{Ref: ref, Reason: detail.Reason}
	case "noElement":
		return &NoElementError{Selector: detail.Selector}
	}
	return newScriptError(detail.Reason)
}

// replacedDocumentError returns the error for a ref of a document that was replaced.
func (p *Page) replacedDocumentError(ctx context.Context, ref string) error {
	stale := &StaleRefError{Ref: ref, Reason: "the document it belonged to was replaced"}
	was := p.refs.entry(ref)
	if was == (refEntry{}) {
		return stale
	}
	stale.Role, stale.Name = was.role, was.name
	// Candidates are optional: without them the error is still right.
	argument := map[string]any{"role": was.role, "name": was.name}
	_ = p.evaluateAll(ctx, "similarElements", argument, func(_ *world, result json.RawMessage) error {
		var similar struct {
			Candidates []Element `json:"candidates"`
		}
		err := json.Unmarshal(result, &similar)
		room := 3 - len(stale.Candidates)
		stale.Candidates = append(stale.Candidates, similar.Candidates[:min(len(similar.Candidates), room)]...)
		return err
	})
	return stale
}

// locateRef returns the world that issued a ref and the ref's number there. A derived ref names a
// cell: see [Page.locateCell].
func (p *Page) locateRef(ctx context.Context, ref string) (*world, int, error) {
	if base, path, derived := strings.Cut(ref, "/"); derived {
		return p.locateCell(ctx, ref, base, strings.Split(path, "/"))
	}
	n, err := p.refs.issuedNumber(ref)
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

// evaluateRef calls an operation about a ref in the world that issued it. It adds the ref's number
// to the argument as "n". Engine errors come back as typed errors.
func (p *Page) evaluateRef(
	ctx context.Context, ref, operation string, argument map[string]any, out any,
) (*world, error) {
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

// Describe returns the current state of one element.
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

// remaining returns the time until ctx ends, at most limit, in milliseconds. It reserves a quarter
// of a short time, and 300 ms of a long one, for the response: a reason that arrives after the
// deadline is lost.
func remaining(ctx context.Context, limit time.Duration) int64 {
	if end, ok := ctx.Deadline(); ok {
		left := max(0, time.Until(end))
		limit = min(limit, left-min(left/4, 300*time.Millisecond))
	}
	return limit.Milliseconds()
}

func number(n int) jsonv2.Value { return strconv.AppendInt(nil, int64(n), 10) }
