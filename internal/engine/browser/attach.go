package browser

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/internal/engine/page"
)

// attach connects to the page and puts it in the state that every tab has. It runs
// once; ctx bounds it.
func (t *Tab) attach(ctx context.Context) error {
	t.attachOnce.Do(func() {
		err := t.connect(ctx)
		if err != nil {
			err = fmt.Errorf("attach to tab %s: %w", t.id, err)
			go func() { _ = t.closeOrRelease(context.Background()) }() // the tab is being given up
		}
		t.finishAttach(err)
	})
	return t.attachErr
}

// finishAttach tells those who wait for the tab that it is attached, or why it never will be.
func (t *Tab) finishAttach(err error) {
	t.attachErr = err
	t.mu.Lock()
	t.attached, t.dialogWatcher = true, nil
	t.notifyLocked()
	t.mu.Unlock()
	close(t.ready)
}

// closeUnattached ends a tab that nobody has attached to, since its session has ended.
func (t *Tab) closeUnattached(ctx context.Context) {
	t.attachOnce.Do(func() { t.finishAttach(t.session.endedError("attach to tab " + t.id)) })
	if err := t.closeOrRelease(ctx); err != nil {
		t.session.browser.log.Warn("close a tab of an ended session", "tab", t.id, "error", err)
	}
}

// attachInBackground attaches to a page that nobody waits for. It has no deadline: a dialog can keep
// the page from answering for as long as nobody handles it.
func (t *Tab) attachInBackground(first ...string) {
	ctx, cancel := context.WithCancel(t.instance.ctx)
	defer cancel()
	log := t.session.browser.log
	if s, stop, err := watchDialogs(ctx, t); err != nil {
		log.Debug("a popup is not watched while it opens", "error", err)
	} else {
		t.mu.Lock()
		t.dialogWatcher = s
		t.mu.Unlock()
		defer stop()
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
	tctx, cancel := chromedp.NewContext(t.instance.ctx, chromedp.WithTargetID(t.target), chromedp.WithDetachOnCancel())
	t.mu.Lock()
	t.release = cancel
	t.mu.Unlock()
	attached := make(chan error, 1)
	go func() { attached <- chromedp.Do(tctx) }()
	select {
	case err := <-attached:
		if err != nil {
			return err
		}
	case <-t.done:
		return t.endError()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	t.cdp = chromedp.FromContext(tctx).Target
	if err := chromedp.Listen(tctx, t.onEvent); err != nil {
		return fmt.Errorf("listen to the page: %w", err)
	}
	if err := t.applySettings(ctx); err != nil {
		return err
	}
	t.inherit(ctx)
	t.page = page.New(t.cdp, t.attachFrame)
	t.takeOverRefs()
	t.observer.Store(t.page)
	t.page.RestoreFileChoosers = t.adopted
	return nil
}

// applySettings turns off what chromedp enables and nobody reads — on a large page the
// events of the DOM and CSS domains cost more than the work — and has a page in the
// background believe that it is in front, so that it keeps its animation frames. The
// fixed viewport also keeps hidden tabs drawing: without it a screenshot of one waits
// for a frame that never comes. The calls are independent and go out together.
func (t *Tab) applySettings(ctx context.Context) error {
	calls := []func() error{
		func() error { return call(ctx, t.cdp, dom.Disable, cdp.Empty{}) },
		func() error { return call(ctx, t.cdp, css.Disable, cdp.Empty{}) },
		func() error {
			return call(ctx, t.cdp, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: false})
		},
		func() error {
			return call(ctx, t.cdp, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
		},
		func() error { return t.applyViewport(ctx) },
		func() error { return t.interceptFileChoosers(ctx) },
		func() error { return t.replayMessages(ctx) },
		func() error {
			tree, err := cdp.Call(ctx, t.cdp, cdppage.GetFrameTree, cdp.Empty{})
			if err == nil {
				t.initFrame(tree.FrameTree.Frame)
			}
			return err
		},
	}
	errs := make([]error, len(calls))
	var wg sync.WaitGroup
	for i, c := range calls {
		wg.Go(func() { errs[i] = c() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// applyViewport gives the page the configured viewport. The window of a page that was there before us is a person's, and keeps
// the size they gave it.
func (t *Tab) applyViewport(ctx context.Context) error {
	if t.adopted {
		return nil
	}
	return t.ResetViewport(ctx, t.cdp)
}

// attachFrame opens a session with a frame that runs in another process than its page.
// The browser lists such a frame as a target whose id is the frame's.
func (t *Tab) attachFrame(ctx context.Context, id target.ID) (cdp.Session, func(), error) {
	own, cancel := chromedp.NewContext(t.instance.ctx, chromedp.WithTargetID(id), chromedp.WithDetachOnCancel())
	leave := func() { go cancel() } // it waits for the browser
	attached := make(chan error, 1)
	go func() { attached <- chromedp.Do(own) }()
	select {
	case err := <-attached:
		if err != nil {
			leave()
			return nil, nil, err
		}
	case <-t.done:
		leave()
		return nil, nil, t.endError()
	case <-ctx.Done():
		leave()
		return nil, nil, context.Cause(ctx)
	}
	session := chromedp.FromContext(own).Target
	// Nobody reads what these tell about every mutation; failing to turn them off costs time only.
	_ = call(ctx, session, dom.Disable, cdp.Empty{})
	_ = call(ctx, session, css.Disable, cdp.Empty{})
	_ = call(ctx, session, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: false})
	return session, leave, nil
}
