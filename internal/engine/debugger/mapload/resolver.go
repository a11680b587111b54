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

// cacheLimit bounds the maps that a resolver remembers.
const cacheLimit = 32

// Resolver finds the original places of positions in the scripts of one page.
type Resolver struct {
	session cdp.Session

	mu   sync.Mutex
	maps map[string]*sourcemap.Map // by script address and document; nil for scripts without a usable one
}

// NewResolver makes a resolver for a page's protocol session.
func NewResolver(s cdp.Session) *Resolver {
	return &Resolver{session: s, maps: make(map[string]*sourcemap.Map)}
}

// Place is a position in a text, from 1 as people count.
type Place struct {
	URL          string
	Line, Column int
}

// Original returns where a position of a script comes from; ok is false if the script has no map or nobody wrote the place.
// document tells the documents of a tab apart, which may load different scripts from one address.
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
	if ctx.Err() == nil { // what only the time was too short for may be there next time
		if len(r.maps) >= cacheLimit {
			clear(r.maps)
		}
		r.maps[key] = m
	}
	return m
}

// load reads the script from the page and the map that it names. Without a usable map the script is what there is.
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

// sourceMappingURL finds the last sourceMappingURL comment of a script (ECMA-426, 11.1.1).
func sourceMappingURL(script string) string {
	for _, mark := range []string{"//# sourceMappingURL=", "//@ sourceMappingURL="} {
		if i := strings.LastIndex(script, mark); i >= 0 {
			line, _, _ := strings.Cut(script[i+len(mark):], "\n")
			return strings.TrimSpace(line)
		}
	}
	return ""
}
