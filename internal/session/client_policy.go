package session

import (
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// ClientPolicy has the clients' permissions for browsers of their own. The zero value lets
// them launch browsers with harmless switches, and attach to those of this machine that no other
// client of the server has.
type ClientPolicy struct {
	// Switches are the names of more switches that a client may pass, without dashes.
	Switches []string
	// DebugPort permits a debugging port, which gives every program of this machine the browser.
	DebugPort bool
	// Endpoints are the only browsers that a client may attach to, as host:port or host; empty means
	// all of this machine.
	Endpoints []string
}

// permits reports whether the list of endpoints has a browser. An empty list has all.
func (p ClientPolicy) permits(host string, port int) bool {
	full := net.JoinHostPort(host, strconv.Itoa(port))
	return len(p.Endpoints) == 0 || slices.ContainsFunc(p.Endpoints, func(e string) bool {
		return strings.EqualFold(e, host) || strings.EqualFold(e, full)
	})
}

// checkEndpoint returns an error for a browser that the operator does not name, for the
// server's own, and for one that another client has launched. name is that of its Remote, or "".
func (s *Set) checkEndpoint(host, resolved string, port int, name string) error {
	policy, at := s.registry.cfg.Clients, net.JoinHostPort(host, strconv.Itoa(port))
	if !policy.permits(host, port) && !policy.permits(resolved, port) {
		return fault.Errorf(codes.PolicyDenied, "the browser at %s: clients may attach to these only: %s (--connect)", at, strings.Join(policy.Endpoints, ", "))
	}
	if s.registry.uses(s, resolved, port, name) {
		return fault.Errorf(codes.PolicyDenied, "the browser at %s: it is the server's own, which needs no connection, or another client's; "+
			"the server's operator can start a browser for this one", at)
	}
	return nil
}

// uses reports whether a browser is the server's own, or one that another client than s launched.
func (r *Registry) uses(s *Set, address string, port int, name string) bool {
	for _, own := range r.browsers {
		if st := own.Status(); st.Endpoint != "" && st.Endpoint == name || listensAt(st.Endpoint, st.DebugPort, address, port) {
			return true
		}
	}
	r.mu.Lock()
	sets := make([]*Set, 0, len(r.sets))
	for _, o := range r.sets {
		if o != s {
			sets = append(sets, o)
		}
	}
	r.mu.Unlock()
	for _, o := range sets {
		o.mu.Lock()
		list := slices.Clone(o.list)
		o.mu.Unlock()
		for _, c := range list {
			if st := c.browser.Status(); c.kind == Launched && listensAt(st.Endpoint, st.DebugPort, address, port) {
				return true
			}
		}
	}
	return false
}

// listensAt reports whether a browser with this endpoint or debugging port is the one at an address.
func listensAt(endpoint string, debugPort int, address string, port int) bool {
	local := func(host string) bool {
		ip := net.ParseIP(host)
		return strings.EqualFold(host, "localhost") || ip != nil && (ip.IsLoopback() || ip.IsUnspecified())
	}
	if endpoint == "" {
		return debugPort != 0 && debugPort == port && local(address)
	}
	u, err := url.Parse(endpoint)
	return err == nil && u.Port() == strconv.Itoa(port) && (u.Hostname() == address || local(u.Hostname()) && local(address))
}
