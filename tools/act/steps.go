package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

const (
	// fieldWait is the time for which a described element is waited for.
	fieldWait = 3 * time.Second
	// stepLimit bounds one step of several, beside the time that it asks for.
	stepLimit = 30 * time.Second
	// maxChanges is the number of lines about the page that an answer has.
	maxChanges = 40
)

// step is one action of several. An if and a repeat have the steps inside of them.
type step struct {
	actapi.ActStepsItem
	number      int
	body, other []step
}

// Act performs steps until one fails.
func (t *Tools) Act(ctx context.Context, call *toolkit.Call, in actapi.ActParams, powers actapi.ActPowers) (toolkit.Result, error) {
	steps, err := stepsOf(in)
	if err != nil {
		return toolkit.Result{}, err
	}
	r := run{call: call, powers: powers, values: map[string]string{}, refs: successors{before: map[string]place{}, acted: map[string]bool{}}}
	if r.session, r.tab, err = t.sessions.Set(call).Tab(ctx, in.TabID.Value); err != nil {
		return toolkit.Result{}, err
	}
	if in.Timeout.Set {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, time.Duration(in.Timeout.Value)*time.Millisecond)
		defer stop()
	}
	if slices.ContainsFunc(in.Steps[1:], func(s actapi.ActStepsItem) bool { return s.Ref.Set }) {
		_ = r.tab.Do(ctx, func(ctx context.Context, p *page.Page) error { // the steps say what is wrong with the page
			r.refs.remember(ctx, p, in.Steps)
			return nil
		})
	}
	if err := r.performAll(ctx, steps); err != nil {
		if in.Timeout.Set && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = toolkit.Refuse(toolkit.Timeout, fmt.Sprintf("all steps together may take %d ms", in.Timeout.Value))
		}
		return toolkit.Result{}, r.failure(result.Refusal(call, err), len(in.Steps))
	}
	out := toolkit.Text(r.report() + result.Then(ctx, call, t.sessions, in.TabID, result.Unasked(string(in.Then.Value), r.unread)))
	out.Content = append(out.Content, r.pictures...)
	return out, nil
}

// stepsOf returns the steps of a call, or every problem in them.
func stepsOf(in actapi.ActParams) ([]step, error) {
	var v toolkit.Violations
	steps := make([]step, len(in.Steps))
	for i, s := range in.Steps {
		steps[i] = step{ActStepsItem: s, number: i + 1}
		for _, problem := range []string{operations()[s.Action].problem(s), misplacedSecret(s)} {
			if problem != "" {
				v = append(v, toolkit.Violation{Path: fmt.Sprintf("/steps/%d", i), Problem: problem})
			}
		}
	}
	nested, rest := nest(steps)
	if len(rest) > 0 {
		v = append(v, toolkit.Violation{Path: fmt.Sprintf("/steps/%d", rest[0].number-1), Problem: "it ends no if and no repeat"})
	}
	if len(v) > 0 {
		return nil, v
	}
	return nested, nil
}

// nest puts the steps up to an else or an end into the if or the repeat before them. rest begins with an else or end that
// belongs to none of the steps.
func nest(steps []step) (nested, rest []step) {
	next := func(action actapi.ActStepsItemAction) bool { return len(steps) > 0 && steps[0].Action == action }
	for len(steps) > 0 && !next(actapi.ActStepsItemActionElse) && !next(actapi.ActStepsItemActionEnd) {
		s := steps[0]
		steps = steps[1:]
		if s.Action == actapi.ActStepsItemActionIf || s.Action == actapi.ActStepsItemActionRepeat {
			s.body, steps = nest(steps)
			if s.Action == actapi.ActStepsItemActionIf && next(actapi.ActStepsItemActionElse) {
				s.other, steps = nest(steps[1:])
			}
			if next(actapi.ActStepsItemActionEnd) {
				steps = steps[1:]
			}
		}
		nested = append(nested, s)
	}
	return nested, steps
}

// misplacedSecret says that a step names a secret and types nothing.
func misplacedSecret(s actapi.ActStepsItem) string {
	typed := s.Action == actapi.ActStepsItemActionSet || s.Action == actapi.ActStepsItemActionType
	if secret.NamedIn(s.Query.Value+" "+s.To.Value) || !typed && secret.NamedIn(s.Value.Value) {
		return "a secret is typed by the value of a step that sets or types, and is nothing else"
	}
	return ""
}

