package page

import (
	"context"
	"fmt"
	"strings"

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
	var r page.Reading
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		r, err = p.Read(ctx, o)
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	text := r.Text
	if r.Unchanged {
		text = "no change since the last reading\n"
	}
	if !in.Cursor.Set {
		text = fmt.Sprintf("%s %q\n%s", r.URL, r.Title, text)
	}
	return toolkit.Text(result.Quote(text) + footer(r)), nil
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

// footer is what the server has to say about a reading.
func footer(r page.Reading) string {
	var b strings.Builder
	if r.IsDiff && !r.Unchanged {
		b.WriteString("\n[+ came, - left since the last reading]")
	}
	if r.Empty {
		b.WriteString("\n[the document is empty: it has no root element]")
	}
	if r.Hidden != nil {
		fmt.Fprintf(&b, "\n[%d characters in %d places cannot be seen and are left out]", r.Hidden.Characters, r.Hidden.Places)
	}
	if r.Truncated {
		fmt.Fprintf(&b, "\n[cut; cursor %q continues]", r.Next)
	}
	return b.String()
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
	return toolkit.Text(result.Quote(r.Text) + footer(r)), nil
}
