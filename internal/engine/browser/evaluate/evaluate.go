// Package evaluate runs a caller's script in the page of a tab and returns its value as JSON.
//
// It takes a tab by the few methods that it needs. It must not know sessions, browsers or tools.
package evaluate

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text/fence"
)

//go:embed serialize.js
var serializer string

const (
	// scriptTimeout bounds a script whose context has no deadline.
	scriptTimeout = 30 * time.Second
	// scriptMargin is how long before the deadline a script that never yields is stopped, so that
	// the result arrives in time and the page is usable again.
	scriptMargin = 100 * time.Millisecond
	scriptGroup  = "callsheet-evaluate"
)

// ErrNavigated is returned for a script whose document was replaced before the script finished.
var ErrNavigated = fault.New(codes.Failed, "the page navigated away before the script finished")

// ScriptError is an exception that a script threw.
type ScriptError struct {
	Text   string // such as "TypeError: x is not a function"
	Stack  string // "" when the thrown value is not an Error
	Line   int    // 1-based, in the given code; 0 if unknown
	Column int    // 1-based; 0 if unknown
}

func (e *ScriptError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("script threw at line %d: %s", e.Line, fence.Block(e.Text, "  "))
	}
	return "script threw: " + fence.Block(e.Text, "  ")
}

// Code is codes.ScriptFailed.
func (*ScriptError) Code() codes.Code { return codes.ScriptFailed }

// Fields returns the line.
func (e *ScriptError) Fields() []fault.Field { return []fault.Field{{Name: "line", Value: e.Line}} }

// Value is the result of a script.
type Value struct {
	// Type is the JavaScript type, or the subtype of an object: undefined, null, boolean, number,
	// string, bigint, symbol, function, object, array, node, map, set, date, regexp, error, promise
	// and so on.
	Type string
	// JSON is the value. Values without a JSON form are strings: "NaN", "10n", "<button id=x>" for
	// an element, "[Function: f]", "[Circular]"; undefined is null. A Set or a NodeList is an
	// array. A Map is an object, or an array of pairs if a key is not a string.
	JSON json.RawMessage
	// Truncated reports that parts are left out, because the value is too deep or too large.
	Truncated bool
}

// Text renders the value for people: a string bare, undefined as such, else the JSON.
func (v Value) Text() string {
	var s string
	switch {
	case v.Type == "undefined":
		return "undefined"
	case json.Unmarshal(v.JSON, &s) == nil && string(v.JSON) != "null":
		return s
	}
	return string(v.JSON)
}

// Tab is the tab whose page runs the scripts.
type Tab interface {
	// Do runs fn with the tab's page while no other call works on it.
	Do(ctx context.Context, fn func(ctx context.Context, p *page.Page) error) error
	// Protocol returns the protocol session of the page.
	Protocol(ctx context.Context) (cdp.Session, error)
	// MarkAction records that a call begins to act on the page.
	MarkAction()
	// StopStuckScript stops a script that never ends.
	StopStuckScript(ctx context.Context)
}

// Run runs code in the main world of the page and returns the value of its last expression, with a
// promise awaited. Top-level await and return work. Declared names stay in the page and may be
// declared again. A thrown value is a ScriptError. A script that runs past the deadline without
// yielding is stopped.
func Run(ctx context.Context, t Tab, p power.Script, code string) (Value, error) {
	return run(ctx, t, p, nil, func(ctx context.Context, _ *page.Page, s script) (*runtime.RemoteObject, error) {
		return s.run(ctx, code)
	})
}

// RunOn is Run for code that works on elements, which it finds in the array els. The code is an
// expression or the body of an async function. Without refs it is Run.
//
// The protocol has no timeout for such a call, so a script that never yields is stopped after the
// deadline.
func RunOn(ctx context.Context, t Tab, p power.Script, code string, refs []string) (Value, error) {
	if len(refs) == 0 {
		return Run(ctx, t, p, code)
	}
	return run(ctx, t, p, t.StopStuckScript, func(ctx context.Context, p *page.Page, s script) (*runtime.RemoteObject, error) {
		return s.callOnElements(ctx, p, code, refs)
	})
}

