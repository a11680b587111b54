package parallel

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Spec describes a new run.
type Spec struct {
	Session, Name string
	Workers       []Worker // name, address, task and criteria
	WorkerTimeout time.Duration
	Timeout       time.Duration
	StaleAfter    int
}

// Start stores a new run. Its workers are pending.
func (s *Store) Start(ctx context.Context, p Spec) (*Run, error) {
	now := s.now()
	w := &Run{Session: p.Session, Name: p.Name, StaleAfter: p.StaleAfter, Deadline: now.Add(p.Timeout), Workers: p.Workers}
	for i := range w.Workers {
		w.Workers[i].Deadline, w.Workers[i].Status = earliest(now.Add(p.WorkerTimeout), w.Deadline), StatusPending
	}
	return w, s.Create(ctx, w)
}

// Report is an update of a worker. It replaces or adds data by name.
type Report struct {
	Data      map[string]json.RawMessage
	Step      string // what it did; "" for none
	Iteration int    // number of this iteration; 0 is the next
}

// Update stores a report of a worker. A worker that failed because its page broke runs again; one
// that timed out stays so, with the new data.
func (s *Store) Update(ctx context.Context, id, name string, r Report) (Worker, *Run, error) {
	return s.update(ctx, id, name, r.Step, func(w *Run, x *Worker) error {
		fresh, err := x.addData(r.Data)
		if err != nil {
			return err
		}
		if x.UnchangedUpdates++; fresh {
			x.UnchangedUpdates = 0
		}
		if x.Iterations++; r.Iteration > 0 {
			x.Iterations = r.Iteration
		}
		if x.Status == StatusPending || x.Status == StatusFailed && !x.Reported && w.Closed.IsZero() {
			x.Status, x.Reason, x.Finished = StatusRunning, "", time.Time{}
		}
		return nil
	})
}

// Completion is the end of a worker as it reports it. Data adds to its data; a Summary of "" keeps
// the last one.
type Completion struct {
	Status  Status
	Summary string
	Data    map[string]json.RawMessage
}

// Complete stores the final status that a worker reports, also a second time and after its
// deadline. repeated reports whether it had reported one before.
func (s *Store) Complete(ctx context.Context, id, name string, c Completion) (x Worker, w *Run, repeated bool, err error) {
	x, w, err = s.update(ctx, id, name, "", func(_ *Run, x *Worker) error {
		if _, err := x.addData(c.Data); err != nil {
			return err
		}
		repeated = x.Reported
		x.Status, x.Reported, x.Reason, x.Finished = c.Status, true, "", s.now()
		if c.Summary != "" {
			x.Summary = c.Summary
		}
		return nil
	})
	return x, w, repeated, err
}

// update changes one worker in a transaction.
func (s *Store) update(ctx context.Context, id, name, step string, change func(*Run, *Worker) error) (x Worker, w *Run, err error) {
	err = s.store.Change(ctx, func(tx *sql.Tx) error {
		if err := s.expire(ctx, tx, id); err != nil {
			return err
		}
		if w, err = selectRun(ctx, tx, id); err != nil {
			return err
		}
		one := w.worker(name)
		if one == nil {
			known := slicesx.Map(w.Workers, func(o Worker) string { return o.Name })
			return fault.Errorf(codes.NotFound, "workflow %s has no worker %q; there are: %s", id, name, strings.Join(known, ", ")).With("workers", known)
		}
		if err := change(w, one); err != nil {
			return err
		}
		one.Updated = s.now()
		x = *one
		return s.saveWorker(ctx, tx, id, x, step)
	})
	return x, w, err
}

func (s *Store) saveWorker(ctx context.Context, tx *sql.Tx, id string, x Worker, step string) error {
	data, err := Encode(x.Data)
	if err != nil {
		return fmt.Errorf("encode the data of worker %q: %w", x.Name, err)
	}
	var finished int64
	if !x.Finished.IsZero() {
		finished = x.Finished.UnixMilli()
	}
	if _, err := tx.ExecContext(ctx, `UPDATE crew_worker SET status = ?, settled = ?, why = ?, summary = ?, data = ?, iterations = ?, same = ?,
		updated = ?, finished = ? WHERE crew = ? AND name = ?`, string(x.Status), x.Reported, x.Reason, x.Summary, string(data), x.Iterations, x.UnchangedUpdates,
		x.Updated.UnixMilli(), finished, id, x.Name); err != nil {
		return fmt.Errorf("keep the report of %q: %w", x.Name, err)
	}
	if step == "" {
		return nil
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO crew_step (crew, worker, at, text) VALUES (?, ?, ?, ?)", id, x.Name, x.Updated.UnixMilli(), step); err != nil {
		return fmt.Errorf("keep a step of %q: %w", x.Name, err)
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM crew_step WHERE crew = ?1 AND worker = ?2 AND id NOT IN
		(SELECT id FROM crew_step WHERE crew = ?1 AND worker = ?2 ORDER BY id DESC LIMIT ?3)`, id, x.Name, maxSteps)
	return err
}

// Encode returns JSON without HTML escapes, so that stored values compare equal to reported ones.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// addData merges data into the data of a worker by name. It reports whether a value changed.
func (w *Worker) addData(data map[string]json.RawMessage) (fresh bool, err error) {
	all := maps.Clone(w.Data)
	if all == nil {
		all = make(map[string]json.RawMessage)
	}
	size := 2
	for name, value := range data {
		var tight bytes.Buffer
		if err := json.Compact(&tight, value); err != nil {
			return false, fmt.Errorf("read %q of the data: %w", name, err)
		}
		fresh = fresh || !bytes.Equal(all[name], tight.Bytes())
		all[name] = tight.Bytes()
	}
	for name, value := range all {
		size += len(name) + len(value) + 4
	}
	if size > MaxDataBytes {
		return false, fault.Errorf(codes.BudgetExceeded,
			"worker %q would have collected %d bytes, and may have %d; nothing was changed: report less, or in files", w.Name, size, MaxDataBytes)
	}
	w.Data = all
	return fresh, nil
}
