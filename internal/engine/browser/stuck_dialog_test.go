package browser

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

// A dialog that opens while its document is being replaced takes no answer from the browser. The
// page reloads at about the time when its dialog opens.
func TestReloadWhileDialogOpens(t *testing.T) {
	t.Parallel()
	var loads atomic.Int32
	asking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<title>Asking</title><script>setTimeout(() => confirm('Stay?'), %d)</script>`, loads.Add(1)%30)
	}))
	t.Cleanup(asking.Close)
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(deadline(t, time.Minute), powertest.Window, powertest.Navigation, asking.URL, NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range proctest.Tries(60) {
		nav, err := tab.Reload(deadline(t, 30*time.Second), powertest.Navigation, false, NavigateOptions{})
		if dialog := (*DialogError)(nil); errors.As(err, &dialog) {
			continue
		}
		if err != nil || !nav.Committed {
			t.Fatalf("reload %d: %+v, %v; dialog %+v", i, nav, err, tab.Dialogs.Open())
		}
	}
}

// TestDialogBeforeAttach answers a dialog of a tab that no session is attached to, as a popup's first
// script can open one.
func TestDialogBeforeAttach(t *testing.T) {
	t.Parallel()
	tab := &Tab{}
	tab.Dialogs.tab = tab
	if err := tab.Dialogs.answer(t.Context(), page.HandleJavaScriptDialogParams{}); !errors.Is(err, errNotAttached) {
		t.Errorf("got %v", err)
	}
}
