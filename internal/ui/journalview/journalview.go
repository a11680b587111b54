// Package journalview is the view of the ui that shows the journal: calls, and decisions of the policy.
//
// The journal holds no values of arguments, and the view shows what it holds. It must not know tools.
package journalview

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/ui"
)

// DecisionTool is the tool of the entries that are decisions of the policy.
const DecisionTool = "policy"

// pageSize is the number of entries of a page.
const pageSize = 100

// Entry is a call or a decision.
type Entry struct {
	ID        int64           `json:"id"`
	Session   string          `json:"session"`
	Tool      string          `json:"tool"` // "" for a decision
	StartedAt time.Time       `json:"at"`
	Millis    int64           `json:"ms"`
	Outcome   string          `json:"outcome"` // "ok", the code of a refusal, or the verdict of a decision
	Args      json.RawMessage `json:"args"`    // of a call, shortened; of a decision {kind, target, rule, count}
}

// Page is a part of the journal, the latest entry first.
type Page struct {
	Kept    bool    `json:"kept"` // false: this server keeps no journal
	Entries []Entry `json:"entries"`
	Next    int64   `json:"next,omitempty"` // the parameter before of the next page; 0: this is the last
	Dropped int     `json:"dropped,omitempty"`
}

// View registers the requests of the view. calls may be nil.
//
//	GET journal?session=&tool=&outcome=&since=&until=&before=  a Page; times are RFC 3339
//	GET journal/values                                         values for filters
func View(calls *journal.Journal) ui.View {
	return func(api *ui.API) {
		api.Has("journal")
		api.Get("journal", func(r *http.Request) (any, error) { return read(calls, r) })
		api.Get("journal/values", func(r *http.Request) (any, error) {
			if calls == nil {
				return journal.Values{Sessions: []string{}, Tools: []string{}, Outcomes: []string{}}, nil
			}
			return calls.Values(r.Context())
		})
	}
}

func read(calls *journal.Journal, r *http.Request) (any, error) {
	out := Page{Kept: calls != nil, Entries: []Entry{}}
	if calls == nil {
		return out, nil
	}
	q, err := query(r)
	if err != nil {
		return nil, err
	}
	q.Limit = pageSize + 1
	entries, err := calls.Recent(r.Context(), q)
	if err != nil {
		return nil, err
	}
	if len(entries) > pageSize {
		entries = entries[1:]
		out.Next = entries[0].ID
	}
	for i := len(entries) - 1; i >= 0; i-- {
		out.Entries = append(out.Entries, entryOf(entries[i]))
	}
	_, out.Dropped = calls.Missing()
	return out, nil
}

func entryOf(e journal.Entry) Entry {
	out := Entry{
		ID: e.ID, Session: e.Session, Tool: e.Tool, StartedAt: e.StartedAt, Millis: e.Duration.Milliseconds(), Outcome: e.Outcome, Args: json.RawMessage(e.Args),
	}
	if e.Tool == DecisionTool {
		out.Tool = ""
	}
	if !json.Valid(out.Args) {
		out.Args = json.RawMessage("{}")
	}
	return out
}

func query(r *http.Request) (q journal.Query, err error) {
	v := r.URL.Query()
	q.Session, q.Tool, q.Outcome = v.Get("session"), v.Get("tool"), v.Get("outcome")
	for name, into := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
		if text := v.Get(name); text != "" {
			if *into, err = time.Parse(time.RFC3339, text); err != nil {
				return q, &ui.Error{Status: http.StatusBadRequest, Message: fmt.Sprintf("%s: %.40q is no time such as 2026-01-02T15:04:05Z", name, text)}
			}
		}
	}
	q.Before, err = ui.Number(r, "before", 0, 1, math.MaxInt64)
	return q, err
}
