package browser

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
)

func TestNavigate(t *testing.T) {
	t.Parallel()
	a := site.URL + "/a"
	full := func(n Navigation) Navigation {
		n.Ready, n.Loaded, n.Committed = true, true, true
		if n.MIME == "" {
			n.MIME = "text/html"
		}
		return n
	}
	tests := []struct {
		name, to string
		want     Navigation
	}{
		{"page", a, full(Navigation{URL: a, Title: "A", Status: 200})},
		{"bare host", strings.TrimPrefix(a, "http://"), full(Navigation{URL: a, Title: "A", Status: 200})},
		{"fragment", a + "#top", Navigation{URL: a + "#top", Title: "A", SameDocument: true, Committed: true}},
		{"redirect", site.URL + "/redirect?to=/b", full(Navigation{
			URL: site.URL + "/b", Title: "B", Status: 200, Redirects: []string{site.URL + "/redirect?to=/b"}})},
		{"script redirect", site.URL + "/script-redirect", full(Navigation{
			URL: site.URL + "/b", Title: "B", Status: 200, Redirects: []string{site.URL + "/script-redirect"}})},
		{"redirect in load", site.URL + "/load-redirect", full(Navigation{
			URL: site.URL + "/b", Title: "B", Status: 200, Redirects: []string{site.URL + "/load-redirect"}})},
		{"not found", site.URL + "/status?code=404&body=gone", full(Navigation{
			URL: site.URL + "/status?code=404&body=gone", Title: strings.TrimPrefix(site.URL, "http://") + "/status?code=404&body=gone", Status: 404})},
		{"server error", site.URL + "/status?code=500&body=<title>E</title>", full(Navigation{
			URL: site.URL + "/status?code=500&body=%3Ctitle%3EE%3C/title%3E", Title: "E", Status: 500})},
		{"no content", site.URL + "/status?code=204", Navigation{
			URL: site.URL + "/status?code=500&body=%3Ctitle%3EE%3C/title%3E", Title: "E", Status: 204, MIME: "text/html", NoContent: true}},
		{"json", site.URL + "/json", full(Navigation{
			URL: site.URL + "/json", Title: strings.TrimPrefix(site.URL, "http://") + "/json", Status: 200, MIME: "application/json"})},
		{"download", site.URL + "/file", Navigation{
			URL: site.URL + "/json", Title: strings.TrimPrefix(site.URL, "http://") + "/json", Status: 200, MIME: "text/plain", IsDownload: true}},
		{"data", "data:text/html,<title>D</title>", full(Navigation{URL: "data:text/html,<title>D</title>", Title: "D", Status: 200})},
		{"blank", "about:blank", full(Navigation{URL: "about:blank", Title: "about:blank"})},
	}
	tab := openTab(t, "")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, test.to, NavigateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if started := got.StartedDownload; got.IsDownload && (started == nil || started.Name != "x.txt") {
				t.Errorf("download %+v", started)
			}
			got.StartedDownload = nil
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("navigation (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNavigateEmptyError(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "")
	got, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, site.URL+"/status?code=503", NavigateOptions{})
	if err != nil || got.Status != 503 || got.URL != site.URL+"/status?code=503" {
		t.Errorf("an empty 503: %+v, %v", got, err)
	}
}