// run is a call of several steps.
type run struct {
	call     *toolkit.Call
	powers   actapi.ActPowers
	session  *browser.Session
	tab      *browser.Tab
	refs     successors
	values   map[string]string // that steps gave, by name
	failed   *step
	lines    []string // one a step
	changes  []string // of the page, without repetition
	pictures []toolkit.Content
	unread   bool // the page is another one, and no step has read it
	replaced bool // the last picture is replaced by the next one
}

// performAll performs steps up to the first that fails and may not.
func (r *run) performAll(ctx context.Context, steps []step) error {
	for _, s := range steps {
		s = r.filled(s)
		text, err := r.performOne(ctx, s)
		if err != nil && s.Optional.Value && ctx.Err() == nil {
			if refusal, ok := errors.AsType[*toolkit.Refusal](result.Refusal(r.call, err)); ok {
				text, err, r.failed = "not done: "+refusal.Message, nil, nil
			}
		}
		if err != nil {
			if r.failed == nil {
				r.failed = &s
			}
			return err
		}
		if text != "" {
			r.lines = append(r.lines, fmt.Sprintf("%d. %s", s.number, text))
		}
	}
	return nil
}

// performOne performs a step and returns its line.
func (r *run) performOne(ctx context.Context, s step) (string, error) {
	op := operations()[s.Action]
	if len(s.body) == 0 {
		limit := stepLimit + milliseconds(s.Ms.Value)
		for _, w := range waypoints(s.Path) {
			limit += w.Time
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	if op.run != nil {
		restore := func(ctx context.Context, p *page.Page) error { return r.refs.restore(ctx, p, s.Ref.Value) }
		if s.Ref.Set {
			if err := r.tab.Do(ctx, restore); err != nil {
				return "", err
			}
		}
		return op.run(r, ctx, s)
	}
	out, err := result.Act(ctx, r.call, r.session, r.tab, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		return r.refs.perform(ctx, p, s)
	})
	if err != nil {
		return "", err
	}
	r.unread = r.unread || out.NewDocument
	for _, line := range out.Changes {
		if !slices.Contains(r.changes, line) {
			r.changes = append(r.changes, line)
		}
	}
	out.Changes = nil
	return strings.ReplaceAll(out.Text(op.done(s, out.Effect)), "\n", "; "), nil
}

// filled returns a step with the values of earlier steps in the places of their names.
func (r *run) filled(s step) step {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(r.values)) {
		pairs = append(pairs, "{{"+name+"}}", r.values[name])
	}
	replacer := strings.NewReplacer(pairs...)
	for _, member := range []*toolkit.Opt[string]{&s.Ref, &s.Query, &s.Value, &s.To, &s.Selector} {
		member.Value = replacer.Replace(member.Value)
	}
	return s
}

// keep gives later steps a value of the page under the name that a step has for it.
func (r *run) keep(s step, value string) error {
	if s.As.Set && secret.NamedIn(value) {
		return toolkit.Refuse(toolkit.InvalidArguments, "the text of the page names a secret, so no step types it")
	}
	if s.As.Set {
		r.values[s.As.Value] = value
	}
	return nil
}

// report has a line a step, then what changed on the page.
func (r *run) report() string {
	lines := slices.Clone(r.lines)
	if more := len(r.changes) - maxChanges; more > 0 {
		r.changes = append(r.changes[:maxChanges], fmt.Sprintf("… %d more", more))
	}
	if len(r.changes) > 0 {
		lines = append(append(lines, "changed:"), r.changes...)
	}
	return strings.Join(lines, "\n")
}

// failure names the failed step, the reason, and the steps before it.
func (r *run) failure(err error, all int) error {
	var refusal *toolkit.Refusal
	if s := r.failed; s != nil && errors.As(err, &refusal) {
		what := string(s.Action)
		for _, part := range []string{s.Ref.Value, s.Query.Value, s.Selector.Value} {
			if part != "" {
				what += " " + part
			}
		}
		message := fmt.Sprintf("step %d of %d (%s) failed: %s", s.number, all, what, refusal.Message)
		if len(r.lines) > 0 {
			message += "\ndone before:\n" + r.report()
		} else {
			message += "; nothing was done before it"
		}
		fields := append([]toolkit.Field{{Name: "step", Value: s.number}, {Name: "done", Value: s.number - 1}}, refusal.Fields...)
		return toolkit.Refuse(refusal.Code, message, fields...)
	}
	return err
}
