package crawl

import (
	"net/netip"
	"strings"
)

// sharedAddresses are those of carriers (RFC 6598), which are private, too.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// mayName reports whether a site may name an address: one on a public host names none of the internal network, whatever
// its robots.txt and sitemaps say.
func mayName(from, to string) bool { return isInternal(from) || !isInternal(to) }

// isInternal reports whether a host, with or without a port, is of this machine or of a private network by its name or
// its address.
func isInternal(host string) bool {
	if ap, err := netip.ParseAddrPort(host); err == nil {
		host = ap.Addr().String()
	} else if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	host = strings.TrimSuffix(strings.ToLower(strings.Trim(host, "[]")), ".")
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".internal")
	}
	ip = ip.Unmap()
	return !ip.IsGlobalUnicast() || ip.IsPrivate() || sharedAddresses.Contains(ip)
}
