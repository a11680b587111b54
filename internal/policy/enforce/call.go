package enforce

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/policy"
)

// Wrap puts the policy around every tool of a registry: of clients, and of batches, plans, skills,
// workflows and replays, whose calls reach the same handlers. It changes and returns reg, which must
// not be in use. Without a policy file it changes only the tools with a power that people are asked about.
func (e *Enforcer) Wrap(reg *toolkit.Registry) *toolkit.Registry {
	for i := range reg.Tools {
		if t := &reg.Tools[i]; e.policy.File != "" || e.policy.AsksAbout(t.AllPowers()) {
			e.wrap(t, false)
		}
	}
	return reg
}

// WrapWorkflow puts the policy around the handler of a workflow. It changes t, which must not be in
// use. Without a policy file it changes nothing.
func (e *Enforcer) WrapWorkflow(t *toolkit.Tool) {
	if e.policy.File != "" {
		e.wrap(t, true)
	}
}

func (e *Enforcer) wrap(t *toolkit.Tool, workflow bool) {
	next := t.Invoke
	t.Invoke = func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
		if a := call.Answer(); workflow && a != nil && a.Reply == nil { // the client's model continues a call that was decided about
			return next(ctx, call, g, args)
		}
		return e.run(ctx, subject{call: call, name: call.Tool.Name, workflow: workflow, tool: call.Tool, args: args},
			func(ctx context.Context) (toolkit.CallResult, error) { return next(ctx, call, g, args) })
	}
}

// CheckServerTool returns the refusal of a workflow's call of a tool of a server, or nil. name is
// SERVER:TOOL. Such a call is about no document, and nothing is known of its powers.
func (e *Enforcer) CheckServerTool(ctx context.Context, call *toolkit.Call, name string, args []byte) error {
	if e.policy.File == "" {
		return nil
	}
	state := e.sessions.of(call.Session.ID)
	defer e.flush(call.Session.ID)
	s := subject{call: call, name: name, step: true, tool: &toolkit.Tool{Name: name}, args: args}
	if err := e.checkLimits(s, state); err != nil {
		return err
	}
	_, done, _, err := e.decide(ctx, s, state)
	if err == nil {
		done()
	}
	return err
}

// subject is the subject of a decision: a call of a tool, or a workflow's call of a tool of a
// server.
type subject struct {
	call     *toolkit.Call
	name     string        // as decisions name it
	workflow bool          // the tool is a workflow
	step     bool          // the call of a server by the workflow of call
	tool     *toolkit.Tool // says which arguments a person may see
	args     []byte
}

// policyCall is a subject about a document as the decisions see it.
func policyCall(s subject, document Document) policy.Call {
	out := policy.Call{Tool: s.name, Workflow: s.workflow}
	if s.step {
		return out
	}
	out.Powers = s.tool.PowersOf(s.args)
	out.Origin = document.URL
	return out
}

// document returns the document that a subject is about.
func (e *Enforcer) document(s subject) (none Document) {
	if s.step || e.cfg.Document == nil {
		return none
	}
	return e.cfg.Document(s.call, s.args)
}

// toolHandler runs the handler of a call.
type toolHandler = func(ctx context.Context) (toolkit.CallResult, error)

// run makes a call if the policy allows it. If the policy refused the document that the call was to
// load, the call is refused; a document that the page itself wanted is a notice.
func (e *Enforcer) run(ctx context.Context, s subject, next toolHandler) (toolkit.CallResult, error) {
	call := s.call
	state := e.sessions.of(call.Session.ID)
	defer e.flush(call.Session.ID)
	if err := e.checkLimits(s, state); err != nil {
		return toolkit.CallResult{}, err
	}
	ctx, done, question, err := e.decide(ctx, s, state)
	if err != nil || question != nil {
		return toolkit.CallResult{Ask: question}, err
	}
	defer done()
	before := state.beginCall(toolkit.NestingDepth(ctx) == 0)
	res, err := next(ctx)
	if refusal := e.refusedDocument(call, s.args, state, before, err); refusal != nil {
		return toolkit.CallResult{}, refusal
	}
	return res, err
}

