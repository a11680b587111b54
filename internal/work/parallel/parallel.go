// Package parallel keeps parallel runs: the workers of each, the data that each has collected, and
// its progress. The tools call a run a workflow; package workflow is about workflows in files.
//
// Every call writes its rows before it returns, so that a run outlives the browser and the process.
// Collected data stays: a report adds to it, and a deadline changes only the status. The package
// must not know browsers: its caller reports whether a page is still open.
package parallel

import (
	"encoding/json"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Status is the status of a worker or of a run.
type Status string

// The statuses.
const (
	StatusPending   Status = "pending" // its page is still loading
	StatusRunning   Status = "running"
	StatusSucceeded Status = "succeeded"
	StatusPartial   Status = "partial"
	StatusFailed    Status = "failed"
	StatusTimedOut  Status = "timed_out"
)

// IsFinal reports whether the worker or the run has ended.
func (s Status) IsFinal() bool { return s != StatusPending && s != StatusRunning }

// Worker is one worker of a run.
type Worker struct {
	Name, URL, Task, Criteria string
	Connection, Tab           string // where its page was opened
	Status                    Status
	Reported                  bool   // the worker reported the status itself; no deadline or closed page set it
	Reason                    string // of the status
	Summary                   string
	Data                      map[string]json.RawMessage
	Iterations                int
	UnchangedUpdates          int // consecutive updates without new data
	Deadline                  time.Time
	Updated                   time.Time
	Finished                  time.Time // zero while it is running
	Steps                     []Step    // the latest, oldest first; Load fills it on request
}

// Step is an action that a worker reported.
type Step struct {
	At   time.Time
	Text string
}

// IsLate reports whether the worker ended after its deadline.
func (w *Worker) IsLate() bool { return w.Reported && w.Finished.After(w.Deadline) }

// Run is one parallel run.
type Run struct {
	ID, Session string
	Process     string // the process that opened its pages
	Name        string
	Created     time.Time
	Deadline    time.Time
	StaleAfter  int       // updates without new data after which a worker counts as stale
	Closed      time.Time // zero while its contexts may be open
	Workers     []Worker  // in the order they were given
}

// Status returns running while a worker is, then the status that all workers share, and otherwise
// partial.
func (r *Run) Status() Status {
	count := make(map[Status]int)
	for _, x := range r.Workers {
		count[x.Status]++
	}
	all := len(r.Workers)
	switch {
	case count[StatusPending]+count[StatusRunning] > 0:
		return StatusRunning
	case count[StatusSucceeded] == all:
		return StatusSucceeded
	case count[StatusFailed] == all:
		return StatusFailed
	case count[StatusTimedOut] == all:
		return StatusTimedOut
	case count[StatusFailed]+count[StatusTimedOut] == all:
		return StatusFailed
	}
	return StatusPartial
}

// Unfinished returns the names of the workers that have not ended.
func (r *Run) Unfinished() []string {
	names := []string{}
	for _, x := range r.Workers {
		if !x.Status.IsFinal() {
			names = append(names, x.Name)
		}
	}
	return names
}

// worker finds a worker by name, or returns nil.
func (r *Run) worker(name string) *Worker {
	for i := range r.Workers {
		if r.Workers[i].Name == name {
			return &r.Workers[i]
		}
	}
	return nil
}

// ErrNoRun is the error of a session without a run.
var ErrNoRun = fault.New(codes.NotFound, "this session has no workflow")
