package browser

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A dialog that opens while its document is being replaced takes no answer from the browser. The
// page reloads at about the time when its dialog opens.
func TestReloadWhileDialogOpens(t *testing.T) {
	t.Parallel()
	asking := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>Asking</title><script>setTimeout(() => confirm('Stay?'), 60)</script>`)
	}))
	t.Cleanup(asking.Close)
	b := New(Config{Headless: true})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(deadline(t, time.Minute), asking.URL)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 30 {
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond) // what differs is the moment
		nav, err := tab.Reload(deadline(t, 30*time.Second), false, NavigateOptions{})
		if dialog := (*DialogError)(nil); errors.As(err, &dialog) {
			continue
		}
		if err != nil || !nav.Committed {
			t.Fatalf("reload %d: %+v, %v; dialog %+v", i, nav, err, tab.Dialog())
		}
	}
}
