package read

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// frameCaptureTimeout bounds the wait for the frame that ends an interaction.
const frameCaptureTimeout = 3 * time.Second

// Interactions are the latencies of clicks, taps and keys in a document (Event Timing API).
type Interactions struct {
	// Count is the number of interactions.
	Count int `json:"count"`
	// MS are the durations of the slowest interactions in milliseconds, from input to the next
	// frame, slowest first. The browser reports none under 16 ms, except the first.
	MS []float64 `json:"ms"`
}

// Interactions returns the interactions of the page so far.
func (rd *Reader) Interactions(ctx context.Context) (Interactions, error) {
	var out struct {
		Interactions
		Unreported bool `json:"unreported"`
	}
	err := rd.doc.EvaluateWithRetry(ctx, "interactions", map[string]any{}, &out)
	if err == nil && out.Unreported {
		rd.forceFrame(ctx)
		err = rd.doc.EvaluateWithRetry(ctx, "interactions", map[string]any{"drawn": true}, &out)
	}
	return out.Interactions, rd.doc.Translate(ctx, "", err)
}

// forceFrame captures a screenshot of one pixel, which returns once the frame and every earlier one
// has been presented. A frame request in the page would return when the frame begins. If the
// capture fails, the durations reported so far are complete enough.
func (rd *Reader) forceFrame(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(document.Remaining(ctx, frameCaptureTimeout))*time.Millisecond)
	defer cancel()
	_, _ = cdp.Call(ctx, rd.doc.Session, cdppage.CaptureScreenshot, cdppage.CaptureScreenshotParams{
		Format: cdppage.CaptureScreenshotFormatJpeg, Clip: &cdppage.Viewport{Width: 1, Height: 1, Scale: 1},
	})
}
