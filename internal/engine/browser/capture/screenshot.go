// Package capture takes pictures of a tab's page and prints it.
//
// It takes a tab by the few methods that it needs. It must not know sessions, browsers or tools.
package capture

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
)

// maxScreenshotSide is the longest side of a screenshot in CSS pixels. Chromium's compositor
// repeats or blanks the area beyond it.
const maxScreenshotSide = 16384

// MaxShown is the longest side of a picture in an answer, in pixels: clients end the session over larger ones.
const MaxShown = 2000

// restoreTimeout bounds the commands that restore the page after a capture.
const restoreTimeout = 2 * time.Second

// Format is an image format.
type Format string

// The formats of a screenshot.
const (
	PNG  Format = "png"
	JPEG Format = "jpeg"
	WebP Format = "webp"
)

// Size is a width and a height in pixels.
type Size struct{ Width, Height int }

// Rect is an area of the page in CSS pixels, from the top left of the document.
type Rect struct{ X, Y, Width, Height float64 }

// Options say what to capture; the zero value is the viewport as PNG.
type Options struct {
	FullPage bool
	Format   Format // "" is PNG
	Quality  int    // 1–100 for JPEG and WebP; 0 is the browser's default
	Clip     *Rect  // an area of the document; overrides FullPage
	Ref      string // an element, which is scrolled into view; overrides both
	MaxSide  int    // scale down to this longest side in pixels; 0 does not scale
	// MinScale is the smallest scale for MaxSide. An image that needs a smaller one is not scaled.
	MinScale       float64
	OmitBackground bool // transparent where the page has no background; not for JPEG
	// Hide lists texts that this screenshot must not show, in addition to those of the tab.
	Hide []string
}

// Image is a captured image.
type Image struct {
	Data []byte
	MIME string
	Size Size // in pixels of the image
	// Scale is the number of image pixels per CSS pixel: 1, whatever the screen has, unless MaxSide made it less.
	Scale float64
	// Truncated reports that the page is longer or wider than maxScreenshotSide.
	Truncated bool
}

// Describe says the size of an image and, unless that is 1, its scale.
func (i Image) Describe() string {
	text := fmt.Sprintf("%d×%d", i.Size.Width, i.Size.Height)
	if i.Scale != 1 {
		text += fmt.Sprintf(" pixels at scale %.3g", i.Scale)
	}
	return text
}

// Tab is the tab whose page is captured.
type Tab interface {
	// Do runs fn with the tab's page while no other call works on it.
	Do(ctx context.Context, fn func(ctx context.Context, p *page.Page) error) error
	// Protocol returns the protocol session of the page.
	Protocol(ctx context.Context) (cdp.Session, error)
	// Viewport returns the size of the page in CSS pixels, and whether the page certainly has it, with one pixel of
	// the screen for each.
	Viewport() (width, height int, exact bool)
	// ApplyMetrics gives the page its metrics anew.
	ApplyMetrics(ctx context.Context, s cdp.Session) error
	IsHeadless() bool
	// SelectInWindow selects a tab that shares its window with others, unless that disturbs a person.
	SelectInWindow(ctx context.Context) error
	// HideMark removes the bar that marks the tab for a person until show is called.
	HideMark(ctx context.Context) (show func())
	// Concealed returns the texts that no picture may show.
	Concealed() []string
}

// Screenshot captures the page. A tab that shares its window with others is selected in it: popups,
// and all tabs of a browser with visible windows.
func Screenshot(ctx context.Context, t Tab, opts Options) (Image, error) {
	if opts.Format == "" {
		opts.Format = PNG
	}
	switch opts.Format {
	case PNG, JPEG, WebP:
	default:
		return Image{}, fault.New(codes.Failed, fmt.Sprintf("screenshot: unknown format %q", opts.Format))
	}
	shot := Image{MIME: "image/" + string(opts.Format), Scale: 1}
	err := t.Do(ctx, func(ctx context.Context, p *page.Page) error {
		s, err := t.Protocol(ctx)
		if err != nil {
			return err
		}
		c := capture{tab: t, page: p, session: s}
		params, err := c.params(ctx, opts, &shot)
		if err != nil {
			return err
		}
		shot.Data, err = c.take(ctx, opts, params)
		return err
	})
	if err != nil {
		return Image{}, err
	}
	return shot, nil
}

// capture is one capture of a page, whose tab is locked.
type capture struct {
	tab     Tab
	page    *page.Page
	session cdp.Session
}

// take prepares the page for the picture, and restores it afterwards.
func (c *capture) take(ctx context.Context, opts Options, params cdppage.CaptureScreenshotParams) ([]byte, error) {
	if err := c.tab.SelectInWindow(ctx); err != nil {
		return nil, err
	}
	if opts.OmitBackground {
		if err := c.setBackground(ctx, &transparent{}); err != nil {
			return nil, err
		}
		defer func() {
			restoring, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreTimeout)
			defer cancel()
			_ = c.setBackground(restoring, nil)
		}()
	}
	reveal, err := c.conceal(ctx, opts.Hide)
	if err != nil {
		return nil, err
	}
	defer reveal()
	return c.draw(ctx, params)
}

// draw asks for the picture, which the browser draws only of a document that stays.
func (c *capture) draw(ctx context.Context, params cdppage.CaptureScreenshotParams) ([]byte, error) {
	capturing, stop := c.page.Document.UntilReloading(ctx)
	defer stop()
	defer c.tab.HideMark(ctx)()
	if beyond := params.CaptureBeyondViewport; beyond != nil && *beyond {
		*beyond = !c.paintWholeDocument(capturing, *params.Clip)
	}
	res, err := protocol.CallWhenActive(capturing, c.session, cdppage.CaptureScreenshot, params)
	if reloading := context.Cause(capturing); err != nil && reloading != nil {
		err = reloading
	}
	if err != nil {
		return nil, fmt.Errorf("screenshot: %w", err)
	}
	return res.Data, nil
}

