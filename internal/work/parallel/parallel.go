// Package parallel keeps parallel work: a piece of work that several workers share, what each has collected, and how far each
// is. The tools call it a workflow; package workflow is about those that are written in files.
//
// Everything is a row in internal/storage/database, there when the call that wrote it is answered, so that it outlives the browser and
// the process. Nothing that was collected is ever taken away: data is added to, and a deadline changes a status alone. The
// package must not know browsers: whether a page still lives is told to it.
package parallel

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Status is how far a worker, or the work as a whole, is.
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

// IsFinal reports whether nothing more is expected.
func (s Status) IsFinal() bool { return s != StatusPending && s != StatusRunning }

// Worker is one of those who share the work.
type Worker struct {
	Name, URL, Task, Criteria string
	Connection, Tab           string // where its page was opened
	Status                    Status
	Reported                  bool   // the worker itself has said how it ended, not a deadline or a look at its page
	Reason                    string // the status is what it is
	Summary                   string
	Data                      map[string]json.RawMessage
	Iterations                int
	UnchangedUpdates          int // updates in a row that brought nothing new
	Deadline                  time.Time
	Updated                   time.Time
	Finished                  time.Time // zero while it is at work
	Steps                     []Step    // the latest, oldest first; only where they are asked for
}

// Step is what a worker said it did.
type Step struct {
	At   time.Time
	Text string
}

// IsLate reports whether the worker ended after its deadline.
func (w *Worker) IsLate() bool { return w.Reported && w.Finished.After(w.Deadline) }

// Run is a piece of parallel work.
type Run struct {
	ID, Session string
	Process     string // the process that opened its pages
	Name        string
	Created     time.Time
	Deadline    time.Time
	StaleAfter  int       // after how many updates without new data a worker counts as stale
	Closed      time.Time // zero while its contexts may be open
	Workers     []Worker  // in the order they were given
}

// Status is that of the work as a whole: running while anybody is at work, then what all have in common, else partial.
func (w *Run) Status() Status {
	count := make(map[Status]int)
	for _, x := range w.Workers {
		count[x.Status]++
	}
	all := len(w.Workers)
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

// Unfinished names the workers of whom more is expected.
func (w *Run) Unfinished() []string {
	names := []string{}
	for _, x := range w.Workers {
		if !x.Status.IsFinal() {
			names = append(names, x.Name)
		}
	}
	return names
}

// worker finds a worker by name, or returns nil.
func (w *Run) worker(name string) *Worker {
	for i := range w.Workers {
		if w.Workers[i].Name == name {
			return &w.Workers[i]
		}
	}
	return nil
}

// ErrNoRun is the answer where there is no parallel work.
var ErrNoRun = errors.New("there is no parallel work")

// UnknownError says that there is no work of that id, or none of its workers has that name.
type UnknownError struct {
	Run, Worker string   // Worker is "" when the work itself is unknown
	Known       []string // the names of the workers
}

func (e *UnknownError) Error() string {
	if e.Worker == "" {
		return fmt.Sprintf("no workflow has the id %q", e.Run)
	}
	return fmt.Sprintf("workflow %s has no worker %q; there are: %s", e.Run, e.Worker, strings.Join(e.Known, ", "))
}

// AmbiguousError says that a call that names no work could mean several.
type AmbiguousError struct{ IDs, Names []string }

func (e *AmbiguousError) Error() string {
	lines := make([]string, len(e.IDs))
	for i := range lines {
		lines[i] = fmt.Sprintf("%s (%s)", e.IDs[i], e.Names[i])
	}
	return "there are several workflows; say which: " + strings.Join(lines, ", ")
}

// DataLimitError says that a worker may not collect so much.
type DataLimitError struct {
	Worker       string
	Bytes, Limit int
}

func (e *DataLimitError) Error() string {
	return fmt.Sprintf("worker %q would have collected %d bytes, and may have %d; nothing was changed: report less, or in files",
		e.Worker, e.Bytes, e.Limit)
}
