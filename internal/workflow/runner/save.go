package runner

import (
	"context"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// errNoOutput is the error of saveTo in a run that may not write files.
var errNoOutput = errors.New("this run has no output directory")

// outputPath renders saveTo of a step; "" without it. It runs before the call, so that a path that
// leads out of the output directory has no effect at all.
func (e *execution) outputPath(s *definition.Step, f *stepScope) (string, *StepError) {
	if s.SaveTo == nil {
		return "", nil
	}
	v, ok, err := f.evalValue(s.SaveTo)
	switch path := ""; {
	case err != nil:
		return "", e.newError(s, "template", "saveTo: "+err.Error(), 0)
	case !ok:
		return "", e.newError(s, "template", "saveTo has no value", 0)
	default:
		if path = template.Text(v); definition.IsOutputPath(path) {
			return path, nil
		}
		return "", e.newError(s, "file", fmt.Sprintf("saveTo is %q, which is no file below the output directory", path), 0)
	}
}

// saveResult writes the content of a result to a file and notes it in the result.
func (e *execution) saveResult(ctx context.Context, s *definition.Step, path string, result *Result) *StepError {
	if e.Save == nil {
		return e.newError(s, "file", errNoOutput.Error(), 0)
	}
	saved, err := e.Save(ctx, path, result.raw)
	if err != nil {
		return e.newError(s, "file", "the call succeeded, but its result was not saved: "+err.Error(), 0)
	}
	result.Saved = saved
	return nil
}
