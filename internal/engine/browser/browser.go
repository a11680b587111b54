// Package browser runs one Chromium and manages what surrounds a page: the protocol connection, the sessions that share
// the browser, their tabs, navigation, JavaScript dialogs, downloads, cookies and storage, scripts and screenshots.
//
// Package page, which it imports, reads and acts on documents; package console keeps their messages; package chromium
// starts the process. It must not know MCP, tools, the manifest or policy: it returns plain values and typed errors.
package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
)

const (
	// launchTimeout bounds one start of Chromium. A cold start takes about a third
	// of a second; a loaded container with a cold disk cache can need twenty.
	launchTimeout = 30 * time.Second
	// closeTimeout bounds a graceful end when the caller's context has no deadline.
	closeTimeout = 10 * time.Second
)

// Size is a width and a height in CSS pixels unless a field says otherwise.
type Size struct{ Width, Height int }

// Config says which Chromium to use and how. The zero value is a headed browser
// with a temporary profile, found on the PATH.
type Config struct {
	// Executable is the path or name of Chromium; empty means $CHROME_PATH, then
	// the known names, then the known places of the operating system.
	Executable string
	// Headless starts Chromium without windows.
	Headless bool
	// UserDataDir is a profile that outlives us; empty means a temporary one that
	// is removed at the end.
	UserDataDir string
	// CDPEndpoint is a running browser to attach to, http://host:port or ws://…;
	// with it nothing is launched and the browser is not ended by Close.
	CDPEndpoint string
	// Viewport is the size of every page; zero means 1280×720.
	Viewport Size
	// Args are more Chromium flags, "--name" or "--name=value". They win over
	// ours, except that feature lists are joined.
	Args []string
	// DebugPort, if not 0, is a loopback port on which other programs can attach to a
	// browser that is launched here.
	DebugPort int
	// AllowFile permits file: addresses in Navigate and Open.
	AllowFile bool
	// OnChange, if set, is called with a session's id after its tabs or dialogs
	// changed, or the browser under it came or went. It is called from event
	// handling, without locks: it must return quickly, and may ask what is answered
	// without the browser, such as Session.Connected, but call nothing that waits.
	OnChange func(session string)
	// Downloads takes over what pages download; nil has downloads refused.
	Downloads DownloadStore
	// Conceal are texts that no picture or print of a page may show. With any, password fields are hidden there too.
	Conceal []string
	// TabIDs counts tabs. Browsers that share a counter never give two tabs one id;
	// nil counts for this browser alone.
	TabIDs *atomic.Uint64
	// Logger receives what has no caller to be told; nil discards it.
	Logger *slog.Logger
}

// Browser is one Chromium and the sessions that share it. It is launched by the
// first call that needs it, and again by the first call after it died. All methods
// are safe for concurrent use.
type Browser struct {
	cfg Config
	log *slog.Logger
	ids *atomic.Uint64 // of tabs; never reused, so that a stale id is never another tab

	mu       sync.Mutex
	instance *instance
	launch   *pendingLaunch // in progress
	exiting  []*instance
	sessions map[string]*Session
	proxies  map[string]string // of the contexts that clients will open, by client
	closed   bool
}

// pendingLaunch is one start of the engine that several callers may wait for.
type pendingLaunch struct {
	done     chan struct{}
	cancel   context.CancelFunc
	instance *instance
	err      error
}

// New returns a browser. It reads nothing and starts nothing.
func New(cfg Config) *Browser {
	if cfg.Viewport.Width <= 0 || cfg.Viewport.Height <= 0 {
		cfg.Viewport = Size{Width: 1280, Height: 720}
	}
	log := cfg.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if cfg.TabIDs == nil {
		cfg.TabIDs = new(atomic.Uint64)
	}
	return &Browser{cfg: cfg, log: log, ids: cfg.TabIDs, sessions: make(map[string]*Session)}
}

// ProfileKind says what becomes of the browser's data when we end.
type ProfileKind string

