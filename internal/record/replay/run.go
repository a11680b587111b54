package replay

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/text"
)

// pollInterval is the time between two checks of what a step waits for.
const pollInterval = 60 * time.Millisecond

// run is one replay.
type run struct {
	*Player
	Options

	steps          []recorder.Step
	contract       string
	handling       map[int]Handling
	redact         func(string) string // takes out what was given for masked arguments
	report         Report
	tabs           map[string]string // alias in the recording → tab of the session
	initialTabs    []string          // tabs that were open when the replay began
	pendingAliases []string          // aliases of tabs that a step opened then, in order
	unclaimedTabs  []string          // tabs that opened during the replay and have no alias yet, in order
	currentTab     string            // the tab of the latest step
	recordedURLs   map[string]string // of each alias, as recorded after its latest step
	downloads      map[string]string // id in the recording → id now
}

func (r *run) reportProgress(i int) {
	if r.Progress == nil {
		return
	}
	message := "contract"
	if i < len(r.steps) {
		message = fmt.Sprintf("step %d: %s", r.steps[i].Seq, r.steps[i].Tool)
	}
	r.Progress(i, len(r.steps), message)
}

func (r *run) addStep(played PlayedStep) {
	r.report.Steps = append(r.report.Steps, played)
	if r.Played != nil {
		r.Played(played)
	}
}

// stop ends the replay with a drift.
func (r *run) stop(d *Drift) {
	switch d.Kind {
	case DriftOutcome:
		r.report.Status = StatusFailed
	case DriftVerdict:
		r.report.Status = StatusDisproved
	default:
		r.report.Status = StatusDrifted
	}
	d.Reason, d.Found, d.URL = r.redact(d.Reason), r.redact(d.Found), r.redact(d.URL)
	for i := range d.Similar {
		d.Similar[i] = r.redact(d.Similar[i])
	}
	r.report.Drift = d
}

// handle plays a step as its handling says. It returns the drift that ends the replay.
func (r *run) handle(ctx context.Context, s *recorder.Step) (*Drift, error) {
	h := r.handling[s.Seq]
	drift, err := r.playWithRetries(ctx, s, h)
	if drift == nil || err != nil || len(h.OnError) == 0 {
		return drift, err
	}
	for i := range h.OnError {
		played, failed, err := r.playStep(ctx, &h.OnError[i])
		played.BranchOf = s.Seq
		r.addStep(played)
		if err != nil {
			return nil, err
		}
		if failed != nil {
			failed.Reason = fmt.Sprintf("%s; this is the error branch of step %d, where %s", failed.Reason, s.Seq, drift.Reason)
			return failed, nil
		}
	}
	switch h.Then {
	case ThenContinue:
	case ThenRetry:
		if drift, err = r.playWithRetries(ctx, s, h); drift != nil || err != nil {
			return drift, err
		}
	default:
		return drift, nil
	}
	r.report.RecoveredSteps = append(r.report.RecoveredSteps, s.Seq)
	return nil, nil
}

// playWithRetries plays a step until it ends as recorded, as often as its handling allows.
func (r *run) playWithRetries(ctx context.Context, s *recorder.Step, h Handling) (*Drift, error) {
	for try := 1; ; try++ {
		played, drift, err := r.playStep(ctx, s)
		if try > 1 {
			played.Attempt = try
		}
		r.addStep(played)
		if err != nil {
			return nil, err
		}
		if drift == nil {
			r.report.PlayedSteps++
			if try > 1 {
				r.report.RecoveredSteps = append(r.report.RecoveredSteps, s.Seq)
			}
			r.collect(h.As, played.resultText)
			return nil, nil
		}
		if try > h.Retries {
			return drift, nil
		}
	}
}

// collect keeps a result under a name. Values of masked parameters are removed, because they may be
// secret.
func (r *run) collect(name, value string) {
	if name == "" {
		return
	}
	if r.report.Data == nil {
		r.report.Data = map[string]string{}
	}
	r.report.Data[name] = text.ClipRunes(r.redact(value), 4000)
}

