package result

import (
	"errors"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
)

func ofDebugger(call *toolkit.Call, err error) *toolkit.Refusal {
	var paused *debugger.PausedError
	var breakpoint *debugger.UnknownBreakpointError
	var frame *debugger.UnknownFrameError
	var invalid *debugger.InvalidError
	var thrown *debugger.ThrownError
	switch {
	case errors.As(err, &paused):
		return ofPause(call, err, paused)
	case errors.As(err, &breakpoint):
		return toolkit.Refuse(toolkit.NotFound, breakpoint.Error(), toolkit.Field{Name: "breakpoints", Value: nonNil(breakpoint.Known)})
	case errors.As(err, &frame):
		return toolkit.Refuse(toolkit.NotFound, frame.Error())
	case errors.As(err, &invalid):
		return toolkit.Refuse(toolkit.InvalidArguments, invalid.Error())
	case errors.As(err, &thrown):
		return toolkit.Refuse(toolkit.ScriptFailed, thrown.Error())
	case errors.Is(err, debugger.ErrDisabled):
		return toolkit.Refuse(toolkit.Failed, advise(call, debugger.ErrDisabled.Error(), toolset.ToolDebuggerEnable, "call "+toolset.ToolDebuggerEnable))
	case errors.Is(err, debugger.ErrNotPaused):
		return toolkit.Refuse(toolkit.Failed, advise(call, debugger.ErrNotPaused.Error(), toolset.ToolDebuggerPause, "call "+toolset.ToolDebuggerPause+" or set a breakpoint"))
	}
	return nil
}

// ofPause says that the page is paused, whether the call had begun, and which tools of this client go on.
func ofPause(call *toolkit.Call, err error, p *debugger.PausedError) *toolkit.Refusal {
	var interrupted *browser.InterruptedError
	begun := errors.As(err, &interrupted)
	message := p.Error()
	if begun {
		message += "; what the call has begun goes on when the page runs again"
	} else {
		message += "; nothing was done"
	}
	var tools []string
	for _, tool := range []string{toolset.ToolDebuggerGetCallStack, toolset.ToolDebuggerStepOver, toolset.ToolDebuggerResume} {
		if call.Session.Surface().Allows(tool) {
			tools = append(tools, tool)
		}
	}
	if len(tools) > 0 {
		message += "; go on with " + strings.Join(tools, ", ")
	}
	return toolkit.Refuse(toolkit.Paused, message, toolkit.Field{Name: "location", Value: p.Location.String()},
		toolkit.Field{Name: "reason", Value: p.Reason}, toolkit.Field{Name: "begun", Value: begun})
}
