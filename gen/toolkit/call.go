package toolkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Call is one call as its handler sees it. Of a prompt or a resource, Tool has the name, the area and
// the capability alone.
type Call struct {
	Session *Session
	Tool    *Tool

	progress            func(done, total float64, message string)
	sample              func(context.Context, Sampling) (string, error)
	elicit              Asker
	roots               func(context.Context) []string
	samplingDeferred    bool // the client samples when a result asks, and calls again
	elicitationDeferred bool // the client asks its person when a result asks, and calls again
	answer              *Answer
	logger              *slog.Logger

	log        func(level LogLevel, data any)
	rootsLater bool
	inputs     Inputs

	interaction Interaction
	answered    Answers // that Ask has found in the request; nil before it looked

	principal string

	content   Result // beside the structured content
	maxResult int    // of the request
}

// Principal says on whose behalf the call is made, as its adapter has found out: callers with one
// principal are one client. It is "" where the adapter does not know, and holds no secret.
func (c *Call) Principal() string { return c.principal }

// SetContent sets the content and the links of the result of a tool whose handler returns a declared output.
// Without content the text of the result is the JSON of the output. Other tools do not use SetContent.
func (c *Call) SetContent(r Result) { c.content = r }

// Progress tells the client how far the call is. Total 0 means unknown. Clients that did not ask
// hear nothing.
func (c *Call) Progress(done, total float64, message string) {
	if c.progress != nil {
		c.progress(done, total, message)
	}
}

// UnknownToolError is a call of a tool that does not exist in the session's scope. Protocol
// adapters answer it with JSON-RPC error -32602.
type UnknownToolError struct {
	Name    string
	Nearest string // a tool this session may call, or ""
}

// Error names the tool and the nearest one.
func (e *UnknownToolError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("unknown tool %q", clip(e.Name))
	}
	return fmt.Sprintf("unknown tool %q, did you mean %q?", clip(e.Name), e.Nearest)
}

func (e *UnknownToolError) refusal() *Refusal {
	return Refuse(UnknownTool, e.Error(), Field{"name", clip(e.Name)})
}

// Request is a call as an adapter passes it in.
type Request struct {
	Tool     string
	Args     []byte                                    // the JSON object of arguments; empty means none
	Progress func(done, total float64, message string) // nil when the client does not want any
	Logger   *slog.Logger                              // where defects go; nil discards them

	Sample  func(context.Context, Sampling) (string, error) // nil when the client cannot be asked
	Elicit  Asker                                           // nil when the person behind it cannot be asked
	Roots   func(context.Context) []string                  // nil when the client declares no directories
	Repeats bool                                            // the client samples when a result asks, and calls again
	// ElicitLater reports that the client asks its person when a result asks, and calls again.
	ElicitLater bool
	Answer      *Answer     // what a call that was repeated brings along
	RootsLater  bool        // the client declares directories when a result asks, and calls again
	Inputs      Inputs      // the answers to Ask.Inputs that the call was repeated with
	Interaction Interaction // how Call.Ask reaches the client

	Log func(level LogLevel, data any) // nil when the client is sent no log messages

	Principal string // on whose behalf the call is made; "" is unknown

	// Life ends with the client. With it the call is answered within a minute, unless its arguments ask for a longer wait:
	// one that takes longer goes on, and the same call again fetches its result. nil waits as long as the tool may take.
	Life context.Context

	maxResult int // bytes of text that the client takes; 0 of a call inside of a call
}

// Dispatch runs a call: it finds the tool, holds it against the surface and the predicate, decodes,
// runs the handler under the tool's deadline, survives its panics and keeps its answer within
// budget. This is the only way to a handler.
//
// A deferred tool answers with its record whatever the surface: who probes for it hears the same
// everywhere.
//
// The error is an *UnknownToolError, a *ProtocolError of the handler or, when ctx was cancelled by the caller, ctx's error; every
// other outcome is a CallResult.
func (v *Session) Dispatch(ctx context.Context, req Request) (CallResult, error) {
	if res, ok := v.surface.table().reg.AnswerDeferred(req.Tool); ok {
		return res, nil // without remarks: the answer is the same to the byte, always
	}
	req = v.resolveEntry(req)
	if t := v.surface.Tool(req.Tool); t != nil {
		req.Args = t.Traits.Normalize(req.Args)
	}
	if NestingDepth(ctx) > 0 {
		return v.surface.run(ctx, v, req)
	}
	req.maxResult = cmp.Or(v.surface.opt.MaxResult, DefaultMaxResult)
	res, err := v.running.await(ctx, req, func(ctx context.Context, req Request) (CallResult, error) { return v.surface.run(ctx, v, req) })
	return bounded(res, req), err
}

// dispatcher runs the calls of a session: it checks each one, and brings the session and the result
// up to date after it.
type dispatcher struct{ *Session }

func (v dispatcher) dispatch(ctx context.Context, req Request) (CallResult, error) {
	res, err := v.runGuarded(ctx, req)
	if err != nil || res.Ask != nil {
		return res, err
	}
	return v.withNotices(res), nil
}

// runGuarded holds a call against the surface and the predicate, and runs it.
func (v dispatcher) runGuarded(ctx context.Context, req Request) (CallResult, error) {
	reg := v.surface.table().reg
	i, ok := reg.Lookup(req.Tool)
	if !ok || !reg.Tools[i].inScope(v.surface.scope) {
		return CallResult{}, toolFinder(v).unknown(req.Tool)
	}
	t := &reg.Tools[i]
	if r := v.checkAllowed(i, req.Args); r != nil {
		return v.withDefinitions(r), nil
	}
	begun, reports := v.callStart(), v.reported()
	res, err := v.run(ctx, newCall(v.Session, t, req), req)
	if err != nil || res.Ask != nil {
		return res, err
	}
	if !res.Refused {
		v.applyChanges(t, req.Args, reports)
	}
	return v.withNewTools(res, begun, req.room(res)), nil
}

