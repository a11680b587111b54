package heap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/heapapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger/mapload"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

const (
	// minGrowth is the least growth of a holder between two snapshots that is named.
	minGrowth = 5
	// shownFindings is the most findings and classes of a comparison.
	shownFindings = 10
)

// twoDocumentsError refuses a comparison. The numbers of the objects do not show it for certain: an object
// of a new document can be where one of the old document was, and gets its number.
func twoDocumentsError() error {
	return toolkit.Refuse(toolkit.Failed, "the snapshots are of two documents: the page was loaded anew between them, or they are of two pages")
}

// HeapCompare compares two snapshots.
func (t *Tools) HeapCompare(ctx context.Context, call *toolkit.Call, in heapapi.HeapCompareParams) (toolkit.Result, error) {
	base, err := t.find(call, in.BaselineID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var tab *browser.Tab
	var now artifact.Artifact
	if in.SnapshotID.Set {
		if now, err = t.find(call, in.SnapshotID.Value); err != nil {
			return toolkit.Result{}, err
		}
	} else {
		if tab, err = t.sessions.Tab(ctx, call, in.TabID); err != nil {
			return toolkit.Result{}, err
		}
		if now, err = t.keep(ctx, call, tab); err != nil {
			return toolkit.Result{}, err
		}
	}
	if now.Source != base.Source {
		return toolkit.Result{}, twoDocumentsError()
	}
	before, err := t.census(ctx, base.Path())
	if err != nil {
		return toolkit.Result{}, err
	}
	c, err := t.compare(ctx, []*snapshot.Census{before}, now.Path(), minGrowth)
	if err != nil {
		return toolkit.Result{}, err
	}
	places := newPlaces(ctx, tab)
	head := "nothing that lives has grown"
	if n := len(c.Findings); n > 0 {
		head = fmt.Sprintf("%d holders have grown", n)
	}
	r := toolkit.Text(fmt.Sprintf("%s; heap %s → %s; snapshot_id %s\n%s", head, text.Bytes(c.SizeBefore), text.Bytes(c.SizeNow), now.ID, result.Quote(comparisonText(ctx, c, places, 0))))
	if tab != nil {
		r.Links = []toolkit.Link{result.Link(now)}
	}
	return r, nil
}

// compare compares the snapshot of a file with earlier ones.
func (t *Tools) compare(ctx context.Context, before []*snapshot.Census, path string, least int) (c *snapshot.Comparison, err error) {
	err = t.withAnalysis(ctx, path, func(g *snapshot.Analysis) (err error) {
		c, err = g.Compare(ctx, before, snapshot.Options{Min: least, Limit: shownFindings})
		return err
	})
	if errors.Is(err, snapshot.ErrUnrelated) {
		err = twoDocumentsError()
	}
	return c, err
}

// comparisonText shows findings, and classes by their growth; repeat is the number of repetitions of
// a round, or 0.
func comparisonText(ctx context.Context, c *snapshot.Comparison, places places, repeat int) string {
	var b strings.Builder
	for i, f := range c.Findings {
		if i > 0 {
			b.WriteString("\n")
		}
		writeFinding(ctx, &b, f, places, repeat)
	}
	if len(c.Findings) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("class: new, deleted, size")
	for _, d := range c.Deltas {
		fmt.Fprintf(&b, "\n%s: +%d, -%d, %s", line(d.Class), d.New, d.Deleted, signedSize(d.SizeBefore, d.SizeNow))
	}
	return b.String()
}

// writeFinding shows what grew, what holds it and why it is kept.
func writeFinding(ctx context.Context, b *strings.Builder, f snapshot.Finding, places places, repeat int) {
	fmt.Fprintf(b, "%s: %d → %d", line(f.Class), f.Before, f.Now)
	if repeat > 0 {
		total := 0
		for _, n := range f.Rounds {
			total += n
		}
		fmt.Fprintf(b, ", %.3g for each repetition", float64(total)/float64(repeat*len(f.Rounds)))
	}
	fmt.Fprintf(b, ", +%s retained, held by %s", text.Bytes(f.Retained), line(f.Holder))
	if f.HolderID > 0 {
		fmt.Fprintf(b, " @%d", f.HolderID)
	}
	fmt.Fprintf(b, "\n  why: %s%s", why(f), places.text(ctx, " ", f.Function))
	fmt.Fprintf(b, "\n  path: %s @%d", line(f.Path), f.ObjectID)
	if f.Through != nil {
		fmt.Fprintf(b, "\n  in the scope of %s%s", line(f.Through.Function), places.text(ctx, " ", f.Through))
	}
	if len(f.Fields) > 0 {
		fmt.Fprintf(b, "\n  properties: %s", line(strings.Join(f.Fields, ", ")))
	}
}

// why says what kind of leak a finding looks like.
func why(f snapshot.Finding) string {
	holder := f.HolderClass
	switch {
	case f.IsListener:
		return "event listeners that are added and not removed"
	case f.IsDetached:
		return "removed from the document and still referred to"
	case f.IsAttached:
		return "the document itself grows"
	case f.Function != nil:
		return "functions that are kept, with the variables of their scope"
	case holder == "Map", holder == "Set", holder == "Array", holder == "WeakMap", holder == "WeakSet":
		return fmt.Sprintf("a growing %s: entries are added and not removed", holder)
	case holder == "":
		return "only the browser holds them"
	}
	return "kept in growing numbers"
}

// places finds the original places of functions, while their page is there.
type places struct{ resolver *mapload.Resolver }

type placesKey struct{}

func newPlaces(ctx context.Context, tab *browser.Tab) places {
	if tab == nil || tab.Calls.Blocked() != nil || tab.Dialogs.Open() != nil || tab.CrashError() != nil {
		return places{}
	}
	session, err := tab.Protocol(ctx)
	if err != nil {
		return places{}
	}
	return places{tab.Instruments.Get(placesKey{}, func() any { return mapload.NewResolver(session) }).(*mapload.Resolver)}
}

// text writes where a function is in its original file.
func (m places) text(ctx context.Context, separator string, p *snapshot.Place) string {
	if p == nil {
		return ""
	}
	shown := *p
	if m.resolver != nil && ctx.Err() == nil {
		if o, ok := m.resolver.Original(ctx, 0, mapload.Place{URL: p.URL, Line: p.Line, Column: p.Column}); ok {
			shown.URL, shown.Line, shown.Column = o.URL, o.Line, o.Column
		}
	}
	return place(separator, &shown)
}
