package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// releasedReason is why an adopted tab is no longer a tab of the session.
const releasedReason = "its session ended, and its page was left as it is"

// Target is a target of the protocol: a page, frame or worker.
type Target struct {
	ID      string // the protocol's target id, not a tab's
	Kind    string // page, iframe, worker, service_worker and so on, as in the protocol
	URL     string
	Title   string
	Tab     string // id of the session's tab that shows it, or ""
	Current bool   // it is the session's current tab
}

// Targets lists what the session can see of the browser: its own tabs in opening order, then
// targets that no session opened. A session with a browser context of its own sees only that
// context. It never launches a browser.
func (s *Session) Targets(ctx context.Context) ([]Target, error) {
	s.mu.Lock()
	e, tabs, current := s.instance, slices.Clone(s.tabs), s.current
	s.mu.Unlock()
	if e == nil {
		return nil, nil
	}
	res, err := cdp.Call(ctx, e.conn, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return nil, fmt.Errorf("list targets: %w", e.explain(err))
	}
	var own, other []Target
	for _, info := range res.TargetInfos {
		t := e.tab(info.TargetID)
		if t == nil && s.canSee(e, info) || t != nil && t.session == s {
			out := Target{ID: string(info.TargetID), Kind: info.Type, URL: fence.Line(info.URL), Title: text.ClipBytes(fence.Line(info.Title), maxTitle)}
			if t == nil {
				other = append(other, out)
				continue
			}
			out.Tab, out.Current = t.id, t == current
			own = append(own, out)
		}
	}
	order := func(t Target) int { return slices.IndexFunc(tabs, func(o *Tab) bool { return o.id == t.Tab }) }
	slices.SortStableFunc(own, func(a, b Target) int { return order(a) - order(b) })
	return append(own, other...), nil
}

// canSee reports whether a target without a tab is in the session's part of the browser: in its own
// browser context, or for a session without one, in a context that no session owns.
func (s *Session) canSee(e *instance, info *target.Info) bool {
	if info.Type == "browser" || info.Type == "tab" || info.Subtype != "" {
		return false
	}
	owner := e.contextOwner(info.BrowserContextID)
	if owner == nil && !e.remote.usesForeignTabs() {
		return info.Type == "iframe" && s.ownsFrame(e, info)
	}
	return owner == s || owner == nil && !s.Isolated()
}

// ownsFrame reports whether a target is a frame in a tab of the session.
func (s *Session) ownsFrame(e *instance, info *target.Info) bool {
	t := e.frames.tab(cdp.FrameID(info.TargetID))
	if t == nil {
		t = e.frames.tab(info.ParentFrameID)
	}
	return t != nil && t.session == s
}

// Adopt makes a page that no session opened the current tab of this one. The page stays open when
// the session ends.
func (s *Session) Adopt(ctx context.Context, id string) (*Tab, error) {
	e, release, err := s.acquireInstance(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if t := e.tab(target.ID(id)); t != nil {
		return s.Select(ctx, t.id) // returns an error for another session's tab
	}
	if !e.remote.usesForeignTabs() {
		return nil, fault.Errorf(codes.PolicyDenied, "target %s is a tab of the person whose browser this is, and is left alone; "+
			"the operator can allow all tabs with --tabs all", id)
	}
	res, err := cdp.Call(ctx, e.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: target.ID(id)})
	if err != nil {
		return nil, fmt.Errorf("find target %s: %w", id, e.explain(err))
	}
	if res.TargetInfo.Type != "page" || !s.canSee(e, res.TargetInfo) {
		return nil, fault.New(codes.Failed, fmt.Sprintf("adopt target %s: it is not a page of this session's part of the browser", id))
	}
	t, fresh := e.newTab(s, target.ID(id))
	if !fresh { // a concurrent call adopted it
		return s.Select(ctx, t.id)
	}
	t.adopted = true
	t.onTargetInfo(res.TargetInfo)
	if !s.addTab(t, true) {
		t.attachment.closeUnattached(ctx)
		return nil, s.endedError("adopt target " + id)
	}
	if err := t.attachment.run(ctx); err != nil {
		return nil, e.explain(err)
	}
	return t, nil
}

