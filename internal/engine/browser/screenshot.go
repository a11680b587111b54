package browser

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/io"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/fault"
)

// maxScreenshotSide is the longest side of a screenshot in CSS pixels. Chromium's compositor
// repeats or blanks the area beyond it.
const maxScreenshotSide = 16384

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
	FullPage bool
	Format   Format // "" is PNG
	Quality  int    // 1–100 for JPEG and WebP; 0 is the browser's default
	Clip     *Rect  // an area of the document; overrides FullPage
	Ref      string // an element, which is scrolled into view; overrides both
	MaxSide  int    // scale down to this longest side in pixels; 0 does not scale
	// MinScale is the smallest scale for MaxSide. An image that needs a smaller one is not scaled.
	MinScale       float64
	OmitBackground bool // transparent where the page has no background; not for JPEG
	// Hide lists texts that this screenshot must not show, in addition to Config.Conceal.
	Hide []string
}

// Screenshot is a captured image.
type Screenshot struct {
	Data []byte
	MIME string
	Size Size // in pixels of the image
	// Scale is the number of image pixels per CSS pixel.
	Scale float64
	// Truncated reports that the page is longer or wider than maxScreenshotSide.
	Truncated bool
}

// Screenshot captures the page. A tab that shares its window with others is selected in it: popups,
// and all tabs of a browser with visible windows.
func (t *Tab) Screenshot(ctx context.Context, opts ScreenshotOptions) (Screenshot, error) {
	if opts.Format == "" {
		opts.Format = PNG
	}
	switch opts.Format {
	case PNG, JPEG, WebP:
	default:
		return Screenshot{}, fault.New(codes.Failed, fmt.Sprintf("screenshot: unknown format %q", opts.Format))
	}
	shot := Screenshot{MIME: "image/" + string(opts.Format), Scale: 1}
	err := t.do(ctx, nil, func(ctx context.Context) error {
		params, err := t.captureParams(ctx, opts, &shot)
		if err != nil {
			return err
		}
		// An unselected tab of a window has no surface, and the capture would wait for one until
		// the deadline. Emulated metrics give it one, and a person's selected tab stays selected.
		if t.shared.Load() && (t.adopted || !t.session.InPersonsProfile()) {
			if err := call(ctx, t.instance.conn, target.ActivateTarget,
				target.ActivateTargetParams{TargetID: t.target}); err != nil {
				return fmt.Errorf("select the tab in its window: %w", err)
			}
		}
		if opts.OmitBackground {
			if err := t.setBackground(ctx, &transparent{}); err != nil {
				return err
			}
			defer func() {
				restoring, cancel := context.WithTimeout(context.WithoutCancel(ctx), queryTimeout)
				defer cancel()
				_ = t.setBackground(restoring, nil)
			}()
		}
		reveal, err := t.conceal(ctx, opts.Hide)
		if err != nil {
			return err
		}
		defer reveal()
		shot.Data, err = t.capture(ctx, params)
		return err
	})
	if err != nil {
		return Screenshot{}, err
	}
	return shot, nil
}

// capture asks for the picture, which the browser draws only of a document that stays.
func (t *Tab) capture(ctx context.Context, params cdppage.CaptureScreenshotParams) ([]byte, error) {
	capturing, stop := t.page.Document.UntilReloading(ctx)
	defer stop()
	defer t.hideMark(ctx)()
	res, err := callWhenActive(capturing, t.cdp, cdppage.CaptureScreenshot, params)
	if reloading := context.Cause(capturing); err != nil && reloading != nil {
		err = reloading
	}
	if err != nil {
		return nil, fmt.Errorf("screenshot: %w", err)
	}
	return res.Data, nil
}

// Conceals reports whether screenshots of the tab conceal texts: see Config.Conceal.
func (t *Tab) Conceals() bool { return len(t.instance.owner.cfg.Conceal) > 0 }

// conceal hides secret texts until reveal is called. If that fails, the page must not be captured.
func (t *Tab) conceal(ctx context.Context, more []string) (reveal func(), err error) {
	values := slices.Concat(t.instance.owner.cfg.Conceal, more)
	if len(values) == 0 {
		return func() {}, nil
	}
	if reveal, err = t.page.Secrets.Mask(ctx, values); err != nil {
		return nil, fmt.Errorf("hide secrets from the picture: %w", err)
	}
	return reveal, nil
}

// captureParams turns the options into the protocol's parameters and sets the size of shot.
func (t *Tab) captureParams(
	ctx context.Context, opts ScreenshotOptions, shot *Screenshot,
) (cdppage.CaptureScreenshotParams, error) {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormat(opts.Format)}
	if q := int64(min(opts.Quality, 100)); q > 0 && opts.Format != PNG {
		params.Quality = &q
	}
	view := t.viewportSize()
	whole := !opts.FullPage && opts.Clip == nil && opts.Ref == ""
	if whole && (opts.MaxSide <= 0 || max(view.Width, view.Height) <= opts.MaxSide) && !t.adopted {
		shot.Size = view
		return params, nil
	}
	area, err := t.captureArea(ctx, opts)
	if err != nil {
		return params, err
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
	beyond := !whole
	params.CaptureBeyondViewport = &beyond
	params.Clip = &cdppage.Viewport{X: area.X, Y: area.Y, Width: area.Width, Height: area.Height, Scale: shot.Scale}
	return params, nil
}

