//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// elsewhere starts a browser that others attach to, behind an address that counts who asks for it.
func elsewhere(t *testing.T) (endpoint string, asked *atomic.Int32) {
	t.Helper()
	port := proctest.FreePort(t)
	b := browser.New(browser.Config{Headless: true, DebugPort: port})
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	if _, err := b.Session("host").OpenBlank(t.Context(), powertest.Window); err != nil {
		t.Fatal(err)
	}
	asked = new(atomic.Int32)
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		asked.Add(1)
		r.SetURL(&url.URL{Scheme: "http", Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port))})
	}}
	srv := httptest.NewServer(proxy)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL, asked
}

// tabsAt are the pages that a browser shows.
func tabsAt(t *testing.T, endpoint string) (n int) {
	t.Helper()
	res, err := http.Get(endpoint + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all []struct{ Type string }
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, target := range all {
		if target.Type == "page" {
			n++
		}
	}
	return n
}

// TestAWorkerHasSeveralBrowsers gives a worker two browsers that run elsewhere: both do a part of a
// crawl whose pages need one, and both go on without a tab of it when the worker has ended.
func TestAWorkerHasSeveralBrowsers(t *testing.T) {
	proctest.Nightly(t)
	const many = 8
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.UserAgent(), "callsheet") {
			time.Sleep(300 * time.Millisecond) // who makes the job has gone before the first page is there
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><div id=root></div><script>document.getElementById('root').innerHTML = '<p>Made by a script at %s.'", r.URL.Path, r.URL.Path)
		for n := range many {
			fmt.Fprintf(w, " + '<a href=/%d>%d</a>'", n, n)
		}
		fmt.Fprint(w, "</script>")
	}))
	t.Cleanup(site.Close)
	dir := t.TempDir()
	place, err := statedir.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	maker := jobs.New(jobs.Config{Dir: place, Kinds: []jobs.Kind{crawl.New(nil, nil)}})
	spec := crawl.Spec{URL: site.URL, MaxDepth: 2, MaxPages: 100, Concurrency: 4, Render: crawl.RenderAlways, Format: crawl.PlainText}
	if err := spec.Complete(); err != nil {
		t.Fatal(err)
	}
	job, err := crawl.Start(t.Context(), powertest.Network, maker, spec)
	if err != nil {
		t.Fatal(err)
	}
	if err := maker.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	one, askedOne := elsewhere(t)
	two, askedTwo := elsewhere(t)
	worker := jobsProgram(t, "jobs", "work", "--state-dir", dir, "--slots", "4", "--cdp-endpoint", one+", "+two)
	var said bytes.Buffer
	worker.Stderr = &said
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	var r crawl.Report
	for end := time.Now().Add(2 * time.Minute); r.State != jobs.StateDone; time.Sleep(200 * time.Millisecond) {
		if err := json.Unmarshal([]byte(jobsSay(t, exit.OK, "show", job.ID, "--json", "--state-dir", dir)), &r); err != nil {
			t.Fatal(err)
		}
		if time.Now().After(end) {
			_ = worker.Process.Kill()
			_ = worker.Wait()
			t.Fatalf("%d of %d pages: %s", r.Done, r.Total, said.String())
		}
	}
	if askedOne.Load() == 0 || askedTwo.Load() == 0 {
		t.Errorf("the browsers were asked %d and %d times", askedOne.Load(), askedTwo.Load())
	}
	if err := worker.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("the worker ends with %v: %s", err, said.String())
	}
	for line := range strings.Lines(jobsSay(t, exit.OK, "show", job.ID, "--results", "--state-dir", dir)) {
		var p crawl.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		path := strings.TrimPrefix(p.URL, site.URL)
		if p.Outcome != crawl.OutcomeOK || !p.Rendered || !strings.Contains(p.Content, "Made by a script at "+path+".") {
			t.Errorf("%+v", p)
		}
	}
	if r.Outcomes[crawl.OutcomeOK] != many+1 {
		t.Errorf("%v", r.Outcomes)
	}
	for _, endpoint := range []string{one, two} {
		if n := tabsAt(t, endpoint); n != 1 {
			t.Errorf("the browser at %s has %d tabs, and had one", endpoint, n)
		}
	}
}
