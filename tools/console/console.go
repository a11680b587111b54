// Package console implements the tools of area console: the console messages of a page.
//
// It renders messages; the engine records them from the start of a tab.
package console

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/consoleapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/debugger/mapload"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

const (
	// mapLimit bounds the work on source maps; later locations stay those of the generated file.
	mapLimit = 5 * time.Second
	// resultBytes is for the answer, in bytes, below what the manifest allows.
	resultBytes = 19000
)

// Tools are the handlers of the area.
type Tools struct{ sessions session.Lookup }

// New makes the handlers.
func New(sessions session.Lookup) *Tools { return &Tools{sessions: sessions} }

var _ consoleapi.Handlers = (*Tools)(nil)

// ConsoleCapture shows or forgets what the tab's page has said. Only source maps ask something of
// the page, and not while it is stopped.
func (t *Tools) ConsoleCapture(ctx context.Context, call *toolkit.Call, in consoleapi.ConsoleCaptureParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	tab.FrameConsoles.Follow(ctx)
	if in.Action == consoleapi.ConsoleCaptureActionClear {
		return toolkit.Textf("cleared %d messages", tab.Console().Clear()), nil
	}
	if in.Number.Set {
		return oneMessage(ctx, tab, in.Number.Value)
	}
	if in.Limit < 1 {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "limit is 1 or more")
	}
	query, err := queryOf(ctx, in)
	if err != nil {
		return toolkit.Result{}, err
	}
	reading := tab.Console().Read(query)
	m := newMapper(ctx, tab)
	ctx, cancel := context.WithTimeout(ctx, mapLimit)
	defer cancel()
	lines := make([]string, len(reading.Messages))
	used, first := 0, 0
	for i := len(lines) - 1; i >= 0; i-- { // the newest are worth most, should the room not do for all
		lines[i] = m.message(ctx, reading.Messages[i])
		if used += len(lines[i]) + 1; used > resultBytes {
			first = i + 1
			break
		}
	}
	reading.Omitted += first
	return toolkit.Text(strings.Join(append([]string{countLine(reading)}, lines[first:]...), "\n")), nil
}

func queryOf(ctx context.Context, in consoleapi.ConsoleCaptureParams) (q console.Query, err error) {
	q = console.Query{
		Level: console.Level(in.Level.Value), Contains: in.Contains.Value, AllDocuments: in.Earlier.Value, Limit: in.Limit,
		Since: in.Since.Value, Source: in.Source.Value, URL: in.URL.Value, Shown: secret.Shown(ctx),
	}
	if in.Pattern.Set {
		if q.Pattern, err = regexp.Compile(in.Pattern.Value); err != nil {
			err = toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("pattern is no regular expression: %v", err))
		}
	}
	return q, err
}

// oneMessage shows a message with its time and its whole stack, whatever its level.
func oneMessage(ctx context.Context, tab *browser.Tab, number int) (toolkit.Result, error) {
	said, ok := tab.Console().Message(number)
	if !ok {
		return toolkit.Result{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no message has number %d, or it is no longer kept", number))
	}
	m := newMapper(ctx, tab)
	ctx, cancel := context.WithTimeout(ctx, mapLimit)
	defer cancel()
	text := m.head(ctx, said) + fmt.Sprintf("\n  at %s, from %s", said.Time.UTC().Format("15:04:05.000"), fence.Line(said.Source))
	return toolkit.Text(text + m.stack(ctx, said)), nil
}

// countLine counts what was said: 2 errors, 1 warning, 14 others; 9 older lines are left out.
func countLine(r console.Result) string {
	other := r.Counts[console.Info] + r.Counts[console.Log] + r.Counts[console.Debug]
	line := text.Count(r.Counts[console.Error], "error") + ", " + text.Count(r.Counts[console.Warning], "warning") + ", " + text.Count(other, "other")
	if r.Omitted > 0 {
		line += fmt.Sprintf("; %d older lines are left out", r.Omitted)
	}
	if r.Dropped > 0 {
		line += fmt.Sprintf("; %d are no longer kept", r.Dropped)
	}
	if r.Earlier > 0 {
		line += fmt.Sprintf("; %d of pages before", r.Earlier)
	}
	return line
}

// mapper finds the original places of a tab's messages.
type mapper struct{ resolver *mapload.Resolver }

type mapperKey struct{}

func newMapper(ctx context.Context, tab *browser.Tab) mapper {
	if tab.Calls.Blocked() != nil || tab.Dialogs.Open() != nil || tab.CrashError() != nil {
		return mapper{} // a page that is stopped would answer nothing
	}
	session, err := tab.Protocol(ctx)
	if err != nil {
		return mapper{}
	}
	return mapper{tab.Instruments.Get(mapperKey{}, func() any { return mapload.NewResolver(session) }).(*mapload.Resolver)}
}

func (m mapper) place(ctx context.Context, document int, p console.Location) string {
	if m.resolver != nil && ctx.Err() == nil {
		if o, ok := m.resolver.Original(ctx, document, mapload.Place{URL: p.URL, Line: p.Line, Column: p.Column}); ok {
			p.URL, p.Line, p.Column = o.URL, o.Line, o.Column
		}
	}
	return p.Position(150)
}

// message shows a message with its place, and an error with its stack.
func (m mapper) message(ctx context.Context, said console.Message) string {
	out := m.head(ctx, said)
	if said.Level == console.Error && len(said.Stack) > 1 {
		out += m.stack(ctx, said)
	}
	return out
}

// head shows a message with its number and place: 12 error Uncaught TypeError: … (src/app.ts:12:3) ×3.
func (m mapper) head(ctx context.Context, said console.Message) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s ", said.Number, said.Level)
	if said.Source != console.FromConsole && said.Source != console.FromException {
		b.WriteString(said.Source + ": ")
	}
	b.WriteString(fence.Block(said.Text, "  "))
	if said.Location.URL != "" || said.Location.Line > 0 {
		fmt.Fprintf(&b, " (%s)", m.place(ctx, said.Document, said.Location))
	}
	if said.Count > 1 {
		fmt.Fprintf(&b, " ×%d", said.Count)
	}
	return b.String()
}

func (m mapper) stack(ctx context.Context, said console.Message) string {
	var b strings.Builder
	for _, f := range said.Stack {
		name := fence.Line(f.Function)
		if name == "" {
			name = "(anonymous)"
		}
		fmt.Fprintf(&b, "\n    at %s (%s)", name, m.place(ctx, said.Document, f))
	}
	return b.String()
}