// captureArea returns the area to capture, in CSS pixels from the top left of the document.
func (t *Tab) captureArea(ctx context.Context, opts ScreenshotOptions) (Rect, error) {
	if opts.Clip != nil && opts.Ref == "" {
		return *opts.Clip, nil
	}
	var box document.Box
	if opts.Ref != "" {
		if _, err := t.page.Mouse.ScrollIntoView(ctx, opts.Ref); err != nil {
			return Rect{}, err
		}
		info, err := t.page.Document.Describe(ctx, opts.Ref)
		if err != nil {
			return Rect{}, err
		}
		box = info.Box
	}
	m, err := callWhenActive(ctx, t.cdp, cdppage.GetLayoutMetrics, cdp.Empty{})
	if err != nil {
		return Rect{}, fmt.Errorf("measure the page: %w", err)
	}
	switch view := m.CSSVisualViewport; {
	case opts.Ref != "":
		return Rect{X: box.X + view.PageX, Y: box.Y + view.PageY, Width: box.Width, Height: box.Height}, nil
	case opts.FullPage:
		return Rect{Width: m.CSSContentSize.Width, Height: m.CSSContentSize.Height}, nil
	default:
		return Rect{X: view.PageX, Y: view.PageY, Width: view.ClientWidth, Height: view.ClientHeight}, nil
	}
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
func (t *Tab) setBackground(ctx context.Context, color *transparent) error {
	params := struct {
		Color *transparent `json:"color,omitempty"`
	}{color}
	if err := t.cdp.Call(ctx, emulation.CommandSetDefaultBackgroundColorOverride, params, nil); err != nil {
		return fmt.Errorf("set the background: %w", err)
	}
	return nil
}

const (
	// maxPDFBytes bounds a PDF, which is in memory as a whole.
	maxPDFBytes = 200 << 20
	// pdfChunkBytes is the size of one read from the browser's stream.
	pdfChunkBytes = 1 << 20
)

// PDFOptions say how to print. Lengths are in inches.
type PDFOptions struct {
	Width, Height float64
	Landscape     bool
	Background    bool    // print background colors and images
	Scale         float64 // 0 means 1
	// Top, Right, Bottom and Left are the margins.
	Top, Right, Bottom, Left float64
	Ranges                   string // such as "1-3, 5"; "" means all pages
	// HeaderFooter prints the title and date above each page, the address and page number below.
	HeaderFooter bool
	// Header and Footer are HTML for these places instead; "" is the browser's own.
	Header, Footer string
}

// PDF prints the page. It works with and without windows.
func (t *Tab) PDF(ctx context.Context, o PDFOptions) ([]byte, error) {
	params := cdppage.PrintToPDFParams{
		Landscape: &o.Landscape, DisplayHeaderFooter: &o.HeaderFooter, PrintBackground: &o.Background, Scale: o.Scale,
		PaperWidth: o.Width, PaperHeight: o.Height,
		MarginTop: &o.Top, MarginRight: &o.Right, MarginBottom: &o.Bottom, MarginLeft: &o.Left,
		HeaderTemplate: o.Header, FooterTemplate: o.Footer,
		PageRanges: o.Ranges, TransferMode: cdppage.PrintToPDFTransferModeReturnAsStream,
	}
	var data bytes.Buffer
	err := t.do(ctx, nil, func(ctx context.Context) error {
		reveal, err := t.conceal(ctx, nil)
		if err != nil {
			return err
		}
		defer reveal()
		res, err := callWhenActive(ctx, t.cdp, cdppage.PrintToPDF, params)
		if err != nil {
			return fmt.Errorf("print: %w", err)
		}
		defer func() { _ = call(context.WithoutCancel(ctx), t.cdp, io.Close, io.CloseParams{Handle: res.Stream}) }()
		return t.readStream(ctx, res.Stream, &data)
	})
	return data.Bytes(), err
}

// readStream reads a stream of the browser to its end.
func (t *Tab) readStream(ctx context.Context, stream io.StreamHandle, into *bytes.Buffer) error {
	for {
		part, err := cdp.Call(ctx, t.cdp, io.Read, io.ReadParams{Handle: stream, Size: pdfChunkBytes})
		if err != nil {
			return fmt.Errorf("read the print: %w", err)
		}
		if into.Write(part.Data); into.Len() > maxPDFBytes {
			return fault.New(codes.Failed, fmt.Sprintf("the print is larger than %d bytes; ask for fewer pages", maxPDFBytes))
		}
		if part.EOF {
			return nil
		}
	}
}
