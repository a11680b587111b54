// Package browser runs one Chromium and manages what surrounds a page: the protocol connection, the
// sessions that share the browser, their tabs, navigation, JavaScript dialogs, downloads, cookies
// and storage, scripts and screenshots.
//
// Package page, which it imports, reads and acts on documents; package console keeps their
// messages; package chromium starts the process. It must not know MCP, tools, the manifest or
// policy: it returns plain values and typed errors.
//
// It is one package because an instance, its sessions and their tabs handle the same events and end
// together.
package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/browser/intercept"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/browser/queue"
	"github.com/callsheet/callsheet/internal/login/statefile"
)

const (
	// launchTimeout bounds one start of Chromium. A cold start takes a third of a second; a loaded
	// container with a cold disk cache can need twenty seconds.
	launchTimeout = 30 * time.Second
	// closeTimeout bounds a graceful exit when the caller's context has no deadline.
	closeTimeout = 10 * time.Second
	// killTimeout bounds the wait for processes that were killed.
	killTimeout = 3 * time.Second
	// unusedTimeout bounds the graceful exit of a browser that nothing was opened in.
	unusedTimeout = time.Second
)

// Size is a width and a height in CSS pixels.
type Size struct{ Width, Height int }

// Config describes which Chromium to run and how. The zero value is a browser with windows and a
// temporary profile, found on the PATH.
type Config struct {
	// Executable is the path or name of Chromium; see chromium.FindExecutable for "".
	Executable string
	// Headless starts Chromium without windows.
	Headless bool
	// UserDataDir is a persistent profile. "" means a temporary one that is removed at the end.
	UserDataDir string
	// CDPEndpoint is a running browser to attach to, http://host:port or ws://…. With it no browser
	// is launched, and Close leaves the browser running.
	CDPEndpoint string
	// Tabs are the tabs of the browser at CDPEndpoint that sessions may use.
	Tabs TabAccess
	// Remote is a running browser to attach to, in place of CDPEndpoint.
	Remote *Remote
	// Isolate gives each session of IsolatedSession a browser context of its own with every kind of
	// profile.
	Isolate bool
	// Viewport is the size of every page; zero means 1280×720.
	Viewport Size
	// Args are more Chromium switches, "--name" or "--name=value". They override the defaults,
	// except that feature lists are joined.
	Args []string
	// DebugPort is a loopback port on which other programs can attach to a launched browser; 0
	// opens none.
	DebugPort int
	// MaxDocument is the megabytes after which the load of a document is stopped; 0 is no limit.
	MaxDocument int
	// PinTab makes no other tab current where the current one closes; see [UnknownTabError].
	PinTab bool
	// AllowFile permits file: addresses in Navigate and Open.
	AllowFile bool
	// NoScriptAddresses refuses data: addresses in Navigate and Open whose pages could run script of
	// the caller.
	NoScriptAddresses bool
	// OnChange, if set, is called with a session's id after its tabs or dialogs changed, or its
	// browser started or exited. It runs in event handling, without locks: it must return quickly
	// and must call nothing that waits for the browser.
	OnChange func(session string)
	// Guard decides which addresses pages may reach; nil lets them reach all.
	Guard intercept.Guard
	// Traffic replays or records the requests of pages of a launched browser; nil does neither.
	Traffic intercept.Traffic
	// InitialState, if set, returns the storage state that the browser context of a session begins
	// with. It adds to a persistent profile, and a browser that was launched elsewhere does not get
	// it. Its error is that of the call that opens the first tab.
	InitialState func(session string) (statefile.State, error)
	// Downloads stores what pages download; nil refuses downloads.
	Downloads download.Store
	// Conceal lists texts that no screenshot or PDF may show. If it is not empty, password fields
	// are concealed too.
	Conceal []string
	// TabIDs counts tabs. Browsers that share a counter never give two tabs one id; nil counts for
	// this browser alone.
	TabIDs *atomic.Uint64
	// Holds has the sessions that a person controls; nil has none.
	Holds *personhold.Holds
	// Logger receives errors that no call can return; nil discards them.
	Logger *slog.Logger
}

// Browser is one Chromium and the sessions that share it. The first call that needs it launches it,
// and so does the first call after it exited. All methods are safe for concurrent use.
type Browser struct {
	cfg Config
	log *slog.Logger
	ids *atomic.Uint64 // counts tabs; ids are never reused, so that a stale id never names another tab

	remote   atomic.Pointer[Remote] // to attach to; nil launches a browser
	openings *queue.Queue           // bounds how many tabs open at once; sessions take turns
	// Beyond liveTabs tabs, those that were unused for freezeAfter are frozen.
	liveTabs    int
	freezeAfter time.Duration
	bodyTimeout time.Duration // how long the body of a recorded response may take

	mu       sync.Mutex
	instance *instance
	launch   *pendingLaunch // in progress
	exiting  []*instance
	sessions map[string]*Session
	proxies  map[string]string // by client: proxy of the browser contexts that the client opens
	closed   bool
}

