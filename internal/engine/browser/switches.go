package browser

import (
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/browser/address"
)

// resolveAddress is address.Resolve with what the configuration and the call permit.
func (c *Config) resolveAddress(ctx context.Context, raw string) (string, error) {
	resolved, err := address.Resolve(raw, c.AllowFile)
	if err == nil && (c.NoScriptAddresses || address.ForbidsScript(ctx)) && address.RunsScript(resolved) {
		return "", &address.Error{Address: raw,
			Reason: "a data: page runs the caller's script, which this server's operator has ruled out"}
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
		return "", &address.Error{Address: chosen, Reason: "no other proxy can be used where the operator's policy makes the connections"}
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
func (s *Session) allowedAddress(ctx context.Context, address string) (string, error) {
	resolved, err := s.browser.cfg.resolveAddress(ctx, address)
	if g := s.browser.cfg.Guard; err == nil && g != nil {
		err = g.CheckNavigation(s.id, resolved)
	}
	return resolved, err
}

// allowsPopup reports whether a page of the session may open one more window.
func (s *Session) allowsPopup() bool {
	g := s.browser.cfg.Guard
	return g == nil || g.AllowWindow(s.id, len(s.TabIDs()))
}

// offlineSwitches let a browser connect nowhere: WebSockets are not intercepted.
func offlineSwitches() []string {
	return []string{
		"--host-resolver-rules=MAP * ~NOTFOUND", "--no-proxy-server",
		"--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--webrtc-ip-handling-policy=disable_non_proxied_udp",
	}
}

// replays reports whether no page may use the network.
func (c *Config) replays() bool { return c.Traffic != nil && c.Traffic.Replays() }