// replayKind returns how the manifest says that a replay treats a step; "" for a tool that is not
// in the manifest.
func replayKind(s *recorder.Step) toolkit.Replay { return toolset.TraitsOf(s.Tool).Replay }

// skipReason says why a step is not played; "" for a step that is. A refused call did nothing, and
// tools for recordings are not replayed.
func skipReason(s *recorder.Step) string {
	switch {
	case s.Outcome != "ok" && s.Outcome != "":
		return "it was refused then: " + s.Outcome
	case replayKind(s) == toolset.ReplaySkip:
		return "it is about recordings or tools, not about the page"
	}
	return ""
}

// playStep plays one step. The error is that of the context or a defect.
func (r *run) playStep(ctx context.Context, s *recorder.Step) (PlayedStep, *Drift, error) {
	played := PlayedStep{Seq: s.Seq, Tool: s.Tool, Outcome: "ok"}
	if why := skipReason(s); why != "" {
		played.Outcome, played.Notes = "skipped", []string{why}
		return played, nil, nil
	}
	begun := time.Now()
	drift, err := r.dispatchStep(ctx, s, &played)
	for i := range played.Notes {
		played.Notes[i] = r.redact(played.Notes[i])
	}
	played.Millis = time.Since(begun).Milliseconds()
	if drift != nil {
		drift.Step, drift.Tool = s.Seq, s.Tool
		if played.Outcome == "ok" {
			played.Outcome = "drift"
		}
	}
	return played, drift, err
}

// dispatchStep finds what the step needs, makes its call and compares. It repeats a call that did
// nothing until the deadline.
func (r *run) dispatchStep(ctx context.Context, s *recorder.Step, played *PlayedStep) (*Drift, error) {
	end := time.Now().Add(r.Wait)
	tab, drift, err := r.resolveTab(ctx, s, end)
	if drift != nil || err != nil {
		return drift, err
	}
	played.Tab = tab
	if skipped, err := r.skip(ctx, s, played); skipped || err != nil {
		return nil, err
	}
	before, _ := r.tabURL(ctx, tab)
	for {
		args, drift, err := r.arguments(ctx, s, tab, end, played)
		if drift != nil || err != nil {
			return drift, err
		}
		if drift, err := r.before(ctx, s, played); drift != nil || err != nil {
			return drift, err
		}
		res, err := r.Dispatch(ctx, s.Tool, args)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", s.Seq, err)
		}
		if code, done := readRefusal(res); code != "" {
			if done == 0 && isRepeatable(code) && time.Now().Before(end) {
				if err := waitForPoll(ctx); err != nil {
					return nil, err
				}
				continue
			}
			played.Outcome = code
			return r.refusalDrift(ctx, s, tab, code, res), nil
		}
		played.resultText = joinText(res)
		if drift, err := r.after(ctx, s, played); drift != nil || err != nil {
			return drift, err
		}
		r.readIDs(s, played.resultText)
		if drift, err := r.waitForOpenedTabs(ctx, s, end); drift != nil || err != nil {
			return drift, err
		}
		return r.compareStep(ctx, s, stepOutcome{urlBefore: before, deadline: end, result: res, played: played})
	}
}

// isRepeatable reports whether a refusal leaves the page untouched, unless the call had made steps
// of its own before.
func isRepeatable(code string) bool {
	switch toolkit.Code(code) {
	case codes.NotFound, codes.Ambiguous, codes.StaleRef, toolkit.ToolNotVisible, codes.NotActionable:
		return true
	}
	return false
}

// refusalDrift returns the drift of a step that is refused now and succeeded when it was recorded.
func (r *run) refusalDrift(ctx context.Context, s *recorder.Step, tab, code string, res toolkit.CallResult) *Drift {
	if replayKind(s) == toolset.ReplayDialog && (code == string(toolkit.ToolNotVisible) || code == string(codes.NotFound)) {
		return &Drift{Kind: DriftDialog, Expected: "an open dialog", Found: "none", Reason: "the page asked something then, and does not now", Code: code}
	}
	d := &Drift{Kind: DriftOutcome, Expected: "ok, as recorded", Found: code, Code: code, Reason: firstLine(joinText(res))}
	d.URL, _ = r.tabURL(ctx, tab)
	return d
}

