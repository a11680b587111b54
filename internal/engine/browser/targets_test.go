package browser

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/powertest"
)

// TestCloseIfUnusedDuringOpen calls CloseIfUnused while a session opens its first tab, which must
// keep its browser. It is not parallel, because it looks for the one waiting call in the goroutine
// stacks.
func TestCloseIfUnusedDuringOpen(t *testing.T) {
	ctx := deadline(t, 2*time.Minute)
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	if _, err := b.IsolatedSession("first").OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatal(err)
	}
	b.EndSession(ctx, "first")
	s := b.IsolatedSession("second")
	s.contextMu.Lock() // where the call will wait
	opened := make(chan error, 1)
	go func() {
		_, err := s.OpenBlank(ctx, powertest.Window)
		opened <- err
	}()
	eventually(t, "the call waits for its browser context", func() bool {
		stacks := make([]byte, 1<<20)
		return strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*Session).browserContext")
	})
	if ended, err := b.CloseIfUnused(ctx); ended || err != nil {
		t.Errorf("the browser ended under the call: %v, %v", ended, err)
	}
	s.contextMu.Unlock()
	if err := <-opened; err != nil {
		t.Errorf("the call: %v", err)
	}
	b.EndSession(ctx, "second")
	if ended, err := b.CloseIfUnused(ctx); !ended || err != nil {
		t.Errorf("an unused browser keeps running: %v, %v", ended, err)
	}
}

// TestPopupOfEndedSessionIsClosed has a page open a popup while its session ends.
func TestPopupOfEndedSessionIsClosed(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "/a")
	tab.session.mu.Lock()
	tab.session.ended = true
	tab.session.mu.Unlock()
	js(t, tab, `const popup = open('/b'); await new Promise(done => setInterval(() => popup.closed && done(), 10))`)
}

// TestNoContextAfterSessionEnd covers a browser context that would stay as long as the browser.
func TestNoContextAfterSessionEnd(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	s := testSession(t, true)
	e, err := shared.ensureInstance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	shared.EndSession(ctx, s.ID())
	if in, err := s.browserContext(ctx, e); err == nil {
		t.Errorf("context %s was made", in)
	}
}

// TestConcurrentAdopt has several sessions adopt one page, which becomes a tab of one of them.
func TestConcurrentAdopt(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	e, err := shared.ensureInstance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	id, err := e.createTarget(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = protocol.Exec(context.Background(), e.conn, target.CloseTarget, target.CloseTargetParams{TargetID: id})
	})
	var adopted atomic.Int32
	var all sync.WaitGroup
	for range 8 {
		s := testSession(t, false)
		all.Go(func() {
			if _, err := s.Adopt(ctx, string(id)); err == nil {
				adopted.Add(1)
			}
		})
	}
	all.Wait()
	if n := adopted.Load(); n != 1 {
		t.Errorf("%d sessions have the page", n)
	}
}

// TestTargetsOfOtherContexts runs a worker in one session's browser context, which sessions of the
// default one do not see.
func TestTargetsOfOtherContexts(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	mine, theirs := testSession(t, false), testSession(t, true)
	if _, err := mine.OpenBlank(ctx, powertest.Window); err != nil {
		t.Fatal(err)
	}
	tab, _, err := theirs.Open(ctx, powertest.Window, powertest.Navigation, site.URL+"/a", NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const worker = "data:text/javascript,'theirs'"
	js(t, tab, `globalThis.w = new SharedWorker("`+worker+`"); 0`)
	sees := func(s *Session) bool {
		list, err := s.Targets(ctx)
		if err != nil {
			t.Error(err)
		}
		for _, found := range list {
			if found.URL == worker {
				return true
			}
		}
		return false
	}
	eventually(t, "its own session sees the worker", func() bool { return sees(theirs) })
	if sees(mine) {
		t.Error("the default context's session sees it too")
	}
}
