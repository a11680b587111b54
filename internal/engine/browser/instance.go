package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"
	"github.com/callsheet/callsheet/internal/engine/browser/permission"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// instance is one running Chromium and its protocol connection. It is not reused after the
// connection is lost.
type instance struct {
	owner   *Browser
	remote  *Remote // what it is attached to; nil for a launched browser
	conn    *protocol.Conn
	ctx     context.Context // ends with the connection
	release func()          // ends the connection; safe to call again

	process    *chromium.Process // nil for a browser that was launched elsewhere
	pid        int
	executable string
	version    string
	dataDir    *chromium.DataDir

	cleanupOnce sync.Once
	exitHandled chan struct{} // closed when the browser, its sessions and its tabs have handled the exit
	exited      chan struct{} // closed when the process has exited and its data directory is removed
	cleanupErr  error         // of cleanUp; read after exited is closed

	lastPage    pageCreation // used only by the goroutine that reads events
	permissions permission.Tables

	holdMu     sync.Mutex
	holdsPages atomic.Bool // new pages wait until they are released; see popup.go

	downloads downloadReceiver
	frames    frameOwners
	requests  *intercept.Interceptor

	mu       sync.Mutex
	stopping bool
	tabs     map[target.ID]*Tab
	// contexts has the session of each browser context but the default one.
	contexts map[cdp.BrowserContextID]*Session
}

// startInstance launches or attaches to a browser. ctx bounds the start only.
func startInstance(ctx context.Context, b *Browser) (*instance, error) {
	e := &instance{
		owner: b, remote: b.remote.Load(), exitHandled: make(chan struct{}), exited: make(chan struct{}),
		tabs:     make(map[target.ID]*Tab),
		contexts: make(map[cdp.BrowserContextID]*Session),
	}
	e.downloads = downloadReceiver{instance: e, handlers: make(map[string]func(*cdpbrowser.EventDownloadProgress))}
	e.frames = frameOwners{instance: e, owners: make(map[cdp.FrameID]*Tab)}
	if ctx.Err() != nil {
		return nil, &LaunchError{Location: cmp.Or(b.endpoint(), b.cfg.Executable), Err: context.Cause(ctx)}
	}
	transport, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	var cancel context.CancelFunc
	e.ctx, cancel = context.WithCancel(context.Background())
	e.conn = protocol.Open(transport, e.onEvent, e.releasePage)
	e.release = sync.OnceFunc(func() { cancel(); _ = e.conn.Close() })
	go func() {
		<-e.conn.Lost()
		cancel()
	}()
	if err := e.connect(ctx); err != nil {
		e.release()
		if e.process != nil {
			err = e.explainStart(ctx, err)
			chromium.KillGroup(e.pid) // its children outlive it and write into the profile
			<-e.process.Exited()
		}
		_ = e.dataDir.Remove(context.Background())
		return nil, &LaunchError{Location: cmp.Or(b.endpoint(), e.executable), Err: err}
	}
	return e, nil
}

// open connects to the configured endpoint, or launches a Chromium, whose data directory it prepares.
func (e *instance) open(ctx context.Context) (chromedp.Transport, error) {
	cfg := e.owner.cfg
	if e.remote != nil {
		return e.openRemote(ctx)
	}
	var err error
	if e.executable, err = chromium.FindExecutable(cfg.Executable); err != nil {
		return nil, err
	}
	if err := e.prepareProfile(); err != nil {
		return nil, &LaunchError{Location: e.executable, Err: err}
	}
	args, err := e.launchArgs()
	if err != nil {
		return nil, err
	}
	options := chromium.Options{
		Headless: cfg.Headless, Width: cfg.Viewport.Width, Height: cfg.Viewport.Height,
		DebugPort: cfg.DebugPort, Args: args, Persistent: cfg.UserDataDir != "", TempDir: e.dataDir.TempDir,
	}
	options.WarnOfSandbox(e.owner.log)
	if e.process, err = chromium.Start(e.executable, e.dataDir.Path, options); err != nil {
		_ = e.dataDir.Remove(context.Background())
		return nil, &LaunchError{Location: e.executable, Err: err}
	}
	e.pid = e.process.PID
	return e.process.Transport, nil
}

