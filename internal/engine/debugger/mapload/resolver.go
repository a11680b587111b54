package mapload

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
)

// cacheLimit is the most source maps in the cache of a resolver.
const cacheLimit = 32

// Resolver maps positions in the scripts of one page to their original files.
type Resolver struct {
	session cdp.Session

	mu   sync.Mutex
	maps map[string]*sourcemap.Map // by document and script URL; nil for scripts without a usable map
}

// NewResolver returns a resolver for the CDP session of a page.
func NewResolver(s cdp.Session) *Resolver {
	return &Resolver{session: s, maps: make(map[string]*sourcemap.Map)}
}

// Place is a 1-based position in a script or original file.
type Place struct {
	URL          string
	Line, Column int
}

// Original returns the original position of a position in a script. ok is false if the script has
// no usable source map or the map has no such position. document distinguishes the documents of a
// tab, which may load different scripts from the same URL.
func (r *Resolver) Original(ctx context.Context, document int, at Place) (out Place, ok bool) {
	if at.URL == "" || at.Line < 1 || at.Column < 1 {
		return at, false
	}
	m := r.cachedMap(ctx, document, at.URL)
	if m == nil {
		return at, false
	}
	o, ok := m.Original(sourcemap.Position{Line: at.Line - 1, Column: at.Column - 1})
	if !ok {
		return at, false
	}
	return Place{URL: o.Source.URL, Line: o.Line + 1, Column: o.Column + 1}, true
}

func (r *Resolver) cachedMap(ctx context.Context, document int, address string) *sourcemap.Map {
	key := fmt.Sprint(document, " ", address)
	r.mu.Lock()
	defer r.mu.Unlock()
	if m, known := r.maps[key]; known {
		return m
	}
	m := r.load(ctx, address)
	if ctx.Err() == nil { // a timeout is not cached
		if len(r.maps) >= cacheLimit {
			clear(r.maps)
		}
		r.maps[key] = m
	}
	return m
}

// load reads the script from the page and its source map. It returns nil without a usable map.
func (r *Resolver) load(ctx context.Context, address string) *sourcemap.Map {
	tree, err := cdp.Call(ctx, r.session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return nil
	}
	frame := tree.FrameTree.Frame.ID
	res, err := cdp.Call(ctx, r.session, cdppage.GetResourceContent, cdppage.GetResourceContentParams{FrameID: frame, URL: address})
	if err != nil {
		return nil
	}
	mapURL := sourceMappingURL(string(res.Content))
	if mapURL == "" {
		return nil
	}
	text, base, err := Load(ctx, r.session, frame, address, mapURL)
	if err != nil {
		return nil
	}
	m, err := sourcemap.Parse(text, base)
	if err != nil {
		return nil
	}
	return m
}

// sourceMappingURL returns the URL of the last sourceMappingURL comment of a script (ECMA-426,
// 11.1.1), or "".
func sourceMappingURL(script string) string {
	for _, mark := range []string{"//# sourceMappingURL=", "//@ sourceMappingURL="} {
		if i := strings.LastIndex(script, mark); i >= 0 {
			line, _, _ := strings.Cut(script[i+len(mark):], "\n")
			return strings.TrimSpace(line)
		}
	}
	return ""
}
