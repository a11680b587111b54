package capture

import (
	"bytes"
	"context"
	"image/color"
	"image/png"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/page/settle"
)

const (
	// settledShots is how many pictures in a row must be equal for a page to have settled, settleInterval the time
	// between two, and settleTimeout bounds the wait for a page that never does.
	settledShots   = 3
	settleInterval = 100 * time.Millisecond
	settleTimeout  = 2 * time.Second
	// settleSide is the longest side of those pictures.
	settleSide = 320
)

// paintWholeDocument has the browser paint all of the tab's documents from now on, not only what is near the
// viewport, and reports whether it does.
//
// captureBeyondViewport sets that preference, too, for the time of a capture, but it also lays the page out at 1×1
// before: the page hears of it, animations start again, and the picture shows their beginning. A capture puts back the
// preference that it found, so of two that overlap the second one leaves it set. The page hears of a size once, and
// has settled when this returns; later pictures change nothing in it. A visible window would lose its scroll bars, and
// a browser that puts the preference back after all shows an empty area: both are captured the browser's way.
func (c *capture) paintWholeDocument(ctx context.Context, area cdppage.Viewport) bool {
	if c.page.PaintsWholeDocument || !c.tab.IsHeadless() {
		return c.page.PaintsWholeDocument
	}
	area.Scale = min(area.Scale, settleSide/max(area.Width, area.Height))
	var expected [2][]byte
	var both sync.WaitGroup
	for i := range expected {
		both.Go(func() { expected[i] = c.sample(ctx, area, true) })
	}
	both.Wait()
	if err := c.tab.ApplyMetrics(ctx, c.session); err != nil { // the second one puts back those of the first, too
		return false
	}
	var last []byte
	for equal, end := 1, time.Now().Add(settleTimeout); equal < settledShots && time.Now().Before(end); {
		shot := c.sample(ctx, area, false)
		if equal++; !bytes.Equal(shot, last) {
			equal = 1
		}
		last = shot
		if settle.Pause(ctx, settleInterval) != nil {
			return false
		}
	}
	c.page.PaintsWholeDocument = !lacks(last, expected[1])
	return c.page.PaintsWholeDocument
}

// sample takes a small picture; nil if that failed.
func (c *capture) sample(ctx context.Context, area cdppage.Viewport, beyond bool) []byte {
	params := cdppage.CaptureScreenshotParams{Format: cdppage.CaptureScreenshotFormatPng, Clip: &area, CaptureBeyondViewport: &beyond}
	res, err := cdp.Call(ctx, c.session, cdppage.CaptureScreenshot, params)
	if err != nil {
		return nil
	}
	return res.Data
}

// lacks reports whether a picture has a single colour wherever it differs from the one that is expected, as where
// nothing is painted.
func lacks(picture, expected []byte) bool {
	got, err := png.Decode(bytes.NewReader(picture))
	want, errWant := png.Decode(bytes.NewReader(expected))
	if err != nil || errWant != nil || got.Bounds() != want.Bounds() {
		return true
	}
	colors := map[color.Color]bool{}
	for y := range got.Bounds().Dy() {
		for x := range got.Bounds().Dx() {
			if at := got.At(x, y); at != want.At(x, y) {
				colors[at] = true
			}
		}
	}
	return len(colors) == 1
}