// explainStart returns the error of a start with what Chromium wrote, if its end of the connection was closed. It waits for
// the process, which says why before it exits.
func (e *instance) explainStart(ctx context.Context, err error) error {
	if !errors.Is(err, chromedp.ErrTargetDetached) {
		return err
	}
	select {
	case <-e.process.Exited():
		return fmt.Errorf("chrome failed to start:\n%s", e.process.Output())
	case <-ctx.Done():
		return errors.Join(ctx.Err(), err)
	}
}

// prepareProfile opens the configured user data directory, or creates a temporary one.
func (e *instance) prepareProfile() (err error) {
	if n := chromium.SweepDataDirs(os.TempDir(), time.Now()); n > 0 {
		e.owner.log.Info("removed temporary profiles of dead processes", "count", n)
	}
	if dir := e.owner.cfg.UserDataDir; dir != "" {
		e.dataDir, err = chromium.OpenDataDir(dir)
	} else {
		e.dataDir, err = chromium.NewTempDataDir()
	}
	return err
}

// connect runs the first protocol calls.
func (e *instance) connect(ctx context.Context) error {
	version, err := cdp.Call(ctx, e.conn, cdpbrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return fmt.Errorf("ask for the version: %w", err)
	}
	e.version = version.Product
	e.requests = intercept.New(e.ctx, e.conn, intercept.Config{
		Guard: e.owner.cfg.Guard, Traffic: e.owner.cfg.Traffic, BodyTimeout: e.owner.bodyTimeout,
		Describe: e.frames.describe, OnRefusal: e.frames.onRefusal,
	})
	if err := e.requests.Enable(ctx); err != nil {
		return err
	}
	if err := protocol.Exec(ctx, e.conn, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{Discover: true}); err != nil {
		return fmt.Errorf("discover targets: %w", err)
	}
	return e.downloads.allow(ctx, "")
}

// watchConnection waits for the end of the connection and handles it.
func (e *instance) watchConnection() {
	<-e.conn.Lost()
	stopping, tabs := e.state()
	reason := &BrowserGoneError{}
	if stopping {
		reason.Reason = "it was closed"
	}
	e.owner.recordTabs()
	for _, t := range tabs {
		t.end(reason, reason.Error())
	}
	e.owner.onBrowserExit(e)
	close(e.exitHandled)
	if !stopping {
		e.owner.log.Warn("the browser ended unexpectedly", "pid", e.pid)
		chromium.KillGroup(e.pid)
		e.cleanUp()
	}
}

func (e *instance) state() (stopping bool, tabs []*Tab) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.tabs {
		tabs = append(tabs, t)
	}
	return e.stopping, tabs
}

// cleanUp waits for the process to exit, kills the rest of its process group and removes a
// temporary profile.
func (e *instance) cleanUp() {
	e.cleanupOnce.Do(func() {
		e.release()
		chromium.KillGroup(e.pid)
		if e.process != nil {
			<-e.process.Exited()
		}
		e.cleanupErr = e.dataDir.Remove(context.Background())
		e.mu.Lock()
		remove := e.downloads.removeIncoming
		e.mu.Unlock()
		if remove != nil {
			e.cleanupErr = errors.Join(e.cleanupErr, remove())
		}
		close(e.exited)
	})
}

// waitForExit blocks until cleanUp is done.
func (e *instance) waitForExit(ctx context.Context) error {
	select {
	case <-e.exited:
		return e.cleanupErr
	case <-ctx.Done():
		return fmt.Errorf("wait for the browser to exit: %w", ctx.Err())
	}
}

