package browser

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// AddressError reports that an address was refused before anything was loaded.
type AddressError struct {
	Address string
	Reason  string
}

func (e *AddressError) Error() string { return fmt.Sprintf("address %q: %s", e.Address, e.Reason) }

// Code is fault.PolicyDenied.
func (*AddressError) Code() codes.Code { return codes.PolicyDenied }

// Fields returns the policy surface.
func (*AddressError) Fields() []fault.Field {
	return []fault.Field{{Name: "surface", Value: "navigation"}}
}

// ResolveAddress turns what a person would type into a URL that may be loaded: http, https,
// about:blank, data:, and file: if allowFile. A bare host gets https://, or http:// if it is
// localhost or a loopback address. Any other address is an AddressError.
//
// White space around the address is dropped. Inside it, control characters and white space are
// refused, because browsers drop some of them silently and would load another URL than the checked
// one.
func ResolveAddress(address string, allowFile bool) (string, error) {
	s := strings.TrimSpace(address)
	refuse := func(reason string) (string, error) {
		return "", &AddressError{Address: address, Reason: reason}
	}
	if s == "" {
		return refuse("is empty")
	}
	scheme, rest := splitScheme(s)
	invisible := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	if scheme != "data" && strings.ContainsFunc(s, invisible) {
		return refuse("contains white space or control characters; escape them")
	}
	switch scheme {
	case "about":
		if strings.EqualFold(rest, "blank") || strings.HasPrefix(rest, "blank#") {
			return s, nil
		}
		return refuse("of the about: pages only about:blank can be opened")
	case "data":
		return s, nil
	case "file":
		if !allowFile {
			return refuse("file: addresses are not allowed")
		}
		if !strings.HasPrefix(rest, "///") {
			return refuse("a file: address needs an absolute path, file:///…")
		}
		return s, nil
	case "http", "https":
		if !strings.HasPrefix(rest, "//") {
			return refuse("has no host; write " + scheme + "://host/path")
		}
	case "":
		s = defaultScheme(s) + "://" + s
	case "javascript":
		return refuse("javascript: addresses are not opened; evaluate the script instead")
	default:
		return refuse("the scheme " + scheme + ": cannot be opened")
	}
	if why := hostProblem(s); why != "" {
		return refuse(why)
	}
	return s, nil
}

// splitScheme returns the scheme in lower case. "host:port" has none, because a number follows the
// colon.
func splitScheme(s string) (scheme, rest string) {
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		case i > 0 && ('0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'):
		case i > 0 && r == ':':
			scheme, rest = strings.ToLower(s[:i]), s[i+1:]
			if scheme != "javascript" && scheme != "data" && startsWithPort(rest) {
				return "", ""
			}
			return scheme, rest
		default:
			return "", ""
		}
	}
	return "", ""
}

func startsWithPort(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	return end > 0 && (end == len(s) || strings.ContainsRune("/?#", rune(s[end])))
}

// hostProblem describes what is wrong with the host of an http URL, or returns "".
func hostProblem(s string) string {
	if strings.Contains(s, `\`) {
		return "contains a backslash"
	}
	u, err := url.Parse(s)
	if err != nil {
		return "is not an address"
	}
	if u.Hostname() == "" {
		return "has no host"
	}
	return ""
}

// defaultScheme returns the scheme for a bare host. Servers on this machine rarely speak TLS.
func defaultScheme(s string) string {
	u, err := url.Parse("http://" + s)
	if err != nil {
		return "https"
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "http"
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// resolveAddress is ResolveAddress with what the configuration permits.
func (c *Config) resolveAddress(address string) (string, error) {
	resolved, err := ResolveAddress(address, c.AllowFile)
	if err == nil && c.NoScriptAddresses && runsScript(resolved) {
		return "", &AddressError{Address: address,
			Reason: "a data: page runs the caller's script, which this server's operator has ruled out (--no-evaluate)"}
	}
	return resolved, err
}

// soleSession returns the session of every tab, or "" if there are several: the owner of a frame or
// a worker that no event has named yet.
func (e *instance) soleSession() (id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, t := range e.tabs {
		if id != "" && t.session.id != id {
			return ""
		}
		id = t.session.id
	}
	return id
}

// launchArgs returns the configured switches and those of the guard.
func (e *instance) launchArgs() ([]string, error) {
	cfg := &e.owner.cfg
	if cfg.replays() {
		return joinResolverRules(slices.Concat(cfg.Args, offlineSwitches())), nil
	}
	if cfg.Guard == nil {
		return cfg.Args, nil
	}
	args := slices.Concat(cfg.Args, cfg.Guard.Switches())
	proxy, err := cfg.Guard.Proxy("")
	if err != nil || proxy == "" {
		return joinResolverRules(args), err
	}
	return append(joinResolverRules(args), "--proxy-server="+proxy, "--proxy-bypass-list="+noBypass), nil
}

// noBypass sends connections to loopback addresses through a proxy, too.
const noBypass = "<-loopback>"

// joinResolverRules joins the lists of rules for host names, of which Chromium obeys the last.
func joinResolverRules(args []string) (out []string) {
	const prefix = "--host-resolver-rules="
	var rules []string
	for _, arg := range args {
		if rule, ok := strings.CutPrefix("--"+strings.TrimLeft(arg, "-"), prefix); ok {
			rules = append([]string{rule}, rules...) // the first rule that matches wins, and the guard's come last
			continue
		}
		out = append(out, arg)
	}
	if len(rules) > 0 {
		out = append(out, prefix+strings.Join(rules, ","))
	}
	return out
}

// contextProxy returns the proxy of a browser context of the session: the guard's, or the one that
// the client chose.
func (s *Session) contextProxy() (string, error) {
	chosen := s.browser.Proxy(s.id)
	cfg := &s.browser.cfg
	if cfg.Guard == nil || cfg.replays() || s.browser.remote.Load() != nil { // the proxy of a guard is on this machine
		return chosen, nil
	}
	proxy, err := cfg.Guard.Proxy(s.id)
	if err != nil || proxy == "" {
		return chosen, err
	}
	if chosen != "" {
		return "", &AddressError{Address: chosen, Reason: "no other proxy can be used where the operator's policy makes the connections"}
	}
	return proxy, nil
}

// setContextProxy sets the proxy of a browser context that is about to be created.
func (s *Session) setContextProxy(params *target.CreateBrowserContextParams) (err error) {
	if params.ProxyServer, err = s.contextProxy(); err == nil && params.ProxyServer != "" {
		params.ProxyBypassList = noBypass // Chromium bypasses every proxy for loopback addresses otherwise
	}
	return err
}

// allowedAddress resolves an address that a call loads. The errors are AddressError and that of the
// guard.
func (s *Session) allowedAddress(address string) (string, error) {
	resolved, err := s.browser.cfg.resolveAddress(address)
	if g := s.browser.cfg.Guard; err == nil && g != nil {
		err = g.CheckNavigation(s.id, resolved)
	}
	return resolved, err
}

// runsScript reports whether the page of an address could be script of who wrote the address: a
// data: address of any type but plain text and pictures that are no documents.
func runsScript(address string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(address), "data:")
	if !ok {
		return false
	}
	kind := strings.TrimSpace(rest[:strings.IndexAny(rest+",", ";,")])
	return !slices.Contains([]string{"", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
}

// allowsPopup reports whether a page of the session may open one more window.
func (s *Session) allowsPopup() bool {
	g := s.browser.cfg.Guard
	return g == nil || g.AllowWindow(s.id, len(s.TabIDs()))
}
