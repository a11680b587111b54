package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/console"
)

// releasedTab is why a tab that was there before us is no longer one of ours.
const releasedTab = "its session ended, and its page was left as it is"

// Target is something in the browser that has a document or runs scripts.
type Target struct {
	ID      string // the browser's own, not a tab's
	Kind    string // page, iframe, worker, service_worker and so on, as the protocol names it
	URL     string
	Title   string
	Tab     string // id of the session's tab that shows it, or ""
	Current bool   // it is the session's current tab
}

// Targets lists what the session can see of the browser: its own tabs in opening order, then what no session has
// opened. A session with a browser context of its own sees only that. It never launches a browser; without one the list
// is empty.
func (s *Session) Targets(ctx context.Context) ([]Target, error) {
	s.mu.Lock()
	e, tabs, current := s.joined, slices.Clone(s.tabs), s.current
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
		if t == nil && s.sees(e, info) || t != nil && t.session == s {
			out := Target{ID: string(info.TargetID), Kind: info.Type, URL: info.URL, Title: info.Title}
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

// sees reports whether a target that is nobody's tab is in the session's part of the browser: in its own browser context, or
// for a session without one in none that is another's.
func (s *Session) sees(e *engine, info *target.Info) bool {
	if info.Type == "browser" || info.Type == "tab" || info.Subtype != "" {
		return false
	}
	owner := e.sessionOf(info.BrowserContextID)
	return owner == s || owner == nil && !s.isolated
}

// Adopt makes a page that nobody here opened a tab of the session, and the current one. It is left as it is, open and
// where it is, when the session ends.
func (s *Session) Adopt(ctx context.Context, id string) (*Tab, error) {
	e, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if t := e.tab(target.ID(id)); t != nil {
		return s.Select(ctx, t.id) // refuses another session's
	}
	res, err := cdp.Call(ctx, e.conn, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: target.ID(id)})
	if err != nil {
		return nil, fmt.Errorf("find target %s: %w", id, e.explain(err))
	}
	if res.TargetInfo.Type != "page" || !s.sees(e, res.TargetInfo) {
		return nil, fmt.Errorf("adopt target %s: it is not a page of this session's part of the browser", id)
	}
	t, fresh := e.newTab(s, target.ID(id))
	if !fresh { // somebody was quicker
		return s.Select(ctx, t.id)
	}
	t.adopted, t.late = true, true
	t.onInfo(res.TargetInfo)
	if !s.add(t, true) {
		t.giveUp(ctx)
		return nil, s.over("adopt target " + id)
	}
	if err := t.attach(ctx); err != nil {
		return nil, e.explain(err)
	}
	return t, nil
}

// Join gives the session a part in the browser without loading anything: it adopts the first page that nobody here has
// opened, as a person would expect who attaches to a browser, or else opens an empty tab. It starts the browser if there is
// none. A session that has a tab keeps it.
func (s *Session) Join(ctx context.Context) (*Tab, error) {
	if t, err := s.Tab(ctx, ""); err == nil {
		return t, nil
	}
	e, leave, err := s.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	if s.browser.profileKind() == AttachedProfile {
		res, err := cdp.Call(ctx, e.conn, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			return nil, fmt.Errorf("list targets: %w", e.explain(err))
		}
		for _, info := range res.TargetInfos {
			if info.Type == "page" && s.sees(e, info) && e.tab(info.TargetID) == nil {
				return s.Adopt(ctx, string(info.TargetID))
			}
		}
	}
	t, _, err := s.Open(ctx, "")
	return t, err
}

// Rest ends a browser that no session has a part in, nor is about to; the next call that needs one starts another. Otherwise
// it does nothing: also a session without tabs has cookies to lose. It reports whether it ended one.
func (b *Browser) Rest(ctx context.Context) (ended bool, err error) {
	e := b.retire()
	if e == nil {
		return false, nil
	}
	return true, e.stop(ctx)
}

// retire takes the engine away if nobody uses it. Who comes then waits for its end and starts another, instead of losing its
// call with this one.
func (b *Browser) retire() *engine {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.engine
	if e == nil {
		return nil
	}
	for _, s := range b.sessions {
		if s.in(e) {
			return nil
		}
	}
	b.engine, b.retiring = nil, append(b.retiring, e)
	return e
}

// in reports whether the session has a part in an engine, or a call that is about to have one.
func (s *Session) in(e *engine) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.joined == e || s.entering > 0
}

// Inspector returns the address at which a person can open the DevTools of the tab's page, "" when its browser listens on
// no port for them.
func (t *Tab) Inspector() string {
	cfg := t.session.browser.cfg
	host := ""
	if cfg.DebugPort != 0 {
		host = fmt.Sprintf("127.0.0.1:%d", cfg.DebugPort)
	}
	if u, err := url.Parse(cfg.CDPEndpoint); err == nil && cfg.CDPEndpoint != "" {
		host = u.Host
	}
	if host == "" {
		return ""
	}
	return fmt.Sprintf("http://%s/devtools/inspector.html?ws=%s/devtools/page/%s", host, host, t.target)
}

// Closed reports whether the tab can never work again.
func (t *Tab) Closed() bool { return t.reason() != nil }

// Crashed reports whether the tab has lost its page; see Lost.
func (t *Tab) Crashed() bool { return t.Lost() != nil }

// Lost is a CrashedError if the tab has lost its page, and nil otherwise. Nothing answers
// until Navigate or Reload brings the page back.
func (t *Tab) Lost() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lost == "" {
		return nil
	}
	return &CrashedError{Tab: t.id, How: t.lost}
}

// Console returns what the tab's page has said since it was loaded. It may be read at any time, also while scripts
// stand still.
func (t *Tab) Console() *console.Book { return t.console }

// recall has the browser tell again what the page said before we listened. A page that we opened has said nothing yet.
func (t *Tab) recall(ctx context.Context) error {
	if !t.late {
		return nil
	}
	for _, c := range []cdp.Command[cdp.Empty, cdp.Empty]{runtime.Disable, runtime.Enable, cdplog.Disable, cdplog.Enable} {
		if err := call(ctx, t.cdp, c, cdp.Empty{}); err != nil {
			return err
		}
	}
	return nil
}
