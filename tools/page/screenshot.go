package page

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

const (
	// defaultSide is the longest side of a picture that is shown, in pixels: what models look at
	// without scaling it themselves, at about 1.2 megapixels for a page of usual proportions.
	defaultSide = 1568
	// minScale is the least scale at which text can still be read. A longer page is kept whole
	// instead of shown small.
	minScale = 0.5
	// maxShown is how large a picture in an answer may be, in bytes.
	maxShown = 1 << 20
)

// PageScreenshot takes a picture and shows it, or writes it to a file, or keeps it as an artifact.
func (t *Tools) PageScreenshot(ctx context.Context, call *toolkit.Call, in pageapi.PageScreenshotParams, powers pageapi.PageScreenshotPowers) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if err := checkScreenshot(in); err != nil {
		return toolkit.Result{}, err
	}
	if in.Ref.Set {
		err = tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
			in.Ref.Value, err = p.Locate.Ref(ctx, in.Ref.Value)
			return err
		})
		if err != nil {
			return toolkit.Result{}, err
		}
	}
	shot, err := capture.Screenshot(ctx, tab, shotOptions(in))
	if err != nil {
		return toolkit.Result{}, err
	}
	text := shot.Describe()
	if shot.Truncated {
		text += ", cut: the page is longer than a picture can be"
	}
	if before := t.previous.keep(tab, shot.Data); in.Compare.Set {
		return t.compare(ctx, call, in, before, shot)
	}
	switch {
	case in.Path.Set:
		path, err := t.output.For(call.Session.ID).Write(powers.FileWrite(), in.Path.Value, shot.Data)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("%s %s, %d bytes", path, text, len(shot.Data)), nil
	case len(shot.Data) > maxShown, max(shot.Size.Width, shot.Size.Height) > capture.MaxShown, !in.MaxSide.Set && max(shot.Size.Width, shot.Size.Height) > defaultSide:
		text += fmt.Sprintf(", %d bytes: too large to show; max_side scales it down, clip and ref show a part", len(shot.Data))
		return t.store(ctx, call, text, artifact.Meta{Name: "page." + string(in.Format), MIME: shot.MIME}, shot.Data)
	case shot.Scale == 1:
		text = "" // a picture says its size itself
	}
	return toolkit.Image(text, shot.Data, shot.MIME), nil
}

// checkScreenshot returns what parameters that exclude each other are refused with.
func checkScreenshot(in pageapi.PageScreenshotParams) error {
	if c := in.Clip; len(c) == 4 && (c[2] < 1 || c[3] < 1) {
		return toolkit.Refuse(toolkit.InvalidArguments, "clip is x, y, width, height; width and height are 1 or more")
	}
	switch {
	case in.Path.Set && strings.TrimSpace(in.Path.Value) == "":
		return toolkit.Refuse(toolkit.InvalidArguments, "path is empty; without path the picture is in the answer")
	case in.Name.Set != (in.Compare.Set && in.Compare.Value != pageapi.PageScreenshotComparePrevious):
		return toolkit.Refuse(toolkit.InvalidArguments, "name says which baseline: give it with compare baseline or keep, and with these alone")
	case in.Compare.Set && in.Path.Set:
		return toolkit.Refuse(toolkit.InvalidArguments, "a comparison shows its picture: give compare without path")
	case in.FullPage && (in.Ref.Set || in.Clip != nil):
		return toolkit.Refuse(toolkit.InvalidArguments, "fullPage is the whole page: give it without ref and clip")
	}
	return nil
}

func shotOptions(in pageapi.PageScreenshotParams) capture.Options {
	o := capture.Options{
		FullPage: in.FullPage, Ref: in.Ref.Value, Format: capture.Format(in.Format), Quality: in.Quality, OmitBackground: in.OmitBackground,
	}
	if c := in.Clip; len(c) == 4 {
		o.Clip = &capture.Rect{X: c[0], Y: c[1], Width: c[2], Height: c[3]}
	}
	switch {
	case in.MaxSide.Set:
		o.MaxSide = in.MaxSide.Value
	case !in.Path.Set && !in.Name.Set: // a contract compares a baseline with a picture of the whole size
		o.MaxSide, o.MinScale = defaultSide, minScale
	}
	return o
}

// store makes an artifact and answers with a link to it.
func (t *Tools) store(ctx context.Context, call *toolkit.Call, text string, meta artifact.Meta, data []byte) (toolkit.Result, error) {
	meta.Name, meta.Session = time.Now().Format("20060102-150405-")+meta.Name, call.Session.ID
	a, err := t.kept.Put(ctx, meta, bytes.NewReader(data))
	if err != nil {
		return toolkit.Result{}, err
	}
	res := toolkit.Text(text + "\n" + a.Line())
	res.Links = []toolkit.Link{result.Link(a)}
	return res, nil
}
