package result

import (
	"errors"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// uncoded gives codes to errors whose packages do not yet.
func uncoded(err error) (fault.Coded, bool) {
	for _, give := range []func(error) (fault.Coded, bool){uncodedBrowser, uncodedSession, uncodedWork} {
		if c, ok := give(err); ok {
			return c, true
		}
	}
	return nil, false
}

func coded(code fault.Code, message string, fields ...fault.Field) (fault.Coded, bool) {
	return fault.New(code, message, fields...).(fault.Coded), true
}

func uncodedBrowser(err error) (fault.Coded, bool) {
	var none *browser.NoBrowserError
	var launch *browser.LaunchError
	var gone *browser.BrowserGoneError
	var unknown *browser.UnknownTabError
	var closed *browser.ClosedError
	var crashed *browser.CrashedError
	var dialog *browser.DialogError
	var address *browser.AddressError
	var failed *browser.NavigationError
	var late *browser.TimeoutError
	var script *browser.ScriptError
	switch {
	case errors.As(err, &none), errors.As(err, &launch):
		return coded(fault.NoBrowser, err.Error())
	case errors.As(err, &gone):
		return coded(fault.BrowserGone, err.Error())
	case errors.Is(err, browser.ErrNoTab):
		return coded(fault.NoTab, "no tab is open")
	case errors.As(err, &unknown):
		return coded(fault.NoTab, unknown.Error(), fault.Field{Name: "tabs", Value: append([]string{}, unknown.Open...)})
	case errors.As(err, &closed):
		return coded(fault.NoTab, closed.Error())
	case errors.As(err, &crashed):
		return coded(fault.TabCrashed, crashed.Error(), fault.Field{Name: "tabId", Value: crashed.Tab})
	case errors.Is(err, browser.ErrNoDialog):
		return coded(fault.NotFound, err.Error())
	case errors.As(err, &dialog):
		return coded(fault.DialogOpen, dialog.Error(), fault.Field{Name: "tabId", Value: dialog.Tab},
			fault.Field{Name: "kind", Value: dialog.Kind}, fault.Field{Name: "text", Value: dialog.Message})
	case errors.As(err, &address):
		return coded(fault.PolicyDenied, address.Error(), fault.Field{Name: "surface", Value: "navigation"})
	case errors.As(err, &failed):
		return coded(fault.NavigationFailed, failed.Error(), fault.Field{Name: "error", Value: failed.Code})
	case errors.As(err, &late):
		return coded(fault.Timeout, late.Error(), fault.Field{Name: "ready", Value: late.Ready})
	case errors.As(err, &script):
		return coded(fault.ScriptFailed, script.Error(), fault.Field{Name: "line", Value: script.Line})
	case errors.Is(err, browser.ErrNoHistory), errors.Is(err, browser.ErrNavigated), errors.Is(err, browser.ErrOpaqueOrigin):
		return coded(fault.Failed, err.Error())
	}
	return nil, false
}

func uncodedSession(err error) (fault.Coded, bool) {
	var unknown *session.UnknownError
	var used *session.InUseError
	var moved *session.ActiveChangedError
	var silent *session.UnreachableError
	var full *session.LimitError
	var id *session.InvalidIDError
	var port *session.PortError
	var host *session.HostError
	var option *session.SwitchError
	switch {
	case errors.As(err, &unknown):
		return coded(fault.NotFound, unknown.Error(), fault.Field{Name: "connections", Value: unknown.Known})
	case errors.As(err, &used):
		return coded(fault.Failed, used.Error(), fault.Field{Name: "connection", Value: used.ID})
	case errors.As(err, &moved):
		return coded(fault.BrowserGone, moved.Error(),
			fault.Field{Name: "connection", Value: moved.From}, fault.Field{Name: "active", Value: moved.To})
	case errors.As(err, &silent):
		return coded(fault.NoBrowser, silent.Error())
	case errors.As(err, &full):
		return coded(fault.Failed, full.Error())
	case errors.As(err, &id), errors.As(err, &port):
		return coded(fault.InvalidArguments, err.Error())
	case errors.As(err, &host):
		return coded(fault.PolicyDenied, host.Error(), fault.Field{Name: "host", Value: host.Host})
	case errors.As(err, &option):
		return coded(fault.PolicyDenied, option.Error(), fault.Field{Name: "switch", Value: option.Switch})
	}
	return nil, false
}

func uncodedWork(err error) (fault.Coded, bool) {
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
