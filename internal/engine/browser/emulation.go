package browser

import (
	"context"
	"fmt"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
)

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
