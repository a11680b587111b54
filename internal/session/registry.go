package session

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
	"github.com/callsheet/callsheet/internal/engine/relay"
)

// Config says how browsers are started and reached. The zero value is that of browser.Config, for
// this machine only.
type Config struct {
	// Browser configures the server's own browser. Launched ones differ only by their
	// LaunchOptions. The registry sets OnChange, TabIDs and Holds.
	Browser browser.Config
	// Shared reports whether a client works in the default browser context of the server's own
	// browser, with the cookies of its profile. Other clients get a browser context of their own.
	// Nil means no client does.
	Shared func(id string) bool
	// Endpoints are the DevTools addresses of more browsers on which the sessions of clients are
	// spread, besides that of Browser. Sessions that Shared names stay in the first browser.
	Endpoints []string
	// PingInterval is the time between two pings of each browser of Endpoints, PingTimeout the time
	// that it has for the answer; 0 means 5 and 15 seconds.
	PingInterval, PingTimeout time.Duration
	// AllowRemote permits attaching to browsers on other machines.
	AllowRemote bool
	// Clients has the clients' permissions for browsers of their own.
	Clients ClientPolicy
	// PageTools are the tools of pages.
	PageTools PageTools
}

// Registry holds all connections of a process: the server's own browser, and a Set for each client.
type Registry struct {
	cfg Config
	own *browser.Browser
	log *slog.Logger

	// Extension takes the connections of the browser extension.
	Extension relay.Hub

	browsers []*browser.Browser // own, and those of Endpoints
	pool     *pool.Pool         // of browsers
	pinging  sync.Once
	stopPing context.CancelFunc
	pingCtx  context.Context

	mu       sync.Mutex
	sets     map[string]*Set
	attached map[string]*attachedBrowser
}

// New returns a registry without clients. It starts nothing.
func New(cfg Config) *Registry {
	b := &Registry{cfg: cfg, log: cfg.Browser.Logger, sets: make(map[string]*Set), attached: make(map[string]*attachedBrowser)}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.cfg.Browser.TabIDs, b.cfg.Browser.Holds = new(atomic.Uint64), new(personhold.Holds)
	own := b.cfg.Browser
	own.OnChange = b.refresh
	own.Isolate = own.Isolate || len(cfg.Endpoints) > 0 // what one browser keeps, another does not have
	b.own = browser.New(own)
	b.browsers = append(b.browsers, b.own)
	for _, endpoint := range cfg.Endpoints {
		own.CDPEndpoint, own.Remote = endpoint, nil
		b.browsers = append(b.browsers, browser.New(own))
	}
	b.pool = pool.New(b.browsers...)
	b.pingCtx, b.stopPing = context.WithCancel(context.Background())
	return b
}

// OwnBrowser returns the server's own browser, the first one if there are several.
func (r *Registry) OwnBrowser() *browser.Browser { return r.own }

// Holds returns the sessions that a person controls, in all browsers of the registry.
func (r *Registry) Holds() *personhold.Holds { return r.cfg.Browser.Holds }

// Pool returns the pool of the server's own browsers, which Close closes.
func (r *Registry) Pool() *pool.Pool { return r.pool }

// Set returns the connections of a client, made at first use.
func (r *Registry) Set(id string) *Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	s, ok := r.sets[id]
	if !ok {
		s = newSet(r, id)
		r.sets[id] = s
	}
	return s
}

// Find returns the connections of a client, or nil. Unlike Set it makes none.
func (r *Registry) Find(id string) *Set {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.sets[id]
}

// IDs returns the ids of the clients that have connections, in no order.
func (r *Registry) IDs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.sets))
}

// Usage counts the clients that have connections and their tabs, and returns the process ids of the browsers that run; 0
// stands for one that is attached to.
func (r *Registry) Usage() (clients, tabs int, running []int) {
	r.mu.Lock()
	sets, browsers := slices.Collect(maps.Values(r.sets)), make(map[*browser.Browser]bool)
	r.mu.Unlock()
	for _, b := range r.browsers {
		browsers[b] = true
	}
	for _, s := range sets {
		for _, c := range s.connections() {
			tabs += len(c.Session().TabIDs())
			browsers[c.browser] = true
		}
	}
	for b := range browsers {
		if status := b.Status(); status.Running {
			running = append(running, status.PID)
		}
	}
	return len(sets), tabs, running
}

// isShared reports whether a client works in the default browser context of the first browser.
func (r *Registry) isShared(id string) bool { return r.cfg.Shared != nil && r.cfg.Shared(id) }

// session returns a client's session in one of the server's own browsers.
func (r *Registry) session(own *browser.Browser, id string) *browser.Session {
	if r.isShared(id) {
		return own.Session(id)
	}
	return own.IsolatedSession(id)
}

// refresh refreshes the facts of a client, if it has connections.
func (r *Registry) refresh(id string) {
	if s := r.Find(id); s != nil {
		s.Refresh()
	}
}

// RefreshAfterCalls is RefreshAfterCall for every tool of a registry, which it returns.
func (r *Registry) RefreshAfterCalls(reg *toolkit.Registry) *toolkit.Registry {
	for i := range reg.Tools {
		r.RefreshAfterCall(&reg.Tools[i])
	}
	return reg
}

// RefreshAfterCall has the calls of a tool refresh the facts of their client before they return: the
// next call must see the facts that this result reports, and a change may end a call before it is
// observed. Dialogs end the calls. It changes t, which must not be in use.
func (r *Registry) RefreshAfterCall(t *toolkit.Tool) {
	next := t.Invoke
	t.Invoke = func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
		defer r.refresh(call.Session.ID)
		return next(dialog.OfCall(ctx), call, g, args)
	}
}

// End ends all connections of a client. A client without connections is not an error.
func (r *Registry) End(ctx context.Context, id string) error {
	r.mu.Lock()
	s := r.sets[id]
	delete(r.sets, id)
	r.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.end(ctx)
}

// Close ends every connection and the server's own browsers. It uses a timeout of its own if ctx has
// no deadline.
func (r *Registry) Close(ctx context.Context) error {
	ids := r.IDs()
	errs := make([]error, len(ids)+1)
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { errs[i] = r.End(ctx, id) })
	}
	wg.Wait()
	r.stopPing()
	errs[len(ids)] = r.pool.Close(ctx)
	return errors.Join(errs...)
}
