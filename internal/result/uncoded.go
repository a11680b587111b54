package result

import (
	"errors"

	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

func coded(code fault.Code, message string, fields ...fault.Field) (fault.Coded, bool) {
	return fault.New(code, message, fields...).(fault.Coded), true
}

// uncoded gives codes to errors whose packages do not yet.
func uncoded(err error) (fault.Coded, bool) {
	var busy *recorder.AlreadyRecordingError
	switch {
	case errors.As(err, &busy):
		return coded(fault.Failed, busy.Error(), fault.Field{Name: "recordingId", Value: busy.ID})
	case errors.Is(err, recorder.ErrNotRecording), errors.Is(err, recorder.ErrNotOwner):
		return coded(fault.Failed, err.Error())
	}
	return nil, false
}
