package connection

import (
	"context"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/connectionapi"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// GetConsoleLogs shows what the current tab's page has said since it was loaded. It asks nothing of
// the page, so it works while that is stopped or busy.
func (t *Tools) GetConsoleLogs(ctx context.Context, call *toolkit.Call, in connectionapi.GetConsoleLogsParams) (toolkit.Result, error) {
	_, tab, err := t.sessions.Current(ctx, call, in.ConnectionID)
	if err != nil {
		return toolkit.Result{}, err
	}
	q := console.Query{Limit: in.Limit, Unfolded: in.ExpandErrors}
	if in.FilterLevel != connectionapi.GetConsoleLogsFilterLevelAll {
		q.Level = console.Level(in.FilterLevel)
	}
	tab.FrameConsoles.Follow(ctx)
	reading := tab.Console().Read(q)
	lines := []string{countMessages(reading)}
	for _, m := range reading.Messages {
		lines = append(lines, message(m, in.ExpandErrors))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// countMessages counts the messages of the page: 2 errors, 1 warning, 14 others; 9 earlier ones are not
// shown.
func countMessages(r console.Result) string {
	var parts []string
	count := func(n int, one string) {
		switch {
		case n == 1:
			parts = append(parts, "1 "+one)
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %ss", n, one))
		}
	}
	count(r.Counts[console.Error], "error")
	count(r.Counts[console.Warning], "warning")
	count(r.Counts[console.Info]+r.Counts[console.Log]+r.Counts[console.Debug], "other message")
	if len(parts) == 0 {
		parts = []string{"the page has said nothing since it was loaded"}
	}
	text := strings.Join(parts, ", ")
	if r.Omitted > 0 {
		text += fmt.Sprintf("; %d older lines are left out by limit", r.Omitted)
	}
	if r.Dropped > 0 {
		text += fmt.Sprintf("; %d more are no longer kept", r.Dropped)
	}
	if r.Earlier > 0 {
		text += fmt.Sprintf("; %d of pages before this one", r.Earlier)
	}
	return text
}

// message shows a message in a line: error Uncaught TypeError: x is not a function
// (https://…/app.js:12:3) ×3.
func message(m console.Message, expand bool) string {
	var b strings.Builder
	b.WriteString(string(m.Level) + " ")
	if m.Source != console.FromConsole && m.Source != console.FromException {
		b.WriteString(m.Source + ": ")
	}
	b.WriteString(fence.Block(m.Text, "  "))
	if m.Location.URL != "" || m.Location.Line > 0 {
		fmt.Fprintf(&b, " (%s)", m.Location.Position(120))
	}
	if m.Count > 1 {
		fmt.Fprintf(&b, " ×%d", m.Count)
	}
	if expand && m.Level == console.Error {
		for _, f := range m.Stack {
			name := fence.Line(f.Function)
			if name == "" {
				name = "(anonymous)"
			}
			fmt.Fprintf(&b, "\n    at %s (%s)", name, f.Position(120))
		}
	}
	return b.String()
}
