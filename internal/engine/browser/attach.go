package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/browser/children"
	"github.com/callsheet/callsheet/internal/engine/browser/prompt"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// attachment is how a tab attaches to its page.
type attachment struct {
	tab   *Tab
	once  sync.Once
	ready chan struct{} // closed when attaching succeeded or failed
	err   error         // written before ready closes
	// opened is closed when runInBackground has returned.
	opened chan struct{}
	// released is closed when the browser holds the page of the popup no more.
	released chan struct{}
	held     bool // the browser held new pages when it reported the popup

	finished bool   // ready is closed
	detach   func() // detaches from the page; waits for the browser
}

// run connects to the page and applies the settings of every tab. It runs once; ctx bounds it.
func (a *attachment) run(ctx context.Context) error {
	a.once.Do(func() {
		err := a.connect(ctx)
		if err != nil {
			err = fmt.Errorf("attach to tab %s: %w", a.tab.id, err)
			go func() { _ = a.tab.closeOrRelease(context.Background()) }() // the failed tab is closed in the background
		}
		a.finish(err)
	})
	return a.err
}

// finish wakes the calls that wait for the tab, with the error of a failed attach.
func (a *attachment) finish(err error) {
	a.err = err
	a.tab.mu.Lock()
	a.finished, a.tab.Dialogs.watcher = true, nil
	a.tab.changes.notify()
	a.tab.mu.Unlock()
	close(a.ready)
}

// closeUnattached closes a tab that was never attached, because its session has ended.
func (a *attachment) closeUnattached(ctx context.Context) {
	a.once.Do(func() { a.finish(a.tab.session.endedError("attach to tab " + a.tab.id)) })
	if err := a.tab.closeOrRelease(ctx); err != nil {
		a.tab.session.browser.log.Warn("close a tab of an ended session", "tab", a.tab.id, "error", err)
	}
}

// runInBackground attaches to a page that no call opened. It has no deadline, because a dialog
// blocks the page for as long as it is open.
func (a *attachment) runInBackground(first ...string) {
	defer close(a.opened)
	ctx, cancel := context.WithCancel(a.tab.instance.ctx)
	defer cancel()
	log := a.tab.session.browser.log
	if s, stop, err := watchDialogs(ctx, a.tab); err != nil {
		log.Debug("a popup is not watched while it opens", "error", err)
	} else {
		defer func() { stop(); a.tab.Instruments.restoreAgent() }()
		for _, command := range first {
			if err := s.session.Send(ctx, command, struct{}{}); err != nil {
				log.Warn("wake a tab", "tab", a.tab.id, "error", err)
			}
		}
	}
	if err := a.run(ctx); err != nil {
		log.Warn("attach to a popup", "tab", a.tab.id, "error", err)
	}
}

func (a *attachment) connect(ctx context.Context) error {
	session, err := a.openSession(ctx, a.tab.target)
	if err != nil {
		return err
	}
	a.tab.mu.Lock()
	a.detach = func() { session.Close(a.tab.instance.ctx) }
	a.tab.mu.Unlock()
	a.tab.cdp = session
	session.Listen(a.tab.onEvent) // first, so that it hears the messages that the browser repeats
	if err := enableDomains(ctx, session); err != nil {
		return err
	}
	if err := a.applySettings(ctx); err != nil {
		return err
	}
	a.tab.Instruments.inherit(ctx)
	a.tab.bar.start(ctx)
	a.tab.page = page.New(a.tab.cdp, a.attachFrame)
	a.tab.page.Document.Refs.Share(a.tab.session.refs)
	guard := a.tab.page.Secrets
	guard.Related, guard.ScriptSource, guard.Scripted = a.tab.openerTree.relatedGuards, a.tab.Scripts.source, &a.tab.session.scripted
	a.tab.page.LimitDocuments(int64(a.tab.session.browser.cfg.MaxDocument)*1e6, func(frame cdp.FrameID, loader cdp.LoaderID) {
		a.tab.Document.onLifecycle(frame, loader, "load") // no such event comes
	})
	a.tab.freezer.takeOverRefs()
	a.tab.observer.Store(a.tab.page)
	a.tab.page.Files.RestoreChoosers, a.tab.page.IsPopup = a.tab.adopted, a.tab.opener != ""
	return nil
}

// openSession opens a session with the page or with a frame of it. It ends early when the tab ends.
func (a *attachment) openSession(ctx context.Context, id target.ID) (*protocol.Session, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-a.tab.done:
			cancel(a.tab.endError())
		case <-stop:
		}
	}()
	session, err := a.tab.instance.conn.Attach(ctx, id)
	if err == nil {
		session.Listen(func(ev any) { a.tab.session.Clipboard.Observe(a.tab.instance.ctx, session, ev) })
	}
	return session, err
}

