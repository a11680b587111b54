package heap_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/heap"
	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

func openTab(t *testing.T, address string) (context.Context, *browser.Tab) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	b := browser.New(browser.Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, address, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, tab
}

// triggerWriter calls a function at its first write, and may fail from then on.
type triggerWriter struct {
	bytes.Buffer
	at  func()
	err error
}

func (w *triggerWriter) Write(p []byte) (int, error) {
	if w.at != nil {
		w.at()
		w.at = nil
	}
	if w.err != nil {
		return 0, w.err
	}
	return w.Buffer.Write(p)
}

// TestCapturesThatEnd: a disk that is full, a call that is cancelled and a page that dies, each while
// the snapshot arrives, end the capture with their reason; the next one of the tab works.
func TestCapturesThatEnd(t *testing.T) {
	t.Parallel()
	rows := proctest.Tries(100_000)
	ctx, tab := openTab(t, fmt.Sprintf("data:text/html,<script>rows=[];for(let i=0;i<%d;i++)rows.push({i,text:'row '+i})</script>", rows))
	full := errors.New("disk full")
	if _, err := heap.Capture(ctx, tab, &triggerWriter{err: full}); !errors.Is(err, full) {
		t.Errorf("a full disk: %v", err)
	}
	inner, cancel := context.WithCancel(ctx)
	if _, err := heap.Capture(inner, tab, &triggerWriter{at: cancel}); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
	var whole triggerWriter
	if _, err := heap.Capture(ctx, tab, &whole); err != nil {
		t.Fatal(err)
	}
	err := heap.WithSnapshot(ctx, bytes.NewReader(whole.Bytes()), int64(whole.Len()), func(g *snapshot.Analysis) error {
		if list, total := g.ByClass("Object", 1); total < rows || len(list) != 1 {
			t.Errorf("%d objects", total)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	protocol, err := tab.Protocol(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var crashed *browser.CrashedError
	// The browser answers the crash after the snapshot, or ends the page in between.
	crash := func() { go func() { _ = protocol.Call(ctx, "Page.crash", nil, nil) }() }
	if _, err := heap.Capture(ctx, tab, &triggerWriter{at: crash}); err != nil && !errors.As(err, &crashed) {
		t.Errorf("a page that crashes: %v", err)
	}
}

// TestBaselinesEndWithTheirDocument compares a page with itself, and not with the one before it.
func TestBaselinesEndWithTheirDocument(t *testing.T) {
	t.Parallel()
	ctx, tab := openTab(t, "data:text/html,<title>x</title>")
	if _, ok := heap.BaselineOf(tab); ok {
		t.Error("a tab has a baseline before one was set")
	}
	u, err := heap.Measure(ctx, tab)
	if err != nil || u.Script <= 0 || u.Browser <= 0 || u.Total() < u.Script+u.Browser {
		t.Fatalf("%+v, %v", u, err)
	}
	heap.SetBaseline(tab, u)
	if b, ok := heap.BaselineOf(tab); !ok || b.Usage != u {
		t.Errorf("%+v, %v", b, ok)
	}
	if _, err := tab.Reload(ctx, powertest.Navigation, false, browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	if b, ok := heap.BaselineOf(tab); ok {
		t.Errorf("another document has the baseline %+v", b)
	}
}
