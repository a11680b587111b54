package jobs

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// setBackTolerance is the longest set-back of the clock that is left alone. What waits for a time in
// the database waits that much longer.
const setBackTolerance = time.Second

// TimeShifter is a Kind whose tables hold times that its steps wait for.
type TimeShifter interface {
	// ShiftTimes makes the times that are still ahead earlier, because the clock was set back.
	ShiftTimes(ctx context.Context, tx Tx, by time.Duration) error
}

// renewal is the last heartbeat of a worker.
type renewal struct {
	done  time.Time // after the statement; its monotonic reading counts
	now   int64     // by the clock of the database, in Unix milliseconds
	until int64     // the end of the lease that it wrote
}

// setBack returns by how much the clock of the database was set back since the renewal; 0 for less
// than setBackTolerance. now is its present time and began a moment before that was read.
//
// Only a clock that falls behind the monotonic one counts. One that runs ahead may be that of a
// machine that slept, and what it makes due early does not stall.
func (r renewal) setBack(began time.Time, now int64) time.Duration {
	back := began.Sub(r.done) - time.Duration(now-r.now)*time.Millisecond
	if r.until == 0 || back < setBackTolerance {
		return 0
	}
	return back
}

// correctTimes makes the times in the database earlier if its clock was set back since the last
// heartbeat, and returns by how much; 0 if another process has done so, which this one sees by the
// end of its own lease.
func (w *worker) correctTimes(ctx context.Context, tx Tx, began time.Time, now int64) (time.Duration, error) {
	back := w.last.setBack(began, now)
	if back == 0 {
		return 0, nil
	}
	var until int64
	err := tx.Row(ctx, "SELECT until FROM callsheet_worker WHERE id = ?", w.id).Scan(&until)
	if errors.Is(err, sql.ErrNoRows) || err == nil && until != w.last.until {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	if _, err := tx.Exec(ctx, "UPDATE callsheet_worker SET until = until - ?", back.Milliseconds()); err != nil {
		return 0, err
	}
	for _, k := range w.jobs.cfg.Kinds {
		if s, ok := k.(TimeShifter); ok {
			if err := s.ShiftTimes(ctx, tx, back); err != nil {
				return 0, err
			}
		}
	}
	return back, nil
}

// rescheduleRuns makes runs available that the queue would start later than that.
func (w *worker) rescheduleRuns(ctx context.Context, later time.Duration) error {
	list, err := w.queue.JobList(ctx, river.NewJobListParams().Kinds(runArgs{}.Kind()).
		States(rivertype.JobStateAvailable, rivertype.JobStateRetryable, rivertype.JobStateScheduled).First(10000))
	if err != nil {
		return err
	}
	for _, r := range list.Jobs {
		if time.Until(r.ScheduledAt) <= later {
			continue
		}
		if _, err := w.queue.JobRetry(ctx, r.ID); err != nil && !errors.Is(err, rivertype.ErrNotFound) {
			return err
		}
	}
	return nil
}
