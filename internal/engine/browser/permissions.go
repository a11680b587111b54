package browser

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// The browser keeps permissions for a browser context and, before those, for an origin in it; it knows
// none of a tab. What the tabs of a context set is therefore merged: a permission that one tab sets holds
// in the context. Where tabs disagree, each has its own at the origin that it shows, and the latest
// setting holds at an origin that several of them show, and everywhere else.

// PermissionError says that the browser refused a setting.
type PermissionError struct {
	Name, Setting string
	Err           error
}

func (e *PermissionError) Error() string {
	return fmt.Sprintf("set permission %s to %s: %v", e.Name, e.Setting, e.Err)
}

func (e *PermissionError) Unwrap() error { return e.Err }

// permissionKey names a setting in the browser. The origin "" stands for all.
type permissionKey struct{ origin, name string }

// tabPermissions are the settings of one tab. origin is what it shows.
type tabPermissions struct {
	tab      *Tab
	settings map[string]string
	origin   string
}

// permissionTable holds the settings of the tabs of one browser context, the latest last.
type permissionTable struct {
	conn *protocol.Conn
	in   cdp.BrowserContextID

	mu      sync.Mutex
	tabs    []tabPermissions
	applied map[permissionKey]string // what the browser has
}

// permissionTables are the tables of a browser. The zero value is ready for use.
type permissionTables struct {
	mu        sync.Mutex
	byContext map[cdp.BrowserContextID]*permissionTable
}

func (p *permissionTables) of(conn *protocol.Conn, in cdp.BrowserContextID) *permissionTable {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byContext == nil {
		p.byContext = make(map[cdp.BrowserContextID]*permissionTable)
	}
	if p.byContext[in] == nil {
		p.byContext[in] = &permissionTable{conn: conn, in: in, applied: make(map[permissionKey]string)}
	}
	return p.byContext[in]
}

// delete drops the table of a browser context that has been disposed of.
func (p *permissionTables) delete(in cdp.BrowserContextID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.byContext, in)
}

// Permissions are the permissions that a tab sets.
type Permissions struct {
	tab *Tab
	// table is the table that has settings of the tab, or nil; nextOrigin is the origin that the latest
	// navigation leads to.
	table      atomic.Pointer[permissionTable]
	nextOrigin atomic.Pointer[string]
}

// Set replaces the permissions that the tab sets: granted, denied or prompt, by name. Those of
// other tabs of the browser context stay. A setting that the browser refuses is a [PermissionError].
func (p *Permissions) Set(ctx context.Context, settings map[string]string) error {
	if len(settings) > 0 && p.tab.session.InPersonsProfile() {
		return &ProfileSettingError{Setting: "a permission"}
	}
	in, err := p.tab.session.browserContext(ctx, p.tab.instance)
	if err != nil {
		return err
	}
	table := p.tab.instance.permissions.of(p.tab.instance.conn, in)
	table.mu.Lock()
	defer table.mu.Unlock()
	table.tabs = slices.DeleteFunc(table.tabs, func(s tabPermissions) bool { return s.tab == p.tab })
	p.table.Store(nil)
	if len(settings) > 0 {
		table.tabs = append(table.tabs, tabPermissions{tab: p.tab, settings: maps.Clone(settings), origin: originOf(p.tab.URL())})
		p.table.Store(table)
	}
	if err := table.apply(ctx); err != nil {
		return p.tab.instance.explain(err)
	}
	return nil
}

// follow brings the permissions of the tab to the origin of a URL. It returns at once.
func (p *Permissions) follow(address string) {
	table := p.table.Load()
	if table == nil {
		return
	}
	p.nextOrigin.Store(new(originOf(address)))
	go table.update(p.tab)
}

// update applies the table anew after the tab has another origin, or has ended.
func (p *permissionTable) update(t *Tab) {
	ctx, cancel := context.WithTimeout(t.instance.ctx, childSetupTimeout)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.tabs {
		if next := t.Permissions.nextOrigin.Load(); s.tab == t && next != nil {
			p.tabs[i].origin = *next
		}
	}
	if err := p.apply(ctx); err != nil && ctx.Err() == nil {
		t.session.browser.log.Debug("permissions of a tab", "tab", t.id, "error", err)
	}
}

// apply makes the browser have the merged settings. It resets all only where one is to go, because the
// browser has no command that resets one. The caller holds mu.
func (p *permissionTable) apply(ctx context.Context) error {
	p.tabs = slices.DeleteFunc(p.tabs, func(s tabPermissions) bool { return s.tab.endError() != nil })
	want := mergePermissions(p.tabs)
	for key := range p.applied {
		if _, ok := want[key]; ok {
			continue
		}
		reset := cdpbrowser.ResetPermissionsParams{BrowserContextID: p.in}
		if err := protocol.Exec(ctx, p.conn, cdpbrowser.ResetPermissions, reset); err != nil {
			return fmt.Errorf("reset permissions: %w", err)
		}
		clear(p.applied)
		break
	}
	for key, setting := range want {
		if p.applied[key] == setting {
			continue
		}
		if err := protocol.Exec(ctx, p.conn, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
			Permission: &cdpbrowser.PermissionDescriptor{Name: key.name}, Origin: key.origin,
			Setting: cdpbrowser.PermissionSetting(setting), BrowserContextID: p.in,
		}); err != nil {
			return &PermissionError{Name: key.name, Setting: setting, Err: err}
		}
		p.applied[key] = setting
	}
	return nil
}

// mergePermissions merges settings of tabs, of which the later ones win.
func mergePermissions(tabs []tabPermissions) map[permissionKey]string {
	want, disputed := map[permissionKey]string{}, map[string]bool{}
	for _, s := range tabs {
		for name, setting := range s.settings {
			before, ok := want[permissionKey{name: name}]
			disputed[name] = disputed[name] || ok && before != setting
			want[permissionKey{name: name}] = setting
		}
	}
	for _, s := range tabs {
		for name, setting := range s.settings {
			if disputed[name] && s.origin != "" {
				want[permissionKey{s.origin, name}] = setting
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
