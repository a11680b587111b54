package crawl

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/callsheet/callsheet/internal/work/jobs"
)

// Trap is a pattern of addresses that exceeded its budget.
type Trap struct {
	Pattern string `json:"pattern"`
	Pages   int64  `json:"pages"`
	Dropped int64  `json:"dropped"`
}

// Report is the progress of a crawl.
type Report struct {
	jobs.Job
	Outcomes map[string]int64 `json:"outcomes"` // pages by outcome, and dropped addresses by reason
	Depth    int64            `json:"depth"`    // of the deepest page that was acknowledged
	Traps    []Trap           `json:"traps,omitempty"`
}

// Inspect reports on a crawl.
func Inspect(ctx context.Context, all *jobs.Jobs, id string) (Report, error) {
	job, err := all.Get(ctx, id)
	if err != nil {
		return Report{}, err
	}
	r := Report{Job: job, Outcomes: make(map[string]int64)}
	if job.Kind != KindName {
		return r, nil
	}
	db, err := all.DB(ctx)
	if err != nil {
		return Report{}, err
	}
	rows, err := db.Autocommit().Query(ctx, "SELECT what, n FROM crawl_count WHERE crawl = ?", id)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	for rows.Next() {
		var what string
		var n int64
		if err := rows.Scan(&what, &n); err != nil {
			return Report{}, err
		}
		r.Outcomes[what] = n
	}
	if err := rows.Err(); err != nil {
		return Report{}, err
	}
	_ = rows.Close() // the queries below need the connection
	if r.Traps, err = selectTraps(ctx, db, id); err != nil {
		return Report{}, err
	}
	err = db.Autocommit().Row(ctx, "SELECT coalesce(max(depth), 0) FROM crawl_page WHERE crawl = ? AND state = "+stateAcknowledged, id).Scan(&r.Depth)
	return r, err
}

func selectTraps(ctx context.Context, db *jobs.DB, id string) ([]Trap, error) {
	rows, err := db.Autocommit().Query(ctx, "SELECT pattern, pages, dropped FROM crawl_pattern WHERE crawl = ? AND dropped > 0 ORDER BY dropped DESC, pattern LIMIT 5", id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var all []Trap
	for rows.Next() {
		var t Trap
		if err := rows.Scan(&t.Pattern, &t.Pages, &t.Dropped); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, rows.Err()
}

// resultBatch is the number of results that one query reads, so that SQLite is not locked for long.
const resultBatch = 100

// EachResult calls yield with each result after a sequence number, in order, as a line of JSON. It
// stops when yield returns false.
func EachResult(ctx context.Context, all *jobs.Jobs, id string, after int64, yield func(seq int64, line []byte) bool) error {
	db, err := all.DB(ctx)
	if err != nil {
		return err
	}
	for {
		part, err := selectResults(ctx, db, id, after)
		if err != nil {
			return err
		}
		for _, l := range part {
			line, err := inflate(l.body)
			if err != nil {
				return err
			}
			if after = l.seq; !yield(after, line) {
				return nil
			}
		}
		if len(part) < resultBatch {
			return nil
		}
	}
}

type storedResult struct {
	seq  int64
	body []byte
}

func selectResults(ctx context.Context, db *jobs.DB, id string, after int64) ([]storedResult, error) {
	rows, err := db.Autocommit().Query(ctx, "SELECT seq, body FROM crawl_result WHERE crawl = ? AND seq > ? ORDER BY seq LIMIT ?", id, after, resultBatch)
	if err != nil {
		return nil, fmt.Errorf("read the results: %w", err)
	}
	defer func() { _ = rows.Close() }() // its error is rows.Err's
	var part []storedResult
	for rows.Next() {
		var s storedResult
		if err := rows.Scan(&s.seq, &s.body); err != nil {
			return nil, err
		}
		part = append(part, s)
	}
	return part, rows.Err()
}

// WriteResults writes the results after a sequence number as JSON Lines, and returns the last
// number written.
func WriteResults(ctx context.Context, all *jobs.Jobs, id string, after int64, to io.Writer) (cursor int64, err error) {
	cursor = after
	var failed error
	err = EachResult(ctx, all, id, after, func(seq int64, line []byte) bool {
		if _, failed = to.Write(append(line, '\n')); failed == nil {
			cursor = seq
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	return cursor, err
}

func marshalSpec(spec Spec) (json.RawMessage, error) {
	text, err := json.Marshal(spec)
	if err != nil {
		return nil, fmt.Errorf("write the description of a crawl: %w", err)
	}
	return text, nil
}
