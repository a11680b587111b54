package debugger

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/debugger/mapload"
	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
)

// sourceMap returns the script's source map, or nil without a usable one. It does not retry after a
// failure, except after the end of ctx.
func (s *scripts) sourceMap(ctx context.Context, n *script) *sourcemap.Map {
	if n.mapURL == "" {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.mapTried {
		return n.sourceMap
	}
	text, base, err := s.loadMap(ctx, n)
	if err == nil {
		n.sourceMap, _ = sourcemap.Parse(text, base) // nil for an invalid map
	}
	n.mapTried = ctx.Err() == nil
	return n.sourceMap
}

// loadMap returns the text of a source map and its base URL.
func (s *scripts) loadMap(ctx context.Context, n *script) (text []byte, base string, err error) {
	frame, page := s.document()
	if n.frame != "" {
		frame = n.frame
	}
	if n.url != "" {
		page = n.url
	}
	return mapload.Load(ctx, s.session, frame, page, n.mapURL)
}

// frameOf returns the frame of an execution context from its auxiliary data.
func frameOf(aux []byte) cdp.FrameID {
	var data struct {
		FrameID cdp.FrameID `json:"frameId"`
	}
	_ = json.Unmarshal(aux, &data) // without a frame the main frame is assumed
	return data.FrameID
}
