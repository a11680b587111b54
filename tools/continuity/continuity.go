// Package continuity implements the tools of area continuity: what an agent finds again after
// losing its context, its process or its browser.
//
// It renders stored rows and restores tabs; internal/record/journal stores the rows.
package continuity

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/continuityapi"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	journal  *journal.Journal
	memory   *journal.Memory
	memos    *journal.Memos
	redact   func(string) string
}

// New makes the handlers on a store; redact, unless it is nil, takes out of what pages say what
// must not be kept.
func New(sessions session.Lookup, s *database.Store, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{
		sessions: sessions, redact: redact,
		journal: journal.NewJournal(s, nil), memory: journal.NewMemory(s), memos: journal.NewMemos(s),
	}
}

var _ continuityapi.Handlers = (*Tools)(nil)

// Memory records, finds and judges notes about sites.
func (t *Tools) Memory(ctx context.Context, _ *toolkit.Call, in continuityapi.MemoryParams) (toolkit.Result, error) {
	switch in.Action {
	case continuityapi.MemoryActionRecord:
		n, err := t.memory.Record(ctx, in.Domain.Value, in.Key.Value, in.Value.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("recorded as %d, confidence %.1f", n.ID, n.Confidence), nil
	case continuityapi.MemoryActionValidate:
		n, dropped, err := t.memory.Validate(ctx, int64(in.ID.Value), in.Success.Value)
		switch {
		case errors.Is(err, journal.ErrNoteNotFound):
			return toolkit.Result{}, toolkit.Refuse(codes.NotFound, fmt.Sprintf("no note has the id %d; query lists them", in.ID.Value))
		case err != nil:
			return toolkit.Result{}, err
		case dropped:
			return toolkit.Textf("dropped %d: it was wrong too often", n.ID), nil
		}
		return toolkit.Textf("%d has confidence %.1f now", n.ID, n.Confidence), nil
	case continuityapi.MemoryActionQuery:
	}
	return t.query(ctx, in)
}

// maxNotes bounds a query's answer.
const maxNotes = 50

func (t *Tools) query(ctx context.Context, in continuityapi.MemoryParams) (toolkit.Result, error) {
	notes, err := t.memory.Query(ctx, in.Domain.Value, in.Key.Value, maxNotes)
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(notes) == 0 {
		return toolkit.Textf("no notes about %s", in.Domain.Value), nil
	}
	var lines []string
	for _, n := range notes {
		lines = append(lines, fmt.Sprintf("%d %s = %s (%.1f)", n.ID, fence.Line(n.Key), fence.Block(n.Value, "  "), n.Confidence))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// OcConnectionHealth asks each of the session's browsers for a sign of life.
func (t *Tools) OcConnectionHealth(ctx context.Context, call *toolkit.Call, _ continuityapi.OcConnectionHealthParams) (toolkit.Result, error) {
	set := t.sessions.Set(call)
	var lines []string
	for _, info := range set.List(ctx) {
		c, err := set.Get(info.ID)
		if err != nil { // disconnected just now
			continue
		}
		line := info.ID + ": "
		switch took, ok, err := c.Ping(ctx); {
		case err != nil:
			line += "does not answer: " + err.Error()
		case !ok && info.BrowserGone:
			line += "its browser has ended; the next call starts it again"
		case !ok:
			line += "no browser yet; the first call that needs one starts it"
		default:
			line += fmt.Sprintf("answers in %v, %s, %s", took.Round(10*time.Microsecond), info.Version, text.Count(len(info.Tabs), "tab"))
		}
		lines = append(lines, line+health(info.Tabs))
	}
	return toolkit.Text(strings.Join(lines, "\n")), nil
}
