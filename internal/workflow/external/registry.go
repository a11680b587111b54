package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow/external/config"
	"github.com/callsheet/callsheet/internal/workflow/external/oauth"
)

// Config configures Open. Either Files or Servers is required.
type Config struct {
	Files   []string         // servers.json files; a later file replaces entries of the same alias
	Servers []*config.Server // parsed entries; they replace those of Files

	Env      config.Lookup // variables of the process, before .env files; nil means os.LookupEnv
	State    statedir.Dir  // stores catalogs and tokens; zero means the user's state directory
	LockFile string        // "" means servers.lock.json beside the last of Files
	Locked   bool          // refuse a server whose tools differ from the lock file

	Logger  *slog.Logger               // nil discards logs
	Version string                     // of this program, sent to servers
	Changed func(alias string)         // called from any goroutine when a catalog changes
	Browse  func(address string) error // opens a URL in the user's browser for Login; nil makes Login fail
	Key     func() (string, error)     // the passphrase that encrypts tokens; nil means seal.FromEnvironment

	Transport http.RoundTripper // sends the requests to servers over HTTP; nil means http.DefaultTransport
}

func (r *Registry) transport() http.RoundTripper {
	if r.cfg.Transport != nil {
		return r.cfg.Transport
	}
	return http.DefaultTransport
}

// Registry holds the external servers. Its methods are safe for concurrent use.
type Registry struct {
	cfg      Config
	log      *slog.Logger
	diags    diag.List
	servers  map[string]*server
	aliases  []string
	cache    catalogCache
	tokens   oauth.Store
	watchdog *watchdog

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup // goroutines that Close waits for

	envs sync.Map // directory → func() (config.Lookup, error)

	lockOnce    sync.Once
	lockedTools lockFile
	lockErr     error
}

