// Package replay plays recorded steps again. Each step is a call through the dispatcher of all
// calls. A replay stops at the first step whose element, tab or dialog the page no longer has, and
// reports the drift. It never acts on a similar element.
//
// It must not know how recordings are stored, nor what a single tool does: the traits of the
// manifest say how each step is replayed, and it names only the tool that judges contracts.
package replay

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
)

// DefaultWait bounds how long a step waits for its element, tab or dialog.
const DefaultWait = 10 * time.Second

// Dispatch makes one call as a client would.
type Dispatch func(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error)

// Player plays scripts in one session.
type Player struct {
	Dispatch Dispatch
	Registry *toolkit.Registry
	Set      *session.Set // where the session's tabs are
}

// Options are the options of Play.
type Options struct {
	// Params are the values of the script's parameters. The dispatcher replaces secret references
	// in a value.
	Params map[string]string
	// Tab is the session's tab that plays the first one of the recording; "" is a new one.
	Tab string
	// Window opens the tabs of the replay.
	Window power.Window
	// Wait bounds how long each step waits for its element, tab or dialog; 0 is DefaultWait.
	Wait time.Duration
	// Progress is called before each step; nil for no calls.
	Progress func(done, total int, message string)
	// Played is called after each attempt of a step, and after each step of an error branch; nil for no
	// calls.
	Played func(PlayedStep)
	// Hooks look at each step; zero looks at none.
	Hooks Hooks
}

// Status is the result of a replay.
type Status string

// The results of a replay. Only StatusCompleted is a success.
const (
	StatusCompleted Status = "completed" // every step ended as recorded, every verdict is the recorded one
	StatusDrifted   Status = "drifted"   // the page no longer has what a step needs; nothing of that step was done
	StatusFailed    Status = "failed"    // a step was refused that was not refused when it was recorded
	StatusDisproved Status = "disproved" // a contract has another verdict than it is to have
)

// Report is the result of a replay with every step that was played.
type Report struct {
	Status       Status       `json:"status"`
	PlayedSteps  int          `json:"played"` // steps that ended as recorded
	TotalSteps   int          `json:"total"`
	Millis       int64        `json:"ms"`
	Steps        []PlayedStep `json:"steps"`
	OmittedSteps int          `json:"stepsLeft,omitempty"` // steps that an answer has no room for
	Drift        *Drift       `json:"drift,omitempty"`
	Verdicts     []Verdict    `json:"verdicts,omitempty"`
	// Contract is the verdict of the script's own contract, "" when it has none or the replay
	// stopped before.
	Contract string `json:"contract,omitempty"`
	// Data are the results that Handling.As names, without values of parameters.
	Data map[string]string `json:"data,omitempty"`
	// RecoveredSteps are the numbers of steps that succeeded after their error branch or a retry.
	RecoveredSteps []int `json:"recovered,omitempty"`
}

// PlayedStep is the result of one step.
type PlayedStep struct {
	Seq     int    `json:"seq"`
	Tool    string `json:"tool"`
	Tab     string `json:"tab,omitempty"`
	Outcome string `json:"outcome"` // "ok", a refusal's code, "drift", or "skipped"
	Millis  int64  `json:"ms"`
	// MatchedBy is the strategy that found each element, by the JSON pointer of its argument.
	MatchedBy map[string]locate.LocatorStrategy `json:"found,omitempty"`
	// Notes are differences that do not stop a replay.
	Notes []string `json:"notes,omitempty"`
	// BranchOf is the number of the step to whose error branch this step belongs; 0 for other
	// steps.
	BranchOf   int    `json:"branch,omitempty"`
	Attempt    int    `json:"try,omitempty"` // from 2: which repetition
	resultText string // of the answer
	found      map[string]locate.Relocation
}

// Kinds of drift besides those of elements, which are page.Drift.
const (
	DriftTab     = "tab"     // a tab that was opened then does not open now
	DriftDialog  = "dialog"  // a dialog that opened then does not open now
	DriftAddress = "address" // the step went elsewhere then, and stays now
	DriftOutcome = "outcome" // the step is refused now
	DriftVerdict = "verdict" // a contract judges otherwise
	DriftStart   = "opening" // the recording begins on a page that is not there
)

