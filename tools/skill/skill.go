// Package skill implements the tools of area skill: what was recorded on a site is kept under a
// name, found again, and played again.
//
// It turns arguments into scripts and reports into answers; how a script is played is
// internal/record/replay's, how it is kept internal/record/script's.
package skill

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/skillapi"
	"github.com/callsheet/callsheet/generated/toolset/types"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	shelf "github.com/callsheet/callsheet/internal/record/script"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/database"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions   session.Lookup
	shelf      *shelf.Store
	recordings *recorder.Archive
	redact     func(string) string
}

// New makes the handlers on a store; redact, unless it is nil, takes out of what is kept what must
// not be.
func New(sessions session.Lookup, s *database.Store, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{sessions: sessions, shelf: shelf.NewStore(s), recordings: recorder.NewArchive(s), redact: redact}
}

var _ skillapi.Handlers = (*Tools)(nil)

// OcSkillRecord keeps a recording, or steps that are given, under a name.
func (t *Tools) OcSkillRecord(ctx context.Context, call *toolkit.Call, in skillapi.OcSkillRecordParams) (toolkit.Result, error) {
	named, err := replay.ParseParameters(in.Parameters)
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	e := shelf.Entry{Kind: shelf.Skill, Domain: shelf.Domain(in.Domain.Value), Name: in.Name, Description: t.redact(in.Description.Value), Recording: in.Recording.Value}
	steps, err := t.steps(ctx, call, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	if e.Domain == "" {
		if e.Domain = domainOf(steps); e.Domain == "" {
			return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "the steps name no site; give domain")
		}
	}
	contract := in.Contract.Value
	if contract == "" {
		contract = replay.LastContract(steps)
	}
	if problem := replay.CheckContract(contract); problem != nil {
		return toolkit.Result{}, problem
	}
	if e.Script, err = replay.Generalise(steps, named, contract); err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	}
	if e, err = t.shelf.Save(ctx, e); err != nil {
		return toolkit.Result{}, err
	}
	text := fmt.Sprintf("kept %s for %s: %q, %d steps", e.ID, e.Domain, e.Name, len(e.Script.Steps))
	if names := parameters(e.Script); len(names) > 0 {
		text += ", parameters " + strings.Join(names, " ")
	}
	if contract == "" {
		text += "; without a contract a replay proves only that every step could be made"
	}
	return toolkit.Text(text), nil
}

// steps are those of the recording, or those given.
func (t *Tools) steps(ctx context.Context, call *toolkit.Call, in skillapi.OcSkillRecordParams) ([]recorder.Step, error) {
	if in.Recording.Set {
		steps, err := t.recordings.Steps(ctx, in.Recording.Value)
		if err != nil {
			return nil, err
		}
		if len(steps) == 0 {
			return nil, toolkit.Refuse(codes.NotFound, fmt.Sprintf("there is no recording %q with steps", in.Recording.Value))
		}
		return steps, nil
	}
	reg := call.Session.Surface().Registry()
	var violations toolkit.Violations
	var steps []recorder.Step
	for i, s := range in.Steps {
		at, args := fmt.Sprintf("/steps/%d", i), s.Args.Or("{}")
		n, ok := reg.Lookup(s.Tool)
		if !ok {
			violations = append(violations, toolkit.Violation{Path: at + "/tool", Problem: fmt.Sprintf("there is no tool %q", s.Tool)})
			continue
		}
		args = string(reg.Tools[n].Traits.Normalize([]byte(args)))
		if err := reg.Tools[n].Check([]byte(args)); err != nil {
			violations = append(violations, toolkit.Violation{Path: at + "/args", Problem: err.Error()})
			continue
		}
		if namesRef(args) {
			violations = append(violations, toolkit.Violation{Path: at + "/args", Problem: "a ref is of one page only; record the calls, or use query or a selector"})
			continue
		}
		steps = append(steps, recorder.Step{Seq: i + 1, Tool: reg.Tools[n].Name, Args: secret.JSON(t.redact, []byte(args)), Outcome: "ok", Tab: "t1"})
	}
	if len(violations) > 0 {
		return nil, violations
	}
	return steps, nil
}

// namesRef tells whether arguments name an element by ref.
func namesRef(args string) bool {
	var v any
	_ = json.Unmarshal([]byte(args), &v) // it has been checked
	var look func(any) bool
	look = func(v any) bool {
		switch v := v.(type) {
		case map[string]any:
			for name, inner := range v {
				if s, ok := inner.(string); ok && strings.HasSuffix(name, "ref") && document.IsRef(s) || look(inner) {
					return true
				}
			}
		case []any:
			return slices.ContainsFunc(v, look)
		}
		return false
	}
	return look(v)
}

// domainOf is the host that the first step with an address is about.
func domainOf(steps []recorder.Step) string {
	for _, s := range steps {
		var args struct {
			URL string `json:"url"`
		}
		if json.Unmarshal(s.Args, &args) != nil || !strings.ContainsAny(args.URL, ".:") { // "back" is no site
			args.URL = ""
		}
		if domain := cmp.Or(shelf.Domain(s.URL), shelf.Domain(args.URL)); domain != "" {
			return domain
		}
	}
	return ""
}

