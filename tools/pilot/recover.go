package pilot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/pilotapi"
	"github.com/callsheet/callsheet/generated/toolset/types"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/result"
)

// How a run ended. The words are those of a plan's run.
const (
	success      = "SUCCESS"
	failed       = "FAILED"
	inconclusive = "INCONCLUSIVE"
)

// runResult is how a run ended.
type runResult struct {
	Status   string
	PlanID   string
	Verdict  *contract.Verdict // the last; nil when nothing was judged
	Attempts []attempt
	Message  string
}

// recovery is one call.
type recovery struct {
	*Tools

	call     *toolkit.Call
	in       pilotapi.OcPilotRunWithRecoveryParams
	contract *contract.Contract
	runner   string   // the tool that plays it
	named    string   // the runner's argument that names it
	first    string   // the address where it begins
	opens    bool     // its first step loads that address
	begin    string   // tab of its first step, "" before it is known
	end      string   // tab of its last step
	waiting  []string // tabs that had a dialog before
}

// OcPilotRunWithRecovery plays a plan until it goes through and its contract passes, the tab being
// brought back to the beginning in between.
func (t *Tools) OcPilotRunWithRecovery(ctx context.Context, call *toolkit.Call, in pilotapi.OcPilotRunWithRecoveryParams, _ pilotapi.OcPilotRunWithRecoveryPowers) (none pilotapi.OcPilotRunWithRecoveryResult, err error) {
	c, problems := contract.Parse([]byte(in.Contract))
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Path = "/contract" + problems[i].Path
		}
		return none, problems
	}
	r := &recovery{Tools: t, call: call, in: in, contract: c, begin: in.TabID.Value}
	if err := r.find(ctx); err != nil {
		return none, err
	}
	for _, tab := range t.sessions.Set(call).TabsWithDialog() {
		r.waiting = append(r.waiting, tab.ID())
	}
	out := runResult{Status: failed, PlanID: in.PlanID}
	for n := 1; n <= in.Attempts; n++ {
		call.Progress(float64(n-1), float64(in.Attempts), fmt.Sprintf("attempt %d of %d", n, in.Attempts))
		a, err := r.attempt(ctx)
		if err != nil {
			return none, err
		}
		last := a.Outcome == passed || a.final != "" || n == in.Attempts
		if !last {
			a.Recovery = r.recover(ctx)
		}
		if err := context.Cause(ctx); err != nil {
			return none, err
		}
		call.Progress(float64(n), float64(in.Attempts), fmt.Sprintf("attempt %d %s", n, a.line()))
		out.Attempts, out.Verdict = append(out.Attempts, a), a.Verdict
		if last {
			break
		}
	}
	return out.result(call)
}

// find looks for the plan, else the skill, and where it begins. The tool that plays it reports
// invalid arguments.
func (r *recovery) find(ctx context.Context) error {
	r.runner, r.named = toolset.ToolExecutePlan, "planId"
	e, err := r.shelf.Get(ctx, script.Plan, r.in.PlanID)
	if errors.Is(err, script.ErrNotFound) {
		if e, err = r.shelf.Get(ctx, script.Skill, r.in.PlanID); err == nil {
			r.runner, r.named = toolset.ToolOcSkillReplay, "skill"
		}
	}
	if errors.Is(err, script.ErrNotFound) {
		return nil // the refusal lists the plans
	}
	if err != nil {
		return err
	}
	params, err := replay.ParseParameters(r.in.Params)
	if err != nil {
		return toolkit.Refuse(toolkit.InvalidArguments, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	if r.first = e.Script.FirstURL(params); r.first != "" {
		r.opens = true
		return nil
	}
	if tab := r.sessions.Set(r.call).Peek("", r.begin); r.begin != "" && tab != nil {
		r.first = tab.URL() // it begins where the tab is
	}
	return nil
}

// result is the answer: that of a plan, with the attempts.
func (r *runResult) result(call *toolkit.Call) (none pilotapi.OcPilotRunWithRecoveryResult, err error) {
	last := &r.Attempts[len(r.Attempts)-1]
	if last.refusal != nil {
		return none, r.refused(last)
	}
	switch {
	case last.Outcome == passed:
		r.Status = success
	case last.Outcome == disproved && *last.Verdict == contract.Inconclusive:
		r.Status = inconclusive
	}
	lines := make([]string, len(r.Attempts))
	for i := range r.Attempts {
		lines[i] = fmt.Sprintf("attempt %d %s", i+1, r.Attempts[i].line())
	}
	r.Message = strings.Join(lines, "\n")
	if last.final != "" {
		r.Message += "\nnot tried again: " + last.final
	}
	if r.Status == failed {
		return none, toolkit.Refuse(toolkit.Failed, r.Message, r.fields()...)
	}
	call.SetContent(toolkit.Text(r.Status + "\n" + r.Message))
	return r.output(), nil
}

// output is a run that did not fail as the tool declares it.
func (r *runResult) output() pilotapi.OcPilotRunWithRecoveryResult {
	attempts := make([]pilotapi.OcPilotRunWithRecoveryResultAttemptsItem, len(r.Attempts))
	for i, a := range r.Attempts {
		attempts[i] = pilotapi.OcPilotRunWithRecoveryResultAttemptsItem{
			Outcome: pilotapi.OcPilotRunWithRecoveryResultAttemptsItemOutcome(a.Outcome), FailedStep: toolkit.NonZero(a.Step), Tool: toolkit.NonZero(a.Tool),
			Code: toolkit.NonZero(a.Code), Why: toolkit.NonZero(a.Why), Failures: result.Failures(a.Failures), Recovery: a.Recovery,
		}
		if a.Verdict != nil {
			attempts[i].Verdict = toolkit.Some(types.Verdict(a.Verdict.String()))
		}
	}
	return pilotapi.OcPilotRunWithRecoveryResult{
		Status: pilotapi.OcPilotRunWithRecoveryResultStatus(r.Status), PlanID: r.PlanID, Verdict: types.Verdict(r.Verdict.String()),
		Attempts: attempts, Message: r.Message,
	}
}

// fields are the outcome for an envelope, which has a message of its own.
func (r *runResult) fields() []toolkit.Field {
	return []toolkit.Field{
		{Name: "status", Value: r.Status}, {Name: "planId", Value: r.PlanID}, {Name: "verdict", Value: r.Verdict},
		{Name: "attempts", Value: r.Attempts},
	}
}

// refused passes on why the plan was not begun, with all that its tool tells.
func (r *runResult) refused(last *attempt) error {
	fields := r.fields()
	for _, name := range result.Sorted(last.refusal) {
		switch name {
		case "code", "tool", "message", "status", "planId", "verdict", "attempts":
		default:
			fields = append(fields, toolkit.Field{Name: name, Value: last.refusal[name]})
		}
	}
	return toolkit.Refuse(toolkit.Code(last.Code), last.Why, fields...)
}