// Open reads the entries and starts nothing. An invalid entry fails only the calls to its server;
// Diagnostics lists all problems. Open returns an error for a file that is invalid as a whole.
func Open(cfg Config) (*Registry, error) {
	list, diags, err := config.Load(cfg.Files...)
	if err != nil {
		return nil, err
	}
	if err := fileErrors(list, diags); err != nil {
		return nil, err
	}
	if cfg.Env == nil {
		cfg.Env = os.LookupEnv
	}
	if cfg.State == (statedir.Dir{}) {
		if cfg.State, err = statedir.New(""); err != nil {
			return nil, err
		}
	}
	if cfg.LockFile == "" && len(cfg.Files) > 0 {
		cfg.LockFile = filepath.Join(filepath.Dir(cfg.Files[len(cfg.Files)-1]), "servers.lock.json")
	}
	r := &Registry{cfg: cfg, log: cfg.Logger, diags: diags, servers: map[string]*server{},
		cache: catalogCache{dir: cfg.State}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.watchdog = &watchdog{log: r.log}
	if cfg.Key == nil {
		cfg.Key = seal.FromEnvironment
	}
	r.tokens = oauth.Store{Dir: cfg.State, Sealer: seal.New(cfg.Key)}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	for _, s := range append(list, cfg.Servers...) {
		if _, twice := r.servers[s.Alias]; !twice {
			r.aliases = append(r.aliases, s.Alias)
		}
		r.servers[s.Alias] = newServer(r, s)
	}
	slices.Sort(r.aliases)
	return r, nil
}

// fileErrors joins the errors that concern no single entry. They make the whole file unusable.
func fileErrors(list []*config.Server, diags diag.List) error {
	known := map[diag.Pos]bool{}
	for _, s := range list {
		for _, d := range s.Problems() {
			known[d.Pos] = true
		}
	}
	var errs []error
	for _, d := range diags {
		if d.Severity != diag.Error || known[d.Pos] {
			continue
		}
		text := d.Pos.String() + ": " + d.Message
		if d.Hint != "" {
			text += "; " + d.Hint
		}
		errs = append(errs, errors.New(text))
	}
	return errors.Join(errs...)
}

// Diagnostics returns the problems of the files and of all entries, sorted.
func (r *Registry) Diagnostics() diag.List { return r.diags }

// Aliases lists the servers, sorted.
func (r *Registry) Aliases() []string { return slices.Clone(r.aliases) }

// Has reports whether a server has the alias, usable or not.
func (r *Registry) Has(alias string) bool { _, ok := r.servers[alias]; return ok }

// Stateful reports whether a call changes what later calls see, as in a browser. Runs that use such
// a server must not interleave.
func (r *Registry) Stateful(alias string) bool {
	s, ok := r.servers[alias]
	return ok && s.entry.Stateful
}

// Reserve waits until no other run has reserved the server and reserves it until release is called.
// It does nothing for a server that is not stateful. Calls need no reservation; it separates whole
// runs. A caller that reserves several servers must reserve them in the order of their aliases.
func (r *Registry) Reserve(ctx context.Context, alias string) (release func(), err error) {
	s, err := r.usableServer(alias)
	if err != nil {
		return nil, err
	}
	if !s.entry.Stateful {
		return func() {}, nil
	}
	select {
	case s.reserved <- struct{}{}:
		return sync.OnceFunc(func() { <-s.reserved }), nil
	case <-ctx.Done():
		return nil, s.newError("", ctx.Err())
	case <-r.ctx.Done():
		return nil, errorf(alias, Closed, "the registry is closed")
	}
}

// Catalog returns the tools of a server: those that this process fetched, else those stored on
// disk, else it starts the server and fetches them. It applies allowedTools and blockedTools.
func (r *Registry) Catalog(ctx context.Context, alias string) (Catalog, error) {
	s, err := r.usableServer(alias)
	if err != nil {
		return Catalog{}, err
	}
	if c, ok := s.knownCatalog(); ok {
		return c, s.checkLock()
	}
	return r.Refresh(ctx, alias)
}

// Refresh fetches the tools of a server.
func (r *Registry) Refresh(ctx context.Context, alias string) (Catalog, error) {
	s, err := r.usableServer(alias)
	if err != nil {
		return Catalog{}, err
	}
	c, err := s.discover(ctx)
	if err != nil {
		return Catalog{}, err
	}
	return c, s.checkLock()
}

// Discover fetches the tools of several servers (all enabled ones if none is named) concurrently,
// each within its startup timeout. It returns errors by alias.
func (r *Registry) Discover(ctx context.Context, aliases ...string) map[string]error {
	if len(aliases) == 0 {
		for _, a := range r.aliases {
			if !r.servers[a].entry.Disabled {
				aliases = append(aliases, a)
			}
		}
	}
	errs := make(map[string]error)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for _, alias := range aliases {
		wg.Go(func() {
			if _, err := r.Refresh(ctx, alias); err != nil {
				mu.Lock()
				defer mu.Unlock()
				errs[alias] = err
			}
		})
	}
	wg.Wait()
	return errs
}

// Call calls a tool. args is a JSON object, or nil for none; progress may be nil. The call ends
// with ctx, after the server's timeout without progress, or with the connection; the server then
// receives a cancellation. An error means that there is no result; a Result with IsError is the
// tool's own error.
func (r *Registry) Call(ctx context.Context, alias, tool string, args json.RawMessage, progress Progress) (Result,
	error) {
	s, err := r.usableServer(alias)
	if err != nil {
		return Result{}, err
	}
	return s.call(ctx, tool, args, progress)
}

// Close ends all calls, connections and processes and waits for them, at most a few seconds per
// server. The registry is unusable afterwards.
func (r *Registry) Close(ctx context.Context) error {
	r.cancel()
	for _, s := range r.servers {
		s.stop()
	}
	done := make(chan struct{})
	go func() {
		r.tasks.Wait()
		r.watchdog.stop()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the external servers: %w", ctx.Err())
	}
}

// usableServer returns a server with a valid, enabled entry.
func (r *Registry) usableServer(alias string) (*server, error) {
	s, ok := r.servers[alias]
	switch {
	case r.ctx.Err() != nil:
		return nil, errorf(alias, Closed, "the registry is closed")
	case !ok:
		return nil, errorf(alias, UnknownServer, "no such server%s", didYouMean(toolkit.Nearest(alias, r.aliases)))
	case s.entry.Disabled:
		return nil, errorf(alias, BadEntry, "%s: the server is disabled", s.entry.Pos)
	}
	if err := s.entry.Err(); err != nil {
		return nil, &Error{Alias: alias, Reason: BadEntry, Err: err}
	}
	return s, nil
}

// environment returns the variables for the entries of a directory. It reads the .env files once,
// on first use.
func (r *Registry) environment(dir string) (config.Lookup, error) {
	read := sync.OnceValues(func() (config.Lookup, error) { return config.Environment(dir, r.cfg.Env) })
	found, _ := r.envs.LoadOrStore(dir, read)
	return found.(func() (config.Lookup, error))()
}
