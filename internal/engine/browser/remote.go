package browser

import (
	"context"
	"errors"
	"slices"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// TabAccess says which tabs of an attached browser sessions may use.
type TabAccess string

// The kinds of access. The zero value is OpenedTabs.
const (
	OpenedTabs  TabAccess = "opened" // those that sessions opened, and the popups of these
	PinnedTabs  TabAccess = "pinned" // those and the ones that the person pinned
	GroupedTabs TabAccess = "group"  // those and the ones in a tab group named Callsheet
	AllTabs     TabAccess = "all"    // every tab
)

// Remote is a running browser to attach to. Its person owns every tab that no session opened.
type Remote struct {
	// Name is how results call the browser: an address or a profile directory, without credentials.
	Name string
	// Dial opens a connection to the browser. It is called again after a lost connection. Nil dials
	// Name, as http://host:port or ws://….
	Dial func(ctx context.Context) (chromedp.Transport, error)
	// Tabs are the tabs that sessions may use.
	Tabs TabAccess
	// Listed reports that the browser itself lists no other tab than those that sessions may use.
	Listed bool
	// Person reports that a person works in the browser: tabs that sessions use get a visible bar and
	// are not brought to the front, and settings of the whole profile are refused.
	Person bool
	// KeepAlive is the time between two pings, and the time for the answer; 0 sends none.
	KeepAlive time.Duration
}

// ErrNoPins is the error of PinnedTabs and GroupedTabs in a browser that is reached through its
// debugging port.
var ErrNoPins = fault.New(codes.Failed, "the DevTools protocol does not say which tabs are pinned or in a group; "+
	"the extension does (callsheet extension install), or allow the tabs that are opened here, or all")

// Check returns ErrNoPins if the tabs that the remote names cannot be told from others.
func (r *Remote) Check() error {
	if !r.Listed && (r.Tabs == PinnedTabs || r.Tabs == GroupedTabs) {
		return ErrNoPins
	}
	return nil
}

// usesForeignTabs reports whether sessions may list and adopt tabs that none of them opened.
func (r *Remote) usesForeignTabs() bool { return r == nil || r.Listed || r.Tabs == AllTabs }

// InPersonsProfile reports whether the session works with the cookies and settings of a person.
func (s *Session) InPersonsProfile() bool {
	r := s.browser.remote.Load()
	return r != nil && r.Person && !s.Isolated()
}

// configuredRemote returns the browser to attach to that the configuration names, or nil.
func (c *Config) configuredRemote() *Remote {
	if c.Remote == nil && c.CDPEndpoint != "" {
		return &Remote{Name: c.CDPEndpoint, Tabs: c.Tabs}
	}
	return c.Remote
}

// endpoint returns the name of the browser that is attached to, or "".
func (b *Browser) endpoint() string {
	if r := b.remote.Load(); r != nil {
		return r.Name
	}
	return ""
}

// Attach makes every session use a running browser from now on, and connects to it. The browser
// that ran before ends, with the tabs of every session; of an attached one only those tabs. After
// an error the browser of the configuration is used.
func (b *Browser) Attach(ctx context.Context, r Remote) error {
	if err := r.Check(); err != nil {
		return err
	}
	if err := b.replaceRemote(ctx, &r); err != nil {
		return err
	}
	if _, err := b.ensureInstance(ctx); err != nil {
		return errors.Join(err, b.replaceRemote(ctx, b.cfg.configuredRemote()))
	}
	return nil
}

// Detach lets go of the browser of Attach and closes the tabs that sessions opened in it. It reports
// whether one was attached to.
func (b *Browser) Detach(ctx context.Context) (bool, error) {
	r, configured := b.remote.Load(), b.cfg.configuredRemote()
	if r == nil || configured != nil && r.Name == configured.Name {
		return false, nil
	}
	return true, b.replaceRemote(ctx, configured)
}

// replaceRemote ends the running instance and makes the next call start or attach to another.
func (b *Browser) replaceRemote(ctx context.Context, r *Remote) error {
	b.mu.Lock()
	l := b.launch
	b.mu.Unlock()
	if l != nil {
		if err := l.wait(ctx); err != nil {
			return err
		}
	}
	b.mu.Lock()
	e := b.instance
	if b.instance = nil; e != nil {
		b.exiting = append(b.exiting, e)
	}
	b.remote.Store(r)
	b.mu.Unlock()
	if e == nil {
		return nil
	}
	err := e.stop(ctx)
	b.mu.Lock()
	b.exiting = slices.DeleteFunc(b.exiting, func(o *instance) bool { return o == e })
	b.mu.Unlock()
	return err
}

// CountPages returns how many pages the attached browser has that no session uses.
func (b *Browser) CountPages(ctx context.Context) (int, error) {
	e, err := b.ensureInstance(ctx)
	if err != nil {
		return 0, err
	}
	res, err := cdp.Call(ctx, e.conn, target.GetTargets, target.GetTargetsParams{})
	n := 0
	for _, info := range res.TargetInfos {
		if info.Type == "page" && e.tab(info.TargetID) == nil {
			n++
		}
	}
	return n, err
}

// openRemote connects to a running browser.
func (e *instance) openRemote(ctx context.Context) (t chromedp.Transport, err error) {
	if g := e.owner.cfg.Guard; g != nil {
		if err := g.CheckAttach(); err != nil {
			return nil, err
		}
	}
	if err := e.remote.Check(); err != nil {
		return nil, err
	}
	if e.remote.Dial != nil {
		t, err = e.remote.Dial(ctx)
	} else {
		t, err = protocol.Dial(ctx, e.remote.Name)
	}
	if err != nil {
		return nil, &LaunchError{Location: e.remote.Name, Err: err}
	}
	return t, nil
}

// keepAlive pings the browser now and then until the connection ends, and ends one that does not
// answer, so that the next call connects again.
func (e *instance) keepAlive() {
	if e.remote == nil || e.remote.KeepAlive <= 0 {
		return
	}
	tick := time.NewTicker(e.remote.KeepAlive)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-e.conn.Lost():
			return
		}
		ctx, cancel := context.WithTimeout(e.ctx, max(e.remote.KeepAlive, queryTimeout))
		_, err := cdp.Call(ctx, e.conn, cdpbrowser.GetVersion, cdp.Empty{})
		late := errors.Is(ctx.Err(), context.DeadlineExceeded)
		cancel()
		if err != nil && late {
			e.owner.log.Warn("the browser does not answer, and is disconnected", "browser", e.remote.Name)
			e.release()
			return
		}
	}
}
