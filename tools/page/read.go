package page

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/result"
)

// ReadPage shows the page, in the form that is asked for.
func (t *Tools) ReadPage(ctx context.Context, call *toolkit.Call, in pageapi.ReadPageParams) (toolkit.Result, error) {
	o := page.ReadOptions{
		Mode: readMode(in.Mode), Depth: in.Depth.Value, Ref: in.RefID.Value, Selector: in.Selector.Value,
		Diff: in.Diff, Boxes: in.Boxes, Values: in.Values, Hidden: in.Hidden,
		MaxBytes: in.MaxBytes, Continue: in.Cursor.Value,
	}
	if in.Filter.Value == pageapi.ReadPageFilterInteractive && o.Mode == page.ModeCompact {
		o.Mode = page.ModeInteractive
	}
	o.Diff = o.Diff || in.Compression.Value == pageapi.ReadPageCompressionDelta
	var r page.Reading
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.Read(ctx, o)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(result.QuoteReading(r, !in.Cursor.Set)), nil
}

func readMode(m pageapi.ReadPageMode) page.Mode {
	switch m {
	case pageapi.ReadPageModeInteractive:
		return page.ModeInteractive
	case pageapi.ReadPageModeFull:
		return page.ModeFull
	case pageapi.ReadPageModeDOM:
		return page.ModeDOM
	case pageapi.ReadPageModeCSS:
		return page.ModeCSS
	case pageapi.ReadPageModeMarkdown:
		return page.ModeMarkdown
	default:
		return page.ModeCompact
	}
}

// PageContent shows markup as it is.
func (t *Tools) PageContent(ctx context.Context, call *toolkit.Call, in pageapi.PageContentParams) (toolkit.Result, error) {
	var r page.Reading
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.Content(ctx, page.ReadOptions{
			Ref: in.Ref.Value, Selector: in.Selector.Value, MaxBytes: in.MaxBytes, Continue: in.Cursor.Value,
		}, !in.OuterHTML)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(result.Quote(r.Text) + result.ReadingNotes(r)), nil
}
