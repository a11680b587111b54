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
	Pending   Status = "pending" // its page is still loading
	Running   Status = "running"
	Succeeded Status = "succeeded"
	Partial   Status = "partial"
	Failed    Status = "failed"
	TimedOut  Status = "timed_out"
)

// Over reports whether nothing more is expected.
func (s Status) Over() bool { return s != Pending && s != Running }

// Worker is one of those who share the work.
type Worker struct {
	Name, URL, Task, Criteria string
	Connection, Tab           string // where its page was opened
	Status                    Status
	Settled                   bool   // the worker itself has said how it ended, not a deadline or a look at its page
	Why                       string // the status is what it is
	Summary                   string
	Data                      map[string]json.RawMessage
	Iterations                int
	Same                      int // updates in a row that brought nothing new
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

// Late reports whether the worker ended after its deadline.
func (w *Worker) Late() bool { return w.Settled && w.Finished.After(w.Deadline) }

// Work is a piece of parallel work.
type Work struct {
	ID, Session string
	Server      string // the process that opened its pages
	Name        string
	Created     time.Time
	Deadline    time.Time
	Stale       int       // after how many updates without new data a worker counts as stale
	Cleaned     time.Time // zero while its contexts may be open
	Workers     []Worker  // in the order they were given
}

// Status is that of the work as a whole: running while anybody is at work, then what all have in common, else partial.
func (w *Work) Status() Status {
	count := make(map[Status]int)
	for _, x := range w.Workers {
		count[x.Status]++
	}
	all := len(w.Workers)
	switch {
	case count[Pending]+count[Running] > 0:
		return Running
	case count[Succeeded] == all:
		return Succeeded
	case count[Failed] == all:
		return Failed
	case count[TimedOut] == all:
		return TimedOut
	case count[Failed]+count[TimedOut] == all:
		return Failed
	}
	return Partial
}

// Unfinished names the workers of whom more is expected.
func (w *Work) Unfinished() []string {
	names := []string{}
	for _, x := range w.Workers {
		if !x.Status.Over() {
			names = append(names, x.Name)
		}
	}
	return names
}

// worker finds a worker by name, or returns nil.
func (w *Work) worker(name string) *Worker {
	for i := range w.Workers {
		if w.Workers[i].Name == name {
			return &w.Workers[i]
		}
	}
	return nil
}

// ErrNone is the answer where there is no parallel work.
var ErrNone = errors.New("there is no parallel work")

// UnknownError says that there is no work of that id, or none of its workers has that name.
type UnknownError struct {
	Work, Worker string   // Worker is "" when the work itself is unknown
	Known        []string // the names of the workers
}

func (e *UnknownError) Error() string {
	if e.Worker == "" {
		return fmt.Sprintf("no workflow has the id %q", e.Work)
	}
	return fmt.Sprintf("workflow %s has no worker %q; there are: %s", e.Work, e.Worker, strings.Join(e.Known, ", "))
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

// TooMuchError says that a worker may not collect so much.
type TooMuchError struct {
	Worker      string
	Bytes, Most int
}

func (e *TooMuchError) Error() string {
	return fmt.Sprintf("worker %q would have collected %d bytes, and may have %d; nothing was changed: report less, or in files",
		e.Worker, e.Bytes, e.Most)
}
