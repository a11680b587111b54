package browser

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"sync"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// Version returns the browser's product and version, such as "Chrome/156.0.8078.79".
func (t *Tab) Version() string { return t.instance.version }

// SetViewport records the size that an instrument gave the page; zero is the configured one.
func (t *Tab) SetViewport(size Size) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.viewport = size
}

// Viewport returns the size of the page as far as it is known. It is not exact for an adopted page,
// whose window may have another.
func (t *Tab) Viewport() (width, height int, exact bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	size := t.viewport
	if size == (Size{}) {
		size = t.session.browser.cfg.Viewport
	}
	return size.Width, size.Height, !t.adopted
}

// SelectInWindow selects a tab that shares its window with others: an unselected one has no surface,
// and a capture would wait for one until the deadline. Emulated metrics give it one, and a person's
// selected tab stays selected.
func (t *Tab) SelectInWindow(ctx context.Context) error {
	if !t.shared.Load() || !t.adopted && t.session.InPersonsProfile() {
		return nil
	}
	if err := protocol.Exec(ctx, t.instance.conn, target.ActivateTarget, target.ActivateTargetParams{TargetID: t.target}); err != nil {
		return fmt.Errorf("select the tab in its window: %w", err)
	}
	return nil
}

// Concealed returns the texts that no picture of the tab may show: see Config.Conceal.
func (t *Tab) Concealed() []string { return t.instance.owner.cfg.Conceal }

// MainFrame returns the id of the tab's main frame; "" before the tab has attached.
func (t *Tab) MainFrame() cdp.FrameID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.frame.id
}

// ResetViewport gives the page the size that it has without instruments.
func (t *Tab) ResetViewport(ctx context.Context, s cdp.Session) error {
	if t.adopted {
		return protocol.Exec(ctx, s, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	}
	size := t.session.browser.cfg.Viewport
	return protocol.Exec(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(size.Width), Height: int64(size.Height), DeviceScaleFactor: 1,
	})
}

// IsMainFrame reports whether a frame is the tab's main frame.
func (t *Tab) IsMainFrame(id cdp.FrameID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.frame.id == "" { // the tab is not attached yet, and its frame has the id of its target
		return string(t.target) == string(id)
	}
	return t.frame.id == id
}

// IsHeadless reports whether the browser was launched here without windows.
func (t *Tab) IsHeadless() bool { return t.instance.isHeadless() }

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

// SetPermissions replaces the permissions that the tab sets: granted, denied or prompt, by name. Those of
// other tabs of the browser context stay. A setting that the browser refuses is a [PermissionError].
func (t *Tab) SetPermissions(ctx context.Context, settings map[string]string) error {
	if len(settings) > 0 && t.session.InPersonsProfile() {
		return &ProfileSettingError{Setting: "a permission"}
	}
	in, err := t.session.browserContext(ctx, t.instance)
	if err != nil {
		return err
	}
	table := t.instance.permissions.of(t.instance.conn, in)
	table.mu.Lock()
	defer table.mu.Unlock()
	table.tabs = slices.DeleteFunc(table.tabs, func(s tabPermissions) bool { return s.tab == t })
	t.permissions.Store(nil)
	if len(settings) > 0 {
		table.tabs = append(table.tabs, tabPermissions{tab: t, settings: maps.Clone(settings), origin: originOf(t.URL())})
		t.permissions.Store(table)
	}
	if err := table.apply(ctx); err != nil {
		return t.instance.explain(err)
	}
	return nil
}

// followPermissions brings the permissions of the tab to the origin of a URL. It returns at once.
func (t *Tab) followPermissions(address string) {
	table := t.permissions.Load()
	if table == nil {
		return
	}
	t.nextOrigin.Store(new(originOf(address)))
	go table.update(t)
}

// update applies the table anew after the tab has another origin, or has ended.
func (p *permissionTable) update(t *Tab) {
	ctx, cancel := context.WithTimeout(t.instance.ctx, childSetupTimeout)
	defer cancel()
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range p.tabs {
		if next := t.nextOrigin.Load(); s.tab == t && next != nil {
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