func TestNavigationError(t *testing.T) {
	t.Parallel()
	closed := "http://" + proctest.FreeAddress(t) + "/"
	tab := openTab(t, "/a")
	_, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, closed, NavigateOptions{})
	var failed *NavigationError
	if !errors.As(err, &failed) {
		t.Fatalf("got %v, want a NavigationError", err)
	}
	if diff := cmp.Diff(&NavigationError{ErrorText: "net::ERR_CONNECTION_REFUSED", URL: closed}, failed); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	n, err := tab.Back(deadline(t, time.Minute), powertest.Navigation, NavigateOptions{})
	if err != nil || n.Title != "A" {
		t.Errorf("back from the error page: %+v, %v", n, err)
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/a")
	for _, to := range []string{"/b", "/b#x"} {
		if _, err := tab.Navigate(ctx, powertest.Navigation, site.URL+to, NavigateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	back := func(ctx context.Context, o NavigateOptions) (Navigation, error) {
		return tab.Back(ctx, powertest.Navigation, o)
	}
	forward := func(ctx context.Context, o NavigateOptions) (Navigation, error) {
		return tab.Forward(ctx, powertest.Navigation, o)
	}
	steps := []struct {
		name string
		do   func(context.Context, NavigateOptions) (Navigation, error)
		want string
		same bool
	}{
		{"back in the document", back, "/b", true},
		{"back", back, "/a", false},
		{"forward", forward, "/b", false},
		{"forward in the document", forward, "/b#x", true},
		{"reload", func(ctx context.Context, o NavigateOptions) (Navigation, error) {
			return tab.Reload(ctx, powertest.Navigation, true, o)
		}, "/b#x", false},
	}
	for _, step := range steps {
		got, err := step.do(ctx, NavigateOptions{})
		if err != nil || got.URL != site.URL+step.want || got.SameDocument != step.same || !step.same && !got.Loaded {
			t.Errorf("%s: %+v, %v, want %s", step.name, got, err, step.want)
		}
	}
	if _, err := tab.Forward(ctx, powertest.Navigation, NavigateOptions{}); !errors.Is(err, ErrNoHistory) {
		t.Errorf("forward at the end: %v", err)
	}
}

// manualDeadline is a context whose deadline passes when passed is closed.
type manualDeadline struct {
	context.Context
	passed chan struct{}
}

func (d manualDeadline) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }

func (d manualDeadline) Done() <-chan struct{} { return d.passed }

func (d manualDeadline) Err() error {
	select {
	case <-d.passed:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

func TestNavigateTimeout(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "/a")
	ctx := manualDeadline{t.Context(), make(chan struct{})}
	go func() { // the deadline passes when the document is ready, however long that takes
		defer close(ctx.passed)
		_ = tab.waitFor(deadline(t, 2*time.Minute), func() bool {
			return tab.Document.state.url == site.URL+"/hang" && tab.Document.state.ready
		})
	}()
	n, err := tab.Navigate(ctx, powertest.Navigation, site.URL+"/hang", NavigateOptions{})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || !timeout.Committed || !timeout.Ready || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a page that never loads: %+v, %v", timeout, err)
	}
	if n.URL != site.URL+"/hang" || n.Title != "Hang" || n.Status != 200 || !n.Ready || n.Loaded {
		t.Errorf("what is known of it: %+v", n)
	}
	if got := js(t, tab, `document.getElementById('p').textContent`).Text(); got != "here" {
		t.Errorf("the page is not usable: %q", got)
	}
	if n, err := tab.Navigate(deadline(t, 2*time.Minute), powertest.Navigation, site.URL+"/hang", NavigateOptions{Until: UntilReady}); err != nil || !n.Ready {
		t.Errorf("until ready: %+v, %v", n, err)
	}
	n, err = tab.Navigate(t.Context(), powertest.Navigation, site.URL+"/never", NavigateOptions{Timeout: 300 * time.Millisecond})
	if !errors.As(err, &timeout) || timeout.Committed || n.Title != "Hang" {
		t.Errorf("a server that never answers: %+v, %+v, %v", n, timeout, err)
	}
	if n, err := tab.Navigate(deadline(t, 2*time.Minute), powertest.Navigation, site.URL+"/b", NavigateOptions{}); err != nil || n.Title != "B" {
		t.Errorf("after timeouts: %+v, %v", n, err)
	}
}

// TestTitleIsFresh: the title comes from another process than the load event.
func TestTitleIsFresh(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "")
	for i := range proctest.Tries(40) {
		want := fmt.Sprint("title ", i)
		n, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, site.URL+"/title?t="+url.QueryEscape(want), NavigateOptions{})
		if err != nil || n.Title != want {
			t.Fatalf("title %q, %v, want %q", n.Title, err, want)
		}
	}
}

func TestBeforeunloadStopsNavigation(t *testing.T) {
	t.Parallel()
	ctx := deadline(t, 2*time.Minute)
	tab := openTab(t, "/stay")
	js(t, tab, `1`) // a user gesture, without which the question is not asked
	n, err := tab.Navigate(ctx, powertest.Navigation, site.URL+"/b", NavigateOptions{})
	if err != nil || n.Dialog == nil || n.Dialog.Kind != "beforeunload" || n.Title != "Stay" {
		t.Fatalf("navigate away: %+v, %v", n, err)
	}
	if err := tab.Dialogs.Handle(ctx, false, ""); err != nil {
		t.Fatal(err)
	}
	if got := js(t, tab, `document.title`).Text(); got != "Stay" {
		t.Errorf("after staying: %q", got)
	}
	if n, err = tab.Navigate(ctx, powertest.Navigation, site.URL+"/b", NavigateOptions{}); err != nil || n.Dialog == nil {
		t.Fatalf("navigate away again: %+v, %v", n, err)
	}
	if err := tab.Dialogs.Handle(ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the page is left", func() bool { return tab.URL() == site.URL+"/b" })
}

func TestDialogDuringLoad(t *testing.T) {
	t.Parallel()
	tab := openTab(t, "")
	n, err := tab.Navigate(deadline(t, time.Minute), powertest.Navigation, site.URL+"/alert", NavigateOptions{})
	if err != nil || n.Dialog == nil || n.Loaded || n.Status != 200 || n.URL != site.URL+"/alert" || n.Title != "Alert" {
		t.Fatalf("%+v, %v", n, err)
	}
	if diff := cmp.Diff(dialog.Dialog{Kind: "alert", Message: "now", URL: site.URL + "/alert"}, *n.Dialog); diff != "" {
		t.Errorf("dialog (-want +got):\n%s", diff)
	}
	if err := tab.Dialogs.Handle(deadline(t, time.Minute), true, ""); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the rest is loaded", func() bool { return js(t, tab, `document.body.textContent`).Text() == "later" })
}