// arguments returns the step's arguments with refs of the present page. It waits for each element.
func (r *run) arguments(ctx context.Context, s *recorder.Step, tab string, end time.Time, played *PlayedStep) ([]byte, *Drift, error) {
	args, err := decodeArguments(s.Args)
	if err != nil {
		return nil, nil, fmt.Errorf("step %d: read its arguments: %w", s.Seq, err)
	}
	parameter := ""
	if tab != "" {
		parameter = r.ownTabParameter(s, args)
	}
	delete(args, parameter) // whatever it says, it is the step's
	if drift, err := r.waitForNamedTabs(ctx, s, args, end); drift != nil || err != nil {
		return nil, drift, err
	}
	for pointer, id := range r.targets(s, args) {
		found, drift, err := r.waitForElement(ctx, tab, pointer, id, end)
		if drift != nil || err != nil {
			return nil, drift, err
		}
		if err := setRef(args, pointer, found.Ref); err != nil {
			return nil, nil, fmt.Errorf("step %d: %w", s.Seq, err)
		}
		if played.MatchedBy == nil {
			played.MatchedBy, played.found = map[string]locate.LocatorStrategy{}, map[string]locate.Relocation{}
		}
		played.MatchedBy[pointer], played.found[pointer] = found.Strategy, found
		if found.Name != id.Name && id.Words == "" {
			played.addNote(fmt.Sprintf("%s is called %q now", id, found.Name))
		}
	}
	if r.replaceIDs(s, args); parameter != "" {
		args[parameter] = tab
	}
	out, err := json.Marshal(args)
	return out, nil, err
}

func (p *PlayedStep) addNote(text string) {
	if !slices.Contains(p.Notes, text) {
		p.Notes = append(p.Notes, text)
	}
}

// waitForElement waits until the page has the element. A mismatch may be a page that is still
// changing.
func (r *run) waitForElement(ctx context.Context, tab, pointer string, id locate.Identity, end time.Time) (locate.Relocation, *Drift, error) {
	for {
		var found locate.Relocation
		err := r.withPage(ctx, tab, func(ctx context.Context, p *page.Page) (err error) {
			found, err = p.Locate.Relocate(ctx, id)
			return err
		})
		if err == nil {
			return found, nil, nil
		}
		if ctx.Err() != nil {
			return found, nil, context.Cause(ctx)
		}
		if time.Now().After(end) {
			d := elementDrift(id, err)
			d.Argument = pointer
			d.URL, _ = r.tabURL(ctx, tab)
			return found, d, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return found, nil, err
		}
	}
}

// elementDrift returns the drift of an element that was not found.
func elementDrift(id locate.Identity, err error) *Drift {
	d := &Drift{Kind: "element", Expected: id.String(), Found: "nothing", Reason: err.Error()}
	var no *locate.NotRelocatedError
	if !asUnrecognised(err, &no) {
		return d
	}
	d.Kind, d.Reason, d.Attempts = string(no.Drift), no.Reason, no.Attempts
	for _, n := range no.Similar {
		d.Similar = append(d.Similar, fmt.Sprintf("%s %q", n.Role, n.Name))
	}
	switch no.Drift {
	case locate.DriftAmbiguous, locate.DriftCount:
		d.Found = fmt.Sprintf("%d like it", len(no.Similar))
	case locate.DriftRole:
		d.Found = d.Similar[0]
	}
	return d
}

// withPage calls fn with the page of a tab.
func (r *run) withPage(ctx context.Context, id string, fn func(context.Context, *page.Page) error) error {
	_, tab, err := r.Set.Tab(ctx, id)
	if err != nil {
		return err
	}
	return tab.Do(ctx, fn)
}

func (r *run) tabURL(ctx context.Context, id string) (string, *browser.Tab) {
	if id == "" {
		return "", nil
	}
	_, tab, err := r.Set.Tab(ctx, id)
	if err != nil {
		return "", nil
	}
	return tab.URL(), tab
}

// waitForPoll waits for pollInterval or the end of the context.
func waitForPoll(ctx context.Context) error {
	select {
	case <-time.After(pollInterval):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
