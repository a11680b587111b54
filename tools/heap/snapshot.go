package heap

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/heapapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

// shownClasses is the most classes and kinds of detached nodes in a summary.
const shownClasses = 15

// HeapSnapshot takes a snapshot, keeps it and sums it up.
func (t *Tools) HeapSnapshot(ctx context.Context, call *toolkit.Call, in heapapi.HeapSnapshotParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	a, err := t.keep(ctx, call, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	used, err := heap.Measure(ctx, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	heap.SetBaseline(tab, used)
	summary, err := t.summary(ctx, a)
	if err != nil {
		return toolkit.Result{}, err
	}
	r := toolkit.Text(fmt.Sprintf("snapshot_id %s\n%s%s", a.ID, summary, notCovered(ctx, tab)))
	r.Links = []toolkit.Link{result.Link(a)}
	return r, nil
}

// notCovered says which frames of a page the snapshot may lack; "" for none.
func notCovered(ctx context.Context, tab *browser.Tab) string {
	frames := 0
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		states, err := p.Locate.QueryStates(ctx, []string{"iframe"})
		frames = states.RemoteFrames
		return err
	})
	if err != nil || frames == 0 {
		return ""
	}
	return fmt.Sprintf("\nnot included: frames in processes of their own (%d of another origin), and workers", frames)
}

// summary sums up a kept snapshot.
func (t *Tools) summary(ctx context.Context, a artifact.Artifact) (said string, err error) {
	err = t.withAnalysis(ctx, a.Path(), func(g *snapshot.Analysis) error {
		s := g.Summary()
		detached := 0
		for _, c := range s.Detached {
			detached += c.Count
		}
		said = fmt.Sprintf("%s in %d objects, %d detached DOM nodes\n", text.Bytes(s.Size), s.Objects, detached)
		var b strings.Builder
		for _, c := range s.Detached[:min(len(s.Detached), shownClasses)] {
			fmt.Fprintf(&b, "%d %s, %s\n", c.Count, line(c.Class), text.Bytes(c.Size))
		}
		b.WriteString("class: count, shallow, retained")
		for _, c := range g.Largest(shownClasses) {
			fmt.Fprintf(&b, "\n%s: %d, %s, %s", line(c.Class), c.Count, text.Bytes(c.Size), text.Bytes(c.Retained))
		}
		said += result.Quote(b.String())
		return nil
	})
	return said, err
}

// HeapInspect shows the objects of a class, or one object with its retainers. It needs no browser.
func (t *Tools) HeapInspect(ctx context.Context, call *toolkit.Call, in heapapi.HeapInspectParams) (toolkit.Result, error) {
	if in.Class.Set && in.ObjectID.Set {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "give class or object_id, not both")
	}
	a, err := t.find(call, in.SnapshotID)
	if err != nil {
		return toolkit.Result{}, err
	}
	if !in.Class.Set && !in.ObjectID.Set {
		said, err := t.summary(ctx, a)
		return toolkit.Text(said), err
	}
	var said string
	err = t.withAnalysis(ctx, a.Path(), func(g *snapshot.Analysis) (err error) {
		if in.Class.Set {
			said, err = classText(g, in.Class.Value, in.Limit)
			return err
		}
		said, err = objectText(g, in.ObjectID.Value, in.Limit)
		return err
	})
	return toolkit.Text(said), err
}

func classText(g *snapshot.Analysis, name string, limit int) (string, error) {
	list, total := g.ByClass(name, limit)
	if total == 0 {
		said := fmt.Sprintf("no object is of class %q", text.ClipRunes(name, 60))
		near := toolkit.Nearest(name, g.Classes())
		if near == "" {
			return "", toolkit.Refuse(codes.NotFound, said)
		}
		return "", toolkit.Refuse(codes.NotFound, said+fmt.Sprintf(", did you mean %q?", line(near)), toolkit.Field{Name: "classes", Value: []string{line(near)}})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "object, shallow, retained: path")
	for _, o := range list {
		fmt.Fprintf(&b, "\n@%d %s, %s, %s: %s%s", o.ID, line(o.Name), text.Bytes(uint64(o.Size)), text.Bytes(o.Retained), line(o.Path), place(", ", o.Function))
	}
	return fmt.Sprintf("%d objects, the largest %d\n%s", total, len(list), result.Quote(b.String())), nil
}

func objectText(g *snapshot.Analysis, id, limit int) (string, error) {
	n, ok := g.NodeByID(uint32(min(id, 1<<32-1))) // from 1
	if !ok {
		return "", toolkit.Refuse(codes.NotFound, fmt.Sprintf("no object @%d is in the snapshot; heap_inspect with class lists some", id))
	}
	o := g.Describe(n)
	var b strings.Builder
	fmt.Fprintf(&b, "@%d %s, shallow %s, retained %s%s\npath: %s", o.ID, line(o.Name), text.Bytes(uint64(o.Size)), text.Bytes(o.Retained), place(", ", o.Function), line(o.Path))
	list, total := g.Retainers(n, limit)
	fmt.Fprintf(&b, "\n%d retainers", total)
	writeReferences(&b, list)
	list, total = g.References(n, limit)
	fmt.Fprintf(&b, "\n%d references", total)
	writeReferences(&b, list)
	return result.Quote(b.String()), nil
}

func writeReferences(b *strings.Builder, list []snapshot.Reference) {
	for _, r := range list {
		fmt.Fprintf(b, "\n  %s @%d %s, retained %s%s", line(r.Label), r.Object.ID, line(r.Object.Name), text.Bytes(r.Object.Retained), place(", ", r.Object.Function))
		if r.Weak {
			b.WriteString(", weak")
		}
	}
}
