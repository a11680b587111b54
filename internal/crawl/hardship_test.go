package crawl_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/crawl"
	"github.com/callsheet/callsheet/internal/jobs"
	"github.com/callsheet/callsheet/internal/state"
)

// pages is a site of a few pages of markup, by path.
func pages(t *testing.T, markup map[string]string) (home string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := markup[r.URL.RequestURI()]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, text)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// outcomes are those of a finished crawl, by path.
func outcomes(t *testing.T, all *jobs.Jobs, id, home string) map[string]crawl.Page {
	t.Helper()
	got := make(map[string]crawl.Page)
	for _, p := range results(t, all, id) {
		got[strings.TrimPrefix(p.URL, home)] = p
	}
	return got
}

// TestALinkThatIsBlank: an address of white space alone is the page's own, and no reason to stop.
func TestALinkThatIsBlank(t *testing.T) {
	home := pages(t, map[string]string{
		"/":     `<title>Home</title><p>A page with a link that leads nowhere, and with one that does. <a href=" ">blank</a> <a href="/next">next</a>`,
		"/next": `<title>Next</title><p>The page after the one with the blank link, which must be found all the same.`,
	})
	all := open(t, t.TempDir())
	job := start(t, all, crawl.Spec{URL: home, MaxDepth: 3, MaxPages: 10, Concurrency: 2})
	finish(t, all, job.ID, 15*time.Second)
	if got := outcomes(t, all, job.ID, home); len(got) != 2 || got["/"].Outcome != crawl.OK || got["/next"].Outcome != crawl.OK {
		t.Errorf("%+v", got)
	}
}

// stumbling is a renderer with a mistake in it.
type stumbling struct{}

func (stumbling) Render(context.Context, string, int) (crawl.Rendered, error) { panic("a mistake") }

// TestAPageThatBreaksItsReader costs that page alone: the crawl comes to its end.
func TestAPageThatBreaksItsReader(t *testing.T) {
	home := pages(t, map[string]string{"/": "<title>Home</title><p>text"})
	place, err := state.At(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	all := jobs.New(jobs.Config{Dir: place, Kinds: []jobs.Kind{crawl.New(stumbling{}, nil)}, Beat: beat, Lease: lease})
	t.Cleanup(func() { _ = all.Close(context.WithoutCancel(t.Context())) })
	job := start(t, all, crawl.Spec{URL: home, MaxPages: 10, Render: crawl.RenderAlways})
	finish(t, all, job.ID, 15*time.Second)
	if p := outcomes(t, all, job.ID, home)["/"]; p.Outcome != crawl.Broken || !strings.Contains(p.Error, "a mistake") {
		t.Errorf("%+v", p)
	}
}
