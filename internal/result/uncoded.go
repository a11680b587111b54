package result

import (
	"errors"

	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

func coded(code fault.Code, message string, fields ...fault.Field) (fault.Coded, bool) {
	return fault.New(code, message, fields...).(fault.Coded), true
}

// uncoded gives codes to errors whose packages do not yet.
func uncoded(err error) (fault.Coded, bool) {
	var busy *recorder.AlreadyRecordingError
	var unknown *parallel.UnknownError
	var several *parallel.AmbiguousError
	var much *parallel.DataLimitError
	switch {
	case errors.As(err, &busy):
		return coded(fault.Failed, busy.Error(), fault.Field{Name: "recordingId", Value: busy.ID})
	case errors.Is(err, recorder.ErrNotRecording), errors.Is(err, recorder.ErrNotOwner):
		return coded(fault.Failed, err.Error())
	case errors.Is(err, parallel.ErrNoRun):
		return coded(fault.NotFound, "this session has no workflow")
	case errors.As(err, &unknown) && unknown.Worker != "":
		return coded(fault.NotFound, unknown.Error(), fault.Field{Name: "workers", Value: unknown.Known})
	case errors.As(err, &unknown):
		return coded(fault.NotFound, unknown.Error())
	case errors.As(err, &several):
		return coded(fault.Ambiguous, several.Error(), fault.Field{Name: "workflows", Value: several.IDs})
	case errors.As(err, &much):
		return coded(fault.BudgetExceeded, much.Error())
	}
	return nil, false
}
