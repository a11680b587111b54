package httpserver

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Proxies are the addresses of the reverse proxies whose X-Forwarded headers are believed. Its methods make it a value
// of a flag: addresses and CIDR prefixes, comma-separated.
type Proxies []netip.Prefix

// Set adds the proxies of a list.
func (p *Proxies) Set(list string) error {
	for text := range strings.SplitSeq(list, ",") {
		text = strings.TrimSpace(text)
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			address, err := netip.ParseAddr(text)
			if err != nil {
				return fmt.Errorf("%q is neither an IP address nor a prefix such as 10.0.0.0/8", text)
			}
			prefix = netip.PrefixFrom(address, address.BitLen())
		}
		*p = append(*p, prefix)
	}
	return nil
}

// String writes the list.
func (p *Proxies) String() string {
	texts := slicesx.List(*p, func(prefix netip.Prefix) string { return prefix.String() })
	return strings.Join(texts, ",")
}

// Type names the value in help.
func (*Proxies) Type() string { return "ADDRESSES" }

// Restore wraps a handler: a request of a proxy gets the Host, the RemoteAddr and the URL.Scheme of the request that the
// proxy was sent. X-Forwarded headers of everybody else are ignored.
func (p Proxies) Restore(next http.Handler) http.Handler {
	if len(p) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p.has(Hostname(r.RemoteAddr)) {
			r = r.Clone(r.Context())
			p.restore(r)
		}
		next.ServeHTTP(w, r)
	})
}

func (p Proxies) has(address string) bool {
	ip, err := netip.ParseAddr(address)
	return slices.ContainsFunc(p, func(prefix netip.Prefix) bool { return err == nil && prefix.Contains(ip.Unmap()) })
}

// restore reads the headers. Of the clients that are listed, the last one that is no proxy itself counts: clients can
// write what stands before it.
func (p Proxies) restore(r *http.Request) {
	clients := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(clients) - 1; i >= 0; i-- {
		client := Hostname(strings.TrimSpace(clients[i]))
		if net.ParseIP(client) == nil {
			break
		}
		r.RemoteAddr = net.JoinHostPort(client, "0")
		if !p.has(client) {
			break
		}
	}
	if host := last(r, "X-Forwarded-Host"); host != "" {
		r.Host = host
	}
	if scheme := last(r, "X-Forwarded-Proto"); scheme == "http" || scheme == "https" {
		r.URL.Scheme = scheme
	}
	port := last(r, "X-Forwarded-Port")
	if _, _, err := net.SplitHostPort(r.Host); err != nil && port != "" && port != map[string]string{"http": "80", "https": "443"}[r.URL.Scheme] {
		r.Host = net.JoinHostPort(Hostname(r.Host), port)
	}
}

// last is the value that the nearest proxy has written.
func last(r *http.Request, header string) string {
	all := strings.Join(r.Header.Values(header), ",")
	return strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
}
