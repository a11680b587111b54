package browser

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/personhold"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// holdSession holds the session of a tab until the end of the test.
func holdSession(t *testing.T, tab *Tab) (*personhold.Holds, *personhold.Hold) {
	t.Helper()
	holds := tab.session.browser.cfg.Holds
	hold, ok := holds.Start(tab.session.id)
	if !ok {
		t.Fatal("the session is held already")
	}
	t.Cleanup(hold.End)
	return holds, hold
}

func nothing(context.Context, *page.Page) error { return nil }

// TestHeldCallsWait holds a session: calls of the agent wait, others do not, and those that began before the person changed
// something fail.
func TestHeldCallsWait(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab := openTab(t, "/a")
	holds, hold := holdSession(t, tab)
	if _, ok := holds.Start(tab.session.id); ok {
		t.Error("a session is held twice")
	}
	if err := tab.Do(ctx, nothing); err != nil {
		t.Errorf("a call that reads: %v", err)
	}
	agent := personhold.WithAgent(ctx, holds.Epoch())
	short, cancel := context.WithTimeout(agent, 20*time.Millisecond)
	defer cancel()
	held := new(personhold.HeldError)
	if err := tab.Do(short, nothing); !errors.As(err, &held) || !held.Begun {
		t.Errorf("a call of the agent at its deadline: %v", err)
	}
	for name, fn := range map[string]func(context.Context) error{
		"close":  func(ctx context.Context) error { return tab.session.CloseTab(ctx, tab.id) },
		"select": func(ctx context.Context) error { _, err := tab.session.Select(ctx, tab.id); return err },
		"dialog": func(ctx context.Context) error { return tab.Dialogs.Handle(ctx, true, "") },
		"open":   func(ctx context.Context) error { _, err := tab.session.newTab(ctx); return err },
	} {
		if err := fn(short); !errors.As(err, &held) {
			t.Errorf("%s: %v", name, err)
		}
	}
	waiting := make(chan error, 1)
	go func() { waiting <- tab.Do(agent, nothing) }()
	hold.End()
	if err := <-waiting; err != nil {
		t.Errorf("nothing was changed, and the call ends with %v", err)
	}
	hold, _ = holds.Start(tab.session.id)
	hold.NoteChange()
	go func() { waiting <- tab.Do(agent, nothing) }()
	hold.End()
	if err := <-waiting; !errors.As(err, &held) {
		t.Errorf("the page was changed, and the call ends with %v", err)
	}
	if err := tab.Do(personhold.WithAgent(ctx, holds.Epoch()), nothing); err != nil {
		t.Errorf("a later call: %v", err)
	}
}

// TestDoFirst lets a person act although a call works on the tab and does not end.
func TestDoFirst(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, time.Minute)
	tab := openTab(t, "/a")
	_, hold := holdSession(t, tab)
	entered, failed := make(chan struct{}), make(chan error, 1)
	go func() {
		failed <- tab.Do(ctx, func(ctx context.Context, _ *page.Page) error { close(entered); <-ctx.Done(); return ctx.Err() })
	}()
	<-entered
	if err := tab.Calls.DoFirst(ctx, hold, nothing); err != nil {
		t.Error(err)
	}
	if err := <-failed; !errors.As(err, new(*personhold.HeldError)) {
		t.Errorf("the call ends with %v", err)
	}
}

// BenchmarkDoOfAgents measures a call that does nothing, where no session is held.
func BenchmarkDoOfAgents(b *testing.B) {
	tab := openTab(b, "/a")
	for name, ctx := range map[string]context.Context{"reads": b.Context(), "acts": personhold.WithAgent(b.Context(), 0)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := tab.Do(ctx, nothing); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
