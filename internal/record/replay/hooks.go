package replay

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// Hooks look at the steps of a replay. Each may be nil.
type Hooks struct {
	// Skip returns why a step is not played, "" for one that is. It is called before the step waits
	// for its elements.
	Skip func(ctx context.Context, s *recorder.Step, tab string) (why string, err error)
	// Before is called before each call of a step, with its elements by the JSON pointer of their
	// argument. A drift that it returns ends the replay, and the call is not made.
	Before func(ctx context.Context, s *recorder.Step, tab string, found map[string]locate.Relocation) (*Drift, error)
	// After is called after a call that was not refused. A drift that it returns ends the replay.
	After func(ctx context.Context, s *recorder.Step, tab string) (*Drift, error)
}

func (r *run) skip(ctx context.Context, s *recorder.Step, played *PlayedStep) (bool, error) {
	if r.Hooks.Skip == nil {
		return false, nil
	}
	why, err := r.Hooks.Skip(ctx, s, played.Tab)
	if why == "" || err != nil {
		return false, err
	}
	played.Outcome = "skipped"
	played.addNote(why)
	return true, nil
}

func (r *run) before(ctx context.Context, s *recorder.Step, played *PlayedStep) (*Drift, error) {
	if r.Hooks.Before == nil {
		return nil, nil
	}
	return r.Hooks.Before(ctx, s, played.Tab, played.found)
}

func (r *run) after(ctx context.Context, s *recorder.Step, played *PlayedStep) (*Drift, error) {
	if r.Hooks.After == nil {
		return nil, nil
	}
	return r.Hooks.After(ctx, s, played.Tab)
}