// run runs a script by start under the tab's lock, and reads its value. At the deadline it calls stop,
// unless that is nil.
func run(
	ctx context.Context, t Tab, p power.Script, stop func(context.Context),
	start func(ctx context.Context, p *page.Page, s script) (*runtime.RemoteObject, error),
) (value Value, err error) {
	if err := p.Check(); err != nil {
		return Value{}, err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, scriptTimeout)
		defer cancel()
	}
	t.MarkAction()
	err = t.Do(ctx, func(ctx context.Context, p *page.Page) error {
		if err := p.Secrets.BeginScript(ctx); err != nil {
			return err
		}
		session, err := t.Protocol(ctx)
		if err != nil {
			return err
		}
		s := script{session}
		object, err := start(ctx, p, s)
		if err == nil {
			value, err = s.resolveValue(ctx, object)
		}
		if stop != nil && errors.Is(err, context.DeadlineExceeded) {
			go stop(context.WithoutCancel(ctx)) // the next call waits for it, this result does not
		}
		return translateError(err)
	})
	return value, err
}

// script is one script in the page of a session.
type script struct{ session cdp.Session }

// callOnElements calls the code as a function of the elements: first as an expression and, if that
// does not compile, as a body.
func (s script) callOnElements(ctx context.Context, p *page.Page, code string, refs []string) (*runtime.RemoteObject, error) {
	params := runtime.CallFunctionOnParams{ObjectGroup: scriptGroup}
	for _, ref := range refs {
		node, err := p.Nodes.RemoteObject(ctx, ref)
		if err != nil {
			return nil, err
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{ObjectID: node})
	}
	params.ObjectID = params.Arguments[0].ObjectID
	yes := true
	params.UserGesture, params.AwaitPromise = &yes, &yes
	params.FunctionDeclaration = "async function(...els){return (\n" + code + "\n)}"
	res, err := cdp.Call(ctx, s.session, runtime.CallFunctionOn, params)
	if err == nil && isSyntaxError(res.ExceptionDetails, "") || protocol.IsRefusal(err, "valid function") {
		params.FunctionDeclaration = "async function(...els){\n" + code + "\n}"
		res, err = cdp.Call(ctx, s.session, runtime.CallFunctionOn, params)
	}
	return res.Result, thrownError(res.ExceptionDetails, err, 1)
}

// resolveValue reads the value of a script's result, with a promise awaited.
func (s script) resolveValue(ctx context.Context, object *runtime.RemoteObject) (Value, error) {
	if object.ObjectID == "" || object.Type == runtime.RemoteObjectTypeSymbol {
		return primitiveValue(object), nil
	}
	defer func() {
		_ = protocol.Exec(ctx, s.session, runtime.ReleaseObjectGroup, runtime.ReleaseObjectGroupParams{ObjectGroup: scriptGroup})
	}()
	if object.Subtype == runtime.RemoteObjectSubtypePromise {
		res, err := cdp.Call(ctx, s.session, runtime.AwaitPromise, runtime.AwaitPromiseParams{PromiseObjectID: object.ObjectID})
		if err != nil {
			return Value{}, err
		}
		if res.ExceptionDetails != nil {
			return Value{}, scriptError(res.ExceptionDetails, 0)
		}
		if object = res.Result; object.ObjectID == "" {
			return primitiveValue(object), nil
		}
	}
	return s.serialize(ctx, object)
}

// run evaluates the code as it was most likely meant: braces are an object rather than a block, and
// code with a top-level return is the body of a function.
func (s script) run(ctx context.Context, code string) (*runtime.RemoteObject, error) {
	trimmed := strings.TrimSpace(code)
	if strings.HasPrefix(trimmed, "{") && strings.HasSuffix(trimmed, "}") {
		object, details, err := s.evaluateOnce(ctx, "("+trimmed+"\n)", true)
		if err != nil || !isSyntaxError(details, "") {
			return object, thrownError(details, err, 0)
		}
	}
	object, details, err := s.evaluateOnce(ctx, code, true)
	if err == nil && isSyntaxError(details, "Illegal return statement") {
		object, details, err = s.evaluateOnce(ctx, "(async () => {\n"+code+"\n})()", false)
		return object, thrownError(details, err, 1)
	}
	return object, thrownError(details, err, 0)
}

