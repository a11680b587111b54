package browser

import (
	"context"
	"fmt"
	"maps"
	"slices"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
)

// PopupInstrument is an instrument whose effect extends to the popups of its tab.
type PopupInstrument interface {
	// AppliesToPopups reports whether it has an effect now.
	AppliesToPopups() bool
	// PreparePopup sets what the popup's first request needs in a session whose commands return
	// before they are answered. It is called for popups without window.opener, before ApplyToPopup.
	PreparePopup(ctx context.Context, popup *Tab, session cdp.Session) PopupPreparation
	// ApplyToPopup is called with the popup's session while the popup attaches; the popup itself
	// answers no commands yet.
	ApplyToPopup(ctx context.Context, popup *Tab, session cdp.Session)
}

// PopupPreparation is what PreparePopup leaves to do. Each field may be nil.
type PopupPreparation struct {
	// Event receives the events of the session, under the rules of Listen.
	Event func(event any)
	// Finish is called when the popup has attached. The session ends when it returns.
	Finish func(ctx context.Context)
}

// popupInstruments returns the instruments that apply to the popups of the tab.
func (t *Tab) popupInstruments() (out []PopupInstrument) {
	t.mu.Lock()
	instruments := slices.Collect(maps.Values(t.instruments))
	t.mu.Unlock()
	for _, v := range instruments {
		if h, ok := v.(PopupInstrument); ok && h.AppliesToPopups() {
			out = append(out, h)
		}
	}
	return out
}

// openerInstruments returns the instruments that the tab takes over from its opener while it
// attaches.
func (t *Tab) openerInstruments() []PopupInstrument {
	t.mu.Lock()
	opener := t.openerTab
	t.mu.Unlock()
	if opener == nil {
		return nil
	}
	return opener.popupInstruments()
}

// inherit applies the instruments of the opener to a popup. In a browser that was launched
// elsewhere, the popup's first request has already started; see popup_hold.go.
func (t *Tab) inherit(ctx context.Context) {
	for _, h := range t.openerInstruments() {
		h.ApplyToPopup(ctx, t, t.cdp)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.openerTab = nil // a closed opener is not kept alive by its popups
}

// Version returns the browser's product and version, such as "Chrome/156.0.8078.79".
func (t *Tab) Version() string { return t.instance.version }

// SetViewport records the size that an instrument gave the page; zero is the configured one.
func (t *Tab) SetViewport(size Size) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.viewport = size
}

// viewportSize returns the size of the page as far as it is known. The window of an adopted page
// may have another.
func (t *Tab) viewportSize() Size {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.viewport != (Size{}) {
		return t.viewport
	}
	return t.session.browser.cfg.Viewport
}

// ResetViewport gives the page the size that it has without instruments.
func (t *Tab) ResetViewport(ctx context.Context, s cdp.Session) error {
	if t.adopted {
		return call(ctx, s, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	}
	size := t.session.browser.cfg.Viewport
	return call(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(size.Width), Height: int64(size.Height), DeviceScaleFactor: 1,
	})
}

// SetPermission sets a permission for the pages of the tab's browser context: granted, denied or
// prompt.
func (t *Tab) SetPermission(ctx context.Context, name, setting string) error {
	in, err := t.session.browserContext(ctx, t.instance)
	if err != nil {
		return err
	}
	err = call(ctx, t.instance.conn, cdpbrowser.SetPermission, cdpbrowser.SetPermissionParams{
		Permission: &cdpbrowser.PermissionDescriptor{Name: name},
		Setting:    cdpbrowser.PermissionSetting(setting), BrowserContextID: in,
	})
	if err != nil {
		return fmt.Errorf("set permission %s: %w", name, t.instance.explain(err))
	}
	return nil
}

// ResetPermissions undoes every SetPermission in the tab's browser context.
func (t *Tab) ResetPermissions(ctx context.Context) error {
	in, err := t.session.browserContext(ctx, t.instance)
	if err != nil {
		return err
	}
	if err := call(ctx, t.instance.conn, cdpbrowser.ResetPermissions,
		cdpbrowser.ResetPermissionsParams{BrowserContextID: in}); err != nil {
		return fmt.Errorf("reset permissions: %w", t.instance.explain(err))
	}
	return nil
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