// conceal hides secret texts until reveal is called. If that fails, the page must not be captured.
func (c *capture) conceal(ctx context.Context, more []string) (reveal func(), err error) {
	values := slices.Concat(c.tab.Concealed(), more)
	if len(values) == 0 {
		return func() {}, nil
	}
	if reveal, err = c.page.Secrets.Mask(ctx, values); err != nil {
		return nil, fmt.Errorf("hide secrets from the picture: %w", err)
	}
	return reveal, nil
}

// params turns the options into the protocol's parameters and sets the size of shot.
func (c *capture) params(
	ctx context.Context, opts Options, shot *Image,
) (cdppage.CaptureScreenshotParams, error) {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormat(opts.Format)}
	if q := int64(min(opts.Quality, 100)); q > 0 && opts.Format != PNG {
		params.Quality = &q
	}
	width, height, exact := c.tab.Viewport()
	whole := !opts.FullPage && opts.Clip == nil && opts.Ref == ""
	if whole && (opts.MaxSide <= 0 || max(width, height) <= opts.MaxSide) && exact {
		shot.Size = Size{Width: width, Height: height}
		return params, nil
	}
	area, inside, err := c.area(ctx, opts)
	if err != nil {
		return params, err
	}
	ratio := 1.0 // of the screen's pixels to CSS pixels
	if !exact {
		if ratio, err = c.pixelRatio(ctx); err != nil {
			return params, err
		}
	}
	if !(area.Width >= 1 && area.Height >= 1) {
		return params, fault.New(codes.Failed, "screenshot: the area to capture is empty")
	}
	shot.Truncated = area.Width > maxScreenshotSide || area.Height > maxScreenshotSide
	area.Width, area.Height = min(math.Ceil(area.Width), maxScreenshotSide), min(math.Ceil(area.Height), maxScreenshotSide)
	if longest := max(area.Width, area.Height); opts.MaxSide > 0 && longest > float64(opts.MaxSide) {
		if scale := float64(opts.MaxSide) / longest; scale >= opts.MinScale {
			shot.Scale = scale
		}
	}
	pixels := func(css float64) int { return max(1, int(math.Round(css*shot.Scale))) }
	shot.Size = Size{Width: pixels(area.Width), Height: pixels(area.Height)}
	beyond := !inside(area)
	params.CaptureBeyondViewport = &beyond
	params.Clip = &cdppage.Viewport{X: area.X, Y: area.Y, Width: area.Width, Height: area.Height, Scale: shot.Scale / ratio}
	return params, nil
}

// pixelRatio returns how many pixels of the screen a CSS pixel of the page has.
func (c *capture) pixelRatio(ctx context.Context) (float64, error) {
	if _, err := c.page.Document.TopWorld(ctx); err != nil {
		return 1, err
	}
	ratio := 1.0
	if err := c.page.Document.CallShown(ctx, "function() { return devicePixelRatio }", &ratio); err != nil {
		return 1, fmt.Errorf("measure the screen: %w", err)
	}
	return max(ratio, 0.01), nil
}

// area returns the area to capture, in CSS pixels from the top left of the document, and whether the viewport has
// all of an area.
func (c *capture) area(ctx context.Context, opts Options) (area Rect, inside func(Rect) bool, err error) {
	var box document.Box
	if opts.Ref != "" {
		if _, err := c.page.Mouse.ScrollIntoView(ctx, opts.Ref); err != nil {
			return Rect{}, nil, err
		}
		info, err := c.page.Document.Describe(ctx, opts.Ref)
		if err != nil {
			return Rect{}, nil, err
		}
		box = info.Box
	}
	m, err := protocol.CallWhenActive(ctx, c.session, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return Rect{}, nil, fmt.Errorf("measure the page: %w", err)
	}
	view := m.CSSVisualViewport
	inside = func(r Rect) bool {
		return r.X >= view.PageX && r.Y >= view.PageY && r.X+r.Width <= view.PageX+view.ClientWidth && r.Y+r.Height <= view.PageY+view.ClientHeight
	}
	switch {
	case opts.Ref != "":
		area = Rect{X: box.X + view.PageX, Y: box.Y + view.PageY, Width: box.Width, Height: box.Height}
	case opts.Clip != nil:
		area = *opts.Clip
	case opts.FullPage:
		area = Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}
	default:
		area = Rect{X: view.PageX, Y: view.PageY, Width: view.ClientWidth, Height: view.ClientHeight}
		inside = func(Rect) bool { return true }
	}
	return area, inside, nil
}

// transparent is a color that the generated protocol type cannot encode: it drops a zero alpha, and
// the protocol's default is opaque.
type transparent struct {
	R int `json:"r"`
	G int `json:"g"`
	B int `json:"b"`
	A int `json:"a"`
}

// setBackground overrides the page's background color; nil restores it.
func (c *capture) setBackground(ctx context.Context, color *transparent) error {
	params := struct {
		Color *transparent `json:"color,omitempty"`
	}{color}
	if err := c.session.Call(ctx, emulation.CommandSetDefaultBackgroundColorOverride, params, nil); err != nil {
		return fmt.Errorf("set the background: %w", err)
	}
	return nil
}
