package result

import (
	"errors"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/emulation"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/performance"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// ofInstrument translates the errors of what accompanies a page.
func ofInstrument(_ *toolkit.Call, err error) *toolkit.Refusal {
	var surroundings *emulation.InvalidError
	var rule *network.InvalidError
	var unknown *network.UnknownRuleError
	var busy *performance.BusyError
	switch {
	case errors.As(err, &surroundings), errors.As(err, &rule):
		return toolkit.Refuse(toolkit.InvalidArguments, invalid(err))
	case errors.As(err, &unknown):
		return toolkit.Refuse(toolkit.NotFound, unknown.Error(), toolkit.Field{Name: "rules", Value: unknown.Known})
	case errors.As(err, &busy):
		return toolkit.Refuse(toolkit.Failed, busy.Error())
	case errors.Is(err, artifact.ErrTooLarge):
		return toolkit.Refuse(toolkit.Failed, err.Error())
	}
	return nil
}

// invalid is the reason alone, without what was attempted around it.
func invalid(err error) string {
	var surroundings *emulation.InvalidError
	if errors.As(err, &surroundings) {
		return surroundings.Reason
	}
	var rule *network.InvalidError
	if errors.As(err, &rule) {
		return rule.Reason
	}
	return err.Error()
}