// The kinds of profile.
const (
	TemporaryProfile  ProfileKind = "temporary"  // launched by us, removed at the end
	PersistentProfile ProfileKind = "persistent" // launched by us, kept
	AttachedProfile   ProfileKind = "attached"   // somebody else's browser
)

// Status is what can be said about the browser without starting it.
type Status struct {
	Profile     ProfileKind
	Running     bool
	PID         int    // 0 when not running or attached
	Executable  string // "" before the first launch and when attached
	Version     string // such as "Chrome/156.0.8078.79"; "" when not running
	UserDataDir string // "" when attached, and for a temporary profile when not running
	Endpoint    string // "" unless attached
	DebugPort   int    // 0 unless configured
	Sessions    int
}

// Status reports on the browser; it never launches it.
func (b *Browser) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := Status{
		Profile:     b.profileKind(),
		Endpoint:    b.cfg.CDPEndpoint,
		DebugPort:   b.cfg.DebugPort,
		UserDataDir: b.cfg.UserDataDir,
		Sessions:    len(b.sessions),
	}
	if e := b.instance; e != nil {
		s.Running, s.PID, s.Executable, s.Version = true, e.pid, e.executable, e.version
		if e.dataDir != nil {
			s.UserDataDir = e.dataDir.Path
		}
	}
	return s
}

// Ping asks the browser a question that costs it nothing and returns how long the answer took. It never launches one:
// without a browser that runs, ok is false.
func (b *Browser) Ping(ctx context.Context) (took time.Duration, ok bool, err error) {
	b.mu.Lock()
	e := b.instance
	b.mu.Unlock()
	if e == nil {
		return 0, false, nil
	}
	asked := time.Now()
	if _, err := cdp.Call(ctx, e.conn, cdpbrowser.GetVersion, cdp.Empty{}); err != nil {
		return 0, true, e.explain(err)
	}
	return time.Since(asked), true, nil
}

func (b *Browser) profileKind() ProfileKind {
	switch {
	case b.cfg.CDPEndpoint != "":
		return AttachedProfile
	case b.cfg.UserDataDir != "":
		return PersistentProfile
	}
	return TemporaryProfile
}

// Session returns the session with this id, made on first use. It lives in the
// browser's default context: cookies and storage are those of the profile.
func (b *Browser) Session(id string) *Session { return b.session(id, id, false) }

// IsolatedSession is like Session but gives a new session a browser context of its
// own: no cookie, storage or cache is shared with another session. Persistent and
// attached profiles have one context, because their point is to be logged in; there
// it is the same as Session.
func (b *Browser) IsolatedSession(id string) *Session {
	return b.session(id, id, b.profileKind() == TemporaryProfile)
}

// WorkerSession is a further session of the client with this id: it has a browser context of its own with every kind of
// profile, and what it tells goes to the client.
func (b *Browser) WorkerSession(id, name string) *Session {
	return b.session(workerKey(id, name), id, true)
}

// workerKey cannot be the id of a client, which is printable.
func workerKey(id, name string) string { return id + "\x00" + name }

func (b *Browser) session(key, id string, isolated bool) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.sessions[key]
	if !ok {
		s = newSession(b, id, isolated)
		b.sessions[key] = s
	}
	return s
}

// EndSession closes the tabs of a session and disposes of its browser context. A
// session that does not exist is not an error: ending is idempotent.
func (b *Browser) EndSession(ctx context.Context, id string) {
	b.mu.Lock()
	s := b.sessions[id]
	delete(b.sessions, id)
	delete(b.proxies, id)
	b.mu.Unlock()
	if s != nil {
		s.end(ctx)
	}
}

// EndWorker ends a session of WorkerSession as EndSession does.
func (b *Browser) EndWorker(ctx context.Context, id, name string) {
	b.EndSession(ctx, workerKey(id, name))
}

