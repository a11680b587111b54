package debugger

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/debugger/mapload"
	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
)

// sourceMap returns the script's source map, or nil if it has none that can be used. One
// that failed is not tried again, except when only the time was short.
func (d *Debugger) sourceMap(ctx context.Context, r *run, n *script) *sourcemap.Map {
	if n.mapURL == "" {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mapTried {
		return n.sourceMap
	}
	text, base, err := d.loadMap(ctx, r, n)
	if err == nil {
		n.sourceMap, _ = sourcemap.Parse(text, base) // without a usable map the script is what there is
	}
	n.mapTried = ctx.Err() == nil
	return n.sourceMap
}

// loadMap gets a map's text and the address that it counts from.
func (d *Debugger) loadMap(ctx context.Context, r *run, n *script) (text []byte, base string, err error) {
	frame, page := r.scripts.document()
	if n.frame != "" {
		frame = n.frame
	}
	if n.url != "" {
		page = n.url
	}
	return mapload.Load(ctx, d.session, frame, page, n.mapURL)
}

// frameOf reads the frame from what Blink tells about an execution context.
func frameOf(aux []byte) cdp.FrameID {
	var data struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	_ = json.Unmarshal(aux, &data) // without a frame the main one is assumed
	return data.FrameID
}
