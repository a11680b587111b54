package recordingview

import (
	"context"
	"net/http"
	"slices"
	"sync"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/ui"
)

// Stage is a session in which a replay plays.
type Stage struct {
	Session string // its id, by which it can be watched
	Player  *replay.Player
	Window  power.Window
	End     func() // closes its tabs
}

// State is a replay as a person sees it.
type State struct {
	Version   int                 `json:"version"`   // grows with each change
	Recording string              `json:"recording"` // "" before the first replay
	Session   string              `json:"session"`
	Phase     string              `json:"phase"`
	Done      int                 `json:"done"`
	Total     int                 `json:"total"`
	Next      string              `json:"next,omitempty"` // what is played next, or is being played
	Steps     []replay.PlayedStep `json:"steps"`
	Report    *replay.Report      `json:"report,omitempty"` // without steps; set at the end
	Error     string              `json:"error,omitempty"`
}

// The phases of a replay.
const (
	PhaseIdle    = "idle"
	PhaseWaiting = "waiting" // for the person, before a step
	PhasePlaying = "playing"
	PhaseEnded   = "ended" // the session stays, so that its tabs can be looked at
)

// replays plays one recording at a time.
type replays struct {
	Source

	starting sync.Mutex // held while a replay is started

	mu      sync.Mutex
	state   State
	changed chan struct{}      // closed at the next change
	cancel  context.CancelFunc // of the replay that plays, or whose session is open; nil for none
	ended   chan struct{}      // closed when that session has ended
	advance chan struct{}      // has room for one: the person wants the next step
	runs    bool               // steps wait for no person
}

func newReplays(src Source) *replays {
	return &replays{Source: src, state: State{Phase: PhaseIdle, Steps: []replay.PlayedStep{}}, changed: make(chan struct{})}
}

func (p *replays) register(api *ui.API) {
	api.Stream("replay/events", p.sendEvents)
	api.Post("replay/start", p.start)
	api.Post("replay/next", func(*http.Request) (any, error) { return p.goOn(false) })
	api.Post("replay/run", func(*http.Request) (any, error) { return p.goOn(true) })
	api.Post("replay/stop", func(*http.Request) (any, error) { p.stop(); return p.copy(), nil })
}

// change changes the state and wakes everyone who waits for a change.
func (p *replays) change(f func(*State)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	version := p.state.Version
	f(&p.state)
	p.state.Version = version + 1
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *replays) copy() State {
	s, _ := p.copyWithNext()
	return s
}

func (p *replays) copyWithNext() (State, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.state
	s.Steps = slices.Clone(s.Steps)
	return s, p.changed
}

func (p *replays) sendEvents(ctx context.Context, _ *http.Request, out *ui.Stream) error {
	for {
		state, next := p.copyWithNext()
		if err := out.Send("replay", state); err != nil {
			return err
		}
		select {
		case <-next:
		case <-ctx.Done():
			return nil
		}
	}
}

// start begins a replay, which waits before its first step. Its session replaces that of the one before.
func (p *replays) start(r *http.Request) (any, error) {
	var in struct {
		Recording string            `json:"recording"`
		Params    map[string]string `json:"params"`
	}
	if err := ui.Decode(r, &in); err != nil {
		return nil, err
	}
	p.starting.Lock()
	defer p.starting.Unlock()
	if phase := p.copy().Phase; phase == PhaseWaiting || phase == PhasePlaying {
		return nil, &ui.Error{Status: http.StatusConflict, Message: "a replay goes on; stop it first"}
	}
	v := &view{Source: p.Source}
	rec, steps, err := v.get(r.Context(), in.Recording)
	if err != nil {
		return nil, err
	}
	script, err := replay.Generalise(steps, nil, "")
	if err != nil {
		return nil, err
	}
	p.stop()
	ctx, cancel := context.WithCancel(p.Ending)
	stage := p.Begin()
	p.mu.Lock()
	p.cancel, p.ended, p.advance, p.runs = cancel, make(chan struct{}), make(chan struct{}, 1), false
	advance, ended := p.advance, p.ended
	p.mu.Unlock()
	p.change(func(s *State) {
		*s = State{Recording: rec.ID, Session: stage.Session, Phase: PhasePlaying, Total: len(steps), Steps: []replay.PlayedStep{}}
	})
	go func() {
		defer close(ended)
		p.play(ctx, stage, script, in.Params, advance)
		stage.End()
		p.change(func(s *State) { s.Session = "" })
	}()
	return p.copy(), nil
}

// play plays to the end, then keeps the session until ctx ends.
func (p *replays) play(ctx context.Context, stage Stage, script replay.Script, params map[string]string, advance <-chan struct{}) {
	report, err := stage.Player.Play(ctx, script, replay.Options{
		Params: params, Window: stage.Window,
		Progress: func(done, total int, message string) { p.wait(ctx, advance, done, total, message) },
		Played: func(step replay.PlayedStep) {
			p.change(func(s *State) { s.Steps = append(s.Steps, step) })
		},
	})
	report.Steps = nil // the state has them
	p.change(func(s *State) {
		s.Phase, s.Next = PhaseEnded, ""
		switch {
		case ctx.Err() != nil:
			s.Error = "stopped"
		case err != nil:
			s.Error = err.Error()
		default:
			s.Done, s.Report = report.PlayedSteps, &report
		}
	})
	<-ctx.Done()
}

// wait waits before a step until the person wants it.
func (p *replays) wait(ctx context.Context, advance <-chan struct{}, done, total int, message string) {
	p.mu.Lock()
	waits := !p.runs && done < total
	p.mu.Unlock()
	p.change(func(s *State) {
		s.Done, s.Next, s.Phase = done, message, PhasePlaying
		if waits {
			s.Phase = PhaseWaiting
		}
	})
	if !waits {
		return
	}
	select {
	case <-advance:
	case <-ctx.Done():
	}
}

// goOn plays the next step, or with runs set all that are left.
func (p *replays) goOn(runs bool) (any, error) {
	waited, playing := false, false
	p.change(func(s *State) {
		waited, playing = s.Phase == PhaseWaiting, s.Phase == PhasePlaying
		if waited || playing && runs {
			p.runs, s.Phase = runs, PhasePlaying
		}
		if waited {
			p.advance <- struct{}{} // the phase says that it is empty
		}
	})
	if !waited && (!playing || !runs) {
		return nil, &ui.Error{Status: http.StatusConflict, Message: "no replay waits for its next step"}
	}
	return p.copy(), nil
}

// stop ends the replay, if there is one, and its session.
func (p *replays) stop() {
	p.mu.Lock()
	cancel, ended := p.cancel, p.ended
	p.cancel = nil
	p.mu.Unlock()
	if cancel != nil {
		cancel()
		<-ended
	}
}
