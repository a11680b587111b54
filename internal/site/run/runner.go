package run

import (
	"context"
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// Options are the options of a run.
type Options struct {
	// Auto runs the tools of the path first, where they need no arguments but those with a default
	// or a secret.
	Auto bool
	// Tab is the tab of the session that the tool acts on; "" is the current one.
	Tab string
	// Window opens a tab where the session has none.
	Window power.Window
	// Wait bounds how long a step waits for its element, and the postcondition for its verdict; 0 is
	// replay.DefaultWait.
	Wait time.Duration
	// StopBeforeLast plays every step but the last one, of which everything is checked: for a check
	// of a tool whose effect is not wanted.
	StopBeforeLast bool
	// Progress is called before each step; nil for no calls.
	Progress func(done, total int, message string)
}

// Runner runs the tools of one site in one session.
type Runner struct {
	Site *Site
	// Player makes the calls of the steps, in the session that owns the tabs.
	Player *replay.Player
	// Keep stores evidence; nil keeps none.
	Keep func(ctx context.Context, name, mime string, data []byte) (Evidence, error)
	// Redact takes out of a text what must not leave the server; nil changes nothing.
	Redact func(string) string
}

// Runs is how a registry's handler calls the runner.
type Runs interface {
	// Run runs a tool with the JSON object of its arguments, which are valid by the tool's schema.
	// The error is a NotVisibleError, that of the context, or a defect; a drift is no error.
	Run(ctx context.Context, tool string, args json.RawMessage, o Options) (Result, error)
	// Observe observes every fact of the site on a tab; "" is the current one.
	Observe(ctx context.Context, tab string) (Facts, error)
}

