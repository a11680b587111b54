package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// Version returns the browser's product and version, such as "Chrome/156.0.8078.79".
func (t *Tab) Version() string { return t.instance.version }

// SetMetrics gives the page the metrics that an instrument sets; nil is those that it has without instruments.
func (t *Tab) SetMetrics(ctx context.Context, s cdp.Session, m *emulation.SetDeviceMetricsOverrideParams) error {
	t.mu.Lock()
	t.metrics = m
	t.mu.Unlock()
	return t.ApplyMetrics(ctx, s)
}

// Viewport returns the size of the page as far as it is known. It is not exact for an adopted page,
// whose window may have another, or for a screen with several pixels for each of the page.
func (t *Tab) Viewport() (width, height int, exact bool) {
	size, scale := t.session.browser.cfg.Viewport, 0.0
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := t.metrics; m != nil {
		size, scale = Size{Width: int(m.Width), Height: int(m.Height)}, m.DeviceScaleFactor
	}
	return size.Width, size.Height, !t.adopted && (scale == 0 || scale == 1)
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
	return t.Document.state.id
}

// ApplyMetrics gives the page its metrics anew.
func (t *Tab) ApplyMetrics(ctx context.Context, s cdp.Session) error {
	t.mu.Lock()
	m := t.metrics
	t.mu.Unlock()
	if m == nil && t.adopted {
		return protocol.Exec(ctx, s, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
	}
	if m == nil {
		size := t.session.browser.cfg.Viewport
		m = &emulation.SetDeviceMetricsOverrideParams{Width: int64(size.Width), Height: int64(size.Height), DeviceScaleFactor: 1}
	}
	return protocol.Exec(ctx, s, emulation.SetDeviceMetricsOverride, *m)
}

// IsHeadless reports whether the browser was launched here without windows.
func (t *Tab) IsHeadless() bool { return t.instance.isHeadless() }