// pendingLaunch is one start of an instance that several callers may wait for.
type pendingLaunch struct {
	done     chan struct{}
	cancel   context.CancelFunc
	instance *instance
	err      error
}

// wait waits until the launch has ended, with a browser or without.
func (l *pendingLaunch) wait(ctx context.Context) error {
	select {
	case <-l.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for the start of the browser to end: %w", context.Cause(ctx))
	}
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
	b := &Browser{
		cfg: cfg, log: log, ids: cfg.TabIDs, sessions: make(map[string]*Session),
		openings: queue.New(concurrentOpenings(), "tabs to open"),
		liveTabs: defaultLiveTabs, freezeAfter: defaultFreezeAfter, bodyTimeout: intercept.DefaultBodyTimeout,
	}
	b.remote.Store(cfg.configuredRemote())
	return b
}

// ProfileKind says what becomes of the browser's data at the end.
type ProfileKind string

// The kinds of profile.
const (
	TemporaryProfile  ProfileKind = "temporary"  // launched here, removed at the end
	PersistentProfile ProfileKind = "persistent" // launched here, kept
	AttachedProfile   ProfileKind = "attached"   // the profile of a browser that was launched elsewhere
)

// Ping measures the response time of the browser. It never launches one: ok is false when none
// runs.
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
	case b.remote.Load() != nil:
		return AttachedProfile
	case b.cfg.UserDataDir != "":
		return PersistentProfile
	}
	return TemporaryProfile
}

// Session returns the session with this id, made at first use. It uses the browser's default
// context: cookies and storage are those of the profile.
func (b *Browser) Session(id string) *Session { return b.session(id, id, sharedContext) }

// IsolatedSession is like Session but gives a new session a browser context of its own, which
// shares no cookie, storage or cache with another session. Persistent and attached profiles have
// one context, because their point is to be logged in; for them it is the same as Session.
func (b *Browser) IsolatedSession(id string) *Session {
	return b.session(id, id, ownContextUnlessKept)
}

// WorkerSession returns another session of the client with this id. It has a browser context of its
// own with every kind of profile, and OnChange names the client.
func (b *Browser) WorkerSession(id, name string) *Session {
	return b.session(workerKey(id, name), id, ownContext)
}

// workerKey cannot equal a client's id, which is printable.
func workerKey(id, name string) string { return id + "\x00" + name }

func (b *Browser) session(key, id string, in contextChoice) *Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.sessions[key]
	if !ok {
		s = newSession(b, id, in)
		if own := b.sessions[id]; own != nil { // a ref means one element of a client
			s.refs = own.refs
		}
		b.sessions[key] = s
	}
	return s
}

// EndSession closes the tabs of a session and disposes of its browser context. An unknown session
// is not an error.
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

// ensureInstance returns the running instance and launches one if there is none. Concurrent callers
// share a launch, and one that gives up does not cancel it for the others.
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
		// An exiting process still locks a persistent profile, and two browsers at once need twice
		// the memory.
		for _, old := range retiring {
			_ = old.waitForExit(ctx)
		}
		l.instance, l.err = startInstance(ctx, b)
		b.mu.Lock()
		if b.closed && l.instance != nil {
			b.mu.Unlock()
			stopUnused(l.instance)
			l.instance, l.err = nil, &BrowserGoneError{Reason: "it was closed"}
			b.mu.Lock()
		}
		b.launch = nil
		b.instance = l.instance
		b.mu.Unlock()
		close(l.done)
		if l.instance != nil {
			go l.instance.watchConnection()
			go l.instance.freezeUnusedTabs()
			go l.instance.keepAlive()
		}
	}()
	return l
}

// stopUnused ends a browser that started while Close was waiting, and drops its error.
func stopUnused(e *instance) {
	ctx, cancel := context.WithTimeout(context.Background(), unusedTimeout)
	defer cancel()
	_ = e.stop(ctx)
}

// onBrowserExit drops an instance that has exited, so that the next call launches another.
func (b *Browser) onBrowserExit(e *instance) {
	b.mu.Lock()
	if b.instance == e {
		b.instance = nil
	}
	b.exiting = append(b.exiting, e)
	b.mu.Unlock()
	go func() {
		_ = e.waitForExit(context.Background())
		b.mu.Lock()
		b.exiting = slices.DeleteFunc(b.exiting, func(r *instance) bool { return r == e })
		b.mu.Unlock()
	}()
	stopping, _ := e.state()
	for _, s := range b.allSessions() {
		s.onBrowserExit(e, !stopping)
		b.notifyChange(s.id)
	}
}

func (b *Browser) allSessions() []*Session {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Values(b.sessions))
}

func (b *Browser) notifyChange(session string) {
	if b.cfg.OnChange != nil {
		b.cfg.OnChange(session)
	}
}

// Close ends the browser: gracefully while ctx lasts (ten seconds if it has no deadline), then by
// killing its processes. An attached browser only loses the tabs that were opened here. It returns
// after the process has exited and a temporary profile is removed. It is safe on a browser that
// never ran, and safe to call twice.
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
		if err := l.wait(ctx); err != nil {
			return err
		}
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
