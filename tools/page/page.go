// Package page implements the tools of area page: reading it, finding things in it, waiting for it,
// running script in it and taking its picture.
//
// It translates parameters into calls of the engine and renders the results; it must not know how a
// page is read.
package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	output   *files.Dir
	kept     *artifact.Store
	previous previousPictures
}

// New makes the handlers; what has a path is written below output, and what is too large for an
// answer is in kept.
func New(sessions session.Lookup, output *files.Dir, kept *artifact.Store) *Tools {
	return &Tools{sessions: sessions, output: output, kept: kept}
}

var _ pageapi.Handlers = (*Tools)(nil)

// defaultWait is the time for which a match is waited for; a caller that asks for more expects a change.
const defaultWait = 3 * time.Second

// Find looks for visible elements by description.
func (t *Tools) Find(ctx context.Context, call *toolkit.Call, in pageapi.FindParams) (toolkit.Result, error) {
	var found locate.Found
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		wait := time.Duration(in.WaitForMs) * time.Millisecond
		found, err = p.Locate.Search(ctx, in.Query, locate.FindOptions{Limit: in.Limit, Wait: wait, Insist: wait > defaultWait, Around: in.Around})
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(found.Matches) == 0 {
		return toolkit.Result{}, result.Refusal(call, &locate.NoMatchError{Query: in.Query})
	}
	return toolkit.Text(result.Matches(found)), nil
}

// QueryDOM selects elements by CSS or XPath.
func (t *Tools) QueryDOM(ctx context.Context, call *toolkit.Call, in pageapi.QueryDOMParams) (toolkit.Result, error) {
	var found []document.ElementInfo
	var total int
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		o := locate.QueryOptions{All: in.Multiple, Limit: in.Limit, PierceShadow: in.PierceShadow}
		if in.Method == pageapi.QueryDOMMethodCSS {
			o.CSS = in.Selector.Value
		} else {
			o.XPath = in.XPath.Value
		}
		found, total, err = p.Locate.Query(ctx, o)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d", len(found), total)
	for _, e := range found {
		b.WriteString("\n" + describe(e))
	}
	return toolkit.Text(b.String()), nil
}

// describe shows what a selector found in a line: <a href="/x" class="b"> link "X" [e3] 10,20
// 100×18 "text".
func describe(e document.ElementInfo) string {
	var b strings.Builder
	b.WriteString("<" + e.Tag)
	for _, name := range result.Sorted(e.Attributes) {
		fmt.Fprintf(&b, " %s=%q", name, e.Attributes[name])
	}
	fmt.Fprintf(&b, "> %s", result.Element(e.Element))
	if e.Visible {
		fmt.Fprintf(&b, " %.0f,%.0f %.0f×%.0f", e.Box.X, e.Box.Y, e.Box.Width, e.Box.Height)
	} else {
		b.WriteString(" not visible")
	}
	if e.Text != "" && e.Text != e.Name {
		fmt.Fprintf(&b, " %q", e.Text)
	}
	return b.String()
}
