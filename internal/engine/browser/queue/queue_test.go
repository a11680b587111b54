package queue_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/queue"
)

// waitFor waits until so much work waits.
func waitFor(t *testing.T, q *queue.Queue, n int) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); q.Waiting() != n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d wait, want %d", q.Waiting(), n)
		}
	}
}

// TestOwnersTakeTurns has one owner ask for four slots before two others ask for one each.
func TestOwnersTakeTurns(t *testing.T) {
	q := queue.New(1, "things")
	release, err := q.Acquire(t.Context(), "greedy")
	if err != nil {
		t.Fatal(err)
	}
	started := make(chan string)
	for i, name := range []string{"greedy", "greedy", "greedy", "greedy", "ada", "bob"} {
		go func() {
			if release, err := q.Acquire(t.Context(), name); err == nil {
				started <- name
				release()
			}
		}()
		waitFor(t, q, i+1)
	}
	release()
	var order []string
	for range 6 {
		order = append(order, <-started)
	}
	if want := []string{"greedy", "ada", "bob", "greedy", "greedy", "greedy"}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v", order, want)
	}
	waitFor(t, q, 0)
}

// TestGivingUpLeavesTheQueue ends the call of waiting work: the slot goes to the others.
func TestGivingUpLeavesTheQueue(t *testing.T) {
	q := queue.New(1, "things")
	release, err := q.Acquire(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	failed := make(chan error)
	go func() {
		_, err := q.Acquire(ctx, "bob")
		failed <- err
	}()
	waitFor(t, q, 1)
	cancel(context.DeadlineExceeded)
	err = <-failed
	if late := (*queue.TimeoutError)(nil); !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if n := q.Waiting(); n != 0 {
		t.Errorf("%d wait", n)
	}
	release()
	if release, err = q.Acquire(t.Context(), "eve"); err != nil {
		t.Fatal(err)
	}
	release()
}
