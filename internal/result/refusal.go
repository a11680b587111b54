package result

import (
	"context"
	"errors"
	"io/fs"

	"github.com/chromedp/cdproto"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/fault"
)

// Refusal renders a coded error as the refusal that the client gets, with the advice that its
// surface allows. Refusals and cancellations stay as they are, and nil stays nil. Of an error without
// a code the client gets an id only.
func Refusal(call *toolkit.Call, err error) error {
	var refusal *toolkit.Refusal
	if err == nil || errors.As(err, &refusal) || errors.Is(err, context.Canceled) {
		return err
	}
	coded, ok := codedError(err)
	if !ok {
		return call.Opaque(err)
	}
	fields := toolkitFields(fault.FieldsOf(coded))
	if coded.Code() == codes.Paused {
		fields = append(fields, toolkit.Field{Name: "begun", Value: isInterrupted(err)})
	}
	return toolkit.Refuse(coded.Code(), withAdvice(call, err, message(err, coded)), fields...)
}

// codedError finds the error of a chain that decides the code. A pause wins over the interruption
// that it caused.
func codedError(err error) (fault.Coded, bool) {
	if paused, ok := errors.AsType[*debugger.PausedError](err); ok {
		return paused, true
	}
	if coded, ok := errors.AsType[fault.Coded](err); ok {
		return coded, true
	}
	if _, ok := errors.AsType[*cdproto.Error](err); ok { // the browser says why it does not do what the call asks for
		return fault.New(codes.Failed, err.Error()).(fault.Coded), true //nolint:errorlint // New wraps nothing
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fault.New(codes.NotFound, err.Error()).(fault.Coded), true //nolint:errorlint // New wraps nothing
	}
	return nil, false
}

// message returns the text of a coded error. A typed error describes the whole problem; a sentinel
// has a fixed text, and the errors around it say what was attempted.
func message(err error, coded fault.Coded) string {
	if fault.IsSentinel(coded) {
		return err.Error()
	}
	return coded.Error()
}

func isInterrupted(err error) bool {
	_, ok := errors.AsType[*browser.InterruptedError](err)
	return ok
}

func toolkitFields(fields []fault.Field) []toolkit.Field {
	return slicesx.Map(fields, func(f fault.Field) toolkit.Field { return toolkit.Field{Name: f.Name, Value: f.Value} })
}
