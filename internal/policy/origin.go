package policy

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"

	whatwg "github.com/nlnwa/whatwg-url/url"
	"golang.org/x/net/idna"
)

// originLists are the lists of one kind of request. A nil list was not written.
type originLists struct {
	allow, block *patternList
}

// restricts reports whether a list is set.
func (l originLists) restricts() bool { return l.allow != nil || l.block != nil }

type patternList struct {
	rule     Rule
	patterns []pattern
}

// pattern is one origin of a list. Host may contain *, which matches any characters.
type pattern struct {
	scheme string // "" is http and https; data and file have no host
	host   string
	port   string // "" is the port of the scheme, * any
	rule   Rule
}

// target is the origin of an address, which decides about it.
type target struct {
	scheme string // http, https, ws, wss, data, file, about, …
	host   string // lower case, without a dot at the end, punycode, IP addresses in canonical form
	port   string // always set where there is a host
	opaque bool   // has no host: about:, data:, file: and blob: of such
}

// origin returns the form that people write.
func (t target) origin() string {
	if t.opaque {
		return t.scheme + ":"
	}
	host := t.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if t.port == defaultPort(t.scheme) {
		return t.scheme + "://" + host
	}
	return t.scheme + "://" + host + ":" + t.port
}

// Origin returns the origin of an address as a policy sees it; "" if it is no address.
func Origin(address string) string {
	t, ok := parseTarget(address)
	if !ok {
		return ""
	}
	return t.origin()
}

// parseTarget parses an address as browsers do, so that 0x7f.1, userinfo and international names become the host
// that a browser would connect to.
func parseTarget(address string) (target, bool) {
	u, err := whatwg.Parse(address)
	if err != nil {
		return target{}, false
	}
	scheme := strings.ToLower(u.Scheme())
	switch scheme {
	case "http", "https", "ws", "wss", "ftp":
		t := target{scheme: scheme, host: canonicalHost(u.Hostname()), port: u.Port()}
		if t.port == "" {
			t.port = defaultPort(scheme)
		}
		return t, t.host != ""
	case "blob", "filesystem", "view-source":
		_, inner, _ := strings.Cut(address, ":")
		if t, ok := parseTarget(inner); ok {
			return t, true
		}
	}
	return target{scheme: scheme, opaque: true}, true
}

func defaultPort(scheme string) string {
	switch scheme {
	case "https", "wss":
		return "443"
	case "ftp":
		return "21"
	}
	return "80"
}

// canonicalHost returns a host name in the form in which names are compared.
func canonicalHost(host string) string {
	host = strings.Trim(strings.ToLower(host), "[]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	host = strings.TrimSuffix(host, ".")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return host
}

// parsePattern parses an origin of a list. problem says what is wrong.
func parsePattern(text string) (p pattern, problem string) {
	rest := strings.ToLower(strings.TrimSpace(text))
	switch rest {
	case "data:", "file:":
		return pattern{scheme: strings.TrimSuffix(rest, ":")}, ""
	case "*":
		return pattern{host: "*", port: "*"}, ""
	}
	if scheme, after, ok := strings.Cut(rest, "://"); ok {
		if !slices.Contains([]string{"http", "https", "ws", "wss", "*"}, scheme) {
			return p, "has a scheme that is not http, https, ws or wss"
		}
		if rest = after; scheme != "*" {
			p.scheme = scheme
		}
	}
	switch {
	case strings.Contains(rest, "@"):
		return p, "has user info, which is no part of an origin"
	case strings.ContainsAny(strings.TrimSuffix(rest, "/"), "/?#"):
		return p, "has a path; an origin ends after the host and the port"
	case strings.ContainsAny(rest, " \t\\"):
		return p, "is not an origin"
	}
	rest = strings.TrimSuffix(rest, "/")
	if i := strings.LastIndexByte(rest, ':'); i > strings.LastIndexByte(rest, ']') && strings.Count(rest[:i], ":") == 0 || i > 0 && strings.HasPrefix(rest, "[") && i == strings.LastIndexByte(rest, ']')+1 {
		p.port, rest = rest[i+1:], rest[:i]
		if n, err := strconv.Atoi(p.port); p.port != "*" && (err != nil || n < 1 || n > 65535) {
			return p, "has no valid port"
		}
	}
	p.host, problem = patternHost(rest)
	return p, problem
}

// patternHost canonicalizes the host of a pattern, label by label around the asterisks.
func patternHost(host string) (string, string) {
	if host == "" {
		return "", "has no host"
	}
	if !strings.Contains(host, "*") {
		t, ok := parseTarget("https://" + host)
		if !ok {
			return "", "is not a host"
		}
		return t.host, ""
	}
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	for i, label := range labels {
		if strings.Contains(label, "*") {
			continue
		}
		ascii, err := idna.Lookup.ToASCII(label)
		if err != nil || label == "" {
			return "", "is not a host"
		}
		labels[i] = ascii
	}
	return strings.Join(labels, "."), ""
}

// matches reports whether an origin is that of the pattern. ws: is judged as http:, wss: as https:.
func (p pattern) matches(t target) bool {
	if t.opaque {
		return p.host == "" && p.scheme == t.scheme
	}
	scheme := map[string]string{"ws": "http", "wss": "https"}
	if p.scheme != "" && p.scheme != t.scheme && p.scheme != scheme[t.scheme] {
		return false
	}
	return p.host != "" && p.matchesPort(t) && glob(p.host, t.host)
}

func (p pattern) matchesPort(t target) bool {
	switch p.port {
	case "*":
		return true
	case "":
		return t.port == defaultPort(t.scheme)
	}
	return p.port == t.port
}

// matchesEndpoint reports whether a connection to a host and port can be to the origin. The scheme
// of a connection is not known.
func (p pattern) matchesEndpoint(host, port string) bool {
	switch {
	case p.host == "":
		return false
	case p.port == "" && p.scheme == "":
		return (port == "80" || port == "443") && glob(p.host, host)
	case p.port == "":
		return port == defaultPort(p.scheme) && glob(p.host, host)
	}
	return (p.port == "*" || p.port == port) && glob(p.host, host)
}

// glob reports whether a text has the form of a pattern, in which * stands for any characters.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	first, last := parts[0], parts[len(parts)-1]
	if len(text) < len(first)+len(last) || !strings.HasPrefix(text, first) || !strings.HasSuffix(text, last) {
		return false
	}
	text = text[len(first) : len(text)-len(last)]
	for _, part := range parts[1 : len(parts)-1] {
		_, after, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = after
	}
	return true
}

// find returns the first pattern of a list that matches.
func (l *patternList) find(match func(pattern) bool) (pattern, bool) {
	if l == nil {
		return pattern{}, false
	}
	i := slices.IndexFunc(l.patterns, match)
	if i < 0 {
		return pattern{}, false
	}
	return l.patterns[i], true
}
