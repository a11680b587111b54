package browser

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/engine/browser/permission"
	"github.com/callsheet/callsheet/internal/engine/browser/prompt"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// detachGrace bounds the wait of a call that lost its target for the reason.
const detachGrace = time.Second

// Tab is one page of a session. Its methods are safe for concurrent use. Those that work on the
// page run one at a time, in order of arrival, and never wait for another tab.
type Tab struct {
	id       string
	opener   string
	session  *Session
	instance *instance
	target   target.ID
	adopted  bool            // it existed before us and stays when its session ends
	console  *console.Buffer // messages of the page

	// The concerns of the tab, each with methods of its own.
	Activity      Activity        // requests and downloads since points in its life
	Calls         Calls           // the call that works on the page
	Children      *children.Set   // out-of-process frames and workers
	Dialogs       Dialogs         // JavaScript dialogs
	Document      Document        // the document of the main frame
	FileChoosers  FileChoosers    // file choosers that the page opened
	FrameConsoles FrameConsoles   // consoles of out-of-process frames
	Instruments   Instruments     // what other packages attach to it
	Permissions   *permission.Tab // permissions that it sets
	Prompts       prompt.Log      // what its pages ask of a person
	Scripts       Scripts         // scripts of callers
	attachment    attachment      // how it attaches
	bar           bar             // the bar that marks it for a person
	freezer       freezer         // how it sleeps while no call uses it
	openerTree    openerTree      // the tabs that its pages may share a process with
	windows       windowCounter   // windows that its pages tried to open

	// observer is page, for the goroutine that reads events while the tab attaches.
	observer atomic.Pointer[page.Page]

	// shared reports that the tab is one of several in a window, so it may be hidden there.
	shared atomic.Bool

	done chan struct{} // closed when the tab has ended for good

	cdp  *protocol.Session // written before the attachment is ready, as is page
	page *page.Page

	// mu guards these fields and those of the concerns, unless they say otherwise.
	mu         sync.Mutex
	endCause   error
	closing    bool
	lossReason string // why the tab has no page; "" while it has one
	context    cdp.BrowserContextID
	title      string
	metrics    *emulation.SetDeviceMetricsOverrideParams // the page's metrics as set by an instrument, or nil
	changes    changes
	// listeners is replaced, never modified, so that events are delivered without the lock.
	listeners []*listener
}

// newTab registers a page as a tab of a session. If the page is a tab already, it returns that tab
// with fresh false.
func (e *instance) newTab(s *Session, id target.ID) (t *Tab, fresh bool) {
	return e.newNamedTab(s, "", id)
}

// newNamedTab is newTab for a given tab id; "" assigns the next one.
func (e *instance) newNamedTab(s *Session, name string, id target.ID) (t *Tab, fresh bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if t = e.tabs[id]; t != nil {
		return t, false
	}
	if name == "" {
		name = "t" + strconv.FormatUint(s.browser.ids.Add(1), 10)
	}
	t = &Tab{id: name, session: s, instance: e, target: id, console: console.New(), done: make(chan struct{})}
	t.Activity, t.Dialogs, t.Document = Activity{tab: t}, Dialogs{tab: t}, Document{tab: t}
	t.Children = children.New(children.Page{Name: name, Base: e.ctx, Protocol: t.Protocol, Listen: t.Listen, Log: s.browser.log})
	t.Calls = Calls{tab: t, lock: make(chan struct{}, 1)}
	t.FileChoosers, t.FrameConsoles, t.Instruments = FileChoosers{tab: t}, FrameConsoles{tab: t}, Instruments{tab: t}
	t.Scripts, t.openerTree = Scripts{tab: t}, openerTree{tab: t}
	t.Permissions = permission.New(permission.Host{
		Name: name, Conn: e.conn, Base: e.ctx, Tables: &e.permissions, URL: t.URL, Closed: t.Closed, Log: s.browser.log,
		Context: func(ctx context.Context) (cdp.BrowserContextID, error) { return s.permissionContext(ctx, e) },
		Explain: e.explain,
	})
	t.attachment = attachment{
		tab: t, ready: make(chan struct{}), opened: make(chan struct{}), released: make(chan struct{}),
	}
	t.bar, t.windows, t.freezer = bar{tab: t}, windowCounter{tab: t}, freezer{tab: t, usedAt: time.Now()}
	t.shared.Store(!e.isHeadless())
	e.tabs[id], e.frames.owners[cdp.FrameID(id)] = t, t
	return t, true
}

