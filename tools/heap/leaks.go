package heap

import (
	"context"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/heapapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

// rounds is the number of times that the repetitions are repeated: what fills up once does not grow in both.
const rounds = 2

// HeapLeaks repeats calls and names what grows with each repetition. The calls run once before the
// first snapshot, so that what is made at first use does not count.
func (t *Tools) HeapLeaks(ctx context.Context, call *toolkit.Call, in heapapi.HeapLeaksParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	l := &leakSearch{tools: t, call: call, tab: tab, in: in, steps: rounds*in.Repeat + 1}
	if err := l.check(); err != nil {
		return toolkit.Result{}, err
	}
	var before []*snapshot.Census
	if err := l.run(ctx, 1); err != nil {
		return toolkit.Result{}, err
	}
	loaded := tab.Activity.Load().Time
	for range rounds {
		c, err := l.census(ctx)
		if err != nil {
			return toolkit.Result{}, err
		}
		before = append(before, c)
		if err := l.run(ctx, in.Repeat); err != nil {
			return toolkit.Result{}, err
		}
		if tab.Activity.Load().Time != loaded {
			return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, "the calls load another document, which frees all that the one before held; repeat what stays in one document")
		}
	}
	last, err := t.keep(ctx, call, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	c, err := t.compare(ctx, before, last.Path(), in.Repeat)
	if err != nil {
		return toolkit.Result{}, err
	}
	head := fmt.Sprintf("no leak: nothing grew in both rounds of %d repetitions", in.Repeat)
	if n := len(c.Findings); n > 0 {
		head = fmt.Sprintf("%d leaks: they grew in both rounds of %d repetitions", n, in.Repeat)
	}
	r := toolkit.Text(fmt.Sprintf("%s; heap %s → %s; snapshot_id %s\n%s", head, text.Bytes(c.SizeBefore), text.Bytes(c.SizeNow), last.ID,
		result.Quote(comparisonText(ctx, c, newPlaces(ctx, tab), in.Repeat))))
	r.Links = []toolkit.Link{result.Link(last)}
	return r, nil
}

// leakSearch is one call of HeapLeaks.
type leakSearch struct {
	tools *Tools
	call  *toolkit.Call
	tab   *browser.Tab
	in    heapapi.HeapLeaksParams
	done  int // repetitions that ended
	steps int // repetitions in all
}

// check refuses a search within a search.
func (l *leakSearch) check() error {
	var bad toolkit.Violations
	for i, c := range l.in.Calls {
		if known := l.call.Session.Surface().Tool(c.Tool); known != nil && known.Name == l.call.Tool.Name {
			bad = append(bad, toolkit.Violation{Path: fmt.Sprintf("/calls/%d/tool", i), Problem: "a leak search does not contain another"})
		}
	}
	if len(bad) > 0 {
		return bad
	}
	return nil
}

// census takes a snapshot that is not kept.
func (l *leakSearch) census(ctx context.Context) (*snapshot.Census, error) {
	path, _, done, err := l.tools.capture(ctx, l.tab)
	if err != nil {
		return nil, err
	}
	defer done()
	return l.tools.census(ctx, path)
}

// run makes the calls a number of times.
func (l *leakSearch) run(ctx context.Context, times int) error {
	for range times {
		for i, c := range l.in.Calls {
			if err := l.do(ctx, i, c); err != nil {
				return err
			}
		}
		l.done++
		l.call.Progress(float64(l.done), float64(l.steps), fmt.Sprintf("repetition %d of %d", l.done, l.steps))
	}
	return nil
}

// do makes one call.
func (l *leakSearch) do(ctx context.Context, i int, c heapapi.HeapLeaksCallsItem) error {
	res, err := l.call.Dispatch(ctx, c.Tool, c.Args, nil)
	var unknown *toolkit.UnknownToolError
	switch {
	case errors.As(err, &unknown):
		return toolkit.Violations{{Path: fmt.Sprintf("/calls/%d/tool", i), Problem: unknown.Error()}}
	case err != nil:
		return err
	case res.Refused:
		return toolkit.Refuse(toolkit.Failed, fmt.Sprintf("call %d, %s, of repetition %d was refused: %s", i+1, c.Tool, l.done+1, result.TextOf(res)),
			toolkit.Field{Name: "step", Value: i + 1}, toolkit.Field{Name: "done", Value: l.done})
	}
	return nil
}
