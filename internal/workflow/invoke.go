package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/runner"
)

// inWorkflow is the context key of a run. A step may call a tool that makes further calls.
type inWorkflow struct{}

// invoke runs the workflow for one tool call. The servers of its generation last until then.
func (e *tool) invoke(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
	defer e.gen.servers.hold()()
	res, err := e.answer(ctx, call, g, args)
	if err == nil && res.Ask == nil && e.notice != "" {
		res.Content = append(res.Content, toolkit.Content{Text: "the files have an error, so this was the version before it: " + e.notice})
	}
	return res, err
}

func (e *tool) answer(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
	values, err := e.params.Decode(args)
	if err != nil {
		return toolkit.CallResult{}, err
	}
	if a := call.Answer(); a != nil {
		return e.set.pendingSummaries.resume(call, a)
	}
	if ctx.Value(inWorkflow{}) != nil { // it would wait for the servers that the outer workflow has reserved
		return toolkit.CallResult{}, toolkit.Refuse(toolkit.Failed,
			"one workflow does not call another: a step of a workflow called "+e.definition.Name)
	}
	bound, err := e.awaitBinding(ctx)
	if err != nil {
		return toolkit.CallResult{}, err
	}
	caller := &toolCaller{set: e.set, servers: e.gen.servers, call: call, write: power.NewFileWrite(g)}
	running := context.WithValue(ctx, inWorkflow{}, true)
	var ask toolkit.Asker
	if call.Elicits() {
		ask = call.Elicit
		running = external.WithAsker(running, ask)
	}
	out := runner.Run(running, runner.Input{
		BoundWorkflow: bound, Params: values, Caller: caller, Progress: call.Progress,
		Log: e.set.cfg.Log, Save: caller.save, Ask: ask,
	})
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return toolkit.CallResult{}, err // the client cancelled the call
	}
	res := e.set.render(ctx, call, bound, out)
	if bound.Summarize == nil || bound.Summarize.Mode == definition.ModeNone {
		return res, nil
	}
	return e.set.summarize(ctx, call, bound, out, res), nil
}

// toolCaller calls tools for one run: built-in ones through the session and those of external
// servers.
type toolCaller struct {
	set     *Set
	servers *servers // nil without servers.json
	call    *toolkit.Call
	write   power.FileWrite // granted when a step has saveTo
}

// Call calls a tool. Built-in tools go through the session's dispatcher.
func (tc *toolCaller) Call(ctx context.Context, alias, tool string, args json.RawMessage,
	progress external.Progress) (external.Result, error) {
	if alias != definition.Builtin {
		if err := secret.CheckNested(ctx, nil, args); err != nil {
			return external.Result{}, err
		}
		if guard := tc.set.cfg.Guard; guard != nil {
			if err := guard.CheckServerTool(ctx, tc.call, alias+":"+tool, args); err != nil {
				return external.Result{}, err
			}
		}
		return tc.servers.Call(ctx, alias, tool, args, progress)
	}
	if t := tc.call.Session.Surface().Tool(tool); t != nil {
		if err := secret.CheckNested(ctx, t, args); err != nil {
			return external.Result{}, err
		}
	}
	res, err := tc.call.Run(ctx, tool, args, progress)
	if err != nil {
		return external.Result{}, err
	}
	out := external.Result{IsError: res.Refused, Structured: res.Structured}
	for _, c := range res.Content {
		item := external.Content{Type: external.TypeText, Text: c.Text}
		if c.Data != nil {
			item = external.Content{Type: external.TypeImage, Data: c.Data, MIME: c.MIME}
		}
		out.Content = append(out.Content, item)
	}
	for _, l := range res.Links {
		out.Content = append(out.Content, external.Content{Type: external.TypeResourceLink, URI: l.URI, Name: l.Name,
			MIME: l.MIME})
	}
	return out, nil
}

// Stateful reports whether a call changes the state of later calls. The built-in tools share the
// session's browser.
func (tc *toolCaller) Stateful(alias string) bool {
	return alias == definition.Builtin || tc.servers.Stateful(alias)
}

// Reserve waits until no other run uses the server; for built-in tools, no other run of the
// session.
func (tc *toolCaller) Reserve(ctx context.Context, alias string) (func(), error) {
	if alias != definition.Builtin {
		return tc.servers.Reserve(ctx, alias)
	}
	v, _ := tc.set.sessionLocks.LoadOrStore(tc.call.Session.ID, make(chan struct{}, 1))
	lock := v.(chan struct{})
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// EndSession releases the state of a session. It accepts a nil Set.
func (s *Set) EndSession(session string) {
	if s == nil {
		return
	}
	s.sessionLocks.Delete(session)
	s.pendingSummaries.forget(session)
}

// isShown reports whether the result includes the content of a step.
func isShown(w *definition.BoundWorkflow, r *runner.StepReport) bool {
	return w.Show == nil || slices.Contains(w.Show, r.ID) || r.Definition != nil &&
		slices.Contains(w.Show, r.Definition.SaveAs)
}
