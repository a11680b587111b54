package session

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/fault"
)

// LaunchOptions describe a browser to launch.
type LaunchOptions struct {
	ID          string   // "" becomes port-N with a port, else chrome-N
	Port        int      // a loopback port for other debuggers; 0 opens none
	Headless    *bool    // nil means as the server's own browser
	UserDataDir string   // "" means a temporary profile
	Args        []string // more switches
}

// AttachOptions describe a running browser to attach to.
type AttachOptions struct {
	ID   string // "" becomes port-N
	Host string // "" means localhost
	Port int    // 0 means that of the browser of this user whose debugging is allowed
}

// Launch starts a browser for the client and opens an empty tab in it. It replaces a connection of
// the same id whose browser is not running. The connection becomes active if the browser of the
// active one is not running. The errors are InUseError, LimitError, InvalidIDError, PortError,
// SwitchError, DebugPortError, and those of the browser's start.
func (s *Set) Launch(ctx context.Context, p power.Process, l LaunchOptions) (*Connection, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if err := checkSwitches(l.Args, s.registry.cfg.Clients.Switches); err != nil {
		return nil, err
	}
	if l.Port != 0 && !s.registry.cfg.Clients.DebugPort {
		return nil, fault.Errorf(codes.PolicyDenied,
			"debug_port gives the browser to every program of this machine; the server's operator can allow it with --allow-debug-port")
	}
	if err := s.changes.lock(ctx); err != nil {
		return nil, err
	}
	defer s.changes.unlock()
	if l.Port != 0 {
		if err := checkPortFree(ctx, l.Port); err != nil {
			return nil, err
		}
	}
	id := l.ID
	switch {
	case id != "":
	case l.Port != 0:
		id = portID(l.Port)
	default:
		s.mu.Lock()
		id = s.list.unusedID("chrome-")
		s.mu.Unlock()
	}
	cfg := s.registry.cfg.Browser
	cfg.CDPEndpoint, cfg.Remote, cfg.UserDataDir, cfg.DebugPort = "", nil, l.UserDataDir, l.Port
	cfg.Args = slices.Concat(cfg.Args, l.Args)
	if l.Headless != nil {
		cfg.Headless = *l.Headless
	}
	return s.open(ctx, id, false, s.launchedConnection(id, cfg))
}

// Connect attaches to a running browser and opens a tab, or adopts its first page where the operator
// allows all tabs. It differs from Launch in its errors: HostError, EndpointError, ChooseError and
// UnreachableError instead of those of the start.
func (s *Set) Connect(ctx context.Context, n power.Network, a AttachOptions) (*Connection, error) {
	if err := n.Check(); err != nil {
		return nil, err
	}
	host, err := s.registry.cfg.resolveHost(ctx, a.Host)
	if err != nil {
		return nil, err
	}
	if a.Port < 0 || a.Port > 65535 {
		return nil, invalidPort(a.Port)
	}
	if a.Port != 0 { // before anything is asked there
		if err := s.checkEndpoint(a.Host, host, a.Port, ""); err != nil {
			return nil, err
		}
	}
	remote, err := personRemote(ctx, host, &a, s.registry.cfg.Browser.Tabs)
	if err != nil {
		return nil, err
	}
	if err := s.checkEndpoint(a.Host, host, a.Port, remote.Name); err != nil {
		return nil, err
	}
	if err := s.changes.lock(ctx); err != nil {
		return nil, err
	}
	defer s.changes.unlock()
	id := a.ID
	if id == "" {
		id = portID(a.Port)
	}
	c, err := s.open(ctx, id, false, s.attachedConnection(id, remote))
	if _, failed := errors.AsType[*browser.LaunchError](err); failed {
		return nil, &UnreachableError{Endpoint: net.JoinHostPort(a.Host, strconv.Itoa(a.Port)), Port: a.Port,
			Err: errors.Unwrap(err)}
	}
	return c, err
}

// CreateWorker creates a worker: a browser context of the server's own browser with an empty tab,
// which shares no cookies, storage or cache with any other. It becomes the active connection. The
// errors are InUseError, LimitError, InvalidIDError, and those of the browser's start.
func (s *Set) CreateWorker(ctx context.Context, w power.Window, id string) (*Connection, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if err := s.changes.lock(ctx); err != nil {
		return nil, err
	}
	defer s.changes.unlock()
	if id == "" {
		s.mu.Lock()
		id = s.list.unusedID("worker-")
		s.mu.Unlock()
	}
	c, err := s.open(ctx, id, true, func() *Connection {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.newWorker(id, "")
	})
	if c == nil {
		return nil, err
	}
	s.mu.Lock()
	s.active, s.activeChanged = c, nil
	s.mu.Unlock()
	s.Refresh()
	return c, err
}