func (s script) evaluateOnce(
	ctx context.Context, code string, repl bool,
) (*runtime.RemoteObject, *runtime.ExceptionDetails, error) {
	yes := true
	params := runtime.EvaluateParams{
		Expression: code, ObjectGroup: scriptGroup, UserGesture: &yes, AwaitPromise: &yes, ReplMode: &repl,
	}
	if deadline, ok := ctx.Deadline(); ok {
		left := max(time.Until(deadline)-scriptMargin, time.Millisecond)
		params.Timeout = runtime.TimeDelta(left.Milliseconds())
	}
	res, err := cdp.Call(ctx, s.session, runtime.Evaluate, params)
	var refused *cdproto.Error
	if deadline, ok := ctx.Deadline(); ok && errors.As(err, &refused) && time.Until(deadline) <= scriptMargin {
		// The error text depends on where the script was stopped.
		err = fmt.Errorf("the script ran past the deadline and was stopped: %w", context.DeadlineExceeded)
	}
	return res.Result, res.ExceptionDetails, err
}

// isSyntaxError reports that code did not compile, for the given reason unless it is "". A
// SyntaxError that running code threw has a stack, and that code must not run twice.
func isSyntaxError(details *runtime.ExceptionDetails, reason string) bool {
	return details != nil && details.StackTrace == nil && details.Exception != nil &&
		details.Exception.ClassName == "SyntaxError" && strings.Contains(details.Exception.Description, reason)
}

func thrownError(details *runtime.ExceptionDetails, err error, shift int) error {
	if err != nil || details == nil {
		return err
	}
	return scriptError(details, shift)
}

// scriptError describes a thrown value; shift is the number of lines before the caller's code.
func scriptError(details *runtime.ExceptionDetails, shift int) *ScriptError {
	e := &ScriptError{Text: details.Text}
	if x := details.Exception; x != nil {
		text, stack, found := strings.Cut(x.Description, "\n    at ")
		switch {
		case found:
			e.Text, e.Stack = text, "    at "+stack
		case text != "":
			e.Text = text
		case len(x.Value) > 0:
			e.Text = strings.Trim(string(x.Value), `"`)
		}
	}
	line, column := int(details.LineNumber), int(details.ColumnNumber)
	if trace := details.StackTrace; trace != nil {
		for _, frame := range trace.CallFrames {
			if frame.URL == "" {
				line, column = int(frame.LineNumber), int(frame.ColumnNumber)
				break
			}
		}
	}
	if line -= shift; line >= 0 {
		e.Line, e.Column = line+1, column+1
	}
	return e
}

func primitiveValue(o *runtime.RemoteObject) Value {
	v := Value{Type: typeName(o), JSON: json.RawMessage(o.Value)}
	text := string(o.UnserializableValue)
	if o.Type == runtime.RemoteObjectTypeSymbol {
		text = o.Description
	}
	switch {
	case text == "-0":
		v.JSON = json.RawMessage("0")
	case text != "":
		v.JSON, _ = json.Marshal(text) // marshaling a string cannot fail
	case len(v.JSON) == 0:
		v.JSON = json.RawMessage("null")
	}
	return v
}

func typeName(o *runtime.RemoteObject) string {
	if o.Subtype != "" {
		return o.Subtype.String()
	}
	return o.Type.String()
}

func (s script) serialize(ctx context.Context, o *runtime.RemoteObject) (Value, error) {
	yes := true
	res, err := cdp.Call(ctx, s.session, runtime.CallFunctionOn, runtime.CallFunctionOnParams{
		FunctionDeclaration: serializer, ObjectID: o.ObjectID, ReturnByValue: &yes, Silent: &yes,
		Arguments: []*runtime.CallArgument{{ObjectID: o.ObjectID}},
	})
	if err != nil {
		return Value{}, err
	}
	if res.ExceptionDetails != nil {
		return Value{}, scriptError(res.ExceptionDetails, 0)
	}
	var out struct {
		Value json.RawMessage `json:"value"`
		Cut   bool            `json:"cut"`
	}
	if err := json.Unmarshal(res.Result.Value, &out); err != nil {
		return Value{}, fmt.Errorf("decode the result of a script: %w", err)
	}
	if out.Value == nil {
		out.Value = json.RawMessage("null")
	}
	return Value{Type: typeName(o), JSON: out.Value, Truncated: out.Cut}, nil
}

// translateError turns protocol errors about a replaced document into ErrNavigated.
func translateError(err error) error {
	var refused *cdproto.Error
	if !errors.As(err, &refused) {
		return err
	}
	switch m := refused.Message; {
	case strings.Contains(m, "navigated or closed"), strings.Contains(m, "context was destroyed"),
		strings.Contains(m, "Cannot find context"), strings.Contains(m, "Promise was collected"):
		return fmt.Errorf("%w (%s)", ErrNavigated, m)
	}
	return fmt.Errorf("evaluate: %w", err)
}
