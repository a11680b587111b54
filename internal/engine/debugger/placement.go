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
func (d *Debugger) placeByURL(ctx context.Context, r *run, b *breakpoint) error {
	params := cdpdebugger.SetBreakpointByURLParams{LineNumber: int64(b.Line - 1), Condition: b.Condition, URL: b.pattern.exact}
	if b.pattern.exact == "" {
		params.URLRegex = b.pattern.regex()
	}
	if b.Column > 0 {
		column := int64(b.Column - 1)
		params.ColumnNumber = &column
	}
	res, err := setBreakpoint(ctx, d, cdpdebugger.SetBreakpointByURL, params, func(res cdpdebugger.SetBreakpointByURLResult) {
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
		w, _ := d.original(ctx, r, l)
		where = append(where, w)
	}
	d.mu.Lock()
	b.Locations = append(where, b.Locations...) // those of later scripts are in it already
	d.mu.Unlock()
	if len(res.Locations) == 0 {
		for _, n := range r.scripts.withSourceMap() {
			d.placeBreakpoint(ctx, r, n, b)
		}
	}
	return nil
}

// placeBreakpoints sets the breakpoints that match original files of a script.
func (d *Debugger) placeBreakpoints(ctx context.Context, r *run, id cdp.ScriptID) {
	n := r.scripts.get(id)
	d.mu.Lock()
	list := slices.Clone(d.settings.breakpoints)
	d.mu.Unlock()
	for _, b := range list {
		if b.Kind == LineBreakpoint && !b.pattern.matches(n.url) {
			d.placeBreakpoint(ctx, r, n, b)
		}
	}
}

// placeBreakpoint sets b in script n if b matches one of its original files.
func (d *Debugger) placeBreakpoint(ctx context.Context, r *run, n *script, b *breakpoint) {
	m := d.sourceMap(ctx, r, n)
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
	res, err := setBreakpoint(ctx, d, cdpdebugger.SetBreakpoint, cdpdebugger.SetBreakpointParams{
		Location:  &cdpdebugger.Location{ScriptID: n.id, LineNumber: int64(at.Line), ColumnNumber: &column},
		Condition: b.Condition,
	}, func(res cdpdebugger.SetBreakpointResult) { b.mapped = append(b.mapped, res.BreakpointID) })
	if err != nil {
		return // for instance because of another breakpoint at the same location
	}
	where, _ := d.original(ctx, r, res.ActualLocation)
	d.mu.Lock()
	defer d.mu.Unlock()
	b.Locations = append(b.Locations, where)
}

// setBreakpoint sets a line breakpoint. keep keeps its id, with mu held.
func setBreakpoint[P, R any](ctx context.Context, d *Debugger, c cdp.Command[P, R], params P, keep func(R)) (R, error) {
	d.idMu.Lock()
	defer d.idMu.Unlock()
	res, err := cdp.Call(ctx, d.session, c, params)
	if err == nil {
		d.mu.Lock()
		keep(res)
		d.mu.Unlock()
	}
	return res, err
}

// updateInstrumentation pauses scripts with a source map before they run while line breakpoints
// exist, which may belong to their original files.
func (d *Debugger) updateInstrumentation(ctx context.Context) error {
	d.mu.Lock()
	wanted := slices.ContainsFunc(d.settings.breakpoints, func(b *breakpoint) bool { return b.Kind == LineBreakpoint })
	id := d.settings.instrumentation
	d.mu.Unlock()
	switch {
	case wanted && id == "":
		res, err := cdp.Call(ctx, d.session, cdpdebugger.SetInstrumentationBreakpoint, cdpdebugger.SetInstrumentationBreakpointParams{
			Instrumentation: cdpdebugger.SetInstrumentationBreakpointInstrumentationBeforeScriptWithSourceMapExecution,
		})
		if err != nil {
			return fmt.Errorf("watch for scripts with source maps: %w", err)
		}
		id = res.BreakpointID
	case !wanted && id != "":
		if err := call(ctx, d.session, cdpdebugger.RemoveBreakpoint, cdpdebugger.RemoveBreakpointParams{BreakpointID: id}); err != nil {
			return fmt.Errorf("stop watching for scripts with source maps: %w", err)
		}
		id = ""
	}
	d.mu.Lock()
	d.settings.instrumentation = id
	d.mu.Unlock()
	return nil
}
