package browser

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/browser/queue"
	"github.com/callsheet/callsheet/internal/powertest"
)

// waitForOpenings waits until so many tabs wait to be opened.
func waitForOpenings(t *testing.T, b *Browser, n int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); b.openings.Waiting() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d wait, want %d", b.openings.Waiting(), n)
		}
	}
}

// TestSessionsTakeTurnsToOpenTabs has one session ask for many tabs before another asks for one.
func TestSessionsTakeTurnsToOpenTabs(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true})
	b.openings = queue.New(1, "tabs to open")
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	greedy, modest := b.IsolatedSession("greedy"), b.IsolatedSession("modest")
	if _, err := greedy.OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatal(err)
	}
	release, err := b.openings.Acquire(ctx, "test")
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan string, 10)
	open := func(s *Session) {
		if _, err := s.OpenBlank(ctx, powertest.Window); err != nil {
			t.Error(err)
		}
		opened <- s.ID()
	}
	const many = 5
	for range many {
		go open(greedy)
	}
	waitForOpenings(t, b, many)
	go open(modest)
	waitForOpenings(t, b, many+1)
	release()
	before := 0
	for id := range opened {
		if id == modest.ID() {
			break
		}
		before++
	}
	if before > 2 { // its turn is the second; the report of the third can overtake it
		t.Errorf("%d tabs of the other session opened before", before)
	}
	for range many - before {
		<-opened
	}
}

// TestOpeningEndsWithItsCall gives up while a tab waits to be opened.
func TestOpeningEndsWithItsCall(t *testing.T) {
	t.Parallel()
	b := New(Config{Headless: true})
	b.openings = queue.New(1, "tabs to open")
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	release, err := b.openings.Acquire(t.Context(), "test")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	s := b.IsolatedSession("late")
	failed := make(chan error, 1)
	go func() {
		_, err := s.OpenBlank(ctx, powertest.Window)
		failed <- err
	}()
	waitForOpenings(t, b, 1)
	cancel(context.DeadlineExceeded)
	late := (*queue.TimeoutError)(nil)
	if err := <-failed; !errors.As(err, &late) {
		t.Errorf("got %v", err)
	}
	release()
	if _, err := s.OpenBlank(t.Context(), powertest.Window); err != nil || len(s.TabIDs()) != 1 {
		t.Errorf("%v, tabs %v", err, s.TabIDs())
	}
}

// TestAnEndedSessionLeavesNoPage ends a session whose caller has no time left, as happens when a
// busy browser closes hundreds of tabs.
func TestAnEndedSessionLeavesNoPage(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	s := shared.IsolatedSession("leaves-no-page")
	tab, _, err := s.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/stay", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	shared.EndSession(over, s.ID())
	for {
		res, err := cdp.Call(ctx, tab.instance.conn, target.GetTargets, target.GetTargetsParams{})
		if err != nil {
			t.Fatalf("the page is still open: %v", err)
		}
		if !slices.ContainsFunc(res.TargetInfos, func(i *target.Info) bool { return i.TargetID == tab.target }) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
