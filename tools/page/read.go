package page

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/result"
)

// notesRoom is the part of a result that is left to the address of a reading and its notes, in bytes.
const notesRoom = 3000

// ReadPage shows the page, in the form that is asked for.
func (t *Tools) ReadPage(ctx context.Context, call *toolkit.Call, in pageapi.ReadPageParams) (toolkit.Result, error) {
	o := read.Options{
		Mode: readMode(in.Mode), Depth: in.Depth.Value, Ref: in.RefID.Value, Selector: in.Selector.Value,
		Diff: in.Diff, Boxes: in.Boxes, Values: in.Values, Hidden: in.Hidden,
		MaxBytes: min(in.MaxBytes, call.ResultBytes()-notesRoom), Continue: in.Cursor.Value,
	}
	if in.Filter.Value == pageapi.ReadPageFilterInteractive && o.Mode == read.ModeCompact {
		o.Mode = read.ModeInteractive
	}
	o.Diff = o.Diff || in.Compression.Value == pageapi.ReadPageCompressionDelta
	var r read.Reading
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.ReadLoaded(ctx, o)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(result.QuoteReading(r, !in.Cursor.Set)), nil
}

func readMode(m pageapi.ReadPageMode) read.Mode {
	switch m {
	case pageapi.ReadPageModeInteractive:
		return read.ModeInteractive
	case pageapi.ReadPageModeFull:
		return read.ModeFull
	case pageapi.ReadPageModeDOM:
		return read.ModeDOM
	case pageapi.ReadPageModeCSS:
		return read.ModeCSS
	case pageapi.ReadPageModeMarkdown:
		return read.ModeMarkdown
	default:
		return read.ModeCompact
	}
}

// PageContent shows markup as it is.
func (t *Tools) PageContent(ctx context.Context, call *toolkit.Call, in pageapi.PageContentParams) (toolkit.Result, error) {
	var r read.Reading
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.Read.Content(ctx, read.Options{
			Ref: in.Ref.Value, Selector: in.Selector.Value, MaxBytes: min(in.MaxBytes, call.ResultBytes()-notesRoom), Continue: in.Cursor.Value,
		}, !in.OuterHTML)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(result.Quote(r.Text) + result.ReadingNotes(r)), nil
}