// newCall is a request as a handler sees it.
func newCall(v *Session, t *Tool, req Request) *Call {
	return &Call{
		Session: v, Tool: t, progress: req.Progress, sample: req.Sample, elicit: req.Elicit, roots: req.Roots, samplingDeferred: req.Repeats, elicitationDeferred: req.ElicitLater,
		answer: req.Answer, logger: req.Logger, principal: req.Principal, log: req.Log, rootsLater: req.RootsLater, inputs: req.Inputs,
		interaction: req.Interaction, maxResult: req.maxResult,
	}
}

// run invokes the handler of a call that is allowed, under its deadline, and keeps its answer
// within budget.
func (v dispatcher) run(ctx context.Context, call *Call, req Request) (CallResult, error) {
	t := call.Tool
	bounded, cancel := context.WithTimeout(ctx, t.Timeout)
	defer cancel()
	res, err := invoke(bounded, call, req)
	if n, most := max(len(res.Structured), len(res.Raw)), call.ResultBytes(); err == nil && n > most && (res.Raw == nil || t.ResultBytes > 0) { // a truncated object is invalid JSON
		err = Refuse(BudgetExceeded, fmt.Sprintf("the answer has %d bytes and may have %d; ask for less", n, most))
	}
	if err != nil {
		if ctx.Err() != nil {
			return CallResult{}, ctx.Err()
		}
		if protocol := (*ProtocolError)(nil); errors.As(err, &protocol) {
			return CallResult{}, protocol
		}
		if ask := (*Ask)(nil); errors.As(err, &ask) {
			return CallResult{Ask: ask}, nil
		}
		return refusalOf(bounded, t, v.surface.table().reg.coded(v.withRelatedTools(t, err)), req.Logger).result(), nil
	}
	if res.Structured == nil {
		res = cut(res, call.ResultBytes())
	}
	return res, nil
}

// survive turns a panic of a call into a refusal, so that one call can never end the server. It is deferred.
func survive(req Request, say func(*Refusal)) {
	if p := recover(); p != nil {
		if req.Logger != nil {
			req.Logger.Error("call panicked", "tool", req.Tool, "panic", p, "stack", string(debug.Stack()))
		}
		say(Refuse(Internal, "the server failed inside this tool; the call may have had part of its effect"))
	}
}

// invoke runs the handler. Its panic is an error.
func invoke(ctx context.Context, call *Call, req Request) (res CallResult, err error) {
	defer survive(req, func(r *Refusal) { err = r })
	g, end := call.Tool.grantOf(req.Args)
	defer end()
	return call.Tool.Invoke(ctx, call, g, req.Args)
}

// refusalOf turns a handler's error into an envelope. ctx is that of the handler.
func refusalOf(ctx context.Context, t *Tool, err error, log *slog.Logger) *Refusal {
	var r *Refusal
	var v Violations
	switch {
	case errors.As(err, &r):
		copied := *r
		r = &copied
	case errors.As(err, &v):
		r = v.refusal()
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		r = Refuse(Timeout, "a part of the call was not finished in its time; the call had time left")
	case errors.Is(err, context.DeadlineExceeded):
		r = Refuse(Timeout, fmt.Sprintf("not finished within %v", t.Timeout), Field{"ms", t.Timeout.Milliseconds()})
	default:
		r = opaque(t.Name, err, log)
	}
	if r.Tool == "" {
		r.Tool = t.Name
	}
	r.Message = clipBytes(r.Message, maxMessage) // it may repeat what a site has said
	return r
}

// unknown describes a name the session has no tool for, suggesting only what it may call.
func (v toolFinder) unknown(name string) *UnknownToolError {
	names := slicesx.Map(v.surface.AllowedTools(), func(t *Tool) string { return t.Name })
	near := Nearest(name, names)
	if near == "" {
		near = v.relatedTool(strings.FieldsFunc(strings.ToLower(name), separates), nil, verbScore)
	}
	return &UnknownToolError{Name: name, Nearest: near}
}

// CallHandler runs a call: dispatch itself, or the layer below.
type CallHandler func(ctx context.Context, v *Session, req Request) (CallResult, error)

// Middleware wraps every call of a surface, refused ones and unknown names too: a journal that
// writes down what was done, a filter that puts secrets into arguments and takes them out of
// results. A layer gets a request before any check and a result after all changes; it must call
// next at most once.
type Middleware func(next CallHandler) CallHandler

// chain puts layers around dispatch, the first outermost.
func chain(layers []Middleware) CallHandler {
	next := CallHandler(func(ctx context.Context, v *Session, req Request) (CallResult, error) {
		return dispatcher{v}.dispatch(ctx, req)
	})
	for i := len(layers) - 1; i >= 0; i-- {
		next = layers[i](next)
	}
	return next
}

// RefusalResult is the result of a call that a layer refuses.
func RefusalResult(tool string, err error) CallResult {
	return refusalOf(context.Background(), &Tool{Name: tool}, err, nil).result()
}

// RefusalCode is the code of a refused result, or "".
func (r *CallResult) RefusalCode() Code {
	if !r.Refused {
		return ""
	}
	return r.code
}
