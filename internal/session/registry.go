package session

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

// Config says how browsers are started and reached. The zero value is that of browser.Config, for
// this machine only.
type Config struct {
	// Browser configures the server's own browser. Launched ones differ only by their
	// LaunchOptions. The registry sets OnChange and TabIDs.
	Browser browser.Config
	// Shared reports whether a client works in the default browser context of the server's own
	// browser, with the cookies of its profile. Other clients get a browser context of their own.
	// Nil means no client does.
	Shared func(id string) bool
	// AllowRemote permits attaching to browsers on other machines.
	AllowRemote bool
}

// Registry holds all connections of a process: the server's own browser, and a Set for each client.
type Registry struct {
	cfg Config
	own *browser.Browser
	log *slog.Logger

	mu   sync.Mutex
	sets map[string]*Set
}

// New returns a registry without clients. It starts nothing.
func New(cfg Config) *Registry {
	b := &Registry{cfg: cfg, log: cfg.Browser.Logger, sets: make(map[string]*Set)}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	b.cfg.Browser.TabIDs = new(atomic.Uint64)
	own := b.cfg.Browser
	own.OnChange = b.onBrowserChange
	b.own = browser.New(own)
	return b
}

// OwnBrowser returns the server's own browser.
func (b *Registry) OwnBrowser() *browser.Browser { return b.own }

// Set returns the connections of a client, made at first use.
func (b *Registry) Set(id string) *Set {
	b.mu.Lock()
	defer b.mu.Unlock()
	s, ok := b.sets[id]
	if !ok {
		s = newSet(b, id)
		b.sets[id] = s
	}
	return s
}

// session returns a client's session in the server's own browser.
func (b *Registry) session(id string) *browser.Session {
	if b.cfg.Shared != nil && b.cfg.Shared(id) {
		return b.own.Session(id)
	}
	return b.own.IsolatedSession(id)
}

// onBrowserChange refreshes the client whose session changed in the server's own browser.
func (b *Registry) onBrowserChange(session string) {
	b.mu.Lock()
	s := b.sets[session]
	b.mu.Unlock()
	if s != nil {
		s.Refresh()
	}
}

// End ends all connections of a client. A client without connections is not an error.
func (b *Registry) End(ctx context.Context, id string) error {
	b.mu.Lock()
	s := b.sets[id]
	delete(b.sets, id)
	b.mu.Unlock()
	if s == nil {
		return nil
	}
	return s.end(ctx)
}

// Close ends every connection and the server's own browser. It uses a timeout of its own if ctx has
// no deadline.
func (b *Registry) Close(ctx context.Context) error {
	b.mu.Lock()
	ids := make([]string, 0, len(b.sets))
	for id := range b.sets {
		ids = append(ids, id)
	}
	b.mu.Unlock()
	errs := make([]error, len(ids)+1)
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() { errs[i] = b.End(ctx, id) })
	}
	wg.Wait()
	errs[len(ids)] = b.own.Close(ctx)
	return errors.Join(errs...)
}
