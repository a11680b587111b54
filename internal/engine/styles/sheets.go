package styles

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"

	"github.com/callsheet/callsheet/internal/engine/debugger/mapload"
	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
)

// sheets are the style sheets of a target, by address and by place in a document. The browser numbers and reports
// those that a page has already in any order.
type sheets struct {
	session cdp.Session
	headers map[cdp.StyleSheetID]*css.StyleSheetHeader
	order   []cdp.StyleSheetID
	maps    map[cdp.StyleSheetID]*sourcemap.Map // nil for a sheet without a usable map
}

// sheetCollector collects the style sheets that the browser reports, while it reports them.
type sheetCollector struct {
	mu      sync.Mutex
	headers map[cdp.StyleSheetID]*css.StyleSheetHeader
}

// observe records the style sheets that an event reports.
func (c *sheetCollector) observe(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch ev := event.(type) {
	case *css.EventStyleSheetAdded:
		c.headers[ev.Header.StyleSheetID] = ev.Header
	case *css.EventStyleSheetRemoved:
		delete(c.headers, ev.StyleSheetID)
	}
}

// sheets returns those that are known now.
func (c *sheetCollector) sheets(session cdp.Session) *sheets {
	c.mu.Lock()
	defer c.mu.Unlock()
	order := slices.SortedFunc(maps.Keys(c.headers), func(a, b cdp.StyleSheetID) int {
		x, y := c.headers[a], c.headers[b]
		return cmp.Or(cmp.Compare(x.SourceURL, y.SourceURL), cmp.Compare(x.StartLine, y.StartLine), cmp.Compare(x.StartColumn, y.StartColumn), cmp.Compare(a, b))
	})
	return &sheets{
		session: session, headers: maps.Clone(c.headers), order: order,
		maps: make(map[cdp.StyleSheetID]*sourcemap.Map),
	}
}

// place returns where a declaration stands.
func (s *sheets) place(ctx context.Context, d declaration) Place {
	switch d.kind {
	case fromBrowser:
		return Place{What: "the browser's style sheet"}
	case fromAttribute:
		return Place{What: "an HTML attribute"}
	case fromStyle:
		return Place{What: "the style attribute"}
	case fromTransition:
		return Place{What: "a transition"}
	case fromAnimation:
		if d.at == nil {
			return Place{What: "an animation by script"}
		}
	case fromUser, fromRule:
	}
	h := s.headers[d.sheet]
	if h == nil || d.at == nil {
		return Place{What: "a style sheet without a source"}
	}
	place := s.sourcePlace(ctx, h, *d.at)
	if place.Generated == "" || d.valueAt == 0 {
		return place
	}
	value := s.sourcePlace(ctx, h, wireRange{StartLine: d.at.StartLine, StartColumn: d.at.StartColumn + d.valueAt})
	if value.Generated != "" && (value.URL != place.URL || value.Line != place.Line) {
		place.Value = fmt.Sprintf("%s:%d:%d", value.URL, value.Line, value.Column)
	}
	return place
}

// sourcePlace converts a position in a style sheet to one in its file, and to the original one.
func (s *sheets) sourcePlace(ctx context.Context, h *css.StyleSheetHeader, at wireRange) Place {
	place := Place{URL: shortURL(h.SourceURL), Line: at.StartLine + 1, Column: at.StartColumn + 1}
	if h.IsInline && !h.HasSourceURL {
		place.Line += int(h.StartLine)
		if at.StartLine == 0 {
			place.Column += int(h.StartColumn)
		}
	}
	if place.URL == "" {
		place.URL = "a constructed style sheet"
	}
	m := s.sourceMap(ctx, h)
	if m == nil {
		return place
	}
	o, ok := m.Original(sourcemap.Position{Line: at.StartLine, Column: at.StartColumn})
	if !ok {
		return place
	}
	return Place{
		URL: shortURL(cmp.Or(o.Source.URL, o.Source.Name)), Line: o.Line + 1, Column: o.Column + 1,
		Generated: fmt.Sprintf("%s:%d:%d", place.URL, place.Line, place.Column),
	}
}

// shortURL leaves out the origin of an address, and shortens addresses that are their own content.
func shortURL(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return address
	case u.Scheme == "http" || u.Scheme == "https":
		return cmp.Or(u.EscapedPath(), "/")
	case u.Scheme == "data" || u.Scheme == "blob":
		return u.Scheme + ": address"
	}
	return address
}

func (s *sheets) sourceMap(ctx context.Context, h *css.StyleSheetHeader) *sourcemap.Map {
	if h.SourceMapURL == "" {
		return nil
	}
	if m, known := s.maps[h.StyleSheetID]; known {
		return m
	}
	var m *sourcemap.Map
	text, base, err := mapload.Load(ctx, s.session, h.FrameID, h.SourceURL, h.SourceMapURL)
	if err == nil {
		m, _ = sourcemap.Parse(text, base) // nil for an invalid map
	}
	s.maps[h.StyleSheetID] = m
	return m
}

// text returns the text of a style sheet, or "".
func (s *sheets) text(ctx context.Context, id cdp.StyleSheetID) string {
	res, err := cdp.Call(ctx, s.session, css.GetStyleSheetText, css.GetStyleSheetTextParams{StyleSheetID: id})
	if err != nil {
		return ""
	}
	return res.Text
}

// isAuthors reports whether a sheet is one of the page.
func isAuthors(h *css.StyleSheetHeader) bool {
	return h != nil && h.Origin == css.StyleSheetOriginRegular && !h.Disabled && !strings.HasPrefix(h.SourceURL, "chrome")
}
