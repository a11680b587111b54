package debugger

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/internal/text"
)

const (
	// reportTimeout bounds the commands of one report.
	reportTimeout = 5 * time.Second
	// watchTimeout bounds one watched expression, in milliseconds.
	watchTimeout = 500

	frameLimit    = 100 // frames of the stack, asynchronous ones included
	scopeLimit    = 5
	variableLimit = 20 // of a scope
	valueLimit    = 100
	lineLimit     = 160 // characters of a source line
	contextLines  = 2   // source lines before and after the current one

	// pauseGroup is CDP's object group that is released when the pause ends.
	pauseGroup = "backtrace"
)

// snapshot holds the variables of a call at a pause.
type snapshot struct {
	call   string // identifies the call
	values map[string]string
}

// pauseReader reads the values of one pause from the page.
type pauseReader struct {
	*state
	pause  *pauseState
	hidden bool // values, because a secret was typed into the page
}

// hiddenValue stands for the value of a variable in a page into which a secret was typed: a script may hold it in any form.
const hiddenValue = "(not shown: a secret was typed into this page)"

// format describes a value.
func (r *pauseReader) format(o *runtime.RemoteObject, limit int) string {
	if r.hidden && o != nil {
		return hiddenValue
	}
	return formatValue(o, limit)
}

