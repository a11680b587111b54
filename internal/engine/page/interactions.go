package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
)

// frameCaptureTimeout bounds the wait for the frame that ends an interaction.
const frameCaptureTimeout = 3 * time.Second

// Interactions are a document's answers to clicks, taps and keys.
type Interactions struct {
	// Count is how many there were.
	Count int `json:"count"`
	// MS are the times of the slowest in milliseconds, from input to the frame that follows, slowest first. The browser gives
	// none for those that took less than 16 ms, but the first.
	MS []float64 `json:"ms"`
}

// Interactions tells how long the page took to answer to input.
func (p *Page) Interactions(ctx context.Context) (Interactions, error) {
	var out struct {
		Interactions
		Unreported bool `json:"unreported"`
	}
	err := p.evaluateWithRetry(ctx, "interactions", map[string]any{}, &out)
	if err == nil && out.Unreported {
		p.forceFrame(ctx)
		err = p.evaluateWithRetry(ctx, "interactions", map[string]any{"drawn": true}, &out)
	}
	return out.Interactions, p.translate(ctx, "", err)
}

// forceFrame has a frame drawn and waits until it, and with it every one before it, has been shown: a picture of one pixel. Waiting
// for frames in the page would tell when they are begun. Where that cannot be done, what the browser has told already is all.
func (p *Page) forceFrame(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(remaining(ctx, frameCaptureTimeout))*time.Millisecond)
	defer cancel()
	_, _ = cdp.Call(ctx, p.session, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
		Format: cdppage.CaptureScreenshotFormatJpeg, Clip: &cdppage.Viewport{Width: 1, Height: 1, Scale: 1},
	})
}