// parameters lists a script's parameters: name=default, or the name of those that must be given.
func parameters(s replay.Script) (out []string) {
	for _, p := range s.Parameters {
		if p.Default == nil {
			out = append(out, p.Name+" (required)")
		} else {
			out = append(out, p.Name+"="+*p.Default)
		}
	}
	return out
}

// OcSkillRecall lists what is kept for a site.
func (t *Tools) OcSkillRecall(ctx context.Context, _ *toolkit.Call, in skillapi.OcSkillRecallParams) (skillapi.OcSkillRecallResult, error) {
	all, err := t.shelf.List(ctx, shelf.Skill, shelf.Domain(in.Domain.Value))
	if err != nil {
		return skillapi.OcSkillRecallResult{}, err
	}
	found := shelf.Rank(all, in.Query.Value)
	out := skillapi.OcSkillRecallResult{Total: len(found)}
	for _, e := range found[:min(len(found), in.Limit)] {
		r := skillapi.OcSkillRecallResultSkillsItem{
			ID: e.ID, Domain: e.Domain, Name: e.Name, Description: toolkit.NonZero(e.Description), Parameters: parameters(e.Script),
			Contract: e.Script.Contract != "", Steps: len(e.Script.Steps), Runs: e.Runs, Passed: e.PassedRuns, Last: toolkit.NonZero(e.LastResult),
		}
		if e.UsedAt != nil {
			r.Used = toolkit.Some(*e.UsedAt)
		}
		if in.Steps {
			for _, s := range e.Script.Steps {
				r.Tools = append(r.Tools, s.Tool+" "+string(s.Args))
			}
		}
		out.Skills = append(out.Skills, r)
	}
	return out, nil
}

// OcSkillReplay plays a skill.
func (t *Tools) OcSkillReplay(ctx context.Context, call *toolkit.Call, in skillapi.OcSkillReplayParams, powers skillapi.OcSkillReplayPowers) (out skillapi.OcSkillReplayResult, err error) {
	params, err := replay.ParseParameters(in.Params)
	if err != nil {
		return out, toolkit.Refuse(toolkit.InvalidArguments, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	e, err := t.shelf.Get(ctx, shelf.Skill, in.Skill)
	if errors.Is(err, shelf.ErrNotFound) {
		return out, t.unknown(ctx, in.Skill)
	}
	if err != nil {
		return out, err
	}
	if in.TabID.Set {
		if _, err := t.sessions.Tab(ctx, call, in.TabID); err != nil {
			return out, err
		}
	}
	player := replay.ForCall(call, t.sessions.Set(call))
	report, err := player.Play(ctx, e.Script, replay.Options{
		Params: params, Tab: in.TabID.Value, Window: powers.Window(), Wait: time.Duration(in.WaitForMs) * time.Millisecond,
		Progress: func(done, total int, message string) { call.Progress(float64(done), float64(total), message) },
	})
	if err != nil {
		return out, err
	}
	if err := t.shelf.RecordRun(ctx, e.ID, report.Status == replay.StatusCompleted, report.Summary()); err != nil {
		return out, err
	}
	report.Clip(call.ResultBytes())
	if err := report.Refusal(); err != nil {
		return out, err
	}
	call.SetContent(toolkit.Text(report.Text()))
	return replayResult(&report), nil
}

// replayResult is the output of a replay that completed.
func replayResult(r *replay.Report) skillapi.OcSkillReplayResult {
	out := skillapi.OcSkillReplayResult{
		Status: skillapi.OcSkillReplayResultStatusCompleted, Played: r.PlayedSteps, Total: r.TotalSteps, Ms: int(r.Millis),
		Steps: result.PlayedSteps(r.Steps), StepsLeft: toolkit.NonZero(r.OmittedSteps), Contract: toolkit.NonZero(types.Verdict(r.Contract)),
		Data: r.Data, Recovered: r.RecoveredSteps,
	}
	for _, v := range r.Verdicts {
		out.Verdicts = append(out.Verdicts, skillapi.OcSkillReplayResultVerdictsItem{Step: v.Step, Recorded: v.Recorded, Now: v.Now})
	}
	return out
}

// unknown lists the skills there are.
func (t *Tools) unknown(ctx context.Context, id string) error {
	all, err := t.shelf.List(ctx, shelf.Skill, "")
	if err != nil {
		return err
	}
	known := []string{}
	for _, e := range all[:min(len(all), 20)] {
		known = append(known, fmt.Sprintf("%s (%s: %s)", e.ID, e.Domain, e.Name))
	}
	return toolkit.Refuse(codes.NotFound, fmt.Sprintf("there is no skill %q; call %s for what there is", id, toolset.ToolOcSkillRecall),
		toolkit.Field{Name: "skills", Value: known})
}
