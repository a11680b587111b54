package pilot

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/text"
)

// contractTimeout is the time for which the contract may take to pass after a plan that went through.
const contractTimeout = 5 * time.Second

// maxReason is how much of a reason an attempt repeats, in characters.
const maxReason = 500

// attempt is one run of the plan, what the contract said of it, and what was done before the next
// one.
type attempt struct {
	Outcome  string             `json:"outcome"` // passed, disproved, or how the plan ended
	Step     int                `json:"failedStep,omitempty"`
	Tool     string             `json:"tool,omitempty"`
	Code     string             `json:"code,omitempty"`
	Why      string             `json:"why,omitempty"`
	Verdict  *contract.Verdict  `json:"verdict,omitempty"`
	Failures []contract.Failure `json:"failures,omitempty"`
	Recovery []string           `json:"recovery,omitempty"`

	final   string         // why another attempt would end the same way; "" if it might not
	refusal map[string]any // the envelope, where the plan was not begun
}

// The outcomes of an attempt.
const (
	passed    = "passed"    // plan and contract
	disproved = "disproved" // the plan went through, the contract did not pass
	broken    = "failed"    // the plan stopped at a step
	refused   = "refused"   // the plan was not begun
)

// maxFailures is how many failures of a contract an attempt names.
const maxFailures = 5

// line says how an attempt ended.
func (a *attempt) line() string {
	text := a.Outcome
	if a.Step > 0 {
		text += fmt.Sprintf(" at step %d (%s)", a.Step, a.Tool)
	}
	if a.Verdict != nil {
		text += ", contract " + a.Verdict.String()
	}
	if a.Why != "" {
		text += ": " + a.Why
	}
	return text
}

// scriptResult has the common members of the results of the tools that play scripts.
type scriptResult struct {
	Message string              `json:"message"`
	Steps   []replay.PlayedStep `json:"steps"`
	Drift   *replay.Drift       `json:"drift"`
}

// attempt plays the plan once and judges the page that it leaves.
func (r *recovery) attempt(ctx context.Context) (a attempt, err error) {
	args := map[string]any{r.named: r.in.PlanID}
	if r.begin != "" {
		args["tabId"] = r.begin
	}
	if len(r.in.Params) > 0 {
		args["params"] = r.in.Params
	}
	res, err := r.dispatch(ctx, r.runner, args)
	if err != nil {
		return a, err
	}
	var t scriptResult
	if len(res.Structured) > 0 {
		if err := json.Unmarshal(res.Structured, &t); err != nil {
			return a, fmt.Errorf("read the answer of %s: %w", r.runner, err)
		}
	}
	a = attempt{Outcome: disproved, Code: string(res.RefusalCode()), Why: text.ClipRunes(t.Message, maxReason)}
	switch {
	case t.Drift != nil:
		a.Outcome, a.Step, a.Tool, a.Code, a.Why = broken, t.Drift.Step, t.Drift.Tool, t.Drift.Code, text.ClipRunes(t.Drift.String(), maxReason)
		a.final = t.Drift.PersistentReason()
	case res.Refused && t.Steps == nil && isPermanent(res.RefusalCode()):
		a.Outcome, a.final = refused, a.Code
		return a, json.Unmarshal(res.Structured, &a.refusal)
	case res.Refused:
		a.Outcome = broken
	}
	r.tabs(t.Steps)
	r.judge(ctx, &a)
	return a, nil
}

// isPermanent tells whether a plan that was refused so is refused again.
func isPermanent(code toolkit.Code) bool {
	switch code {
	case toolkit.Failed, toolkit.Timeout, codes.BrowserGone, codes.TabCrashed, codes.DialogOpen:
		return false
	}
	return true
}

func (r *recovery) dispatch(ctx context.Context, tool string, args map[string]any) (toolkit.CallResult, error) {
	data, err := json.Marshal(args)
	if err != nil {
		return toolkit.CallResult{}, fmt.Errorf("encode the arguments of %s: %w", tool, err)
	}
	return r.call.Dispatch(ctx, tool, data, nil)
}

// tabs learns in which tabs the plan begins and ends.
func (r *recovery) tabs(steps []replay.PlayedStep) {
	for _, s := range steps {
		if s.Tab == "" {
			continue
		}
		if r.end = s.Tab; r.begin == "" {
			r.begin = s.Tab
		}
	}
}

