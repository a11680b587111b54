package page

import (
	"context"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/answer"
	"github.com/callsheet/callsheet/internal/browser"
)

// PageScreenshot takes a picture, and either shows it or writes it to a file.
func (t *Tools) PageScreenshot(ctx context.Context, call *toolkit.Call, in toolset.PageScreenshotParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	o := browser.ScreenshotOptions{FullPage: in.FullPage, Format: browser.Format(in.Format), Quality: in.Quality}
	if c := in.Clip; c != nil {
		o.Clip = &browser.Rect{X: c.X, Y: c.Y, Width: c.Width, Height: c.Height}
	}
	shot, err := tab.Screenshot(ctx, o)
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	if !in.Path.Set {
		return toolkit.Image("", shot.Data, shot.MIME), nil
	}
	path, err := t.output.Write(in.Path.Value, shot.Data)
	if err != nil {
		return toolkit.Result{}, answer.Refusal(call, err)
	}
	return toolkit.Textf("%s %d×%d, %d bytes", path, shot.Size.Width, shot.Size.Height, len(shot.Data)), nil
}
