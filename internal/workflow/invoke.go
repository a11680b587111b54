package workflow

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/runner"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// inWorkflow marks the context of a run: a step may call a tool that makes calls of its own.
type inWorkflow struct{}

// invoke answers one call of a workflow.
func (e *tool) invoke(ctx context.Context, call *toolkit.Call, args []byte) (toolkit.Result, error) {
	values, err := e.params.Decode(args)
	if err != nil {
		return toolkit.Result{}, err
	}
	if e.definition.Prompt != nil {
		return e.prompt(values)
	}
	if a := call.Answer(); a != nil {
		return e.set.pendingSummaries.resume(call, a)
	}
	if ctx.Value(inWorkflow{}) != nil { // it would wait for what the one around it has reserved
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, "one workflow does not call another: "+e.definition.Name+" was called by a step of one")
	}
	bound, err := e.awaitBinding(ctx)
	if err != nil {
		return toolkit.Result{}, err
	}
	out := runner.Run(context.WithValue(ctx, inWorkflow{}, true), runner.Input{
		BoundWorkflow: bound, Params: values, Caller: &toolCaller{set: e.set, call: call}, Progress: call.Progress, Log: e.set.cfg.Log,
	})
	if err := ctx.Err(); errors.Is(err, context.Canceled) {
		return toolkit.Result{}, err // nobody waits for an answer
	}
	res := e.set.render(ctx, call, bound, out)
	if bound.Summarize == nil || bound.Summarize.Mode == definition.ModeNone {
		return res, nil
	}
	return e.set.summarize(ctx, call, bound, out, res), nil
}

// prompt renders a workflow that is a text for the caller's model.
func (e *tool) prompt(values map[string]any) (toolkit.Result, error) {
	p := e.definition.Prompt
	scope := promptScope{values}
	var b strings.Builder
	for _, t := range []*template.Template{p.Text, p.Context} {
		if t == nil {
			continue
		}
		v, _, err := t.Eval(scope)
		if err != nil {
			return toolkit.Result{}, fmt.Errorf("render the prompt: %w", err)
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(template.Text(v))
	}
	if len(p.Tools) > 0 {
		b.WriteString("\n\nAvailable tools:")
	}
	for i, t := range p.Tools {
		mark := "-"
		if p.Sequential {
			mark = fmt.Sprintf("%d.", i+1)
		}
		b.WriteString("\n" + mark + " " + t.Name)
		if t.Note != "" {
			b.WriteString(": " + t.Note)
		}
	}
	return toolkit.Text(b.String()), nil
}

// promptScope finds nothing where a parameter is absent, so that a prompt is rendered all the same.
type promptScope struct{ params map[string]any }

func (l promptScope) Lookup(name string) (any, bool) {
	if name == "params" || name == "inputs" {
		return l.params, true
	}
	return l.params[name], true
}

// toolCaller are those of one call: this server's own tools under one alias, and the external ones.
type toolCaller struct {
	set  *Set
	call *toolkit.Call
}

// Call calls a tool. Built-in ones go through the session's own dispatcher.
func (s *toolCaller) Call(ctx context.Context, alias, tool string, args json.RawMessage, progress external.Progress) (external.Result, error) {
	if alias != definition.Builtin {
		return s.set.registry.Call(ctx, alias, tool, args, progress)
	}
	res, err := s.call.Run(ctx, tool, args, progress)
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
		out.Content = append(out.Content, external.Content{Type: external.TypeResourceLink, URI: l.URI, Name: l.Name, MIME: l.MIME})
	}
	return out, nil
}

// Stateful reports whether calls change what the next one finds. A session's browser does.
func (s *toolCaller) Stateful(alias string) bool {
	return alias == definition.Builtin || s.set.registry.Stateful(alias)
}

// Reserve keeps other runs off a server; of the built-in tools, other runs of the same session.
func (s *toolCaller) Reserve(ctx context.Context, alias string) (func(), error) {
	if alias != definition.Builtin {
		return s.set.registry.Reserve(ctx, alias)
	}
	v, _ := s.set.sessionLocks.LoadOrStore(s.call.Session.ID, make(chan struct{}, 1))
	desk := v.(chan struct{})
	select {
	case desk <- struct{}{}:
		return func() { <-desk }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// EndSession forgets what was kept for a session. A nil set keeps nothing.
func (s *Set) EndSession(session string) {
	if s == nil {
		return
	}
	s.sessionLocks.Delete(session)
	s.pendingSummaries.forget(session)
}

// isShown reports whether a step's content is part of the answer.
func isShown(w *definition.BoundWorkflow, r *runner.StepReport) bool {
	return w.Show == nil || slices.Contains(w.Show, r.ID) || r.Definition != nil && slices.Contains(w.Show, r.Definition.SaveAs)
}
