package debugger

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"

	"github.com/callsheet/callsheet/internal/engine/debugger/sourcemap"
)

// This file sets line breakpoints in the browser: by the URLs of scripts, and in scripts whose
// source maps name the file.

// placeByURL sets b in the scripts whose URL matches, or else in those whose original files match.
func (bs *Breakpoints) placeByURL(ctx context.Context, r *run, b *breakpoint) error {
	params := cdpdebugger.SetBreakpointByURLParams{LineNumber: int64(b.Line - 1), Condition: b.Condition, URL: b.pattern.exact}
	if b.pattern.exact == "" {
		params.URLRegex = b.pattern.regex()
	}
	if b.Column > 0 {
		column := int64(b.Column - 1)
		params.ColumnNumber = &column
	}
	res, err := setBreakpoint(ctx, bs, cdpdebugger.SetBreakpointByURL, params, func(res cdpdebugger.SetBreakpointByURLResult) {
		b.id = res.BreakpointID
	})
	if err != nil {
		return fmt.Errorf("set a breakpoint: %w", err)
	}
	if err := r.catchUp(ctx); err != nil { // the scripts of the locations are known then
		return fmt.Errorf("find the scripts of the breakpoint: %w", err)
	}
	var where []Location
	for _, l := range res.Locations {
		w, _ := r.scripts.original(ctx, l)
		where = append(where, w)
	}
	bs.state.mu.Lock()
	b.Locations = append(where, b.Locations...) // those of later scripts are in it already
	bs.state.mu.Unlock()
	if len(res.Locations) == 0 {
		for _, n := range r.scripts.withSourceMap() {
			bs.place(ctx, r, n, b)
		}
	}
	return nil
}

// placeInScript sets the breakpoints that match original files of a script.
func (bs *Breakpoints) placeInScript(ctx context.Context, r *run, id cdp.ScriptID) {
	n := r.scripts.get(id)
	bs.state.mu.Lock()
	list := slices.Clone(bs.state.settings.breakpoints)
	bs.state.mu.Unlock()
	for _, b := range list {
		if b.Kind == LineBreakpoint && !b.pattern.matches(n.url) {
			bs.place(ctx, r, n, b)
		}
	}
}

// place sets b in script n if b matches one of its original files.
func (bs *Breakpoints) place(ctx context.Context, r *run, n *script, b *breakpoint) {
	m := r.scripts.sourceMap(ctx, n)
	if m == nil {
		return
	}
	at, ok := m.Generated(func(s sourcemap.Source) bool { return b.pattern.matches(s.URL) || b.pattern.matches(s.Name) },
		sourcemap.Position{Line: b.Line - 1, Column: max(b.Column-1, 0)})
	if !ok {
		return
	}
	at = n.toDocument(at)
	column := int64(at.Column)
	res, err := setBreakpoint(ctx, bs, cdpdebugger.SetBreakpoint, cdpdebugger.SetBreakpointParams{
		Location:  &cdpdebugger.Location{ScriptID: n.id, LineNumber: int64(at.Line), ColumnNumber: &column},
		Condition: b.Condition,
	}, func(res cdpdebugger.SetBreakpointResult) { b.mapped = append(b.mapped, res.BreakpointID) })
	if err != nil {
		return // for instance because of another breakpoint at the same location
	}
	where, _ := r.scripts.original(ctx, res.ActualLocation)
	bs.state.mu.Lock()
	defer bs.state.mu.Unlock()
	b.Locations = append(b.Locations, where)
}

// setBreakpoint sets a line breakpoint. keep keeps its id, with mu held.
func setBreakpoint[P, R any](ctx context.Context, bs *Breakpoints, c cdp.Command[P, R], params P, keep func(R)) (R, error) {
	bs.idMu.Lock()
	defer bs.idMu.Unlock()
	res, err := cdp.Call(ctx, bs.state.session, c, params)
	if err == nil {
		bs.state.mu.Lock()
		keep(res)
		bs.state.mu.Unlock()
	}
	return res, err
}

// updateInstrumentation pauses scripts with a source map before they run while line breakpoints
// exist, which may belong to their original files.
func (bs *Breakpoints) updateInstrumentation(ctx context.Context) error {
	bs.state.mu.Lock()
	wanted := slices.ContainsFunc(bs.state.settings.breakpoints, func(b *breakpoint) bool { return b.Kind == LineBreakpoint })
	id := bs.state.settings.instrumentation
	bs.state.mu.Unlock()
	switch {
	case wanted && id == "":
		res, err := cdp.Call(ctx, bs.state.session, cdpdebugger.SetInstrumentationBreakpoint, cdpdebugger.SetInstrumentationBreakpointParams{
			Instrumentation: cdpdebugger.SetInstrumentationBreakpointInstrumentationBeforeScriptWithSourceMapExecution,
		})
		if err != nil {
			return fmt.Errorf("watch for scripts with source maps: %w", err)
		}
		id = res.BreakpointID
	case !wanted && id != "":
		if err := call(ctx, bs.state.session, cdpdebugger.RemoveBreakpoint, cdpdebugger.RemoveBreakpointParams{BreakpointID: id}); err != nil {
			return fmt.Errorf("stop watching for scripts with source maps: %w", err)
		}
		id = ""
	}
	bs.state.mu.Lock()
	bs.state.settings.instrumentation = id
	bs.state.mu.Unlock()
	return nil
}

// addLocation adds a location of the breakpoint with this id of the browser.
func (bs *Breakpoints) addLocation(id cdpdebugger.BreakpointID, where Location) {
	bs.idMu.Lock()
	defer bs.idMu.Unlock()
	bs.state.mu.Lock()
	defer bs.state.mu.Unlock()
	for _, b := range bs.state.settings.breakpoints {
		if b.id == id {
			b.Locations = append(b.Locations, where)
		}
	}
}