// Drift says where and why a replay stopped.
type Drift struct {
	Step     int      `json:"step"`
	Tool     string   `json:"tool"`
	Kind     string   `json:"kind"`
	Argument string   `json:"argument,omitempty"` // JSON pointer
	Expected string   `json:"expected"`
	Found    string   `json:"found"`
	Reason   string   `json:"reason"`
	Attempts []string `json:"tried,omitempty"`
	Similar  []string `json:"near,omitempty"`
	URL      string   `json:"url,omitempty"`
	Code     string   `json:"code,omitempty"` // of a refusal
}

// String returns the drift in one line.
func (d *Drift) String() string {
	text := fmt.Sprintf("step %d (%s): expected %s, found %s: %s", d.Step, d.Tool, d.Expected, d.Found, d.Reason)
	if len(d.Similar) > 0 {
		text += "; near are " + strings.Join(d.Similar, ", ")
	}
	return text
}

// Verdict compares the recorded verdict of a contract with the present one.
type Verdict struct {
	Step     int    `json:"step"`
	Recorded string `json:"recorded"`
	Now      string `json:"now"`
}

// Script is the input of a replay.
type Script struct {
	Steps      []recorder.Step `json:"steps"`
	Parameters []Parameter     `json:"parameters,omitempty"`
	// Contract must hold in the last tab at the end: JSON, as the asserting tool takes it.
	Contract string `json:"contract,omitempty"`
	// Handling says what to do when a step, named by its number, does not end as recorded. A step
	// without is final.
	Handling map[int]Handling `json:"handling,omitempty"`
}

// Handling is how a step goes on that did not end as recorded.
type Handling struct {
	// Retries is the number of further attempts, without a pause: each waits as long as the first.
	Retries int `json:"retries,omitempty"`
	// OnError are steps that are played then, and Then is the continuation if they succeed: retry,
	// continue, or stop, the default.
	OnError []recorder.Step `json:"onError,omitempty"`
	Then    string          `json:"then,omitempty"`
	// As names the step's answer in the report's data.
	As string `json:"as,omitempty"`
}

// What may follow an error branch.
const (
	ThenRetry    = "retry"
	ThenContinue = "continue"
	ThenStop     = "stop"
)

// Play plays a script. The report is complete up to the step at which the replay stopped. The error
// is that of the context, a missing parameter or a defect; a drift is no error.
func (p *Player) Play(ctx context.Context, s Script, o Options) (Report, error) {
	begun := time.Now()
	r, err := p.newRun(s, o)
	if err != nil {
		return Report{}, err
	}
	for i := range r.steps {
		r.reportProgress(i)
		drift, err := r.handle(ctx, &r.steps[i])
		if err != nil {
			return r.report, err
		}
		if drift != nil {
			r.stop(drift)
			break
		}
	}
	if r.report.Drift == nil {
		r.reportProgress(len(r.steps))
		if err := r.judgeContract(ctx); err != nil {
			return r.report, err
		}
	}
	r.report.Millis = time.Since(begun).Milliseconds()
	return r.report, nil
}

// newRun fills in the parameters, so that Play reports a missing one before the first step.
func (p *Player) newRun(s Script, o Options) (*run, error) {
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	values, err := s.parameterValues(o.Params)
	if err != nil {
		return nil, err
	}
	steps, err := s.fillSteps(s.Steps, values)
	if err != nil {
		return nil, err
	}
	handling := make(map[int]Handling, len(s.Handling))
	for seq, h := range s.Handling {
		if h.OnError, err = s.fillSteps(h.OnError, values); err != nil {
			return nil, err
		}
		handling[seq] = h
	}
	r := &run{
		Player: p, Options: o, steps: steps, contract: replaceInContract(s.Contract, valueReplacer(values)), handling: handling, redact: s.parameterRedactor(o.Params),
		tabs: map[string]string{}, downloads: map[string]string{}, recordedURLs: map[string]string{},
	}
	r.initialTabs = r.tabIDs()
	r.report = Report{Status: StatusCompleted, TotalSteps: len(steps), Steps: []PlayedStep{}}
	if o.Tab != "" && len(steps) > 0 {
		for _, step := range steps {
			if step.Tab != "" {
				r.tabs[step.Tab] = o.Tab
				break
			}
		}
	}
	return r, nil
}
