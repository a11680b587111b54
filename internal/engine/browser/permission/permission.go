// Package permission merges the permissions that the tabs of a browser context set.
//
// It knows tabs by what it needs of them, and must not know sessions or tools.
package permission

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// The browser keeps permissions for a browser context and, before those, for an origin in it; it knows
// none of a tab. What the tabs of a context set is therefore merged: a permission that one tab sets holds
// in the context. Where tabs disagree, each has its own at the origin that it shows, and the latest
// setting holds at an origin that several of them show, and everywhere else.

// Error says that the browser refused a setting.
type Error struct {
	Name, Setting string
	Err           error
}

func (e *Error) Error() string {
	return fmt.Sprintf("set permission %s to %s: %v", e.Name, e.Setting, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// key names a setting in the browser. The origin "" stands for all.
type key struct{ origin, name string }

// settings are the permissions of one tab, by name. origin is the origin of its document.
type settings struct {
	tab    *Tab
	byName map[string]string
	origin string
}

// table holds the settings of the tabs of one browser context, the latest last.
type table struct {
	conn cdp.Session
	in   cdp.BrowserContextID

	mu      sync.Mutex
	tabs    []settings
	applied map[key]string // what the browser has
}

// Tables are the tables of a browser. The zero value is ready for use.
type Tables struct {
	mu        sync.Mutex
	byContext map[cdp.BrowserContextID]*table
}

func (p *Tables) of(conn cdp.Session, in cdp.BrowserContextID) *table {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byContext == nil {
		p.byContext = make(map[cdp.BrowserContextID]*table)
	}
	if p.byContext[in] == nil {
		p.byContext[in] = &table{conn: conn, in: in, applied: make(map[key]string)}
	}
	return p.byContext[in]
}

// Delete drops the table of a browser context that has been disposed of.
func (p *Tables) Delete(in cdp.BrowserContextID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byContext, in)
}

// Host is the part of a tab that its permissions use.
type Host struct {
	Name   string // of the tab, for the log
	Conn   cdp.Session
	Base   context.Context // ends with the browser
	Tables *Tables
	// Context returns the tab's browser context.
	Context func(ctx context.Context) (cdp.BrowserContextID, error)
	URL     func() string
	Closed  func() bool
	Explain func(error) error // returns the cause of a failed command
	Log     *slog.Logger
}

// Tab has the permissions that a tab sets.
type Tab struct {
	host Host
	// table is the table that has settings of the tab, or nil; nextOrigin is the origin that the latest
	// navigation leads to.
	table      atomic.Pointer[table]
	nextOrigin atomic.Pointer[string]
}

// New returns the permissions of a tab, which sets none.
func New(host Host) *Tab { return &Tab{host: host} }

// Set replaces the permissions that the tab sets: granted, denied or prompt, by name. Those of
// other tabs of the browser context stay. A setting that the browser refuses is a [Error].
func (p *Tab) Set(ctx context.Context, byName map[string]string) error {
	if len(byName) == 0 && p.table.Load() == nil {
		return nil
	}
	in, err := p.host.Context(ctx)
	if err != nil {
		return err
	}
	t := p.host.Tables.of(p.host.Conn, in)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tabs = slices.DeleteFunc(t.tabs, func(s settings) bool { return s.tab == p })
	p.table.Store(nil)
	if len(byName) > 0 {
		t.tabs = append(t.tabs, settings{tab: p, byName: maps.Clone(byName), origin: originOf(p.host.URL())})
		p.table.Store(t)
	}
	if err := t.apply(ctx); err != nil {
		return p.host.Explain(err)
	}
	return nil
}

// Follow brings the permissions of the tab to the origin of a URL. It returns at once.
func (p *Tab) Follow(address string) {
	t := p.table.Load()
	if t == nil {
		return
	}
	p.nextOrigin.Store(new(originOf(address)))
	go t.update(p)
}

// Update applies the settings of all tabs anew after the tab has ended. It returns at once.
func (p *Tab) Update() {
	if t := p.table.Load(); t != nil {
		go t.update(p)
	}
}

// updateTimeout bounds the commands after a navigation or the end of a tab.
const updateTimeout = 5 * time.Second

// update applies the table anew after the tab has another origin, or has ended.
func (p *table) update(t *Tab) {
	ctx, cancel := context.WithTimeout(t.host.Base, updateTimeout)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.tabs {
		if next := t.nextOrigin.Load(); s.tab == t && next != nil {
			p.tabs[i].origin = *next
		}
	}
	if err := p.apply(ctx); err != nil && ctx.Err() == nil {
		t.host.Log.Debug("permissions of a tab", "tab", t.host.Name, "error", err)
	}
}

// apply makes the browser have the merged settings. It resets all only where one is to go, because the
// browser has no command that resets one. The caller holds mu.
func (p *table) apply(ctx context.Context) error {
	p.tabs = slices.DeleteFunc(p.tabs, func(s settings) bool { return s.tab.host.Closed() })
	want := merge(p.tabs)
	for k := range p.applied {
		if _, ok := want[k]; ok {
			continue
		}
		reset := cdpbrowser.ResetPermissionsParams{BrowserContextID: p.in}
		if err := protocol.Exec(ctx, p.conn, cdpbrowser.ResetPermissions, reset); err != nil {
			return fmt.Errorf("reset permissions: %w", err)
		}
		clear(p.applied)
		break
	}
	for k, setting := range want {
		if p.applied[k] == setting {
			continue
		}
		if err := protocol.Exec(ctx, p.conn, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: k.name}, Origin: k.origin,
			Setting: cdpbrowser.PermissionSetting(setting), BrowserContextID: p.in,
		}); err != nil {
			return &Error{Name: k.name, Setting: setting, Err: err}
		}
		p.applied[k] = setting
	}
	return nil
}

// merge merges settings of tabs, of which the later ones win.
func merge(tabs []settings) map[key]string {
	want, disputed := map[key]string{}, map[string]bool{}
	for _, s := range tabs {
		for name, setting := range s.byName {
			before, ok := want[key{name: name}]
			disputed[name] = disputed[name] || ok && before != setting
			want[key{name: name}] = setting
		}
	}
	for _, s := range tabs {
		for name, setting := range s.byName {
			if disputed[name] && s.origin != "" {
				want[key{s.origin, name}] = setting
			}
		}
	}
	return want
}

// originOf returns the origin of a web address, or "".
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
