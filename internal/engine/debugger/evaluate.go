package debugger

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	cdpdebugger "github.com/chromedp/cdproto/debugger"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

const (
	// evaluateTimeout bounds the run time of an expression.
	evaluateTimeout = 5 * time.Second
	// resultLimit is the length of the longest result, in bytes.
	resultLimit = 4000
	// memberLimit is the most members of an object in a result.
	memberLimit = 100
)

// Result is the value of an expression.
type Result struct {
	Type string // JavaScript type, or CDP's subtype: array, node, map and so on
	Text string // in JavaScript syntax, two levels deep, at most 4000 bytes
}

// Evaluate evaluates an expression in a call frame of the current pause ("" is f0). The expression
// can read and change the frame's variables and the page. The error for an exception is a
// ThrownError. Breakpoints are inactive meanwhile. Evaluate terminates the expression after five
// seconds.
func (d *Debugger) Evaluate(ctx context.Context, p power.Script, frame, expression string) (Result, error) {
	if err := p.Check(); err != nil {
		return Result{}, err
	}
	s, err := d.current()
	if err != nil {
		return Result{}, err
	}
	f, err := s.frame(frame)
	if err != nil {
		return Result{}, err
	}
	if err := d.tab.Scripts.Begin(ctx); err != nil {
		return Result{}, err
	}
	limit := evaluateTimeout
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, max(time.Until(end)*3/4, time.Millisecond))
	}
	yes, r := true, &pauseReader{state: d.state, pause: s}
	res, err := callPaused(ctx, r, cdpdebugger.EvaluateOnCallFrame, cdpdebugger.EvaluateOnCallFrameParams{
		CallFrameID: f.CallFrameID, Expression: expression, ObjectGroup: pauseGroup,
		Silent: &yes, GeneratePreview: &yes, Timeout: runtime.TimeDelta(limit.Milliseconds()),
	})
	if err != nil {
		return Result{}, fmt.Errorf("evaluate in %s: %w", frame, err)
	}
	if res.ExceptionDetails != nil {
		return Result{}, fault.Errorf(codes.ScriptFailed, "the expression threw: %s", text.ClipBytes(exceptionMessage(res.ExceptionDetails), 1000))
	}
	s.invalidateReport()
	return Result{Type: typeOf(res.Result), Text: r.formatMembers(ctx, res.Result)}, nil
}

// invalidateReport makes the next ReadPause read the pause again, because an expression may have
// changed it.
func (s *pauseState) invalidateReport() {
	s.mu.Lock()
	s.report = nil
	s.mu.Unlock()
}

func (s *pauseState) frame(id string) (*cdpdebugger.CallFrame, error) {
	i := 0
	if id != "" {
		digits, ok := strings.CutPrefix(id, "f")
		n, err := strconv.Atoi(digits)
		if !ok || err != nil || n < 0 {
			return nil, unknownFrame(id, len(s.event.CallFrames))
		}
		i = n
	}
	if i >= len(s.event.CallFrames) {
		return nil, unknownFrame(id, len(s.event.CallFrames))
	}
	return s.event.CallFrames[i], nil
}

func typeOf(o *runtime.RemoteObject) string {
	if o.Subtype != "" {
		return string(o.Subtype)
	}
	return string(o.Type)
}

// formatMembers formats a plain object or array two levels deep. It runs no code of the page, such
// as getters.
func (r *pauseReader) formatMembers(ctx context.Context, o *runtime.RemoteObject) string {
	plain := o.Type == runtime.RemoteObjectTypeObject && (o.Subtype == "" || o.Subtype == runtime.RemoteObjectSubtypeArray)
	if !plain || o.ObjectID == "" {
		return formatValue(o, resultLimit)
	}
	yes := true
	res, err := callPaused(ctx, r, runtime.GetProperties, runtime.GetPropertiesParams{
		ObjectID: o.ObjectID, OwnProperties: &yes, GeneratePreview: &yes,
	})
	if err != nil {
		return formatValue(o, resultLimit)
	}
	array := o.Subtype == runtime.RemoteObjectSubtypeArray
	var parts []string
	for _, p := range res.Result {
		if !p.Enumerable {
			continue
		}
		if len(parts) == memberLimit {
			parts = append(parts, "…")
			break
		}
		text := "(getter)"
		if p.Value != nil {
			text = formatValue(p.Value, 300)
		}
		if !array || !isIndex(p.Name) {
			text = p.Name + ": " + text
		}
		parts = append(parts, text)
	}
	body := strings.Join(parts, ", ")
	if array {
		return text.ClipBytes("["+body+"]", resultLimit)
	}
	if o.ClassName != "Object" {
		return text.ClipBytes(o.ClassName+" {"+body+"}", resultLimit)
	}
	return text.ClipBytes("{"+body+"}", resultLimit)
}

// Watch adds an expression that every pause evaluates, unless it has side effects. Adding an
// expression twice has no effect.
func (d *Debugger) Watch(ctx context.Context, p power.Script, expression string) error {
	if err := p.Check(); err != nil {
		return err
	}
	if strings.TrimSpace(expression) == "" {
		return invalid("expression", expression, "is empty")
	}
	if err := d.tab.Scripts.Begin(ctx); err != nil {
		return err
	}
	return d.editWatches(func(list []string) []string {
		if slices.Contains(list, expression) {
			return list
		}
		return append(list, expression)
	})
}

// Unwatch removes an expression. An unknown one is an error.
func (d *Debugger) Unwatch(expression string) error {
	if !slices.Contains(d.Watches(), expression) {
		return invalid("expression", expression, "is not watched")
	}
	return d.editWatches(func(list []string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return w == expression })
	})
}

func (d *Debugger) editWatches(change func([]string) []string) error {
	d.mu.Lock()
	if d.run == nil {
		d.mu.Unlock()
		return ErrDisabled
	}
	d.settings.watches = change(d.settings.watches)
	s := d.paused
	d.mu.Unlock()
	if s != nil {
		s.invalidateReport()
	}
	return nil
}

// Watches returns the watched expressions.
func (d *Debugger) Watches() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.settings.watches)
}

func isNotPaused(err error) bool { return errors.Is(err, ErrNotPaused) }
func isDisabled(err error) bool  { return errors.Is(err, ErrDisabled) }
