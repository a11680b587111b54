package replay

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
)

// ForCall returns a player whose steps are calls inside a call.
func ForCall(call *toolkit.Call, set *session.Set) *Player {
	return &Player{
		Registry: call.Session.Surface().Registry(), Set: set,
		Dispatch: func(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error) {
			return call.Dispatch(ctx, tool, args, nil)
		},
	}
}

// ForSession returns a player whose steps are calls of a session's client.
func ForSession(session *toolkit.Session, set *session.Set) *Player {
	set.Follow(session)
	return &Player{
		Registry: session.Surface().Registry(), Set: set,
		Dispatch: func(ctx context.Context, tool string, args []byte) (toolkit.CallResult, error) {
			return session.Dispatch(ctx, toolkit.Request{Tool: tool, Args: args})
		},
	}
}

// LastContract returns the contract of the last step that passed one, or "".
func LastContract(steps []recorder.Step) string {
	for _, s := range slices.Backward(steps) {
		var args struct {
			Contract string `json:"contract"`
		}
		if replayKind(&s) == toolset.ReplayAssert && recorder.VerdictOf(s.Verdict) == "pass" && json.Unmarshal(s.Args, &args) == nil {
			return args.Contract
		}
	}
	return ""
}

// CheckContract returns the problems of a contract; nil for a valid one and for "".
func CheckContract(text string) error {
	if text == "" {
		return nil
	}
	_, problems := contract.Parse([]byte(text))
	if len(problems) == 0 {
		return nil
	}
	for i := range problems {
		problems[i].Path = "/contract" + problems[i].Path
	}
	return problems
}