// stop ends a launched Chromium and kills it when ctx ends first. It leaves an attached browser
// running without our tabs.
func (e *instance) stop(ctx context.Context) error {
	e.mu.Lock()
	again := e.stopping
	e.stopping = true
	e.mu.Unlock()
	if again {
		return e.waitForExit(ctx)
	}
	if e.remote != nil {
		_, tabs := e.state()
		for _, t := range tabs {
			_ = t.closeOrRelease(ctx)
		}
	} else {
		// Browser.close lets Chromium write its profile. It fails when the browser has exited
		// already.
		defer context.AfterFunc(ctx, func() { chromium.KillGroup(e.pid) })()
		if err := protocol.Exec(ctx, e.conn, cdpbrowser.Close, cdp.Empty{}); err != nil {
			e.owner.log.Debug("graceful close", "error", err)
		}
		<-e.process.Exited()
	}
	go e.cleanUp()
	select {
	case <-e.exited:
		return e.cleanupErr
	case <-ctx.Done(): // its processes are killed; a busy disk may still remove the profile
	}
	killed, cancel := context.WithTimeout(context.WithoutCancel(ctx), killTimeout)
	defer cancel()
	return e.waitForExit(killed)
}

// explain replaces the error of a call that failed because the browser exited.
func (e *instance) explain(err error) error {
	select {
	case <-e.conn.Lost():
		e.waitForExitHandling()
		return &BrowserGoneError{}
	default:
		return err
	}
}

// waitForExitHandling waits until browser, sessions and tabs have handled the exit, so that the
// next call finds no old tab and starts another browser.
func (e *instance) waitForExitHandling() {
	select {
	case <-e.exitHandled:
	case <-time.After(detachGrace):
	}
}

func (e *instance) tab(id target.ID) *Tab {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.tabs[id]
}

// onTargetCreated makes a page that a tab opened a tab of the same session. The tab is listed at
// once and attached in the background: a call on it waits for that.
func (e *instance) onTargetCreated(info *target.Info) {
	if info.Type != "page" || info.Subtype != "" {
		return
	}
	if info.OpenerID == "" {
		e.lastPage = pageCreation{info, time.Now()}
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
	t.opener, t.Instruments.opener = opener.id, opener
	t.attachment.held = e.holdsPages.Load()
	t.shared.Store(true)
	opener.shared.Store(true)
	t.onTargetInfo(info)
	allowed := opener.session.allowsPopup()
	if allowed && opener.session.addTab(t, false) {
		go t.attachment.runInBackground()
		return
	}
	if !allowed {
		opener.windows.addRefused()
	}
	e.closeUnattached(t)
}

// closeUnattached closes a tab whose session ended while the browser opened it, or may not have it.
func (e *instance) closeUnattached(t *Tab) {
	go func() {
		ctx, cancel := context.WithTimeout(e.ctx, closeTimeout)
		defer cancel()
		t.attachment.closeUnattached(ctx)
	}()
}

// setContextOwner records the session of a browser context.
func (e *instance) setContextOwner(id cdp.BrowserContextID, s *Session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.contexts[id] = s
}

func (e *instance) deleteContextOwner(id cdp.BrowserContextID) {
	e.permissions.Delete(id)
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.contexts, id)
}

// contextOwner returns the session of a browser context; nil for the default one and for those
// created elsewhere.
func (e *instance) contextOwner(id cdp.BrowserContextID) *Session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.contexts[id]
}

// removeTab drops a closed tab.
func (e *instance) removeTab(id target.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.tabs, id)
}

func (e *instance) isHeadless() bool { return e.owner.cfg.Headless && e.remote == nil }

// createTarget opens an empty page in the background. Headless, each tab gets a window, so that it
// is visible to itself and to screenshots. With visible windows the tabs share one.
func (e *instance) createTarget(ctx context.Context, in cdp.BrowserContextID) (target.ID, error) {
	yes, window := true, e.isHeadless()
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
