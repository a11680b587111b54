package document

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/track"
	"github.com/callsheet/callsheet/internal/fault"
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

	// SecretTexts returns the forms of the secrets that pages got, with the marks that results show in their
	// place, and a version that grows with them; none of versions up to seen. The owner sets it before the first call.
	SecretTexts func(ctx context.Context, seen int) (version int, forms map[string]string)

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
	noSecrets := func(context.Context, int) (int, map[string]string) { return 0, nil }
	return &Document{SecretTexts: noSecrets, Session: s, Tracker: t, Refs: newRefs(), Frames: newFrames(attach, t)}
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
	return d.describe(ctx, ref, nil)
}

// Peek is Describe for callers that show no error: a ref that is stale stays so.
func (d *Document) Peek(ctx context.Context, ref string) (ElementInfo, error) {
	return d.describe(ctx, ref, map[string]any{"peek": true})
}

func (d *Document) describe(ctx context.Context, ref string, argument map[string]any) (ElementInfo, error) {
	var out ElementInfo
	w, err := d.EvaluateRef(ctx, ref, "describe", argument, &out)
	if err != nil {
		return out, err
	}
	to, err := d.FrameTransform(ctx, w)
	out.Box = out.Box.In(to)
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

// Remaining returns the time until ctx ends, at most limit, in milliseconds. It reserves a quarter
// of a short time, and 300 ms of a long one, for the response: a reason that arrives after the
// deadline is lost.
func Remaining(ctx context.Context, limit time.Duration) int64 {
	if end, ok := ctx.Deadline(); ok {
		left := max(0, time.Until(end))
		limit = min(limit, left-min(left/4, 300*time.Millisecond))
	}
	return limit.Milliseconds()
}

// A page that reloads itself all the time is given up after so many documents and at least so long.
// Chains of redirects by script are shorter.
const (
	maxReplacements    = 15
	replacementTimeout = 5 * time.Second
)

// ReloadingError says that the page replaces its document faster than it can be used.
type ReloadingError struct {
	// Documents is the number of documents that were replaced during the call.
	Documents int
	// During is the duration of the call.
	During time.Duration
}

func (e *ReloadingError) Error() string {
	return fmt.Sprintf("the page reloads itself all the time: it replaced %d documents in %s, each before it could be used; navigate elsewhere, or call again",
		e.Documents, e.During.Round(time.Second))
}

// Code is TIMEOUT.
func (*ReloadingError) Code() codes.Code { return codes.Timeout }

// Fields gives the number of documents.
func (e *ReloadingError) Fields() []fault.Field {
	return []fault.Field{{Name: "documents", Value: e.Documents}}
}

// Replacements counts the documents that were replaced while one call used them.
type Replacements struct {
	begun time.Time
	count int
}

// NewReplacements begins to count.
func NewReplacements() *Replacements { return &Replacements{begun: time.Now()} }

// Add counts a document. It returns a [ReloadingError] when the page is to be given up.
func (r *Replacements) Add() error {
	r.count++
	if during := time.Since(r.begun); r.count >= maxReplacements && during >= replacementTimeout {
		return &ReloadingError{Documents: r.count, During: during}
	}
	return nil
}

// UntilReloading returns a context that ends with a [ReloadingError] as its cause when the page
// replaces its document all the time. It suits a call that the browser answers only for a document
// that stays.
func (d *Document) UntilReloading(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		replaced := NewReplacements()
		for loader := d.Tracker.CommittedLoader(); ; {
			changed := d.Tracker.NextEvent()
			if now := d.Tracker.CommittedLoader(); now != loader {
				loader = now
				if err := replaced.Add(); err != nil {
					cancel(err)
				}
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// locateCell is LocateRef for a derived ref: e47/3 is the third cell of row e47, e47/Qty its cell
// under that column, and e3/2/Qty or e3/Name 3/Qty is in the second row, or in that of this name, of
// table e3.
func (d *Document) locateCell(ctx context.Context, ref, base string, path []string) (*World, int, error) {
	w, n, err := d.LocateRef(ctx, base)
	if err != nil {
		return nil, 0, err
	}
	var cell struct {
		N int `json:"n"`
	}
	if err := d.EvaluateIn(ctx, w, "cellRef", map[string]any{"n": n, "path": path}, &cell); err != nil {
		return nil, 0, d.Translate(ctx, ref, err)
	}
	return w, cell.N, nil
}
