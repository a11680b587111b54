// Package gateway makes connections for pages and for this process, to addresses that the operator's
// policy allows.
//
// Pages reach it as a SOCKS5 proxy on a loopback port, one for each session. It resolves names, and
// checks the address of each connection while it is made, so that no second answer of a name server
// is used. It must not know browsers or tools.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/policy"
)

// dialTimeout bounds the resolution of a name and the connection; it is shorter than that of a
// navigation, whose error then names the address.
const dialTimeout = 20 * time.Second

// DeniedError says that a rule refuses a connection or an address.
type DeniedError struct {
	What string // what was refused, such as "address 169.254.169.254"
	policy.Decision
}

func (e *DeniedError) Error() string {
	return fmt.Sprintf("%s is refused by the operator's policy (%s); the operator can %s", e.What, e.Rule, e.Remedy)
}

// Code is fault.PolicyDenied.
func (*DeniedError) Code() codes.Code { return codes.PolicyDenied }

// Fields returns the rule and what an operator can set.
func (e *DeniedError) Fields() []fault.Field {
	return []fault.Field{{Name: "rule", Value: e.Rule.String()}, {Name: "remedy", Value: e.Remedy}}
}

// Control returns a function for net.Dialer.Control that refuses the addresses which p refuses. It
// runs with the address that is about to be connected to.
func Control(p *policy.Policy) func(network, address string, _ syscall.RawConn) error {
	return func(_, address string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("dial %s: %w", address, err)
		}
		if d := p.Address(to.Addr()); d.Verdict != policy.Allow {
			return &DeniedError{What: "address " + to.Addr().Unmap().String(), Decision: d}
		}
		return nil
	}
}

// Refused is called with each connection that a rule refuses.
type Refused func(session, endpoint string, d policy.Decision)

// Gateway has a listener for each session.
type Gateway struct {
	policy  *policy.Policy
	refused Refused
	log     *slog.Logger
	dialer  net.Dialer

	mu        sync.Mutex
	listeners map[string]net.Listener
	closed    bool
}

// New returns a gateway that listens nowhere yet. refused may be nil.
func New(p *policy.Policy, refused Refused, log *slog.Logger) *Gateway {
	return &Gateway{policy: p, refused: refused, log: log, listeners: make(map[string]net.Listener),
		dialer: net.Dialer{Timeout: dialTimeout, Control: Control(p)}}
}

// Address returns the proxy of a session, socks5://127.0.0.1:port, and listens there from the first
// call on.
func (g *Gateway) Address(session string) (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.listeners[session]
	if l == nil {
		if g.closed {
			return "", errors.New("listen for the connections of pages: the server is closing")
		}
		var err error
		if l, err = new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0"); err != nil {
			return "", fmt.Errorf("listen for the connections of pages: %w", err)
		}
		g.listeners[session] = l
		go g.serve(session, l)
	}
	return "socks5://" + l.Addr().String(), nil
}

// End stops listening for a session. Its open connections end with its pages.
func (g *Gateway) End(session string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if l := g.listeners[session]; l != nil {
		_ = l.Close() // nothing is written through a listener
		delete(g.listeners, session)
	}
}

// Close stops listening for all sessions.
func (g *Gateway) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for session, l := range g.listeners {
		_ = l.Close() // nothing is written through a listener
		delete(g.listeners, session)
	}
}

func (g *Gateway) serve(session string, l net.Listener) {
	for {
		conn, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			g.log.Warn("accept a connection of a page", "error", err)
			time.Sleep(acceptPause)
			continue
		}
		go g.handle(session, conn)
	}
}

// acceptPause is the wait after a failed accept, which too many open files cause.
const acceptPause = 50 * time.Millisecond

// handle makes one connection and copies in both directions until either side ends.
func (g *Gateway) handle(session string, conn net.Conn) {
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(dialTimeout + time.Second))
	host, port, err := readRequest(conn)
	if err != nil {
		return // it is not a browser's
	}
	remote, err := g.dial(host, port)
	if denied, ok := errors.AsType[*DeniedError](err); ok && g.refused != nil {
		g.refused(session, net.JoinHostPort(host, port), denied.Decision)
	}
	if reply(conn, replyCode(err)) != nil || err != nil {
		return
	}
	defer func() { _ = remote.Close() }()
	_ = conn.SetDeadline(time.Time{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		relay(remote, conn)
	}()
	relay(conn, remote)
	<-done
}

// relay copies until from ends, and passes the end on.
func relay(to, from net.Conn) {
	_, err := io.Copy(to, from)
	if tcp, ok := to.(*net.TCPConn); ok && err == nil {
		_ = tcp.CloseWrite() // the other direction may go on
		return
	}
	_ = to.Close()
	_ = from.Close()
}

// dial connects to an endpoint that the policy allows.
func (g *Gateway) dial(host, port string) (net.Conn, error) {
	if d := g.policy.Endpoint(host, port); d.Verdict != policy.Allow {
		return nil, &DeniedError{What: "a connection to " + net.JoinHostPort(host, port), Decision: d}
	}
	ctx, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	if isLocalhost(host) { // browsers ask no name server for these names
		conn, err := g.dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil || errors.As(err, new(*DeniedError)) {
			return conn, err
		}
		host = "::1"
	}
	return g.dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, port))
}

// isLocalhost reports whether a name is localhost or below it (RFC 6761, 6.3).
func isLocalhost(host string) bool {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
