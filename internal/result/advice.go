package result

import (
	"errors"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

// advice is a sentence that follows the message of a refusal: what to do next.
type advice struct {
	matches func(error) bool
	tools   []string // advice that names tools applies when the client may call at least one of them
	text    string   // %s stands for those that it may call
}

// adviceTable returns all advice. Every row that matches an error applies, in this order.
func adviceTable() []advice {
	return []advice{
		{isNoTab, []string{toolset.ToolNavigate}, "call %s first"},
		{isType[*browser.DialogError], []string{toolset.ToolDialog}, answerDialog},
		{isType[*browser.BrowserGoneError], nil, "its tabs are closed, and the next call that needs one starts another browser"},
		{isType[*session.UnreachableError], []string{toolset.ToolChromeLaunch}, "%s does that"},
		{isStaleElement, []string{toolset.ToolReadPage}, "call %s {} for current refs"},
		{isStaleElement, []string{toolset.ToolBrowserSnapshot}, "take a new snapshot with %s"},
		{is(debugger.ErrDisabled), []string{toolset.ToolDebuggerEnable}, "call %s"},
		{is(debugger.ErrNotPaused), []string{toolset.ToolDebuggerPause}, "call %s or set a breakpoint"},
		{isPausedDuringCall, nil, "what the call has begun goes on when the page runs again"},
		{isPausedBeforeCall, nil, "nothing was done"},
		{
			isType[*debugger.PausedError],
			[]string{toolset.ToolDebuggerGetCallStack, toolset.ToolDebuggerStepOver, toolset.ToolDebuggerResume}, "go on with %s",
		},
		{is(files.ErrNotAllowed), nil, "the operator adds one with --file-root"},
		{isType[*recorder.AlreadyRecordingError], []string{toolset.ToolOcRecordingStop}, "stop it first: %s"},
		{is(recorder.ErrNotRecording), []string{toolset.ToolOcRecordingStart}, "begin with %s"},
		{is(recorder.ErrNotOwner), nil, "its steps until then are kept"},
		{is(parallel.ErrNoRun), []string{toolset.ToolWorkflowInit}, "%s begins one"},
	}
}

// withAdvice appends to a message what the client of a call may do next.
func withAdvice(call *toolkit.Call, err error, message string) string {
	for _, a := range adviceTable() {
		if a.matches(err) {
			message = a.appendTo(call, message)
		}
	}
	if tool, arguments := nextCall(err); tool != "" {
		message = advise(call, message, tool, "try %s "+strings.ReplaceAll(arguments, "%", "%%"))
	}
	return message
}

func (a advice) appendTo(call *toolkit.Call, message string) string {
	if len(a.tools) == 0 {
		return message + "; " + a.text
	}
	callable := slicesx.Filter(a.tools, func(tool string) bool { return call.Session.Surface().Allows(tool) })
	if len(callable) == 0 {
		return message
	}
	return message + "; " + fmt.Sprintf(a.text, strings.Join(callable, ", "))
}

// advise appends a sentence about one tool, if the client may call it; %s in text stands for the
// tool.
func advise(call *toolkit.Call, message, tool, text string) string {
	return advice{tools: []string{tool}, text: text}.appendTo(call, message)
}

func is(target error) func(error) bool { return func(err error) bool { return errors.Is(err, target) } }

func isType[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// isNoTab excludes a session that lost its tabs with the browser: the advice for that is another.
func isNoTab(err error) bool {
	return errors.Is(err, browser.ErrNoTab) && !isType[*browser.BrowserGoneError](err)
}

func isStaleElement(err error) bool {
	return isType[*document.StaleRefError](err) || isType[*document.UnknownRefError](err) || isType[*read.StaleSnapshotError](err)
}

func isPausedDuringCall(err error) bool {
	return isType[*debugger.PausedError](err) && isInterrupted(err)
}

func isPausedBeforeCall(err error) bool {
	return isType[*debugger.PausedError](err) && !isInterrupted(err)
}