// checkLimits counts a call of a client. Calls that it makes are part of it.
func (e *Enforcer) checkLimits(s subject, state *session) error {
	limits, now := e.policy.Limits(), time.Now()
	key := ""
	switch {
	case limits.SessionTime > 0 && state.age(now) > limits.SessionTime:
		key = "session_time"
	case limits.CallsPerMinute > 0 && !state.takeCall(now, limits.CallsPerMinute):
		key = "calls_per_minute"
	default:
		return nil
	}
	d := limitDecision(e.policy, key)
	e.note(s.call.Session.ID, kindLimit, s.name, d)
	return refusal(toolkit.PolicyDenied, s.name+" is over a limit of the operator's policy", d)
}

// decide holds a call against the decisions. It returns the context of the handler, whose deadline
// begins when a person has answered, or the question that the client takes to the person.
func (e *Enforcer) decide(
	ctx context.Context, s subject, state *session,
) (context.Context, context.CancelFunc, *toolkit.Ask, error) {
	keep := func() {}
	if !e.policy.DecidesCalls(s.tool.PowersOf(s.args)) {
		return ctx, keep, nil, nil
	}
	document := e.document(s)
	if document.Err != nil {
		return ctx, keep, nil, document.Err
	}
	c := policyCall(s, document)
	d := e.policy.Call(c)
	id := s.call.Session.ID
	switch d.Verdict {
	case policy.Allow:
		e.note(id, kindCall, s.name, d)
		return ctx, keep, nil, nil
	case policy.Deny:
		e.note(id, kindCall, s.name, d)
		return ctx, keep, nil, refusal(toolkit.PolicyDenied, "the operator's policy forbids "+s.name, d)
	}
	if document.Tool != "" {
		s.name = document.Tool
	}
	asked := asked{subject: s, origin: policy.Origin(c.Origin), decision: d, about: document.About}
	if state.isApproved(asked) {
		d.Verdict = policy.Allow
		e.note(id, kindCall, s.name, d)
		return ctx, keep, nil, nil
	}
	question, err := e.ask(ctx, state, asked)
	if err != nil || question != nil {
		return ctx, keep, question, err
	}
	fresh, cancel := withFreshDeadline(ctx, s.call.Tool.Timeout)
	return fresh, cancel, nil, nil
}

// withFreshDeadline returns a context with the whole time of a tool, which ends with ctx unless
// that ended by its deadline.
func withFreshDeadline(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	stop := context.AfterFunc(ctx, func() {
		if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			cancel()
		}
	})
	return fresh, func() { stop(); cancel() }
}

// refusedDocument returns the refusal of a call whose navigation failed because the policy refused
// the document or the connection; nil for any other. A page that tries to go to a refused address,
// at a click or later, keeps its document: the result on its tab has a notice, and no call is
// refused for it.
func (e *Enforcer) refusedDocument(call *toolkit.Call, args []byte, state *session, before int, err error) error {
	var own *toolkit.Refusal
	failed := errors.As(err, &own) && own.Code == codes.NavigationFailed
	var document refusedRequest
	found := false
	if state.hasDocuments() && e.cfg.Document != nil {
		document, found = state.takeDocument(e.cfg.Document(call, args).Tab)
	}
	switch {
	case found && failed && document.number > before:
		return refusal(toolkit.PolicyDenied, "the operator's policy refuses to load a document of "+document.target, document.decision)
	case found:
		call.Session.AddNotice(fmt.Sprintf("the page tried to go to %s, which the operator's policy refuses (%s); the tab keeps its document",
			document.target, document.decision.Rule))
	}
	if !failed || !strings.Contains(fmt.Sprint(own, own.Fields), "ERR_SOCKS") { // of the gateway
		return nil
	}
	if c, ok := state.connectionSince(before, own.Error()); ok {
		return refusal(toolkit.PolicyDenied, "the operator's policy refuses the connection to "+c.target, c.decision)
	}
	return nil
}

// refusal names the rule and what an operator can set.
func refusal(code toolkit.Code, what string, d policy.Decision) error {
	return toolkit.Refuse(code, fmt.Sprintf("%s (%s); the operator can %s", what, d.Rule, d.Remedy),
		toolkit.Field{Name: "rule", Value: d.Rule.String()}, toolkit.Field{Name: "remedy", Value: d.Remedy})
}
