package jobs

import (
	"context"
	"database/sql"
	"errors"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// ErrEnded is the error of a change to a job that no longer runs.
var ErrEnded = fault.New(codes.Failed, "the job has ended")

// The methods below are for a Kind, inside the transactions that change its own tables: they are
// its only access to the table of jobs. Their error is ErrEnded where the job is not running, if
// not stated otherwise.

// JobSpec returns the spec of a running job as it is now.
func (t Tx) JobSpec(ctx context.Context, job string) (string, error) {
	var state, spec string
	err := t.Row(ctx, "SELECT state, spec FROM callsheet_job WHERE id = ?", job).Scan(&state, &spec)
	if errors.Is(err, sql.ErrNoRows) || err == nil && state != StateRunning {
		return "", ErrEnded
	}
	return spec, err
}

// SetJobSpec replaces the spec of a job, whatever its state.
func (t Tx) SetJobSpec(ctx context.Context, job, spec string) error {
	_, err := t.Exec(ctx, "UPDATE callsheet_job SET spec = ? WHERE id = ?", spec, job)
	return err
}

// AddSteps adds to the number of known steps of a job, whatever its state.
func (t Tx) AddSteps(ctx context.Context, job string, n int64) error {
	_, err := t.Exec(ctx, "UPDATE callsheet_job SET total = total + ? WHERE id = ?", n, job)
	return err
}

// CompleteStep counts one step as done and returns the number of done and of known steps. It locks
// the row of the job until the transaction ends, so that the steps of a job complete one after the
// other.
func (t Tx) CompleteStep(ctx context.Context, job string) (done, total int64, err error) {
	err = t.Row(ctx, "UPDATE callsheet_job SET done = done + 1 WHERE id = ? AND state = ? RETURNING done, total", job, StateRunning).
		Scan(&done, &total)
	if errors.Is(err, sql.ErrNoRows) {
		err = ErrEnded
	}
	return done, total, err
}

// CountFailedStep counts a completed step as failed, whatever the state of the job.
func (t Tx) CountFailedStep(ctx context.Context, job string) error {
	_, err := t.Exec(ctx, "UPDATE callsheet_job SET failed = failed + 1 WHERE id = ?", job)
	return err
}

// FinishJob marks a job as done.
func (t Tx) FinishJob(ctx context.Context, job string) error {
	n, err := t.Exec(ctx, "UPDATE callsheet_job SET state = ?, finished = {now} WHERE id = ? AND state = ?", StateDone, job, StateRunning)
	if err == nil && n == 0 {
		err = ErrEnded
	}
	return err
}