// ReadPause returns the current pause with source, stack, scopes and values of watched expressions.
// It caches the result until the pause ends or Evaluate runs. The errors are ErrDisabled,
// ErrNotPaused and those of ctx.
func (d *Debugger) ReadPause(ctx context.Context) (Pause, error) {
	s, err := d.current()
	if err != nil {
		return Pause{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.report == nil {
		p, err := (&pauseReader{d.state, s, d.tab.Scripts.MayRead(ctx) != nil}).read(ctx)
		if err != nil {
			return Pause{}, fmt.Errorf("read the pause: %w", err)
		}
		s.report = &p
	}
	return *s.report, nil
}

// read sends all commands concurrently, because each costs a round trip to the renderer
// process.
func (r *pauseReader) read(ctx context.Context) (Pause, error) {
	ctx, cancel := context.WithTimeout(ctx, reportTimeout)
	defer cancel()
	p := r.pause.summary
	f := r.pause.topFrame()
	if f == nil {
		return p, nil
	}
	r.mu.Lock()
	p.Watches = make([]Watch, len(r.settings.watches))
	for i, w := range r.settings.watches {
		p.Watches[i].Expression = w
	}
	r.mu.Unlock()
	chain := slices.DeleteFunc(slices.Clone(f.ScopeChain), func(c *cdpdebugger.Scope) bool {
		return c.Type == cdpdebugger.ScopeTypeGlobal || c.Type == cdpdebugger.ScopeTypeScript || c.EmptyReason != ""
	})
	p.Scopes = make([]Scope, min(len(chain), scopeLimit))
	all := make([][]Variable, len(p.Scopes))
	errs := make([]error, len(p.Scopes))
	var wg sync.WaitGroup
	for i := range p.Scopes {
		wg.Go(func() { p.Scopes[i], all[i], errs[i] = r.scope(ctx, chain[i]) })
	}
	for i := range p.Watches {
		wg.Go(func() { r.watch(ctx, f, &p.Watches[i]) })
	}
	wg.Go(func() { p.This = r.this(ctx, f) })
	wg.Go(func() { p.Source = r.source(ctx, f.Location) })
	wg.Go(func() { p.Frames = r.frames(ctx) })
	wg.Wait()
	if f.ReturnValue != nil {
		p.ReturnValue = r.format(f.ReturnValue, valueLimit)
	}
	p.Scopes = slices.DeleteFunc(p.Scopes, func(c Scope) bool { return len(c.Variables) == 0 })
	for _, err := range errs {
		if err != nil {
			return Pause{}, err
		}
	}
	p.Changes = r.changes(all)
	return p, r.checkPaused(r.pause, ctx.Err())
}

func (r *pauseReader) scope(ctx context.Context, c *cdpdebugger.Scope) (Scope, []Variable, error) {
	out := Scope{Kind: string(c.Type), Name: c.Name}
	yes := true
	res, err := callPaused(ctx, r, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: c.Object.ObjectID, OwnProperties: &yes, GeneratePreview: &yes,
	})
	if err != nil {
		return out, nil, fmt.Errorf("read the %s scope: %w", c.Type, err)
	}
	var all []Variable
	for _, v := range res.Result {
		if v.Value != nil && v.Name != "arguments" { // exists in every function and is seldom useful
			all = append(all, Variable{Name: v.Name, Value: r.format(v.Value, valueLimit)})
		}
	}
	out.Variables = all[:min(len(all), variableLimit)]
	out.Omitted = len(all) - len(out.Variables)
	return out, all, nil
}

// watch evaluates a watched expression without side effects.
func (r *pauseReader) watch(ctx context.Context, f *cdpdebugger.CallFrame, w *Watch) {
	yes := true
	res, err := callPaused(ctx, r, cdpdebugger.EvaluateOnCallFrame, cdpdebugger.EvaluateOnCallFrameParams{
		CallFrameID: f.CallFrameID, Expression: w.Expression, ObjectGroup: pauseGroup,
		Silent: &yes, GeneratePreview: &yes, ThrowOnSideEffect: &yes, Timeout: watchTimeout,
	})
	switch {
	case err != nil:
		w.Value, w.Failed = err.Error(), true
	case r.hidden:
		w.Value = hiddenValue
	case res.ExceptionDetails != nil:
		w.Value, w.Failed = text.ClipBytes(exceptionMessage(res.ExceptionDetails), valueLimit), true
		if strings.Contains(w.Value, "Possible side-effect") {
			w.Value = "not evaluated, because it could change the page"
		}
	default:
		w.Value = formatValue(res.Result, valueLimit)
	}
}

func (r *pauseReader) this(ctx context.Context, f *cdpdebugger.CallFrame) string {
	w := Watch{Expression: "this"}
	if r.hidden || f.This == nil || f.This.ClassName == "Window" || f.This.ObjectID == "" {
		return r.format(f.This, valueLimit)
	}
	if r.watch(ctx, f, &w); w.Failed {
		return formatValue(f.This, valueLimit)
	}
	return w.Value
}

// source returns the source lines around a location: of the original file if the source map
// contains its text, otherwise of the script.
func (r *pauseReader) source(ctx context.Context, at *cdpdebugger.Location) []SourceLine {
	where, source := r.pause.run.scripts.original(ctx, at)
	lines, first := strings.Split(source.Content, "\n"), 0
	if source.Content == "" {
		n := r.pause.run.scripts.get(at.ScriptID)
		text, err := r.pause.run.scripts.sourceText(ctx, n)
		if err != nil {
			return nil // the report is useful without source
		}
		if where.Generated != nil {
			where = *where.Generated
		}
		lines, first = text, n.start.Line
	}
	var out []SourceLine
	for number := where.Line - contextLines; number <= where.Line+contextLines; number++ {
		i := number - 1 - first
		if i < 0 || i >= len(lines) {
			continue
		}
		line := strings.TrimRight(strings.ReplaceAll(lines[i], "\t", "  "), "\r ")
		if number == where.Line {
			line = clipAround(line, where.Column-1, lineLimit)
		}
		out = append(out, SourceLine{Number: number, Text: text.ClipBytes(line, lineLimit), Current: number == where.Line})
	}
	return out
}

// clipAround clips a long line around a column, because minified files have a single line.
func clipAround(line string, column, width int) string {
	runes := []rune(line)
	if len(runes) <= width {
		return line
	}
	from := min(max(column-width/3, 0), len(runes))
	text := string(runes[from:min(from+width-2, len(runes))])
	if from > 0 {
		text = "…" + text
	}
	return text
}

func (r *pauseReader) frames(ctx context.Context) []Frame {
	var list []Frame
	for i, f := range r.pause.event.CallFrames {
		if len(list) == frameLimit {
			return list
		}
		where, _ := r.pause.run.scripts.original(ctx, f.Location)
		list = append(list, Frame{ID: "f" + strconv.Itoa(i), Function: f.FunctionName, Location: where})
	}
	for t := r.pause.event.AsyncStackTrace; t != nil; t = t.Parent {
		async := t.Description
		if async == "" {
			async = "async"
		}
		for _, f := range t.CallFrames {
			if len(list) == frameLimit {
				return list
			}
			column := f.ColumnNumber
			where, _ := r.pause.run.scripts.original(ctx, &cdpdebugger.Location{ScriptID: f.ScriptID, LineNumber: f.LineNumber, ColumnNumber: &column})
			if where.URL == "" {
				where.URL = f.URL
			}
			list = append(list, Frame{Function: f.FunctionName, Location: where, Async: async})
			async = ""
		}
	}
	return list
}

// changes compares the variables with those of the previous pause in the same call, and stores
// them for the next. The same call is the same function at the same stack depth.
func (r *pauseReader) changes(scopes [][]Variable) []Change {
	f := r.pause.topFrame()
	now := snapshot{values: make(map[string]string)}
	if l := f.FunctionLocation; l != nil {
		now.call = fmt.Sprintf("%s:%d:%d@%d", l.ScriptID, l.LineNumber, *valueOrZero(l.ColumnNumber), len(r.pause.event.CallFrames))
	}
	r.mu.Lock()
	before := r.pause.run.previous
	r.pause.run.previous = now
	r.mu.Unlock()
	var list []Change
	for _, scope := range scopes {
		for _, v := range scope {
			if _, shadowed := now.values[v.Name]; shadowed {
				continue
			}
			now.values[v.Name] = v.Value
			old, known := before.values[v.Name]
			if before.call == now.call && now.call != "" && old != v.Value && (known || v.Value != "undefined") {
				list = append(list, Change{Name: v.Name, Old: old, New: v.Value})
			}
		}
	}
	return list
}

func valueOrZero(p *int64) *int64 {
	if p == nil {
		return new(int64)
	}
	return p
}
