package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"
)

// engine is one running Chromium and its protocol connection. It is never reused
// after the connection is lost.
type engine struct {
	owner *Browser
	conn  *chromedp.Browser
	ctx   context.Context // chromedp's, of the whole browser
	free  func()          // releases what chromedp holds; blocks

	pid        int
	executable string
	version    string
	profile    *tempProfile

	once   sync.Once
	noted  chan struct{} // closed when the end of the connection is known to the browser, its sessions and tabs
	exited chan struct{} // closed when the process is gone and the profile removed
	endErr error         // of the clean-up; read after exited

	newcomer newcomer // of the goroutine that reads events

	mu       sync.Mutex
	stopping bool
	tabs     map[target.ID]*Tab
	frames   map[cdp.FrameID]*Tab                               // whose each frame is
	contexts map[cdp.BrowserContextID]*Session                  // whose each browser context is; the default one is nobody's
	loading  map[string]func(*cdpbrowser.EventDownloadProgress) // by GUID: the downloads under way
	incoming string                                             // where downloads go first; "" before any may
}

// start launches or attaches. ctx bounds the start only.
func start(ctx context.Context, b *Browser) (*engine, error) {
	e := &engine{
		owner: b, noted: make(chan struct{}), exited: make(chan struct{}), tabs: make(map[target.ID]*Tab), frames: make(map[cdp.FrameID]*Tab),
		contexts: make(map[cdp.BrowserContextID]*Session), loading: make(map[string]func(*cdpbrowser.EventDownloadProgress)),
	}
	what := b.cfg.CDPEndpoint
	var alloc context.Context
	var freeAlloc context.CancelFunc
	if what != "" {
		alloc, freeAlloc = remote.NewAllocator(context.Background(), what)
	} else {
		var err error
		if e.executable, err = findExecutable(b.cfg.Executable); err != nil {
			return nil, err
		}
		what = e.executable
		if err := e.claimProfile(); err != nil {
			return nil, err
		}
		alloc, freeAlloc = chromedp.NewExecAllocator(context.Background(), launchOptions(b.cfg, e.executable, e.profile.dir)...)
	}
	// chromedp also reports calls that end with their tab, so nothing it says
	// without a caller is more than a detail.
	var cancel context.CancelFunc
	e.ctx, cancel = chromedp.NewContext(alloc, chromedp.WithBrowserOption(
		chromedp.WithBrowserErrorf(func(format string, args ...any) { b.log.Debug("protocol: " + fmt.Sprintf(format, args...)) }),
		chromedp.WithBrowserLogf(func(format string, args ...any) { b.log.Debug("protocol: " + fmt.Sprintf(format, args...)) }),
	))
	e.free = func() { cancel(); freeAlloc() }
	if err := e.connect(ctx); err != nil {
		e.free()
		_ = e.profile.remove(context.Background())
		return nil, &LaunchError{What: what, Err: err}
	}
	return e, nil
}

func (e *engine) claimProfile() error {
	if dir := e.owner.cfg.UserDataDir; dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make the profile directory: %w", err)
		}
		e.profile = &tempProfile{dir: dir}
		return nil
	}
	if n := sweepProfiles(os.TempDir(), time.Now()); n > 0 {
		e.owner.log.Info("removed temporary profiles of dead processes", "count", n)
	}
	var err error
	e.profile, err = newTempProfile()
	return err
}

// connect runs the first protocol calls. chromedp ties the life of the browser to
// the context of the first call, so that cannot carry the limit of the start.
func (e *engine) connect(ctx context.Context) error {
	done := make(chan error, 1)
	go func() {
		_, err := chromedp.Targets(e.ctx)
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			return err
		}
	case <-ctx.Done():
		e.free()
		if err := <-done; err != nil {
			return errors.Join(ctx.Err(), err)
		}
		return ctx.Err()
	}
	e.conn = chromedp.FromContext(e.ctx).Browser
	if p := e.conn.Process(); p != nil {
		e.pid = p.Pid
	}
	if err := chromedp.ListenBrowser(e.ctx, e.onEvent); err != nil {
		return fmt.Errorf("listen to the browser: %w", err)
	}
	version, err := cdp.Call(ctx, e.conn, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("ask for the version: %w", err)
	}
	e.version = version.Product
	if err := call(ctx, e.conn, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("discover targets: %w", err)
	}
	return e.allowDownloads(ctx, "")
}

// watch waits for the end of the connection, whatever ended it.
func (e *engine) watch() {
	<-e.conn.LostConnection
	stopping, tabs := e.state()
	reason := &BrowserGoneError{}
	if stopping {
		reason.Reason = "it was closed"
	}
	for _, t := range tabs {
		t.die(reason, reason.Error())
	}
	e.owner.forget(e)
	close(e.noted)
	if !stopping {
		e.owner.log.Warn("the browser ended unexpectedly", "pid", e.pid)
		killGroup(e.pid)
		e.finish()
	}
}

func (e *engine) state() (stopping bool, tabs []*Tab) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.tabs {
		tabs = append(tabs, t)
	}
	return e.stopping, tabs
}

// finish leaves nothing behind: it waits for the process, kills what remains of its
// group and removes a temporary profile.
func (e *engine) finish() {
	e.once.Do(func() {
		e.free()
		killGroup(e.pid)
		e.endErr = e.profile.remove(context.Background())
		e.mu.Lock()
		incoming := e.incoming
		e.mu.Unlock()
		if incoming != "" {
			e.endErr = errors.Join(e.endErr, os.RemoveAll(incoming))
		}
		close(e.exited)
	})
}

