package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
	"github.com/callsheet/callsheet/internal/workflow/template"
	"github.com/callsheet/callsheet/internal/workflow/toolschema"
)

// confirmTimeout bounds the wait for a person where the step has no timeout.
const confirmTimeout = 2 * time.Minute

// askProgress is the time between two reports of progress while a person is asked, so that the
// client does not give up the call.
const askProgress = 10 * time.Second

// runConfirm asks the person. Accept goes on; decline and cancel are failures, which onError can
// continue after.
func (e *execution) runConfirm(ctx context.Context, s *definition.Step, f *stepScope) ([]StepReport, *Result, *StepError) {
	begun := time.Now()
	rep := newReport(s, "failed", 0)
	reply, err := e.ask(ctx, s, f)
	rep.Millis = time.Since(begun).Milliseconds()
	if err != nil {
		err.Millis = rep.Millis
		return []StepReport{rep}, nil, err
	}
	values := map[string]any{"action": reply.Action, "accepted": reply.Action == toolkit.Accept}
	maps.Copy(values, reply.Values)
	data, _ := json.Marshal(values) // texts, numbers and booleans always encode
	rep.Result = NewResult(external.Result{Structured: data,
		Content: []external.Content{{Type: external.TypeText, Text: "the answer is " + reply.Action}}})
	if reply.Action != toolkit.Accept {
		return []StepReport{rep}, rep.Result, e.newError(s, "declined", "the person did not agree: "+reply.Action, time.Since(begun))
	}
	rep.Status = "ok"
	return []StepReport{rep}, rep.Result, nil
}

// ask renders the question, sends it, and checks the reply.
func (e *execution) ask(ctx context.Context, s *definition.Step, f *stepScope) (toolkit.Reply, *StepError) {
	v, ok, err := f.evalValue(s.Confirm.Message)
	if err != nil || !ok {
		return toolkit.Reply{}, e.newError(s, "template", fmt.Sprintf("the question has no text: %v", err), 0)
	}
	raw := json.RawMessage(paramschema.Compact(paramschema.Object(s.Confirm.Fields.Properties)))
	fields, err := toolschema.Parse(raw)
	if err != nil { // compiled by this program
		return toolkit.Reply{}, e.newError(s, "template", err.Error(), 0)
	}
	reply := toolkit.Reply{Action: s.Confirm.Default}
	switch {
	case e.DryRun:
		reply.Action = toolkit.Accept
	case e.Ask != nil:
		var failed *StepError
		if reply, failed = e.awaitReply(ctx, s, toolkit.Question{Message: text.ClipRunes(template.Text(v), maxMessage), Schema: raw}); failed != nil {
			return toolkit.Reply{}, failed
		}
	case reply.Action == "":
		return toolkit.Reply{}, e.newError(s, "unavailable", "this client cannot ask the person: use one that supports elicitation, "+
			"or have the workflow declare default: accept or decline", 0)
	}
	if reply.Action != toolkit.Accept {
		return toolkit.Reply{Action: reply.Action}, nil
	}
	if reply.Values == nil {
		reply.Values = map[string]any{}
	}
	fields.FillDefaults(reply.Values)
	if problems := fields.Validate(reply.Values); len(problems) > 0 && !e.DryRun {
		return toolkit.Reply{}, e.newError(s, "arguments", "the answer does not match the fields: "+joinViolations(problems), 0)
	}
	return reply, nil
}

// awaitReply sends a question and waits for the reply, at most for the timeout of the step.
func (e *execution) awaitReply(ctx context.Context, s *definition.Step, q toolkit.Question) (toolkit.Reply, *StepError) {
	if s.Timeout == 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, confirmTimeout)
		defer cancel()
	}
	waiting := time.NewTicker(askProgress)
	defer waiting.Stop()
	type answer struct {
		reply toolkit.Reply
		err   error
	}
	answered := make(chan answer, 1)
	go func() {
		reply, err := e.Ask(ctx, q)
		answered <- answer{reply, err}
	}()
	for {
		e.reportProgress(0, "waiting for the person's answer")
		select {
		case a := <-answered:
			if a.err == nil {
				return a.reply, nil
			}
			if ctx.Err() != nil {
				return toolkit.Reply{}, e.newError(s, failureOf(ctx.Err()), "no answer: "+contextReason(ctx), 0)
			}
			return toolkit.Reply{}, e.newError(s, "unavailable", a.err.Error(), 0)
		case <-waiting.C:
		}
	}
}
