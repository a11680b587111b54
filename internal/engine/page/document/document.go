package document

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/page/track"
)

// Document is the document that a tab shows. Its methods must not run concurrently, except where they
// say so; the tab's lock ensures that.
type Document struct {
	// Session reaches the page's own target.
	Session cdp.Session
	// Tracker records the navigations and requests of the tab.
	Tracker *track.Tracker
	// Refs are the refs of all documents of the tab.
	Refs *Refs
	// Frames are the remote frames of the document.
	Frames *Frames

	// shown is the engine of the top document, for CallShown.
	shown          atomic.Pointer[engineEntry]
	domainsEnabled bool
	top            *World
	// loader identifies the document of the last injection. It stays when top is reset.
	loader cdp.LoaderID
}

// New makes the document of a session. It sends nothing to the browser before the first call.
// attach opens sessions with frames of other processes; without it those frames are not read.
func New(s cdp.Session, attach Attacher) *Document {
	t := track.New()
	return &Document{Session: s, Tracker: t, Refs: newRefs(), Frames: newFrames(attach, t)}
}

// Close detaches the frames and waits until no goroutine reads their events. The session stays
// open.
func (d *Document) Close() {
	d.Frames.drop()
	d.Tracker.WaitForReaders()
}

// Replace takes over the refs of the tab's previous document and marks them stale. Their numbers are
// not issued again.
func (d *Document) Replace(other *Document) { d.Refs = other.Refs }

// Loader returns the loader of the top document that the latest call read, "" before the first. The
// browser gives each document that it loads another one.
func (d *Document) Loader() cdp.LoaderID { return d.loader }

// enableDomains enables the required CDP domains, once per session: enabling a domain again costs a
// round trip. Focus emulation makes a background tab take focus and draw frames like the one in
// front; without it an action there would wait for frames that never come.
func (d *Document) enableDomains(ctx context.Context) error {
	if d.domainsEnabled {
		return nil
	}
	if _, err := cdp.Call(ctx, d.Session, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return fmt.Errorf("enabling page events: %w", err)
	}
	if _, err := cdp.Call(ctx, d.Session, network.Enable, network.EnableParams{}); err != nil {
		return fmt.Errorf("enabling network events: %w", err)
	}
	focus := emulation.SetFocusEmulationEnabledParams{Enabled: true}
	if _, err := cdp.Call(ctx, d.Session, emulation.SetFocusEmulationEnabled, focus); err != nil {
		return fmt.Errorf("enabling focus emulation: %w", err)
	}
	d.domainsEnabled = true
	return nil
}

// Translate turns an engine error about ref into a typed error of this package. Other errors pass
// through.
func (d *Document) Translate(ctx context.Context, ref string, err error) error {
	if r, ok := errors.AsType[*EngineError](err); ok {
		return d.translateEngineError(ctx, ref, r)
	}
	if errors.Is(err, ErrReplaced) && ref != "" {
		return d.replacedDocumentError(ctx, ref)
	}
	return err
}

func (d *Document) translateEngineError(ctx context.Context, ref string, r *EngineError) error {
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
	if err := json.Unmarshal(r.Data, &detail); err != nil {
		return fmt.Errorf("reading a refusal of the page engine: %w", err)
	}
	switch r.Kind {
	case "emptyDocument":
		return &EmptyDocumentError{}
	case "otherDocument":
		return d.replacedDocumentError(ctx, ref)
	case "stale":
		was := d.Refs.Entry(ref)
		return &StaleRefError{Ref: ref, Role: was.Role, Name: was.Name, Reason: detail.Reason, Candidates: detail.Candidates}
	case "notActionable":
		return &NotActionableError{Ref: ref, Reason: detail.Reason, Covering: detail.Covering, AtRest: detail.Rest}
	case "outsideViewport":
		outside := &OutsideViewportError{}
		if err := json.Unmarshal(r.Data, outside); err != nil {
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
func (d *Document) replacedDocumentError(ctx context.Context, ref string) error {
	stale := &StaleRefError{Ref: ref, Reason: "the document it belonged to was replaced"}
	was := d.Refs.Entry(ref)
	if was == (RefEntry{}) {
		return stale
	}
	stale.Role, stale.Name = was.Role, was.Name
	// Candidates are optional: without them the error is still right.
	argument := map[string]any{"role": was.Role, "name": was.Name}
	_ = d.EvaluateAll(ctx, "similarElements", argument, func(_ *World, result json.RawMessage) error {
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

// LocateRef returns the world that issued a ref and the ref's number there. A derived ref names a
// cell: see [Document.locateCell].
func (d *Document) LocateRef(ctx context.Context, ref string) (*World, int, error) {
	if base, path, derived := strings.Cut(ref, "/"); derived {
		return d.locateCell(ctx, ref, base, strings.Split(path, "/"))
	}
	n, err := d.Refs.issuedNumber(ref)
	if err != nil {
		return nil, 0, err
	}
	top, err := d.TopWorld(ctx)
	if err != nil {
		return nil, 0, d.Translate(ctx, ref, err)
	}
	w := d.Refs.entries[n].world
	if w == nil {
		w = top
	}
	if w.Replaced {
		return nil, 0, d.replacedDocumentError(ctx, ref)
	}
	return w, n, nil
}

// EvaluateRef calls an operation about a ref in the world that issued it. It adds the ref's number
// to the argument as "n". Engine errors come back as typed errors.
func (d *Document) EvaluateRef(
	ctx context.Context, ref, operation string, argument map[string]any, out any,
) (*World, error) {
	w, n, err := d.LocateRef(ctx, ref)
	if err != nil {
		return nil, err
	}
	if argument == nil {
		argument = map[string]any{}
	}
	argument["n"] = n
	return w, d.Translate(ctx, ref, d.EvaluateIn(ctx, w, operation, argument, out))
}

// Describe returns the current state of one element.
func (d *Document) Describe(ctx context.Context, ref string) (ElementInfo, error) {
	var out ElementInfo
	w, err := d.EvaluateRef(ctx, ref, "describe", nil, &out)
	if err != nil {
		return out, err
	}
	off, err := d.FrameOffset(ctx, w)
	out.Box = out.Box.Shifted(off)
	return out, d.Translate(ctx, ref, err)
}

// FindLoader makes sure that the loader of the document is known.
func (d *Document) FindLoader(ctx context.Context) error {
	if d.Tracker.CommittedLoader() != "" {
		return nil
	}
	if err := d.enableDomains(ctx); err != nil {
		return err
	}
	_, loader, err := d.topFrame(ctx)
	if err == nil {
		d.Tracker.FoundLoader(loader)
	}
	return err
}
