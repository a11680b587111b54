package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/css"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/profiler"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/network"
)

// coverage records which code of a page is used, from start until stop. Frames of other processes
// are not covered.
type coverage struct {
	session cdp.Session
	unheard func()

	mu     sync.Mutex
	sheets map[cdp.StyleSheetID]*css.StyleSheetHeader
}

// startCoverage begins to record. The domains that it enables cost a page time, so stop has to follow.
func startCoverage(ctx context.Context, tab *browser.Tab) (*coverage, error) {
	session, err := tab.Protocol(ctx)
	if err != nil {
		return nil, err
	}
	c := &coverage{session: session, sheets: map[cdp.StyleSheetID]*css.StyleSheetHeader{}}
	c.unheard = tab.Listen(c.observe)
	no, yes := false, true
	for _, start := range []func() error{
		func() error { return call(ctx, session, dom.Enable, dom.EnableParams{}) },
		func() error { return call(ctx, session, css.Enable, cdp.Empty{}) },
		func() error { return call(ctx, session, css.StartRuleUsageTracking, cdp.Empty{}) },
		func() error { return call(ctx, session, profiler.Enable, cdp.Empty{}) },
		func() error {
			return call(ctx, session, profiler.StartPreciseCoverage, profiler.StartPreciseCoverageParams{CallCount: &no, Detailed: &yes})
		},
	} {
		if err := start(); err != nil {
			c.end(ctx)
			return nil, fmt.Errorf("record the coverage: %w", err)
		}
	}
	return c, nil
}

func call[P, R any](ctx context.Context, s cdp.Session, c cdp.Command[P, R], params P) error {
	_, err := cdp.Call(ctx, s, c, params)
	return err
}

// observe runs where events are read.
func (c *coverage) observe(event any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch ev := event.(type) {
	case *css.EventStyleSheetAdded:
		c.sheets[ev.Header.StyleSheetID] = ev.Header
	case *css.EventStyleSheetRemoved:
		delete(c.sheets, ev.StyleSheetID)
	}
}

// end stops the recording. Its errors are those of a tab that has ended.
func (c *coverage) end(ctx context.Context) {
	c.unheard()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	_ = call(ctx, c.session, profiler.StopPreciseCoverage, cdp.Empty{})
	_ = call(ctx, c.session, profiler.Disable, cdp.Empty{})
	_ = call(ctx, c.session, css.Disable, cdp.Empty{})
	_ = call(ctx, c.session, dom.Disable, cdp.Empty{})
}

// take returns how much of each file was used, the most unused first.
func (c *coverage) take(ctx context.Context) ([]FileUse, error) {
	scripts, err := cdp.Call(ctx, c.session, profiler.TakePreciseCoverage, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("read the coverage of scripts: %w", err)
	}
	rules, err := cdp.Call(ctx, c.session, css.StopRuleUsageTracking, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("read the coverage of style sheets: %w", err)
	}
	files := map[[2]string]*FileUse{}
	add := func(kind, url string, size, used int) {
		key := [2]string{kind, url}
		if files[key] == nil {
			files[key] = &FileUse{Kind: kind, URL: network.RedactURL(url)}
		}
		files[key].Bytes += size
		files[key].Unused += max(0, size-used)
	}
	for _, s := range scripts.Result {
		if s.URL == "" || strings.HasPrefix(s.URL, "callsheet:") || strings.HasPrefix(s.URL, "chrome-extension:") {
			continue
		}
		size, used := scriptUse(s.Functions)
		add("js", s.URL, size, used)
	}
	used := map[cdp.StyleSheetID]int{}
	for _, r := range rules.RuleUsage {
		if r.Used {
			used[r.StyleSheetID] += int(r.EndOffset - r.StartOffset)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, sheet := range c.sheets {
		if sheet.Origin == css.StyleSheetOriginRegular {
			add("css", cmp.Or(sheet.SourceURL, "constructed style sheet"), int(sheet.Length), used[id])
		}
	}
	var out []FileUse
	for _, f := range files {
		out = append(out, *f)
	}
	slices.SortFunc(out, func(a, b FileUse) int {
		return cmp.Or(b.Unused-a.Unused, strings.Compare(a.URL, b.URL), strings.Compare(a.Kind, b.Kind))
	})
	return out, nil
}

// scriptUse returns the length of a script and how much of it ran. Ranges nest: the innermost one
// decides.
func scriptUse(functions []*profiler.FunctionCoverage) (size, used int) {
	var ranges []*profiler.CoverageRange
	for _, f := range functions {
		ranges = append(ranges, f.Ranges...)
	}
	slices.SortStableFunc(ranges, func(a, b *profiler.CoverageRange) int {
		return cmp.Or(cmp.Compare(a.StartOffset, b.StartOffset), cmp.Compare(b.EndOffset, a.EndOffset))
	})
	var open []*profiler.CoverageRange
	at := 0
	advance := func(to int) {
		if n := len(open); n > 0 && open[n-1].Count > 0 && to > at {
			used += to - at
		}
		at = max(at, to)
	}
	for _, r := range ranges {
		start, end := int(r.StartOffset), int(r.EndOffset)
		for len(open) > 0 && int(open[len(open)-1].EndOffset) <= start {
			advance(int(open[len(open)-1].EndOffset))
			open = open[:len(open)-1]
		}
		advance(start)
		open = append(open, r)
		size = max(size, end)
	}
	for len(open) > 0 {
		advance(int(open[len(open)-1].EndOffset))
		open = open[:len(open)-1]
	}
	return size, used
}
