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

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// attach connects to the page and applies the settings of every tab. It runs once; ctx bounds it.
func (t *Tab) attach(ctx context.Context) error {
	t.attachOnce.Do(func() {
		err := t.connect(ctx)
		if err != nil {
			err = fmt.Errorf("attach to tab %s: %w", t.id, err)
			go func() { _ = t.closeOrRelease(context.Background()) }() // the failed tab is closed in the background
		}
		t.finishAttach(err)
	})
	return t.attachErr
}

// finishAttach wakes the calls that wait for the tab, with the error of a failed attach.
func (t *Tab) finishAttach(err error) {
	t.attachErr = err
	t.mu.Lock()
	t.attached, t.dialogWatcher = true, nil
	t.notifyLocked()
	t.mu.Unlock()
	close(t.ready)
}

// closeUnattached closes a tab that was never attached, because its session has ended.
func (t *Tab) closeUnattached(ctx context.Context) {
	t.attachOnce.Do(func() { t.finishAttach(t.session.endedError("attach to tab " + t.id)) })
	if err := t.closeOrRelease(ctx); err != nil {
		t.session.browser.log.Warn("close a tab of an ended session", "tab", t.id, "error", err)
	}
}

// attachInBackground attaches to a page that no call opened. It has no deadline, because a dialog
// blocks the page for as long as it is open.
func (t *Tab) attachInBackground(first ...string) {
	defer close(t.opened)
	ctx, cancel := context.WithCancel(t.instance.ctx)
	defer cancel()
	log := t.session.browser.log
	if s, stop, err := watchDialogs(ctx, t); err != nil {
		log.Debug("a popup is not watched while it opens", "error", err)
	} else {
		defer func() { stop(); t.restoreAgent() }()
		for _, command := range first {
			if err := s.send(ctx, command, struct{}{}); err != nil {
				log.Warn("wake a tab", "tab", t.id, "error", err)
			}
		}
	}
	if err := t.attach(ctx); err != nil {
		log.Warn("attach to a popup", "tab", t.id, "error", err)
	}
}

func (t *Tab) connect(ctx context.Context) error {
	session, err := t.openSession(ctx, t.target)
	if err != nil {
		return err
	}
	t.mu.Lock()
	t.release = func() { session.Close(t.instance.ctx) }
	t.mu.Unlock()
	t.cdp = session
	session.Listen(t.onEvent) // first, so that it hears the messages that the browser repeats
	if err := enableDomains(ctx, session); err != nil {
		return err
	}
	if err := t.applySettings(ctx); err != nil {
		return err
	}
	t.inherit(ctx)
	t.startMark(ctx)
	t.page = page.New(t.cdp, t.attachFrame)
	t.page.Secrets.Related, t.page.Secrets.ScriptSource = t.relatedGuards, t.scriptSource
	t.takeOverRefs()
	t.observer.Store(t.page)
	t.page.Files.RestoreChoosers = t.adopted
	return nil
}

// openSession opens a session with the page or with a frame of it. It ends early when the tab ends.
func (t *Tab) openSession(ctx context.Context, id target.ID) (*protocol.Session, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-t.done:
			cancel(t.endError())
		case <-stop:
		}
	}()
	return t.instance.conn.Attach(ctx, id)
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
func (t *Tab) applySettings(ctx context.Context) error {
	return concurrently(
		func() error {
			return protocol.Exec(ctx, t.cdp, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		},
		func() error { return t.applyViewport(ctx) },
		func() error { return t.interceptFileChoosers(ctx) },
		func() error {
			tree, err := cdp.Call(ctx, t.cdp, cdppage.GetFrameTree, cdp.Empty{})
			if err == nil {
				t.initFrame(tree.FrameTree.Frame)
			}
			return err
		},
	)
}

// applyViewport gives the page the configured viewport. An adopted page keeps the size of its
// window, which belongs to a person.
func (t *Tab) applyViewport(ctx context.Context) error {
	if t.adopted {
		return nil
	}
	return t.ResetViewport(ctx, t.cdp)
}

// attachFrame opens a session with an out-of-process frame. The browser lists such a frame as a
// target with the frame's id.
func (t *Tab) attachFrame(ctx context.Context, id target.ID) (cdp.Session, func(), error) {
	session, err := t.openSession(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	detach := func() { go session.Close(t.instance.ctx) } // it waits for the browser
	if err := enableDomains(ctx, session); err != nil {
		detach()
		return nil, nil, err
	}
	go t.FollowFrameConsoles(t.instance.ctx)
	return session, detach, nil
}