// newWorker returns a connection to a browser context of its own in the server's own browser. The
// caller holds mu.
func (s *Set) newWorker(id, owner string) *Connection {
	own := s.ownBrowser()
	session := own.WorkerSession(s.id, id)
	c := newConnection(id, Worker, own, func() *browser.Session { return session }, s.Refresh)
	c.owner = owner
	return c
}

// launchedConnection returns a function that makes a connection with a browser of its own.
func (s *Set) launchedConnection(id string, cfg browser.Config) func() *Connection {
	return func() *Connection {
		cfg.OnChange = func(string) { s.Refresh() }
		b := browser.New(cfg)
		return newConnection(id, Launched, b, func() *browser.Session { return b.Session(s.id) }, s.Refresh)
	}
}

// attachedConnection returns a function that makes a connection with a running browser, which it
// shares with the other clients that have attached to it.
func (s *Set) attachedConnection(id string, remote *browser.Remote) func() *Connection {
	return func() *Connection {
		r := s.registry
		b := r.acquireAttached(remote.Name, func() *browser.Browser {
			cfg := r.cfg.Browser
			cfg.CDPEndpoint, cfg.Remote = "", remote
			cfg.UserDataDir, cfg.Args, cfg.DebugPort, cfg.OnChange = "", nil, 0, r.refresh
			return browser.New(cfg)
		})
		c := newConnection(id, Attached, b, func() *browser.Session { return b.Session(s.id) }, s.Refresh)
		c.release = func(ctx context.Context) error { return r.releaseAttached(ctx, b, s.id) }
		return c
	}
}

// open starts the connection that create makes and adds it to the set. The caller holds changing.
func (s *Set) open(ctx context.Context, id string, worker bool, create func() *Connection) (*Connection, error) {
	if !validID(id) {
		return nil, invalidID(id)
	}
	s.mu.Lock()
	old := s.list.find(id)
	full := s.list.checkLimit(worker)
	s.mu.Unlock()
	switch {
	case old != nil && old.Session().Connected():
		return nil, inUse(id)
	case old == nil && full != nil:
		return nil, full
	case old != nil && old.kind == Worker: // the id is the key of its browser session
		if err := old.end(ctx, s.id); err != nil {
			return nil, err
		}
	}
	c := create()
	if _, err := c.Session().EnsureTab(ctx); err != nil {
		return nil, errors.Join(err, s.discard(ctx, c))
	}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return nil, errors.Join(fault.New(codes.Failed, "the session has ended"), s.discard(ctx, c))
	}
	if at := slices.Index(s.list, old); old != nil && at >= 0 {
		s.list[at] = c
	} else {
		s.list = append(s.list, c)
	}
	if s.active == old || !s.active.Session().Connected() {
		s.active, s.activeChanged = c, nil
	}
	s.mu.Unlock()
	s.Refresh()
	if old != nil && old.kind != Worker {
		return c, old.end(ctx, s.id)
	}
	return c, nil
}

// discardTimeout bounds the end of an unwanted browser.
const discardTimeout = 5 * time.Second

// discard ends a connection even if ctx is done.
func (s *Set) discard(ctx context.Context, c *Connection) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), discardTimeout)
	defer cancel()
	return c.end(ctx, s.id)
}

func portID(port int) string { return "port-" + strconv.Itoa(port) }

func validID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return len(id) >= 1 && len(id) <= 64
}

// checkPortFree returns an error if something listens on the port. Chromium reports no error when
// it cannot bind one.
func checkPortFree(ctx context.Context, port int) error {
	if port < 1 || port > 65535 {
		return invalidPort(port)
	}
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return fault.Invalid("port %d: something else listens there; if it is a browser, connect to it, else choose another port", port)
	}
	return ln.Close()
}

// resolveHost resolves a host to an address that clients may connect to. The caller connects to the
// address, so that a second lookup cannot give another.
func (c *Config) resolveHost(ctx context.Context, host string) (string, error) {
	if host == "" {
		host = "localhost"
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return "", fmt.Errorf("find host %q: %w", host, err)
	}
	// Chromium listens on IPv4.
	slices.SortStableFunc(found, func(a, b netip.Addr) int { return a.Unmap().BitLen() - b.Unmap().BitLen() })
	for _, ip := range found {
		if c.AllowRemote || ip.IsLoopback() {
			return ip.Unmap().String(), nil
		}
	}
	return "", fault.Errorf(codes.PolicyDenied,
		"host %q is not this machine, and this server connects to browsers on this machine only", host).With("host", host)
}
