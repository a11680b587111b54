package result

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// Refusal turns an error of the engine into the refusal that a client gets. Refusals, cancellations and unknown errors
// pass as they are; nil stays nil.
func Refusal(call *toolkit.Call, err error) error {
	if err == nil {
		return nil
	}
	var done *toolkit.Refusal
	if errors.As(err, &done) || errors.Is(err, context.Canceled) {
		return err
	}
	for _, translate := range []func(*toolkit.Call, error) *toolkit.Refusal{ofConnection, ofDebugger, ofBrowser, ofTab, ofNavigation, ofElement, ofInput, ofInstrument} {
		if r := translate(call, err); r != nil {
			return r
		}
	}
	return err
}

// advise adds a sentence that names a tool, if this client may call it.
func advise(call *toolkit.Call, message, tool, advice string) string {
	if !call.Session.Surface().Allows(tool) {
		return message
	}
	return message + "; " + advice
}

// again adds how to get refs that hold, by the means this client has.
func again(call *toolkit.Call, message string) string {
	message = advise(call, message, toolset.ToolReadPage, "call "+toolset.ToolReadPage+" for current refs")
	return advise(call, message, toolset.ToolBrowserSnapshot, "take a new snapshot with "+toolset.ToolBrowserSnapshot)
}

func ofConnection(call *toolkit.Call, err error) *toolkit.Refusal {
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
		return toolkit.Refuse(toolkit.NotFound, unknown.Error(), toolkit.Field{Name: "connections", Value: unknown.Known})
	case errors.As(err, &used):
		return toolkit.Refuse(toolkit.Failed, used.Error(), toolkit.Field{Name: "connection", Value: used.ID})
	case errors.As(err, &moved):
		return toolkit.Refuse(toolkit.BrowserGone, moved.Error(),
			toolkit.Field{Name: "connection", Value: moved.From}, toolkit.Field{Name: "active", Value: moved.To})
	case errors.As(err, &silent):
		return toolkit.Refuse(toolkit.NoBrowser, advise(call, silent.Error(), toolset.ToolChromeLaunch, toolset.ToolChromeLaunch+" does that"))
	case errors.As(err, &full):
		return toolkit.Refuse(toolkit.Failed, full.Error())
	case errors.As(err, &id), errors.As(err, &port):
		return toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	case errors.As(err, &host):
		return toolkit.Refuse(toolkit.PolicyDenied, host.Error(), toolkit.Field{Name: "host", Value: host.Host})
	case errors.As(err, &option):
		return toolkit.Refuse(toolkit.PolicyDenied, option.Error(), toolkit.Field{Name: "switch", Value: option.Switch})
	}
	return nil
}

func ofBrowser(_ *toolkit.Call, err error) *toolkit.Refusal {
	var none *browser.NoBrowserError
	var launch *browser.LaunchError
	var gone *browser.BrowserGoneError
	switch {
	case errors.As(err, &none), errors.As(err, &launch):
		return toolkit.Refuse(toolkit.NoBrowser, err.Error())
	case errors.As(err, &gone):
		return toolkit.Refuse(toolkit.BrowserGone, err.Error()+"; its tabs are closed, and the next call that needs one starts another browser")
	}
	return nil
}

func ofTab(call *toolkit.Call, err error) *toolkit.Refusal {
	var unknown *browser.UnknownTabError
	var closed *browser.ClosedError
	var crashed *browser.CrashedError
	var dialog *browser.DialogError
	switch {
	case errors.Is(err, browser.ErrNoTab):
		return toolkit.Refuse(toolkit.NoTab, advise(call, "no tab is open", toolset.ToolNavigate, "call "+toolset.ToolNavigate+" first"))
	case errors.As(err, &unknown):
		return toolkit.Refuse(toolkit.NoTab, unknown.Error(), toolkit.Field{Name: "tabs", Value: nonNil(unknown.Open)})
	case errors.As(err, &closed):
		return toolkit.Refuse(toolkit.NoTab, closed.Error())
	case errors.As(err, &crashed):
		return toolkit.Refuse(toolkit.TabCrashed, crashed.Error(), toolkit.Field{Name: "tabId", Value: crashed.Tab})
	case errors.Is(err, browser.ErrNoDialog):
		return toolkit.Refuse(toolkit.NotFound, err.Error())
	case errors.As(err, &dialog):
		return toolkit.Refuse(toolkit.DialogOpen, advise(call, dialog.Error(), toolset.ToolDialog, "answer it with "+toolset.ToolDialog),
			toolkit.Field{Name: "tabId", Value: dialog.Tab}, toolkit.Field{Name: "kind", Value: dialog.Kind},
			toolkit.Field{Name: "text", Value: dialog.Message})
	}
	return nil
}