// ID returns the tab's id, "t1", "t2" and so on, never reused in this process.
func (t *Tab) ID() string { return t.id }

// Opener returns the id of the tab that opened this one, or "".
func (t *Tab) Opener() string { return t.opener }

// URL returns the URL of the page as the browser last reported it.
func (t *Tab) URL() string { return t.info().URL }

// Title returns the title of the page as the browser last reported it, which can lag behind the
// page; Session.Tabs asks the browser.
func (t *Tab) Title() string { return t.info().Title }

// maxTitle bounds a title in results, in bytes.
const maxTitle = 500

func (t *Tab) info() TabInfo {
	t.mu.Lock()
	defer t.mu.Unlock()
	return TabInfo{
		ID: t.id, URL: fence.Line(t.Document.state.url), Title: text.ClipBytes(fence.Line(t.title), maxTitle), Opener: t.opener, LossReason: t.lossReason, Dialog: t.Dialogs.open.Clone(),
	}
}

// Do runs fn with the tab's page while no other call works on it. Waiting for the lock honors ctx.
//
// The context of fn also ends when a dialog opens, the page crashes, or the tab or browser ends. Do
// then returns DialogError, CrashedError, ClosedError or BrowserGoneError instead of fn's error.
// With an open dialog, a crashed page or a blocked tab (see Block) it returns the error without
// calling fn. When fn returns nil, Do does too, even if a dialog opened at its very end.
func (t *Tab) Do(ctx context.Context, fn func(ctx context.Context, p *page.Page) error) error {
	return t.do(ctx, nil, func(ctx context.Context) error { return fn(ctx, t.page) })
}

// do is Do without the page. recovers is nil but for a navigation, which can recover a crashed tab
// and answers the dialogs in its way by this policy.
func (t *Tab) do(ctx context.Context, recovers *dialogPolicy, fn func(ctx context.Context) error) error {
	if err := t.Calls.acquire(ctx); err != nil {
		return t.report(err)
	}
	return t.report(t.runLocked(ctx, recovers, fn))
}

// report logs the failures of the page script, and waits until the end of a browser is known.
func (t *Tab) report(err error) error {
	if gone := (*BrowserGoneError)(nil); errors.As(err, &gone) {
		t.instance.waitForExitHandling()
	}
	if failure, ok := errors.AsType[*document.ScriptError](err); ok {
		t.session.browser.log.Error("the page script failed", "failure", failure.ID, "url", t.URL(), "stack", failure.Stack)
	}
	return err
}

