package replay

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// maxRetries bounds the retries of a step. Each retry may wait as long as the first attempt.
const maxRetries = 10

// Check returns every problem of a script that a person may have edited.
func (s Script) Check() error {
	var problems []error
	known := func(seq int) bool {
		return slices.ContainsFunc(s.Steps, func(o recorder.Step) bool { return o.Seq == seq })
	}
	names := map[string]bool{}
	for _, p := range s.Parameters {
		if !isName(p.Name) || names[p.Name] {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("parameter %q: a name is letters, digits, _ and -, and there once", p.Name)))
		}
		names[p.Name] = true
	}
	for _, seq := range slices.Sorted(maps.Keys(s.Handling)) {
		h := s.Handling[seq]
		if !known(seq) {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("handling of step %d: there is no such step", seq)))
		}
		if h.Retries < 0 || h.Retries > maxRetries {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("handling of step %d: retries is 0 to %d", seq, maxRetries)))
		}
		if !slices.Contains([]string{"", ThenRetry, ThenContinue, ThenStop}, h.Then) {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("handling of step %d: then is %s, %s or %s, not %q", seq, ThenRetry, ThenContinue, ThenStop, h.Then)))
		}
		if h.Then != "" && len(h.OnError) == 0 {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("handling of step %d: then follows onError, which has no steps", seq)))
		}
	}
	for _, step := range s.Steps {
		if _, err := decodeArguments(step.Args); err != nil || step.Tool == "" || step.Seq < 1 {
			problems = append(problems, fault.New(codes.Failed, fmt.Sprintf("step %d: it needs seq, tool and args, an object", step.Seq)))
		}
	}
	return errors.Join(problems...)
}
