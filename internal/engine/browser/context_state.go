package browser

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser/scratch"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/login/statefile"
)

var (
	// ErrNoContext is returned for the storage state of a session that has opened no page yet.
	ErrNoContext = fault.New(codes.NotFound, "the session has no browser yet; open a page first")
	// ErrForeignContext is returned for the storage state of a browser that was launched elsewhere:
	// its logins are a person's, of more sites than the session has seen.
	ErrForeignContext = fault.New(codes.PolicyDenied, "the browser belongs to somebody else; only sessions of browsers that callsheet starts are saved and restored",
		fault.Field{Name: "surface", Value: "file"})
)

// CapturedState is the storage state of a session's browser context.
type CapturedState struct {
	statefile.State

	// LeftOut counts IndexedDB records with a value that the format has no form for, such as a Blob.
	LeftOut int
	// Unreachable lists origins whose storage the policy does not let pages reach.
	Unreachable []string
}

// State is the storage state of the browser context of a session.
type State struct {
	session  *Session
	instance *instance     // the instance in which the initial state was loaded
	page     *scratch.Page // that loaded it, until the session has a tab

	originsMu sync.Mutex // innermost
	origins   map[string]bool
}

// Capture reads the cookies of the session's browser context, and the localStorage and
// IndexedDB databases of each origin that the session visited or restored. The errors are
// ErrNoContext, ErrForeignContext and those of the browser.
func (st *State) Capture(ctx context.Context, p power.Storage) (CapturedState, error) {
	if err := p.Check(); err != nil {
		return CapturedState{}, err
	}
	e, in, err := st.ownContext()
	if err != nil {
		return CapturedState{}, err
	}
	out := CapturedState{State: statefile.State{Cookies: []statefile.Cookie{}, Origins: []statefile.Origin{}}}
	res, err := cdp.Call(ctx, e.conn, storage.GetCookies, storage.GetCookiesParams{BrowserContextID: in})
	if err != nil {
		return out, fmt.Errorf("read the cookies: %w", e.explain(err))
	}
	for _, c := range res.Cookies {
		if !c.PartitionKeyOpaque { // such a cookie cannot be set again
			out.Cookies = append(out.Cookies, scratch.SavedCookie(c))
		}
	}
	origins := st.visitedOrigins(ctx, e, in)
	if len(origins) == 0 {
		return out, nil
	}
	page, err := e.openScratchPage(ctx, in)
	if err != nil {
		return out, e.explain(err)
	}
	defer page.Close()
	for _, origin := range origins {
		var got struct {
			statefile.Origin

			Left int `json:"left"`
		}
		if err := page.Run(ctx, origin, "read", nil, &got); err != nil {
			if ctx.Err() != nil {
				return out, e.explain(err)
			}
			out.Unreachable = append(out.Unreachable, origin)
			continue
		}
		out.LeftOut += got.Left
		if len(got.LocalStorage) > 0 || len(got.IndexedDB) > 0 {
			out.Origins = append(out.Origins, got.Origin)
		}
	}
	return out, nil
}

// Replace closes the tabs of the session and replaces the storage state of its browser context.
// It leaves the session with one empty tab. It clears the storage of the origins that the session
// visited; caches and service workers stay. If it fails, the cookies and origins are a mixture of
// both states. The errors are ErrForeignContext and those of the browser.
func (st *State) Replace(ctx context.Context, p power.Storage, w power.Window, state statefile.State) error {
	if err := errors.Join(p.Check(), w.Check()); err != nil {
		return err
	}
	if st.isForeign() {
		return ErrForeignContext
	}
	old := st.session.TabIDs()
	if _, err := st.session.newTab(ctx); err != nil { // first, since a browser with windows ends with its last page
		return err
	}
	for _, id := range old {
		if err := st.session.CloseTab(ctx, id); err != nil {
			var gone *UnknownTabError
			if !errors.As(err, &gone) {
				return err
			}
		}
	}
	e, in, err := st.ownContext()
	if err != nil {
		return err
	}
	if err := protocol.Exec(ctx, e.conn, storage.ClearCookies, storage.ClearCookiesParams{BrowserContextID: in}); err != nil {
		return fmt.Errorf("clear the cookies: %w", e.explain(err))
	}
	empty := statefile.State{Cookies: state.Cookies, Origins: slices.Clone(state.Origins)}
	for _, origin := range st.visitedOrigins(ctx, e, in) {
		if !slices.ContainsFunc(state.Origins, func(o statefile.Origin) bool { return o.Origin == origin }) {
			empty.Origins = append(empty.Origins, statefile.Origin{Origin: origin})
		}
	}
	page, err := st.write(ctx, e, in, "replace", empty)
	page.Close()
	return e.explain(err)
}