// wait blocks until nothing of the engine is left.
func (e *engine) wait(ctx context.Context) error {
	select {
	case <-e.exited:
		return e.endErr
	case <-ctx.Done():
		return fmt.Errorf("wait for the browser to exit: %w", ctx.Err())
	}
}

// stop ends a launched Chromium, killing it when ctx ends first, and leaves an
// attached one running without our tabs.
func (e *engine) stop(ctx context.Context) error {
	e.mu.Lock()
	again := e.stopping
	e.stopping = true
	e.mu.Unlock()
	if again {
		return e.wait(ctx)
	}
	if e.owner.profileKind() == AttachedProfile {
		_, tabs := e.state()
		for _, t := range tabs {
			_ = t.leave(ctx)
		}
	} else {
		// Browser.close lets Chromium write its profile. It fails when the browser
		// is gone already, which is what is wanted.
		graceful, cancel := context.WithCancel(e.ctx)
		defer cancel()
		defer context.AfterFunc(ctx, func() { cancel(); killGroup(e.pid) })()
		if err := chromedp.Cancel(graceful); err != nil {
			e.owner.log.Debug("graceful close", "error", err)
		}
	}
	e.finish()
	return e.endErr
}

// explain replaces the error of a call that failed because the browser ended.
func (e *engine) explain(err error) error {
	select {
	case <-e.conn.LostConnection:
		e.mourn()
		return &BrowserGoneError{}
	default:
		return err
	}
}

// mourn waits until everybody knows that the connection has ended, so that the call after the one that learns of it
// finds no tab of it, and starts another browser.
func (e *engine) mourn() {
	select {
	case <-e.noted:
	case <-time.After(detachGrace):
	}
}

// onEvent runs on the goroutine that reads the connection: it must not call the
// browser or wait for anything.
func (e *engine) onEvent(ev any) {
	switch ev := ev.(type) {
	case *target.EventTargetCreated:
		e.adopt(ev.TargetInfo)
	case *target.EventTargetInfoChanged:
		if t := e.tab(ev.TargetInfo.TargetID); t != nil {
			t.onInfo(ev.TargetInfo)
		}
	case *target.EventTargetDestroyed:
		if t := e.tab(ev.TargetID); t != nil && !e.discarded(t) {
			t.die(&ClosedError{Tab: t.id, Reason: t.whyClosed()}, t.whyClosed())
		}
	case *cdpbrowser.EventDownloadWillBegin:
		e.onDownload(ev)
	case *cdpbrowser.EventDownloadProgress:
		e.onProgress(ev)
	case *target.EventTargetCrashed:
		if t := e.tab(ev.TargetID); t != nil {
			t.onCrash()
		}
	}
}

func (e *engine) tab(id target.ID) *Tab {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tabs[id]
}

// adopt makes a page that a tab opened a tab of the same session. It is listed at
// once and attached in the background: a call on it waits for that.
func (e *engine) adopt(info *target.Info) {
	if info.Type != "page" || info.Subtype != "" {
		return
	}
	if info.OpenerID == "" {
		e.newcomer = newcomer{info, time.Now()}
		return
	}
	opener := e.tab(info.OpenerID)
	if opener == nil {
		return
	}
	t, fresh := e.newTab(opener.session, info.TargetID)
	if !fresh {
		return
	}
	t.opener, t.parent, t.late = opener.id, opener, true
	t.shared.Store(true)
	opener.shared.Store(true)
	t.onInfo(info)
	if opener.session.add(t, false) {
		go t.follow()
		return
	}
	e.giveUp(t)
}

// giveUp ends a tab whose session ended while the browser opened it.
func (e *engine) giveUp(t *Tab) {
	go func() {
		ctx, cancel := context.WithTimeout(e.ctx, closeLimit)
		defer cancel()
		t.giveUp(ctx)
	}()
}

// own notes whose a browser context is.
func (e *engine) own(id cdp.BrowserContextID, s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.contexts[id] = s
}

func (e *engine) disown(id cdp.BrowserContextID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.contexts, id)
}

// sessionOf is the session that a browser context was made for; nil for the default one, and for those that are not from here.
func (e *engine) sessionOf(id cdp.BrowserContextID) *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contexts[id]
}

// forget drops a dead tab.
func (e *engine) forget(id target.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.tabs, id)
}

func (e *engine) ownWindows() bool { return e.owner.cfg.Headless && e.owner.cfg.CDPEndpoint == "" }

// createTarget opens an empty page without bringing anything to the front. Headless,
// each tab gets a window, so that it is visible to itself and to screenshots; on a
// screen they share one, because a heap of windows is no help to a person.
func (e *engine) createTarget(ctx context.Context, in cdp.BrowserContextID) (target.ID, error) {
	yes, window := true, e.ownWindows()
	create := func() (target.CreateTargetResult, error) {
		return cdp.Call(ctx, e.conn, target.CreateTarget, target.CreateTargetParams{
			URL: "about:blank", BrowserContextID: in, NewWindow: &window, Background: &yes,
		})
	}
	res, err := create()
	if err != nil && !window && strings.Contains(err.Error(), "no browser is open") {
		window = true
		res, err = create()
	}
	if err != nil {
		return "", fmt.Errorf("open a tab: %w", err)
	}
	return res.TargetID, nil
}
