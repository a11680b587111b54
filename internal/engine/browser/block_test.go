package browser

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/chromedp/cdproto/inspector"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestBlock(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "/a")
	cause := errors.New("stopped here")
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- tab.Do(context.Background(), func(ctx context.Context, _ *page.Page) error {
			close(begun)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-begun
	released := 0
	tab.Calls.Block(cause, func(context.Context) error { released++; tab.Calls.Unblock(); return nil })
	var interrupted *InterruptedError
	if err := <-ended; !errors.As(err, &interrupted) || !errors.Is(err, cause) {
		t.Errorf("a call under way: %v", err)
	}
	if _, err := evaluate.Run(deadline(t, time.Second), tab, powertest.Script, "1"); !errors.Is(err, cause) {
		t.Errorf("a call meanwhile: %v", err)
	}
	if tab.Calls.Blocked() != cause {
		t.Errorf("blocked with %v", tab.Calls.Blocked())
	}
	if _, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, site.URL+"/b", NavigateOptions{}); err != nil || released != 1 {
		t.Errorf("a navigation: %v, released %d times", err, released)
	}
	if got := js(t, tab, "1+1").Text(); got != "2" || tab.Calls.Blocked() != nil {
		t.Errorf("after it: %s, blocked with %v", got, tab.Calls.Blocked())
	}
	tab.Calls.Block(cause, func(context.Context) error { return errors.New("no") })
	if _, err := tab.Reload(deadline(t, time.Second), powertest.Navigation, false, NavigateOptions{}); err == nil {
		t.Error("a navigation of a tab that is not released")
	}
	tab.Calls.Unblock()
	js(t, tab, "1")
}

func TestListen(t *testing.T) {
	t.Parallel()
	s := testSession(t, false)
	tab, _, err := s.Open(deadline(t, 2*time.Minute), powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	events := make(chan any, 10_000)
	stop := tab.Listen(func(ev any) { events <- ev })
	quiet := tab.Listen(func(any) { t.Error("heard after stop") })
	quiet()
	if err := s.CloseTab(deadline(t, time.Minute), tab.ID()); err != nil {
		t.Fatal(err)
	}
	for ended := false; !ended; {
		select {
		case ev := <-events:
			_, ended = ev.(*inspector.EventDetached)
		case <-deadline(t, time.Minute).Done():
			t.Fatal("the end was not heard")
		}
	}
	stop()
	heard := 0
	tab.Listen(func(ev any) {
		if _, end := ev.(*inspector.EventDetached); end {
			heard++
		}
	})()
	if heard != 1 {
		t.Error("a listener that comes too late does not hear of the end")
	}
	var closed *ClosedError
	if _, err := tab.Protocol(t.Context()); !errors.As(err, &closed) {
		t.Errorf("the session of a closed tab: %v", err)
	}
}