// write sets cookies and the storage of origins. The action is "add" or "replace". It returns the
// page that it used, or nil, which the caller closes.
func (st *State) write(ctx context.Context, e *instance, in cdp.BrowserContextID, action string, state statefile.State) (*scratch.Page, error) {
	params := storage.SetCookiesParams{BrowserContextID: in}
	for _, c := range state.Cookies {
		params.Cookies = append(params.Cookies, scratch.CookieParam(c))
	}
	if len(params.Cookies) > 0 {
		if err := protocol.Exec(ctx, e.conn, storage.SetCookies, params); err != nil {
			return nil, fmt.Errorf("set the cookies of the storage state: %w", err)
		}
	}
	if len(state.Origins) == 0 {
		return nil, nil
	}
	page, err := e.openScratchPage(ctx, in)
	if err != nil {
		return nil, err
	}
	for _, o := range state.Origins {
		if err := page.Run(ctx, o.Origin, action, o, nil); err != nil {
			return page, err
		}
		st.recordOrigin(o.Origin)
	}
	return page, nil
}

// loadInitial gives a new browser context the state that the configuration has for the session.
// Its page stays open until the session has a tab: when the last window of a profile closes, Chromium
// deletes the session cookies and may exit. The caller holds contextMu.
func (st *State) loadInitial(ctx context.Context, e *instance, in cdp.BrowserContextID) error {
	if st.session.browser.cfg.InitialState == nil || st.isForeign() {
		return nil
	}
	state, err := st.session.browser.cfg.InitialState(st.session.id)
	if err != nil {
		return err
	}
	page, err := st.write(ctx, e, in, "add", state)
	st.page = page
	return err
}

// closePage closes the page of loadInitialState, if one is open.
func (st *State) closePage() {
	st.session.contextMu.Lock()
	page := st.page
	st.page = nil
	st.session.contextMu.Unlock()
	page.Close()
}

// isForeign reports whether the session works in the default context of a browser that was launched
// elsewhere.
func (st *State) isForeign() bool {
	return !st.session.Isolated() && st.session.browser.profileKind() == AttachedProfile
}

// ownContext returns the running instance and the session's browser context in it.
func (st *State) ownContext() (*instance, cdp.BrowserContextID, error) {
	if st.isForeign() {
		return nil, "", ErrForeignContext
	}
	st.session.mu.Lock()
	e := st.session.instance
	st.session.mu.Unlock()
	if e == nil {
		return nil, "", ErrNoContext
	}
	if !st.session.Isolated() {
		return e, "", nil
	}
	st.session.contextMu.Lock()
	defer st.session.contextMu.Unlock()
	if st.session.contextInstance != e {
		return nil, "", ErrNoContext
	}
	return e, st.session.context, nil
}

// recordOrigin remembers that documents of an origin may have stored something. It takes no lock of
// a tab.
func (st *State) recordOrigin(origin string) {
	if !strings.HasPrefix(origin, "http://") && !strings.HasPrefix(origin, "https://") {
		return
	}
	st.originsMu.Lock()
	defer st.originsMu.Unlock()
	if st.origins == nil {
		st.origins = make(map[string]bool)
	}
	st.origins[origin] = true
}

// visitedOrigins returns the origins of documents that the session has shown, sorted. Those of
// remote frames are known while they are shown.
func (st *State) visitedOrigins(ctx context.Context, e *instance, in cdp.BrowserContextID) []string {
	if res, err := cdp.Call(ctx, e.conn, target.GetTargets, target.GetTargetsParams{}); err == nil {
		for _, info := range res.TargetInfos {
			if u, err := url.Parse(info.URL); err == nil && info.BrowserContextID == in && (info.Type == "page" || info.Type == "iframe") {
				st.recordOrigin(u.Scheme + "://" + u.Host)
			}
		}
	}
	st.originsMu.Lock()
	defer st.originsMu.Unlock()
	return slices.Sorted(maps.Keys(st.origins))
}
