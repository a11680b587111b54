package parallel_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/parallel"
)

func places(t *testing.T, n int) []*parallel.Store {
	t.Helper()
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out := make([]*parallel.Store, n)
	for i := range out {
		db := database.New(dir) // as another process has it
		t.Cleanup(func() { _ = db.Close() })
		out[i] = parallel.New(db)
	}
	return out
}

func begin(t *testing.T, s *parallel.Store, session string, workers ...string) *parallel.Run {
	t.Helper()
	p := parallel.Spec{Session: session, Name: "n", WorkerTimeout: time.Hour, Timeout: time.Hour, StaleAfter: 3}
	for _, name := range workers {
		p.Workers = append(p.Workers, parallel.Worker{Name: name})
	}
	w, err := s.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestNoReportIsLost has two processes report for one worker at the same time.
func TestNoReportIsLost(t *testing.T) {
	t.Parallel()
	both := places(t, 2)
	w := begin(t, both[0], "s", "a")
	const each = 40
	var all sync.WaitGroup
	for p, s := range both {
		all.Go(func() {
			for i := range each {
				data := map[string]json.RawMessage{fmt.Sprintf("%d-%d", p, i): json.RawMessage("1")}
				if _, _, err := s.Update(t.Context(), w.ID, "a", parallel.Report{Data: data, Step: "step"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	got, err := both[1].Load(t.Context(), w.ID, true)
	if err != nil {
		t.Fatal(err)
	}
	if x := got.Workers[0]; len(x.Data) != 2*each || x.Iterations != 2*each || len(x.Steps) != 2*each || x.Status != parallel.StatusRunning {
		t.Errorf("%d names, %d iterations, %d steps, %s", len(x.Data), x.Iterations, len(x.Steps), x.Status)
	}
}

// TestFindMeansTheNearest looks for work without naming it.
func TestFindMeansTheNearest(t *testing.T) {
	t.Parallel()
	both := places(t, 2)
	here, there := both[0], both[1]
	find := func(session, worker string) (string, error) { return here.Find(t.Context(), session, "", worker) }
	if _, err := find("s", ""); !errors.Is(err, parallel.ErrNoRun) {
		t.Errorf("in nothing: %v", err)
	}
	old := begin(t, there, "s", "a")
	if id, err := find("s", ""); err != nil || id != old.ID {
		t.Errorf("%s, %v", id, err)
	}
	mine := begin(t, here, "s", "a", "b")
	if id, err := find("s", ""); err != nil || id != mine.ID { // what this process began comes first
		t.Errorf("%s, %v", id, err)
	}
	second := begin(t, here, "s", "a")
	isAmbiguous := func(err error) bool {
		coded, ok := errors.AsType[fault.Coded](err)
		return ok && coded.Code() == codes.Ambiguous && len(fault.FieldsOf(coded)[0].Value.([]string)) == 2
	}
	if _, err := find("s", ""); !isAmbiguous(err) {
		t.Errorf("%v", err)
	}
	if id, err := find("s", "b"); err != nil || id != mine.ID {
		t.Errorf("%s, %v", id, err)
	}
	if _, err := find("s", "c"); !isAmbiguous(err) {
		t.Errorf("of a worker that none of two has: %v", err)
	}
	if err := here.MarkClosed(t.Context(), second.ID); err != nil {
		t.Fatal(err)
	}
	if id, err := find("s", ""); err != nil || id != mine.ID {
		t.Errorf("%s, %v", id, err)
	}
	if _, err := find("another", ""); !errors.Is(err, parallel.ErrNoRun) {
		t.Errorf("another session's: %v", err)
	}
}

func TestStatusesOfTheWhole(t *testing.T) {
	t.Parallel()
	for want, in := range map[parallel.Status][][]parallel.Status{
		parallel.StatusRunning:   {{parallel.StatusPending}, {parallel.StatusSucceeded, parallel.StatusRunning}, {parallel.StatusFailed, parallel.StatusPending}},
		parallel.StatusSucceeded: {{parallel.StatusSucceeded}, {parallel.StatusSucceeded, parallel.StatusSucceeded}},
		parallel.StatusFailed:    {{parallel.StatusFailed}, {parallel.StatusFailed, parallel.StatusTimedOut}},
		parallel.StatusTimedOut:  {{parallel.StatusTimedOut, parallel.StatusTimedOut}},
		parallel.StatusPartial:   {{parallel.StatusPartial}, {parallel.StatusSucceeded, parallel.StatusFailed}, {parallel.StatusSucceeded, parallel.StatusTimedOut}, {parallel.StatusPartial, parallel.StatusFailed}},
	} {
		for _, statuses := range in {
			var w parallel.Run
			for _, s := range statuses {
				w.Workers = append(w.Workers, parallel.Worker{Status: s})
			}
			if got := w.Status(); got != want {
				t.Errorf("%v together are %s, want %s", statuses, got, want)
			}
		}
	}
}

// TestWhoIsOverStaysSo has a page break after its worker is done, and before.
func TestWhoIsOverStaysSo(t *testing.T) {
	t.Parallel()
	s := places(t, 1)[0]
	w := begin(t, s, "s", "done", "broken")
	if _, _, again, err := s.Complete(t.Context(), w.ID, "done", parallel.Completion{Status: parallel.StatusSucceeded, Summary: "yes"}); err != nil || again {
		t.Fatal(again, err)
	}
	for _, name := range []string{"done", "broken"} {
		if err := s.MarkFailed(t.Context(), w.ID, name, "the page crashed"); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Load(t.Context(), w.ID, false)
	if err != nil || got.Workers[0].Status != parallel.StatusSucceeded || got.Workers[1].Status != parallel.StatusFailed || got.Workers[1].Reason == "" {
		t.Errorf("%+v, %v", got, err)
	}
	x, _, err := s.Update(t.Context(), w.ID, "broken", parallel.Report{}) // it has reloaded its page
	if err != nil || x.Status != parallel.StatusRunning || x.Reason != "" {
		t.Errorf("%+v, %v", x, err)
	}
}
