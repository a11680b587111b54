package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

// scrollDistance turns a direction into distances, right and down.
func scrollDistance(direction string, distance float64) (dx, dy float64) {
	switch direction {
	case "up":
		return 0, -distance
	case "left":
		return -distance, 0
	case "right":
		return distance, 0
	}
	return 0, distance
}

// LightweightScroll scrolls a container without the mouse.
func (t *Tools) LightweightScroll(ctx context.Context, call *toolkit.Call, in actapi.LightweightScrollParams) (toolkit.Result, error) {
	distance := float64(in.Amount)
	if in.ScrollToEnd {
		distance = 1
	}
	dx, dy := scrollDistance(string(in.Direction), distance)
	var at input.ScrollResult
	err := t.sessions.Do(ctx, call, in.TabID, func(ctx context.Context, p *page.Page) (err error) {
		e, err := elementArgument{ref: in.Ref}.withSelector(ctx, p, in.Selector)
		if err != nil {
			return err
		}
		ref, err := p.Locate.Ref(ctx, e.ref.Value)
		if err == nil {
			at, err = p.Mouse.ScrollBy(ctx, ref, dx, dy, in.ScrollToEnd)
		}
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	if at.Element != nil {
		b.WriteString(result.Element(*at.Element) + ": ")
	}
	fmt.Fprintf(&b, "at %d,%d of %d×%d, showing %d×%d", at.X, at.Y, at.Width, at.Height, at.ViewWidth, at.ViewHeight)
	if at.Scrolled {
		b.WriteString("; " + at.Report(dx != 0))
	} else {
		b.WriteString("; it did not move")
	}
	if at.AtEnd {
		b.WriteString("; this is the end")
	}
	for _, line := range at.Changes {
		if !strings.HasPrefix(line, "scrolled to ") {
			b.WriteString("\n" + line)
		}
	}
	return toolkit.Text(b.String()), nil
}

// FileUpload attaches files that lie below the allowed directories and those that the client
// declares as its own.
func (t *Tools) FileUpload(ctx context.Context, call *toolkit.Call, in actapi.FileUploadParams, powers actapi.FileUploadPowers) (toolkit.Result, error) {
	paths, what := make([]string, len(in.FilePaths)), fmt.Sprintf("%d file(s) to", len(in.FilePaths))
	allowed := t.files.For(call.Session.ID).With(call.Roots(ctx)...)
	for i, name := range in.FilePaths {
		path, isDir, err := allowed.ResolveTree(powers.FileRead(), name)
		switch {
		case err != nil:
			return toolkit.Result{}, err
		case isDir && len(paths) > 1:
			return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("%q is a directory: give it alone", name))
		case isDir:
			what = "the directory to"
		}
		paths[i] = path
	}
	_, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	if err != nil {
		return toolkit.Result{}, result.Refusal(call, err)
	}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		ref, err := elementArgument{in.Ref, in.Query}.find(ctx, p, fieldWait)
		if err != nil {
			return settle.Effect{}, err
		}
		effect, err := p.Files.Upload(ctx, powers.Upload(), input.UploadOptions{Ref: ref, CSS: in.Selector.Value, Directory: what == "the directory to"}, paths)
		if err == nil {
			tab.FileChoosers.Take()
		}
		return effect, err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("attached " + what)), nil
}
