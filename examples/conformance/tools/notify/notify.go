// Package notify handles the tools of manifest/tools/notify.yaml: what a server sends while a call
// runs, and when its lists change.
package notify

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"

	"github.com/callsheet/callsheet/examples/conformance/generated/toolset/notifyapi"
)

// stepTime is how long the suite wants a step of a call to take.
const stepTime = 50 * time.Millisecond

// Tools implements notifyapi.Handlers.
type Tools struct {
	// ToggleTool and TogglePrompt add an entry to the lists of the server, or remove it again.
	ToggleTool, TogglePrompt func(*toolkit.Surface) error
}

// TestToolWithLogging handles test_tool_with_logging.
func (Tools) TestToolWithLogging(ctx context.Context, call *toolkit.Call, _ notifyapi.TestToolWithLoggingParams) (toolkit.Result, error) {
	for i, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if err := pause(ctx, i); err != nil {
			return toolkit.Result{}, err
		}
		call.Log(toolkit.LogInfo, message)
	}
	return toolkit.Text("Sent three log messages."), nil
}

// TestLoggingTool handles test_logging_tool.
func (Tools) TestLoggingTool(_ context.Context, call *toolkit.Call, _ notifyapi.TestLoggingToolParams) (toolkit.Result, error) {
	call.Log(toolkit.LogInfo, "The tool runs.")
	return toolkit.Text("Sent a log message to clients that asked for it."), nil
}

// TestToolWithProgress handles test_tool_with_progress.
func (Tools) TestToolWithProgress(ctx context.Context, call *toolkit.Call, _ notifyapi.TestToolWithProgressParams) (toolkit.Result, error) {
	for i, done := range []float64{0, 50, 100} {
		if err := pause(ctx, i); err != nil {
			return toolkit.Result{}, err
		}
		call.Progress(done, 100, "")
	}
	return toolkit.Text("Reported progress three times."), nil
}

// TestTriggerToolChange handles test_trigger_tool_change.
func (t Tools) TestTriggerToolChange(_ context.Context, call *toolkit.Call, _ notifyapi.TestTriggerToolChangeParams) (toolkit.Result, error) {
	return toolkit.Text("Changed the list of tools."), t.ToggleTool(call.Session.Surface())
}

// TestTriggerPromptChange handles test_trigger_prompt_change.
func (t Tools) TestTriggerPromptChange(_ context.Context, call *toolkit.Call, _ notifyapi.TestTriggerPromptChangeParams) (toolkit.Result, error) {
	return toolkit.Text("Changed the list of prompts."), t.TogglePrompt(call.Session.Surface())
}

// pause waits for stepTime before every step but the first.
func pause(ctx context.Context, step int) error {
	if step == 0 {
		return nil
	}
	select {
	case <-time.After(stepTime):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