// enableDomains enables the events of a page or a frame.
func enableDomains(ctx context.Context, s cdp.Session) error {
	yes := true
	return concurrently(
		func() error { return protocol.Exec(ctx, s, runtime.Enable, cdp.Empty{}) },
		func() error { return protocol.Exec(ctx, s, cdplog.Enable, cdp.Empty{}) },
		func() error { return protocol.Exec(ctx, s, network.Enable, network.EnableParams{}) },
		func() error { return protocol.Exec(ctx, s, inspector.Enable, cdp.Empty{}) },
		func() error { return protocol.Exec(ctx, s, cdppage.Enable, cdppage.EnableParams{}) },
		func() error {
			return protocol.Exec(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, Flatten: &yes})
		},
		func() error {
			return protocol.Exec(ctx, s, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true})
		},
	)
}

// concurrently runs independent calls and joins their errors.
func concurrently(calls ...func() error) error {
	errs := make([]error, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { errs[i] = c() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// applySettings makes a background page behave as focused, so that it keeps its animation frames. The
// fixed viewport keeps hidden tabs drawing: without it a screenshot of one waits for a frame that never
// comes. The calls are independent and run concurrently.
func (a *attachment) applySettings(ctx context.Context) error {
	return concurrently(
		func() error {
			return protocol.Exec(ctx, a.tab.cdp, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		},
		func() error { return a.applyViewport(ctx) },
		func() error { return a.interceptFileChoosers(ctx) },
		func() error { return prompt.Watch(ctx, a.tab.cdp, a.tab.IsHeadless()) },
		func() error {
			tree, err := cdp.Call(ctx, a.tab.cdp, cdppage.GetFrameTree, cdp.Empty{})
			if err == nil {
				a.tab.Document.adopt(tree.FrameTree.Frame)
			}
			return err
		},
	)
}

// applyViewport gives the page the configured viewport. An adopted page keeps the size of its
// window, which belongs to a person.
func (a *attachment) applyViewport(ctx context.Context) error {
	if a.tab.adopted {
		return nil
	}
	return a.tab.ApplyMetrics(ctx, a.tab.cdp)
}

// attachFrame opens a session with an out-of-process frame. The browser lists such a frame as a
// target with the frame's id.
func (a *attachment) attachFrame(ctx context.Context, id target.ID) (cdp.Session, func(), error) {
	session, err := a.openSession(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	detach := func() { go session.Close(a.tab.instance.ctx) } // it waits for the browser
	session.Listen(a.tab.Prompts.ObserveFrame)
	err = errors.Join(enableDomains(ctx, session), prompt.Watch(ctx, session, a.tab.IsHeadless()))
	if err != nil {
		detach()
		return nil, nil, err
	}
	go a.tab.FrameConsoles.Follow(a.tab.instance.ctx)
	return session, detach, nil
}

// interceptFileChoosers suppresses the windows of file choosers, which no person would see.
func (a *attachment) interceptFileChoosers(ctx context.Context) error {
	if a.tab.adopted {
		return nil
	}
	return protocol.Exec(ctx, a.tab.cdp, cdppage.SetInterceptFileChooserDialog, cdppage.SetInterceptFileChooserDialogParams{Enabled: true})
}

// wait waits until the tab is attached or has a dialog. A popup shares the process of its
// opener, so it is not attached before the opener's dialog is answered.
func (a *attachment) wait(ctx context.Context) error {
	for {
		limited, cancel := context.WithTimeout(ctx, responseTimeout)
		err := a.tab.waitFor(limited, func() bool { return a.finished || a.tab.Dialogs.open != nil })
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		for _, o := range a.tab.session.TabsWithDialog() {
			if d := o.Dialogs.Open(); d != nil && a.tab.openerTree.sharedWith(o) {
				return &DialogError{Tab: o.id, Dialog: *d}
			}
		}
	}
}

// succeeded reports whether attaching has succeeded.
func (a *attachment) succeeded() bool {
	select {
	case <-a.ready:
		return a.err == nil
	default:
		return false
	}
}

// waitUntilReleased waits until the browser does not hold the page of the tab. The script that opened
// a popup would wait for ever if the popup closed before.
func (a *attachment) waitUntilReleased(ctx context.Context) {
	if !a.held {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, 2*children.SetupTimeout)
	defer cancel()
	select {
	case <-a.released:
	case <-a.tab.done:
	case <-ctx.Done():
	}
}

// waitUntilOpened waits until a popup has attached or failed to, or has ended.
func (a *attachment) waitUntilOpened(ctx context.Context) {
	select {
	case <-a.opened:
	case <-a.tab.done:
	case <-ctx.Done():
	}
}
