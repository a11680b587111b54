package page

import (
	"context"
	"maps"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/pageapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// maxPrevious is the size of the largest picture that is kept for a comparison with the next one, in bytes.
const maxPrevious = 4 << 20

// previousPictures has the latest picture of each open tab. The zero value is ready for use.
type previousPictures struct {
	mu    sync.Mutex
	byTab map[*browser.Tab][]byte
}

// keep replaces the picture of a tab, and returns the one before; nil if there was none.
func (p *previousPictures) keep(tab *browser.Tab, picture []byte) (before []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.DeleteFunc(p.byTab, func(t *browser.Tab, _ []byte) bool { return t.Closed() })
	before = p.byTab[tab]
	if p.byTab == nil {
		p.byTab = make(map[*browser.Tab][]byte)
	}
	delete(p.byTab, tab)
	if len(picture) <= maxPrevious {
		p.byTab[tab] = picture
	}
	return before
}

// compare compares a picture with the one that a call names, and shows the difference.
func (t *Tools) compare(ctx context.Context, call *toolkit.Call, in pageapi.PageScreenshotParams, before []byte, shot capture.Image) (toolkit.Result, error) {
	name := in.Name.Value
	switch in.Compare.Value {
	case pageapi.PageScreenshotComparePrevious:
		if name = "the previous picture"; before == nil {
			return toolkit.Result{}, toolkit.Refuse(codes.NotFound, "the tab has no previous picture; this one is, for the next call")
		}
	case pageapi.PageScreenshotCompareBaseline:
		var err error
		if before, err = t.kept.Baselines().Read(ctx, name); err != nil {
			return toolkit.Result{}, err
		}
		name = "baseline " + name
	case pageapi.PageScreenshotCompareKeep:
		before = nil
	}
	if before == nil {
		if err := t.kept.Baselines().Keep(ctx, in.Name.Value, shot.Data); err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("kept as baseline %s: %s", in.Name.Value, shot.Describe()), nil
	}
	d, err := capture.Compare(before, shot.Data)
	if err != nil {
		return toolkit.Result{}, err
	}
	text := "compared with " + name + ": " + d.String()
	if d.Pixels == 0 {
		return toolkit.Text(text), nil
	}
	picture, err := d.Picture()
	if err != nil {
		return toolkit.Result{}, err
	}
	if size := d.After; len(picture) > maxShown || max(size.X, size.Y, d.Before.X, d.Before.Y) > capture.MaxShown {
		return t.store(ctx, call, text, artifact.Meta{Name: "difference.png", MIME: "image/png"}, picture)
	}
	return toolkit.Image(text, picture, "image/png"), nil
}
