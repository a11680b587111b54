package result

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/text"
)

// maxEvents is the number of events that an answer begins with.
const maxEvents = 8

// Events is the layer that lets the answer of every call begin with what happened in the client's
// browsers since the answer before: tabs, navigations, crashes, downloads, dialogs, prompts, refused windows. An
// answer names each event once. An event that happens during a call is left to the next answer unless this one names it.
type Events struct {
	find func(client string) *session.Set // nil for a client without connections

	mu      sync.Mutex
	clients map[string]*reportState
}

// reportState is how far the answers to one client have reported events.
type reportState struct {
	reported session.Moment // events before it are reported; valid where known
	known    bool
	running  int // calls
}

// NewEvents makes the layer for clients that find finds.
func NewEvents(find func(client string) *session.Set) *Events {
	return &Events{find: find, clients: map[string]*reportState{}}
}

// Middleware is the layer.
func (e *Events) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		if toolkit.NestingDepth(ctx) > 0 {
			return next(ctx, s, req)
		}
		before, events := e.begin(s.ID)
		res, err := next(ctx, s, req)
		answered := err == nil && res.Ask == nil && res.Raw == nil
		answer := ""
		if answered {
			answer = textOf(res)
		} else {
			events = nil
		}
		e.end(s.ID, before, events, answer)
		if !answered {
			return res, err
		}
		events = slices.DeleteFunc(events, func(n session.Event) bool {
			return res.Refused && n.Kind == session.DialogOpened && names(answer, n)
		})
		lines := eventLines(&toolkit.Call{Session: s}, events)
		if set := e.find(s.ID); set != nil {
			n := set.TakeWindows()
			if n.Refused > 0 {
				lines = append(lines, refusedWindows(n))
			}
			lines = append(lines, n.Prompts...)
		}
		if len(lines) > 0 {
			content := toolkit.Content{Text: toolkit.SinceLast + strings.Join(lines, "\n"+toolkit.SinceLast)}
			res.Content = append([]toolkit.Content{content}, res.Content...)
		}
		return res, nil
	}
}

// begin records a call and returns the present state and the events since the last answer. Beside
// another call, whose events they may be, there are none.
func (e *Events) begin(client string) (now session.Moment, events []session.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for id := range e.clients {
		if e.find(id) == nil && id != client {
			delete(e.clients, id)
		}
	}
	t := e.clients[client]
	if t == nil {
		t = &reportState{}
		e.clients[client] = t
	}
	if set := e.find(client); set != nil {
		now = set.Moment()
		if t.known && t.running == 0 {
			events = now.Since(t.reported)
		}
	}
	t.running++
	return now, events
}

// end records the events that an answer reports: those before it, and those that its text names.
func (e *Events) end(client string, before session.Moment, events []session.Event, answer string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	t, set := e.clients[client], e.find(client)
	if t == nil {
		return // the session has ended
	}
	t.running--
	if set == nil {
		return
	}
	now := set.Moment()
	base := t.reported
	if len(events) > 0 {
		base = before
	}
	after := now
	for _, event := range now.Since(base) {
		if !names(answer, event) && (event.Kind != session.TabOpened || event.Opener != "") {
			after = after.Without(event, base)
		}
	}
	t.reported, t.known = after, true
}

// textOf is all text of a result.
func textOf(res toolkit.CallResult) string {
	var b strings.Builder
	for _, c := range res.Content {
		b.WriteString(c.Text + "\n")
	}
	b.Write(res.Structured)
	return b.String()
}

// names reports whether an answer says that an event happened.
func names(answer string, e session.Event) bool {
	word := func(id string) bool {
		return regexp.MustCompile(`\b` + regexp.QuoteMeta(id) + `\b`).MatchString(answer)
	}
	switch e.Kind {
	case session.TabOpened:
		return word(e.Tab)
	case session.TabClosed:
		return word(e.Tab) || strings.Contains(answer, "closed")
	case session.TabNavigated:
		return strings.Contains(answer, e.URL) || strings.Contains(answer, strings.ReplaceAll(e.URL, "&", `\u0026`))
	case session.TabLost:
		return strings.Contains(answer, browser.Crashed) || strings.Contains(answer, browser.Discarded)
	case session.DialogOpened:
		return strings.Contains(answer, e.Dialog.Describe())
	default:
		return word(e.Download.ID)
	}
}

func eventLines(call *toolkit.Call, events []session.Event) (lines []string) {
	for _, e := range events {
		lines = append(lines, eventLine(call, e))
	}
	if more := len(lines) - maxEvents; more > 0 {
		lines = append(lines[:maxEvents], fmt.Sprintf("%d more events", more))
	}
	return lines
}

func eventLine(call *toolkit.Call, e session.Event) string {
	address := cmp.Or(text.ClipBytes(e.URL, 200), "(still loading)")
	switch e.Kind {
	case session.TabOpened:
		if e.Opener != "" {
			return fmt.Sprintf("tab %s opened tab %s %s", e.Opener, e.Tab, address)
		}
		return fmt.Sprintf("tab %s opened: %s", e.Tab, address)
	case session.TabClosed:
		return fmt.Sprintf("tab %s closed", e.Tab)
	case session.TabNavigated:
		if e.Document {
			return fmt.Sprintf("tab %s went to %s; earlier refs are gone", e.Tab, address)
		}
		return fmt.Sprintf("tab %s went to %s", e.Tab, address)
	case session.TabLost:
		return e.Reason
	case session.DialogOpened:
		return Dialog(call, e.Tab, *e.Dialog)
	default:
		return DownloadStarted(call, e.Download)
	}
}

func refusedWindows(n browser.WindowCount) string {
	switch {
	case n.Tried == 1:
		return "the page tried to open a window, which was refused"
	case n.Refused == 1:
		return fmt.Sprintf("the page tried to open %d windows; 1 was refused", n.Tried)
	}
	return fmt.Sprintf("the page tried to open %d windows; %d were refused", n.Tried, n.Refused)
}
