package httpserver

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// Hosts are the names that a server answers to. A name of another party can be pointed at this machine
// by that party, so that its pages would be of the server's origin.
type Hosts struct {
	Allowed   []string // beside the names of loopback, without ports
	Addresses bool     // any IP address, which no party can point elsewhere
}

// Knows reports whether the server answers to a host, a name or an address without port.
func (h Hosts) Knows(host string) bool {
	return IsLoopback(host) || slices.Contains(h.Allowed, host) || h.Addresses && net.ParseIP(host) != nil
}

// IsLoopback reports whether host, a name or an address without port, can only mean this machine.
func IsLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// BearerToken returns the bearer token of a request; "" when it has none.
func BearerToken(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Hostname is the host of "host:port", "host", "[address]:port" or "[address]".
func Hostname(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		return host
	}
	return strings.Trim(hostport, "[]")
}