// judge holds the contract against the page. A plan that stopped is looked at once; the verdict
// tells what it has left.
func (r *recovery) judge(ctx context.Context, a *attempt) {
	verdict := contract.Inconclusive
	a.Verdict = &verdict
	session, tab, err := r.sessions.Set(r.call).Tab(ctx, r.end)
	if err != nil {
		a.addReason("the contract cannot be judged: " + err.Error())
		return
	}
	var o contract.Options
	if a.Outcome == disproved {
		o.Deadline = time.Now().Add(contractTimeout)
	}
	report := r.contract.Judge(ctx, live.New(session, tab, r.exemplars).WithRedaction(r.redact), o)
	verdict = report.Verdict
	a.Failures = report.Failures[:min(len(report.Failures), maxFailures)]
	switch {
	case a.Outcome != disproved:
	case verdict == contract.Pass:
		a.Outcome, a.Why = passed, ""
	case verdict == contract.Fail:
		a.Why = ""
		for _, f := range a.Failures {
			a.addReason(fmt.Sprintf("%s: expected %s, found %s", f.Path, f.Expected, f.Actual))
		}
	default:
		a.Why = text.ClipRunes(report.Reason, maxReason)
	}
}

// addReason adds a reason.
func (a *attempt) addReason(why string) {
	if a.Why != "" {
		why = a.Why + "; " + why
	}
	a.Why = text.ClipRunes(why, maxReason)
}

// recover brings the plan's tab back to where it begins. It says what it did, and what it could not
// do: whether that matters, the next attempt shows.
func (r *recovery) recover(ctx context.Context) (done []string) {
	done = r.dismissDialogs(ctx, false)
	if r.begin == "" {
		return done
	}
	if r.sessions.Set(r.call).Peek("", r.begin) == nil {
		if r.opens {
			done, r.begin = append(done, "tab "+r.begin+" is gone, the plan opens another"), ""
		}
		return done
	}
	if r.first == "" {
		return done
	}
	res, err := r.dispatch(ctx, toolset.ToolNavigate, map[string]any{"url": r.first, "tabId": r.begin})
	switch {
	case err != nil:
		return append(done, "cannot go back: "+text.ClipRunes(err.Error(), maxReason))
	case res.Refused:
		done = append(done, "cannot go back to "+r.redactedAddress(r.first)+": "+text.ClipRunes(firstText(res), maxReason))
		if r.opens && !r.in.TabID.Set {
			r.begin = "" // the plan opens another
		}
		return done
	}
	return append(append(done, "went back to "+r.redactedAddress(r.first)), r.dismissDialogs(ctx, true)...)
}

// maxDialogs is the number of dialogs that are answered at a time; a page may ask without end.
const maxDialogs = 10

// dismissDialogs answers the dialogs that opened since the call began, and that of the plan's tab:
// with no, except that a page which asks whether to leave it is left. Of a page just loaded only
// that question is answered.
func (r *recovery) dismissDialogs(ctx context.Context, leaving bool) (done []string) {
	for range maxDialogs {
		tab, dialog := r.tabWithDialog(leaving)
		if tab == nil {
			break
		}
		leave := dialog.Kind == beforeUnload
		res, err := r.dispatch(ctx, toolset.ToolDialog, map[string]any{"accept": leave, "tabId": tab.ID()})
		what := fmt.Sprintf("%s %q", dialog.Kind, text.ClipRunes(r.redact(dialog.Message), maxReason))
		switch {
		case err != nil:
			return append(done, "cannot answer the "+what+": "+text.ClipRunes(err.Error(), maxReason))
		case res.Refused:
			return append(done, "cannot answer the "+what+": "+text.ClipRunes(firstText(res), maxReason))
		case leave:
			done = append(done, "left the page that asked to stay")
		default:
			done = append(done, "dismissed the "+what)
		}
	}
	return done
}

// beforeUnload is the kind of the question whether to leave a page.
const beforeUnload = "beforeunload"

// tabWithDialog is a tab with a dialog that stands in the way.
func (r *recovery) tabWithDialog(leaving bool) (*browser.Tab, *dialog.Dialog) {
	for _, tab := range r.sessions.Set(r.call).TabsWithDialog() {
		d := tab.Dialogs.Open()
		if d == nil || leaving && d.Kind != beforeUnload {
			continue
		}
		if tab.ID() == r.begin || tab.ID() == r.end || !slices.Contains(r.waiting, tab.ID()) {
			return tab, d
		}
	}
	return nil, nil
}

// redactedAddress returns an address without its secrets.
func (r *recovery) redactedAddress(address string) string {
	return network.RedactURL(r.redact(address))
}

func firstText(res toolkit.CallResult) string {
	if len(res.Content) == 0 {
		return "refused"
	}
	line, _, _ := strings.Cut(res.Content[0].Text, "\n")
	return line
}
