package result

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/types"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// Failures returns failures of a contract as outputs declare them; nil for none.
func Failures(in []contract.Failure) (out []types.Failure) {
	for _, f := range in {
		out = append(out, types.Failure{Path: f.Path, Kind: f.Kind, Expected: f.Expected, Actual: f.Actual, Location: toolkit.NonZero(f.Location)})
	}
	return out
}

// PlayedSteps returns steps of a replay as outputs declare them.
func PlayedSteps(in []replay.PlayedStep) []types.PlayedStep {
	out := make([]types.PlayedStep, len(in))
	for i, s := range in {
		out[i] = types.PlayedStep{
			Seq: s.Seq, Tool: s.Tool, Tab: toolkit.NonZero(s.Tab), Outcome: s.Outcome, Ms: int(s.Millis),
			Notes: s.Notes, Branch: toolkit.NonZero(s.BranchOf), Try: toolkit.NonZero(s.Attempt),
		}
		for argument, strategy := range s.MatchedBy {
			if out[i].Found == nil {
				out[i].Found = map[string]string{}
			}
			out[i].Found[argument] = string(strategy)
		}
	}
	return out
}

// Drift returns a drift as outputs declare it; nil for none.
func Drift(in *replay.Drift) *types.Drift {
	if in == nil {
		return nil
	}
	return &types.Drift{
		Step: in.Step, Tool: in.Tool, Kind: in.Kind, Argument: toolkit.NonZero(in.Argument), Expected: in.Expected, Found: in.Found, Reason: in.Reason,
		Tried: in.Attempts, Near: in.Similar, URL: toolkit.NonZero(in.URL), Code: toolkit.NonZero(in.Code),
	}
}