func ofNavigation(_ *toolkit.Call, err error) *toolkit.Refusal {
	var address *browser.AddressError
	var failed *browser.NavigationError
	var late *browser.TimeoutError
	var script *browser.ScriptError
	switch {
	case errors.As(err, &address):
		return toolkit.Refuse(toolkit.PolicyDenied, address.Error(), toolkit.Field{Name: "surface", Value: "navigation"})
	case errors.As(err, &failed):
		return toolkit.Refuse(toolkit.NavigationFailed, failed.Error(), toolkit.Field{Name: "error", Value: failed.Code})
	case errors.As(err, &late):
		return toolkit.Refuse(toolkit.Timeout, late.Error(), toolkit.Field{Name: "ready", Value: late.Ready})
	case errors.As(err, &script):
		return toolkit.Refuse(toolkit.ScriptFailed, script.Error(), toolkit.Field{Name: "line", Value: script.Line})
	case errors.Is(err, browser.ErrNoHistory), errors.Is(err, browser.ErrNavigated), errors.Is(err, browser.ErrOpaqueOrigin):
		return toolkit.Refuse(toolkit.Failed, err.Error())
	case errors.Is(err, files.ErrNotAllowed):
		return toolkit.Refuse(toolkit.PolicyDenied, err.Error()+"; the operator adds one with --file-root", toolkit.Field{Name: "surface", Value: "file"})
	case errors.Is(err, fs.ErrNotExist):
		return toolkit.Refuse(toolkit.NotFound, err.Error())
	case errors.Is(err, files.ErrNotRegular):
		return toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	case errors.Is(err, files.ErrOutside):
		return toolkit.Refuse(toolkit.PolicyDenied, err.Error(), toolkit.Field{Name: "surface", Value: "file"})
	}
	return nil
}

func ofElement(call *toolkit.Call, err error) *toolkit.Refusal {
	var stale *page.StaleRefError
	var unknown *page.UnknownRefError
	var blocked *page.NotActionableError
	var none *page.NoElementError
	var continuation *page.StaleContinuationError
	var snapshot *page.StaleSnapshotError
	switch {
	case errors.As(err, &snapshot):
		return toolkit.Refuse(toolkit.StaleRef, again(call, snapshot.Error()), toolkit.Field{Name: "snapshotId", Value: snapshot.ID})
	case errors.As(err, &stale):
		lines := []string{}
		for _, c := range stale.Candidates {
			lines = append(lines, Element(c))
		}
		return toolkit.Refuse(toolkit.StaleRef, again(call, stale.Error()),
			toolkit.Field{Name: "ref", Value: stale.Ref}, toolkit.Field{Name: "candidates", Value: lines})
	case errors.As(err, &unknown):
		return toolkit.Refuse(toolkit.NotFound, again(call, unknown.Error()), toolkit.Field{Name: "ref", Value: unknown.Ref})
	case errors.As(err, &blocked):
		return toolkit.Refuse(toolkit.NotActionable, blocked.Error(), toolkit.Field{Name: "ref", Value: blocked.Ref}, toolkit.Field{Name: "reason", Value: blocked.Reason})
	case errors.As(err, &none):
		return toolkit.Refuse(toolkit.NotFound, none.Error())
	case errors.As(err, &continuation):
		return toolkit.Refuse(toolkit.NotFound, continuation.Error())
	}
	return nil
}

func ofInput(_ *toolkit.Call, err error) *toolkit.Refusal {
	var uneditable *page.NotEditableError
	var refused *page.ValueRefusedError
	var option *page.OptionNotFoundError
	var unfocused *page.NothingFocusedError
	var deaf *page.InputNotDeliveredError
	var selector *page.BadSelectorError
	var key *page.BadKeyError
	var chooser *page.NoFileChooserError
	var late *page.WaitTimeoutError
	switch {
	case errors.As(err, &uneditable), errors.As(err, &unfocused), errors.As(err, &chooser), errors.As(err, &deaf):
		return toolkit.Refuse(toolkit.NotActionable, err.Error())
	case errors.As(err, &refused), errors.As(err, &selector), errors.As(err, &key):
		return toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	case errors.As(err, &option):
		return toolkit.Refuse(toolkit.InvalidArguments, option.Error(), toolkit.Field{Name: "options", Value: option.Options})
	case errors.As(err, &late):
		return toolkit.Refuse(toolkit.Timeout, late.Error(), toolkit.Field{Name: "ms", Value: late.Elapsed.Round(time.Millisecond).Milliseconds()})
	}
	return nil
}

// nonNil makes an absent list an empty one, so that a client always finds an array.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