// ensureInstance returns the engine, launching it if there is none. Callers that arrive
// during a launch share it; one that gives up does not spoil it for the others.
func (b *Browser) ensureInstance(ctx context.Context) (*instance, error) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil, &BrowserGoneError{Reason: "it was closed"}
	}
	if e := b.instance; e != nil {
		b.mu.Unlock()
		return e, nil
	}
	l := b.launch
	if l == nil {
		l = b.launchLocked()
	}
	b.mu.Unlock()
	select {
	case <-l.done:
		return l.instance, l.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the browser to start: %w", context.Cause(ctx))
	}
}

func (b *Browser) launchLocked() *pendingLaunch {
	ctx, cancel := context.WithTimeout(context.Background(), launchTimeout)
	l := &pendingLaunch{done: make(chan struct{}), cancel: cancel}
	b.launch = l
	retiring := slices.Clone(b.exiting)
	go func() {
		defer cancel()
		// A persistent profile is locked by the process that died; and two
		// Chromiums at once is one more than the machine was asked for.
		for _, old := range retiring {
			_ = old.waitForExit(ctx)
		}
		l.instance, l.err = startInstance(ctx, b)
		b.mu.Lock()
		b.launch = nil
		if b.closed && l.instance != nil {
			go func() { _ = l.instance.stop(context.Background()) }() // nobody is left to be told
			l.instance, l.err = nil, &BrowserGoneError{Reason: "it was closed"}
		}
		b.instance = l.instance
		b.mu.Unlock()
		close(l.done)
		if l.instance != nil {
			go l.instance.watchConnection()
		}
	}()
	return l
}

// onBrowserExit drops an engine that is gone, so that the next call launches another.
func (b *Browser) onBrowserExit(e *instance) {
	b.mu.Lock()
	if b.instance == e {
		b.instance = nil
	}
	b.exiting = append(b.exiting, e)
	sessions := make([]*Session, 0, len(b.sessions))
	for _, s := range b.sessions {
		sessions = append(sessions, s)
	}
	b.mu.Unlock()
	go func() {
		_ = e.waitForExit(context.Background())
		b.mu.Lock()
		b.exiting = slices.DeleteFunc(b.exiting, func(r *instance) bool { return r == e })
		b.mu.Unlock()
	}()
	stopping, _ := e.state()
	for _, s := range sessions {
		s.onBrowserExit(e, !stopping)
		b.notifyChange(s.id)
	}
}

func (b *Browser) notifyChange(session string) {
	if b.cfg.OnChange != nil {
		b.cfg.OnChange(session)
	}
}

// Close ends the browser: gracefully while ctx lasts (ten seconds if it has no
// deadline), then by killing its processes. An attached browser only loses the tabs
// that were opened here. It returns after the process is gone and a temporary
// profile is removed, and is safe on a browser that never ran, and twice.
func (b *Browser) Close(ctx context.Context) error {
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, closeTimeout)
		defer cancel()
	}
	b.mu.Lock()
	b.closed = true
	e, l, retiring := b.instance, b.launch, slices.Clone(b.exiting)
	b.mu.Unlock()
	if l != nil {
		l.cancel()
		<-l.done
	}
	var errs []error
	if e != nil {
		errs = append(errs, e.stop(ctx))
	}
	for _, old := range retiring {
		errs = append(errs, old.waitForExit(ctx))
	}
	return errors.Join(errs...)
}

// SetProxy has the browser contexts that a client opens from now on go through a proxy, such as
// http://proxy.example:8080; "" lets them go directly again. Contexts that are open keep what they have, and the
// browser's default context never has one of these. It reports whether there was one.
func (b *Browser) SetProxy(client, server string) (had bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, had = b.proxies[client]
	if server == "" {
		delete(b.proxies, client)
		return had
	}
	if b.proxies == nil {
		b.proxies = make(map[string]string)
	}
	b.proxies[client] = server
	return had
}

// Proxy is what SetProxy has set for a client, or "".
func (b *Browser) Proxy(client string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proxies[client]
}
