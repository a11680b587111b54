package workflow

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/runner"
	"github.com/callsheet/callsheet/internal/workflow/summary"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// summarize prepends a summary to the result of a run. If no model answers, it uses rules; the rest
// of the result stays.
func (s *Set) summarize(ctx context.Context, call *toolkit.Call, w *definition.BoundWorkflow, out *runner.Outcome,
	res toolkit.CallResult) toolkit.CallResult {
	sections := summarySections(w, out)
	request := ""
	if w.Summarize.Prompt != nil {
		if v, ok, err := w.Summarize.Prompt.Eval(out.Scope()); err == nil && ok {
			request = template.Text(v)
		}
	}
	mode, question := w.Summarize.Mode, toolkit.Sampling{System: summary.SystemPrompt,
		Prompt: summary.Prompt(request, sections), MaxTokens: w.Summarize.MaxTokens}
	rules := func(why string) toolkit.CallResult { return prependSummary(res, summary.ByRules(sections)+why) }
	switch {
	case mode == definition.ModeRules:
		return rules("")
	case s.cfg.Model != nil && mode != definition.ModeSampling:
		text, err := s.cfg.Model.Complete(ctx, question.System, question.Prompt, question.MaxTokens)
		if err != nil {
			s.cfg.Log.Warn("summarize a workflow", "workflow", w.Name, "error", err)
			return rules("\n(no model: " + err.Error() + ")")
		}
		return prependSummary(res, text)
	case mode == definition.ModeModel:
		return rules("\n(no model is configured: CALLSHEET_MODEL_URL)")
	case call.Samples() == toolkit.SampleNow:
		text, err := call.Sample(ctx, question)
		if err != nil {
			return rules("\n(no model: the client does not answer)")
		}
		return prependSummary(res, text)
	case call.Samples() == toolkit.SampleLater:
		state := s.pendingSummaries.add(call, prependSummary(res, summary.ByRules(sections)), res)
		return toolkit.CallResult{Ask: &toolkit.Ask{Sampling: question, State: state}}
	}
	return rules("")
}

// prependSummary adds a summary as the first content item.
func prependSummary(res toolkit.CallResult, report string) toolkit.CallResult {
	res.Content = append([]toolkit.Content{{Text: "Summary:\n" + report}}, res.Content...)
	return res
}

// summarySections returns the results of the steps that the summary includes.
func summarySections(w *definition.BoundWorkflow, out *runner.Outcome) []summary.Section {
	include := w.Summarize.Include
	var list []summary.Section
	for i := range out.Steps {
		r := &out.Steps[i]
		if r.Result == nil || include != nil && !slices.Contains(include, r.ID) &&
			!slices.Contains(include, r.Definition.SaveAs) {
			continue
		}
		s := summary.Section{ID: r.Definition.Name(), Call: r.Call, Text: r.Result.Text(), Failed: r.Status == "failed"}
		content := r.Result.Raw().Content
		if r.Result.Saved != nil && include == nil { // only a summary that names the step receives saved content
			content = r.Result.Shown().Content
			s.Text = content[0].Text
		}
		for _, c := range content {
			if c.Data != nil {
				s.Files++
			}
		}
		list = append(list, s)
	}
	if out.Error != nil {
		list = append(list, summary.Section{ID: "error", Call: out.Error.Call, Text: out.Error.Error(), Failed: true})
	}
	return list
}

// pendingSummaries holds the results of runs that wait for the client's model. The repeated call
// delivers only the summary; the steps have already run. An entry belongs to one session and tool,
// expires after pendingTTL and is used once.
type pendingSummaries struct {
	mu      sync.Mutex
	byState map[string]pendingSummary
}

type pendingSummary struct {
	session, tool     string
	withRules, result toolkit.CallResult // with a summary by rules, and without a summary
	created           time.Time
}

const (
	pendingTTL = 10 * time.Minute
	maxPending = 100
)

func (p *pendingSummaries) add(call *toolkit.Call, without, answer toolkit.CallResult) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byState == nil {
		p.byState = make(map[string]pendingSummary)
	}
	oldest := ""
	for state, o := range p.byState {
		if time.Since(o.created) > pendingTTL {
			delete(p.byState, state)
		} else if oldest == "" || o.created.Before(p.byState[oldest].created) {
			oldest = state
		}
	}
	if len(p.byState) >= maxPending {
		delete(p.byState, oldest)
	}
	state := rand.Text()
	p.byState[state] = pendingSummary{call.Session.ID, call.Tool.Name, without, answer, time.Now()}
	return state
}

// resume returns the result of the run whose summary the client's model wrote.
func (p *pendingSummaries) resume(call *toolkit.Call, a *toolkit.Answer) (toolkit.CallResult, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.byState[a.State]
	if !ok || o.session != call.Session.ID || o.tool != call.Tool.Name || time.Since(o.created) > pendingTTL {
		return toolkit.CallResult{}, toolkit.Refuse(toolkit.Failed,
			fmt.Sprintf("this run of %s is not waiting for an answer any more; call it again without requestState",
				call.Tool.Name))
	}
	delete(p.byState, a.State)
	if a.Text == "" {
		return o.withRules, nil
	}
	return prependSummary(o.result, a.Text), nil
}

func (p *pendingSummaries) forget(session string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for state, o := range p.byState {
		if o.session == session {
			delete(p.byState, state)
		}
	}
}