// runLocked runs fn for the call that holds the lock, which it releases.
func (t *Tab) runLocked(ctx context.Context, recovers *dialogPolicy, fn func(ctx context.Context) error) error {
	defer func() { <-t.Calls.lock }()
	if err := t.freezer.reloadDiscarded(recovers != nil); err != nil {
		return err
	}
	if recovers != nil {
		t.Dialogs.startPolicy(recovers)
	}
	if err := t.attachment.wait(ctx); err != nil {
		return err
	}
	t.freezer.markUse()
	defer t.freezer.markUse()
	if err := t.freezer.wake(ctx); err != nil {
		return t.explain(ctx, ctx, err)
	}
	if recovers != nil {
		if err := t.Calls.release(ctx); err != nil {
			return err
		}
	}
	if err := t.openerTree.dialogError(ctx); err != nil {
		return err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if err := t.Calls.start(cancel, recovers != nil); err != nil {
		return t.explain(ctx, ctx, err) // the tab may close while it is being attached
	}
	defer t.Instruments.beginCall()()
	err := fn(inner)
	t.mu.Lock()
	t.Calls.cancel = nil
	t.mu.Unlock()
	return t.explain(ctx, inner, err)
}

// explain returns the cause of a failed call: the event that interrupted it, or the end of the tab,
// which the protocol reports first as a detached target. nil stays nil.
func (t *Tab) explain(ctx, inner context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() == nil && inner.Err() != nil:
		return context.Cause(inner)
	}
	select {
	case <-t.instance.conn.Lost():
		return t.instance.explain(err)
	default:
	}
	if errors.Is(err, chromedp.ErrTargetDetached) {
		select {
		case <-t.done:
			return t.endError()
		case <-time.After(detachGrace):
		case <-ctx.Done():
		}
	}
	return err
}

func (t *Tab) endError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.endCause
}

// end ends the tab for good. It may be called from event handling, and twice.
func (t *Tab) end(err error, why string) {
	t.mu.Lock()
	if t.endCause != nil {
		t.mu.Unlock()
		return
	}
	t.endCause = err
	t.Dialogs.open, t.Calls.blocked = nil, nil
	t.mu.Unlock()
	t.session.removeTab(t, why) // before the call ends that works on the tab: the next one must not find it
	t.mu.Lock()
	t.Calls.interruptLocked(err)
	t.changes.notify()
	t.mu.Unlock()
	t.notifyListeners(&inspector.EventDetached{Reason: err.Error()})
	t.instance.removeTab(t.target)
	t.instance.frames.expire(t)
	close(t.done) // last, so that waiters find the tab gone from the list
	t.Permissions.Update()
	go func() {
		select {
		case <-t.attachment.ready:
			if t.page != nil {
				t.page.Close()
			}
		case <-t.instance.conn.Lost():
		}
		t.mu.Lock()
		free := t.attachment.detach
		t.mu.Unlock()
		if free != nil {
			free()
		}
	}()
}

func (t *Tab) closeReason() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closing {
		return "it was closed"
	}
	return "its page closed itself"
}

// closeOrRelease closes the tab with its page, but leaves an adopted page open.
func (t *Tab) closeOrRelease(ctx context.Context) error {
	if t.adopted {
		t.end(&ClosedError{Tab: t.id, Reason: releasedReason}, releasedReason)
		return nil
	}
	return t.close(ctx)
}

// close closes the page and waits until it is gone, whatever its beforeunload dialog says; see
// onDialog.
func (t *Tab) close(ctx context.Context) error {
	t.mu.Lock()
	t.closing = true
	t.mu.Unlock()
	t.attachment.waitUntilReleased(ctx)
	t.Dialogs.dismissForClose(ctx)
	if err := t.Calls.release(ctx); err != nil {
		t.session.browser.log.Debug("close a blocked tab", "tab", t.id, "error", err)
	}
	if err := protocol.Exec(ctx, t.instance.conn, target.CloseTarget, target.CloseTargetParams{TargetID: t.target}); err != nil {
		select {
		case <-t.done:
			return nil
		default:
			return fmt.Errorf("close tab %s: %w", t.id, t.instance.explain(err))
		}
	}
	select {
	case <-t.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close tab %s: %w", t.id, context.Cause(ctx))
	}
}

// Outlines returns the boxes of the elements in the viewport that have refs; with refs, only those. It
// is for people who watch: it waits for no call and changes nothing. A tab that is not attached has none.
func (t *Tab) Outlines(ctx context.Context, refs []string) ([]read.Outline, error) {
	p := t.observer.Load()
	if p == nil {
		return nil, nil
	}
	return p.Read.Outlines(ctx, refs)
}
