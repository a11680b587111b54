package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/browser/intercept"
	"github.com/callsheet/callsheet/internal/powertest"
)

// omissions is a Traffic that calls a function at the first response of an address that is recorded without its body.
type omissions struct {
	address string
	once    sync.Once
	first   func()
}

func (*omissions) Replays() bool                               { return false }
func (*omissions) Answer(intercept.Request) intercept.Response { return intercept.Response{} }

func (o *omissions) Record(r intercept.Request, a intercept.Response) {
	if r.URL == o.address && a.BodyOmitted != "" {
		o.once.Do(o.first)
	}
}

// TestRecordingLetsSlowBodiesPass records a response whose body comes when the recording no longer waits for it: the
// page gets it all the same.
func TestRecordingLetsSlowBodiesPass(t *testing.T) {
	t.Parallel()
	rest := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Slow</title><p>first")
		if r.URL.Path != "/slow" {
			return
		}
		w.(http.Flusher).Flush()
		select {
		case <-rest:
			fmt.Fprint(w, " and last")
		case <-r.Context().Done():
		}
	}))
	b := New(Config{Headless: true, Traffic: &omissions{address: server.URL + "/slow", first: func() { close(rest) }}})
	b.bodyTimeout = time.Millisecond
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	ctx := deadline(t, 2*time.Minute)
	tab, err := b.Session("slow").OpenBlank(ctx, powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tab.Navigate(ctx, powertest.Navigation, server.URL+"/", NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	v, err := evaluate.Run(ctx, tab, powertest.Script, `await (await fetch("/slow")).text()`)
	if err != nil || v.Text() != "<!doctype html><title>Slow</title><p>first and last" {
		t.Errorf("the page got %q: %v", v.Text(), err)
	}
}
