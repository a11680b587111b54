package browser

import (
	"context"
	"fmt"
	"math"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
)

// maxShot is the longest side of a screenshot in CSS pixels. Chromium's compositor
// repeats or blanks what is beyond it.
const maxShot = 16384

// Format is an image format.
type Format string

// The formats of a screenshot.
const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	WebP Format = "webp"
)

// Rect is an area of the page in CSS pixels, from the top left of the document.
type Rect struct{ X, Y, Width, Height float64 }

// ScreenshotOptions say what to capture; the zero value is the viewport as PNG.
type ScreenshotOptions struct {
	FullPage       bool
	Format         Format // "" is PNG
	Quality        int    // 1–100 for JPEG and WebP; 0 is the browser's default
	Clip           *Rect  // an area of the document; wins over FullPage
	OmitBackground bool   // transparent where the page paints nothing; not for JPEG
}

// Screenshot is a captured image.
type Screenshot struct {
	Data []byte
	MIME string
	Size Size // in CSS pixels, which are the image's pixels
	// Truncated: the page is longer or wider than a screenshot can be.
	Truncated bool
}

// Screenshot captures the page. A tab that shares its window with others, as popups do
// and all tabs of a browser with visible windows, is selected in it.
func (t *Tab) Screenshot(ctx context.Context, opts ScreenshotOptions) (Screenshot, error) {
	if opts.Format == "" {
		opts.Format = PNG
	}
	switch opts.Format {
	case PNG, JPEG, WebP:
	default:
		return Screenshot{}, fmt.Errorf("screenshot: unknown format %q", opts.Format)
	}
	shot := Screenshot{MIME: "image/" + string(opts.Format)}
	err := t.do(ctx, false, func(ctx context.Context) error {
		params, err := t.frameShot(ctx, opts, &shot)
		if err != nil {
			return err
		}
		// A tab that is not selected in its window has no surface to capture, and the
		// capture would wait for one until the deadline.
		if t.shared.Load() {
			if err := call(ctx, t.engine.conn, target.ActivateTarget, target.ActivateTargetParams{TargetID: t.target}); err != nil {
				return fmt.Errorf("select the tab in its window: %w", err)
			}
		}
		if opts.OmitBackground {
			if err := t.background(ctx, &transparent{}); err != nil {
				return err
			}
			defer func() { _ = t.background(ctx, nil) }()
		}
		res, err := cdp.Call(ctx, t.cdp, cdppage.CaptureScreenshot, params)
		if err != nil {
			return fmt.Errorf("screenshot: %w", err)
		}
		shot.Data = res.Data
		return nil
	})
	if err != nil {
		return Screenshot{}, err
	}
	return shot, nil
}

// frameShot turns the options into the protocol's, and fills in the size.
func (t *Tab) frameShot(ctx context.Context, opts ScreenshotOptions, shot *Screenshot) (cdppage.CaptureScreenshotParams, error) {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormat(opts.Format)}
	if q := int64(min(opts.Quality, 100)); q > 0 && opts.Format != PNG {
		params.Quality = &q
	}
	if !opts.FullPage && opts.Clip == nil {
		shot.Size = t.session.browser.cfg.Viewport
		return params, nil
	}
	var area Rect
	if opts.Clip != nil {
		area = *opts.Clip
		if !(area.Width >= 1 && area.Height >= 1) {
			return params, fmt.Errorf("screenshot: the area to capture is empty")
		}
	} else {
		m, err := cdp.Call(ctx, t.cdp, cdppage.GetLayoutMetrics, cdp.Empty{})
		if err != nil {
			return params, fmt.Errorf("measure the page: %w", err)
		}
		area = Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}
	}
	shot.Truncated = area.Width > maxShot || area.Height > maxShot
	area.Width, area.Height = min(math.Ceil(area.Width), maxShot), min(math.Ceil(area.Height), maxShot)
	shot.Size = Size{Width: int(area.Width), Height: int(area.Height)}
	yes := true
	params.CaptureBeyondViewport = &yes
	params.Clip = &cdppage.Viewport{X: area.X, Y: area.Y, Width: area.Width, Height: area.Height, Scale: 1}
	return params, nil
}

// transparent is the colour that the generated protocol type cannot say: it drops a
// zero alpha, and the protocol's default is opaque.
type transparent struct {
	R int `json:"r"`
	G int `json:"g"`
	B int `json:"b"`
	A int `json:"a"`
}

// background overrides the colour under the page; nil restores it.
func (t *Tab) background(ctx context.Context, color *transparent) error {
	params := struct {
		Color *transparent `json:"color,omitempty"`
	}{color}
	if err := t.cdp.Call(ctx, emulation.CommandSetDefaultBackgroundColorOverride, params, nil); err != nil {
		return fmt.Errorf("set the background: %w", err)
	}
	return nil
}
