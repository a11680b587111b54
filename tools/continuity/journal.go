package continuity

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/continuityapi"
	"github.com/callsheet/callsheet/internal/record/journal"
)

// OcJournal tells what the session's calls did.
func (t *Tools) OcJournal(ctx context.Context, call *toolkit.Call, in continuityapi.OcJournalParams) (toolkit.Result, error) {
	since, err := parseTime(in.Since.Value, time.Now())
	if err != nil {
		return toolkit.Result{}, err
	}
	q := journal.Query{Session: call.Session.ID, Tool: in.Tool.Value, Since: since}
	if in.Action == continuityapi.OcJournalActionRecent {
		q.Limit = in.Count
	}
	entries, err := t.journal.Recent(ctx, q)
	if err != nil {
		return toolkit.Result{}, err
	}
	var lines []string
	switch {
	case len(entries) == 0:
		lines = []string{"no calls"}
	case in.Action == continuityapi.OcJournalActionSummary:
		lines = []string{summary(entries)}
	default:
		for _, e := range entries {
			lines = append(lines, fmt.Sprintf("%s %s %s %s %d ms", e.StartedAt.Format(time.TimeOnly), e.Tool, e.Args, e.Outcome, e.Duration.Milliseconds()))
		}
	}
	return toolkit.Text(strings.Join(append(lines, missing(t.journal.Missing())...), "\n")), nil
}

// missing says which calls of the server the journal lacks.
func missing(waiting, dropped int) (lines []string) {
	if waiting > 0 {
		lines = append(lines, fmt.Sprintf("not written yet: %d entries, because the database is locked or slow", waiting))
	}
	if dropped > 0 {
		lines = append(lines, fmt.Sprintf("lost: %d entries of all sessions, because the database could not be written", dropped))
	}
	return lines
}

// parseTime reads "30m", "2h", "1d" as so long before now, and RFC 3339; "" is the zero time.
func parseTime(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, toolkit.Refuse(toolkit.InvalidArguments,
			fmt.Sprintf("since %q is no time: use 30m, 2h, 1d or 2006-01-02T15:04:05Z", text))
	}
	return at, nil
}

// summary counts: period, calls by tool, refusals by code.
func summary(entries []journal.Entry) string {
	tools, codes, failed := map[string]int{}, map[string]int{}, 0
	var took time.Duration
	for _, e := range entries {
		tools[e.Tool]++
		took += e.Duration
		if e.Outcome != "ok" {
			codes[e.Tool+" "+e.Outcome]++
			failed++
		}
	}
	first, last := entries[0], entries[len(entries)-1]
	out := fmt.Sprintf("%d calls from %s to %s, %d refused, %v in all\n%s", len(entries), first.StartedAt.Format(time.DateTime),
		last.StartedAt.Format(time.DateTime), failed, took.Round(time.Millisecond), counts(tools))
	if failed > 0 {
		out += "\nrefused: " + counts(codes)
	}
	return out
}

// counts lists the most frequent first.
func counts(of map[string]int) string {
	names := slices.SortedFunc(maps.Keys(of), func(a, b string) int {
		if of[a] != of[b] {
			return of[b] - of[a]
		}
		return strings.Compare(a, b)
	})
	for i, name := range names {
		names[i] = fmt.Sprintf("%s %d", name, of[name])
	}
	return strings.Join(names, ", ")
}