// EnsureTab returns the current tab. A session without one adopts the first page of an attached
// browser that no session opened, where that is allowed, or else opens an empty tab. It starts the
// browser if none runs.
func (s *Session) EnsureTab(ctx context.Context) (*Tab, error) {
	if t, err := s.Tab(ctx, ""); err == nil {
		return t, nil
	}
	e, release, err := s.acquireInstance(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	if e.remote != nil && e.remote.Tabs == AllTabs {
		res, err := cdp.Call(ctx, e.conn, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			return nil, fmt.Errorf("list targets: %w", e.explain(err))
		}
		for _, info := range res.TargetInfos {
			if info.Type == "page" && s.canSee(e, info) && e.tab(info.TargetID) == nil {
				return s.Adopt(ctx, string(info.TargetID))
			}
		}
	}
	return s.newTab(ctx)
}

// CloseIfUnused ends a browser that no session uses or is about to use, and reports whether it did.
// The next call that needs a browser starts another. A session without open tabs still counts,
// because it has cookies to lose.
func (b *Browser) CloseIfUnused(ctx context.Context) (ended bool, err error) {
	e := b.takeUnused()
	if e == nil {
		return false, nil
	}
	return true, e.stop(ctx)
}

// takeUnused removes the instance if no session uses it. A later call waits for its exit and starts
// another, so that it does not fail with this one.
func (b *Browser) takeUnused() *instance {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.instance
	if e == nil {
		return nil
	}
	for _, s := range b.sessions {
		if s.isUsing(e) {
			return nil
		}
	}
	b.instance, b.exiting = nil, append(b.exiting, e)
	return e
}

// isUsing reports whether the session uses an instance, or has a call that is about to.
func (s *Session) isUsing(e *instance) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.instance == e || s.pendingCalls > 0
}

// DevToolsURL returns the URL of the DevTools frontend for the tab's page, or "" when the browser
// has no debugging port.
func (t *Tab) DevToolsURL() string {
	cfg := t.session.browser.cfg
	host := ""
	if cfg.DebugPort != 0 {
		host = fmt.Sprintf("127.0.0.1:%d", cfg.DebugPort)
	}
	if u, err := url.Parse(t.session.browser.endpoint()); err == nil && u.Host != "" {
		host = u.Host
	}
	if host == "" {
		return ""
	}
	return fmt.Sprintf("http://%s/devtools/inspector.html?ws=%s/devtools/page/%s", host, host, t.target)
}

// Closed reports whether the tab has ended for good.
func (t *Tab) Closed() bool { return t.endError() != nil }

// CrashError returns a CrashedError if the tab has no page, and nil otherwise. No call is answered
// until Navigate or Reload recovers the tab.
func (t *Tab) CrashError() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lossReason == "" {
		return nil
	}
	return &CrashedError{Tab: t.id, Reason: t.lossReason}
}

// Console returns the console messages of the tab. It may be read at any time, also while the page
// is paused.
func (t *Tab) Console() *console.Buffer { return t.console }

// Disconnect gives up the connection to an attached browser that does not answer. Its sessions lose
// their tabs, as when the browser exits, and the next call that needs it attaches again.
func (b *Browser) Disconnect() {
	b.mu.Lock()
	e := b.instance
	b.mu.Unlock()
	if e != nil && b.profileKind() == AttachedProfile {
		go e.release() // it waits for the connection to end
	}
}

// recordTabs remembers the open tabs of each session before the exit of the browser ends them.
func (b *Browser) recordTabs() {
	for _, s := range b.allSessions() {
		ids := s.TabIDs()
		s.mu.Lock()
		s.lost = ids
		s.mu.Unlock()
	}
}

// LostTabs returns the ids of the tabs that the session lost with its browser; nil if the browser
// did not exit, or a tab was opened since.
func (s *Session) LostTabs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.browserGone {
		return nil
	}
	return slices.Clone(s.lost)
}

// Follows makes a new session go on where a session with an exited browser ended: its calls learn
// why there is no tab.
func (s *Session) Follows(old *Session) {
	old.mu.Lock()
	gone, lost := old.browserGone, old.lost
	closed := make(map[string]string, len(old.closed))
	for id, why := range old.closed {
		closed[id] = why
	}
	old.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.instance == nil {
		s.browserGone, s.lost, s.closed = gone, lost, closed
		s.Clipboard.Take(&old.Clipboard)
	}
}

// SetProxy routes the browser contexts that a client opens from now on through a proxy, such as
// http://proxy.example:8080. Open contexts and the browser's default context do not change.
func (b *Browser) SetProxy(n power.Network, client, server string) error {
	if err := n.Check(); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proxies == nil {
		b.proxies = make(map[string]string)
	}
	b.proxies[client] = server
	return nil
}

// ClearProxy ends the proxy of a client and reports whether one was set.
func (b *Browser) ClearProxy(client string) (had bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, had = b.proxies[client]
	delete(b.proxies, client)
	return had
}

// Proxy returns the proxy of a client, or "".
func (b *Browser) Proxy(client string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proxies[client]
}
