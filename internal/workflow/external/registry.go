package external

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow/external/config"
)

// Config is what a registry is opened with. Everything but Files or Servers may be left out.
type Config struct {
	Files   []string         // servers.json files; an entry in a later one replaces its namesake
	Servers []*config.Server // entries read already; they replace those of Files

	Env      config.Lookup // the process's variables; nil means os.LookupEnv. .env files come after them
	State    statedir.Dir  // for catalogs and tokens; the zero Dir means the user's
	LockFile string        // "" means servers.lock.json beside the last of Files
	Locked   bool          // refuse a server whose tools are not those of the lock file

	Logger  *slog.Logger               // nil means none
	Version string                     // of this program, told to servers
	Changed func(alias string)         // called, from any goroutine, when a catalog is not what it was
	Browse  func(address string) error // shows the user an address during Login; nil means Login fails
	Key     func() (string, error)     // the passphrase under which tokens are kept; nil means seal.FromEnvironment
}

// Registry is a set of external servers. Its methods may be called from any goroutine.
type Registry struct {
	cfg      Config
	log      *slog.Logger
	diags    diag.List
	servers  map[string]*server
	aliases  []string
	cache    catalogCache
	tokens   tokenStore
	watchdog *watchdog

	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	tasks  sync.WaitGroup // what Close waits for

	envs sync.Map // directory → func() (servers.Lookup, error)

	lockOnce    sync.Once
	lockedTools lockFile
	lockErr     error
}

// Open reads the entries and starts nothing. A wrong entry fails only calls to its server; Diagnostics tells them all. A
// file that cannot be read as a whole is an error.
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
	r := &Registry{cfg: cfg, log: cfg.Logger, diags: diags, servers: map[string]*server{}, cache: catalogCache{dir: cfg.State}}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	r.watchdog = &watchdog{log: r.log}
	if cfg.Key == nil {
		cfg.Key = seal.FromEnvironment
	}
	r.tokens = tokenStore{dir: cfg.State, sealer: seal.New(cfg.Key)}
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

// fileErrors are the diagnostics that are about no entry: with them the file says less than its author believes.
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

// Diagnostics are all problems of the files, those of entries included, sorted.
func (r *Registry) Diagnostics() diag.List { return r.diags }

// Aliases lists the servers, sorted.
func (r *Registry) Aliases() []string { return slices.Clone(r.aliases) }

// Has reports whether there is a server of that alias, usable or not.
func (r *Registry) Has(alias string) bool { _, ok := r.servers[alias]; return ok }

// Stateful reports whether a call to the server changes what the next one finds, as with a browser: runs that use it
// should not interleave.
func (r *Registry) Stateful(alias string) bool {
	s, ok := r.servers[alias]
	return ok && s.entry.Stateful
}

// Reserve waits until nobody else has reserved the server and reserves it until release is called. For a server that is
// not stateful it does nothing. Calls do not need a reservation: it is how whole runs keep out of each other's way. Who
// reserves several servers must do so in the order of their aliases.
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

// Catalog tells a server's tools: what this process has learned, else what an earlier one left on disk, else what the
// server says, which is started for it. Allowed and blocked tools are taken into account.
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

// Refresh asks a server for its tools, whatever is known.
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

// Discover refreshes several servers (all, when none is named) at the same time, each within its own startup timeout. The
// errors are by alias; disabled servers are left out.
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

// Call calls a tool. args is a JSON object, or nil for none; progress may be nil. The call ends when ctx does, when
// nothing has been heard of it for the server's timeout, or when the server dies; the server is told that it was
// cancelled. An error means that there is no result; a result with IsError is the tool's own.
func (r *Registry) Call(ctx context.Context, alias, tool string, args json.RawMessage, progress Progress) (Result, error) {
	s, err := r.usableServer(alias)
	if err != nil {
		return Result{}, err
	}
	return s.call(ctx, tool, args, progress)
}

// Close ends every call, connection and process and returns when they are gone, which no server can put off for more than
// a few seconds. The registry is of no use afterwards.
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

// usableServer finds a server that can be used.
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

// environment gives the variables as an entry of a directory sees them. The .env files are read once, when first needed.
func (r *Registry) environment(dir string) (config.Lookup, error) {
	read := sync.OnceValues(func() (config.Lookup, error) { return config.Environment(dir, r.cfg.Env) })
	found, _ := r.envs.LoadOrStore(dir, read)
	return found.(func() (config.Lookup, error))()
}
