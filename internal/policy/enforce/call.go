package enforce

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/internal/policy"
)

// Wrap puts the policy around every tool of a registry: of clients, and of batches, plans, skills,
// workflows and replays, whose calls reach the same handlers. It changes and returns reg, which must
// not be in use. Without a policy file it changes nothing.
func (e *Enforcer) Wrap(reg *toolkit.Registry) *toolkit.Registry {
	if e.policy.File == "" {
		return reg
	}
	for i := range reg.Tools {
		next := reg.Tools[i].Invoke
		reg.Tools[i].Invoke = func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.Result, error) {
			return e.run(ctx, call, args, func(ctx context.Context) (toolkit.Result, error) { return next(ctx, call, g, args) })
		}
	}
	return reg
}

// toolHandler runs the handler of a call.
type toolHandler = func(ctx context.Context) (toolkit.Result, error)

// run makes a call if the policy allows it. If the policy refused the document that the call was to
// load, the call is refused; a document that the page itself wanted is a notice.
func (e *Enforcer) run(ctx context.Context, call *toolkit.Call, args []byte, next toolHandler) (toolkit.Result, error) {
	state := e.sessions.of(call.Session.ID)
	defer e.flush(call.Session.ID)
	if err := e.checkLimits(call, state); err != nil {
		return toolkit.Result{}, err
	}
	ctx, done, question, err := e.decide(ctx, call, args, state)
	if err != nil || question != nil {
		return toolkit.Result{Ask: question}, err
	}
	defer done()
	before := state.beginCall(toolkit.NestingDepth(ctx) == 0)
	res, err := next(ctx)
	if refusal := e.refusedDocument(call, args, state, before, err); refusal != nil {
		return toolkit.Result{}, refusal
	}
	return res, err
}

// checkLimits counts a call of a client. Calls that it makes are part of it.
func (e *Enforcer) checkLimits(call *toolkit.Call, state *session) error {
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
	e.note(call.Session.ID, kindLimit, call.Tool.Name, d)
	return refusal(toolkit.PolicyDenied, call.Tool.Name+" is over a limit of the operator's policy", d)
}

// decide holds a call against the decisions. It returns the context of the handler, whose deadline
// begins when a person has answered, or the question that the client takes to the person.
func (e *Enforcer) decide(
	ctx context.Context, call *toolkit.Call, args []byte, state *session,
) (context.Context, context.CancelFunc, *toolkit.Ask, error) {
	keep := func() {}
	if !e.policy.DecidesCalls() {
		return ctx, keep, nil, nil
	}
	from := ""
	if e.cfg.Document != nil {
		from = e.cfg.Document(call, args).URL
	}
	d := e.policy.Call(policy.Call{Tool: call.Tool.Name, Powers: call.Tool.PowersOf(args), Origin: from})
	switch d.Verdict {
	case policy.Allow:
		e.note(call.Session.ID, kindCall, call.Tool.Name, d)
		return ctx, keep, nil, nil
	case policy.Deny:
		e.note(call.Session.ID, kindCall, call.Tool.Name, d)
		return ctx, keep, nil, refusal(toolkit.PolicyDenied, "the operator's policy forbids "+call.Tool.Name, d)
	}
	asked := asked{tool: call.Tool.Name, origin: policy.Origin(from), args: args, decision: d}
	if state.isApproved(asked) {
		d.Verdict = policy.Allow
		e.note(call.Session.ID, kindCall, call.Tool.Name, d)
		return ctx, keep, nil, nil
	}
	question, err := e.ask(ctx, call, state, asked)
	if err != nil || question != nil {
		return ctx, keep, question, err
	}
	fresh, cancel := withFreshDeadline(ctx, call.Tool.Timeout)
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
	failed := errors.As(err, &own) && own.Code == toolkit.NavigationFailed
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
