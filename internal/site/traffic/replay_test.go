package traffic_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/site/traffic"
)

// obj is an object of an archive.
type obj = map[string]any

// entry is an entry as DevTools and Playwright write it.
func entry(method, url, post string, response obj) obj {
	request := obj{"method": method, "url": url, "httpVersion": "http/2.0", "headers": []obj{{"name": ":method", "value": method}}, "queryString": []obj{}, "cookies": []obj{}}
	if post != "" {
		request["postData"] = obj{"mimeType": "text/plain", "text": post}
	}
	return obj{"startedDateTime": "2026-01-01T00:00:00.000Z", "time": 1, "request": request, "response": response, "cache": obj{}, "timings": obj{}}
}

func html(text string) obj {
	return obj{
		"status": 200, "statusText": "", "redirectURL": "", "content": obj{"mimeType": "text/html", "text": text},
		"headers": []obj{{"name": ":status", "value": "200"}, {"name": "content-type", "value": "text/html"}, {"name": "content-encoding", "value": "br"}, {"name": "content-length", "value": "7"}},
	}
}

func plain(text string) obj {
	return obj{"status": 200, "headers": []obj{}, "content": obj{"mimeType": "text/plain", "text": text}}
}

// write writes an archive with a body beside it.
func write(t *testing.T, entries ...obj) string {
	t.Helper()
	data, err := json.Marshal(obj{"log": obj{"version": "1.2", "creator": obj{"name": "Playwright", "version": "1"}, "entries": entries}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"site.har": string(data), "body.js": "document.title = 'from a file'"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "site.har")
}

func open(t *testing.T, file string) (*traffic.Replay, *browser.Tab) {
	t.Helper()
	replay, err := traffic.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := browser.New(browser.Config{Headless: true, Traffic: replay})
	t.Cleanup(func() {
		if err := b.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	tab, err := b.Session("x").OpenBlank(t.Context(), powertest.Window)
	if err != nil {
		t.Fatal(err)
	}
	return replay, tab
}

// TestReplayOfAForeignArchive loads pages of hosts that do not exist: after a redirect, with a script beside the
// archive, in a popup, in a worker, from another origin, and with requests that the archive lacks.
func TestReplayOfAForeignArchive(t *testing.T) {
	t.Parallel()
	const page = `<!doctype html><title>Shop</title><script src=https://cdn.example/a.js></script><p>home`
	replay, tab := open(t, write(t,
		entry("GET", "https://shop.example/", "", obj{"status": 302, "headers": []obj{}, "redirectURL": "/home#top", "content": obj{}}),
		entry("GET", "https://shop.example/home#top", "", html(page)),
		entry("GET", "https://cdn.example/a.js", "", obj{"status": 200, "headers": []obj{}, "content": obj{"mimeType": "text/javascript", "_file": "body.js"}}),
		entry("GET", "https://shop.example/popup", "", html("<p>popup")),
		entry("GET", "https://shop.example/w.js", "", obj{"status": 200, "headers": []obj{}, "content": obj{
			"mimeType": "text/javascript", "encoding": "base64", "text": "b25tZXNzYWdlPWFzeW5jKCk9PnBvc3RNZXNzYWdlKGF3YWl0IChhd2FpdCBmZXRjaCgiL24iKSkudGV4dCgpKQ=="}}),
		entry("GET", "https://shop.example/n", "", plain("17")),
		entry("GET", "https://shop.example/sw.js", "", obj{"status": 200, "headers": []obj{}, "content": obj{
			"mimeType": "text/javascript", "text": `onmessage = async e => e.source.postMessage(await (await fetch("/sn")).text()); onactivate = e => e.waitUntil(clients.claim())`}}),
		entry("GET", "https://shop.example/sn", "", plain("18")),
		entry("POST", "https://api.example/add", "1", obj{"status": 201, "headers": []obj{{"name": "access-control-allow-origin", "value": "https://shop.example"}}, "content": obj{"text": "one"}}),
		entry("GET", "https://shop.example/gone", "", obj{"status": -1, "headers": []obj{}, "content": obj{}}),
	))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	if _, err := tab.Navigate(ctx, powertest.Navigation, "https://shop.example/", browser.NavigateOptions{}); err != nil {
		t.Fatal(err)
	}
	for script, want := range map[string]string{
		`location.pathname + " " + document.title`: "/home from a file",
		`await new Promise(r => { const w = new Worker("/w.js"); w.onmessage = m => r(m.data); w.postMessage(1) })`:                                                                                           "17",
		`await new Promise(async r => { navigator.serviceWorker.onmessage = m => r(m.data); await navigator.serviceWorker.register("/sw.js"); (await navigator.serviceWorker.ready).active.postMessage(1) })`: "18",
		`await (await fetch("https://api.example/add", {method: "POST", headers: {"x-a": "1"}, body: "1"})).text()`:                                                                                           "one",
		`await fetch("https://api.example/add", {method: "POST", headers: {"x-a": "1"}, body: "2"}).then(() => "answered", () => "failed")`:                                                                   "failed",
		`await fetch("/gone").then(() => "answered", () => "failed")`:                                                                                                                                         "failed",
		`await new Promise(r => { const s = new WebSocket("wss://shop.example/s"); s.onopen = () => r("open"); s.onerror = () => r("closed") })`:                                                              "closed",
		`await new Promise(r => { const p = window.open("/popup"); p.onload = () => r(p.document.body.innerText) })`:                                                                                          "popup",
	} {
		v, err := evaluate.Run(ctx, tab, powertest.Script, script)
		if err != nil || v.Text() != want {
			t.Errorf("%s is %q, want %q: %v", script, v.Text(), want, err)
		}
	}
	missing := slices.DeleteFunc(replay.TakeMissing(), func(q traffic.Request) bool { return !q.Essential() }) // the icon of the page
	if len(missing) != 1 || missing[0].String() != "POST https://api.example/add 2 (xhr)" {
		t.Errorf("missing are %v", missing)
	}
	if again := replay.TakeMissing(); again != nil {
		t.Errorf("missing again are %v", again)
	}
}

// TestAnswersKeepTheirOrder asks for one address before and after a change.
func TestAnswersKeepTheirOrder(t *testing.T) {
	t.Parallel()
	const list, add = "https://shop.example/list", "https://shop.example/add"
	file := write(t, entry("GET", list, "", plain("none")), entry("GET", list, "", plain("still none")), entry("POST", add, "a=1", plain("added")),
		entry("GET", list, "", plain("one")), entry("GET", list, "", plain("one again")))
	for name, c := range map[string]struct{ asked, want string }{
		"as recorded":       {"GET GET POST GET GET GET", "none, still none, added, one, one again, one again"},
		"an earlier change": {"GET POST GET", "none, added, one"},
		"no list before":    {"POST GET POST GET", "added, one, added, one again"},
	} {
		replay, err := traffic.Open(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for method := range strings.SplitSeq(c.asked, " ") {
			q := intercept.Request{Method: method, URL: list}
			if method == "POST" {
				q.URL, q.Body = add, []byte("a=1")
			}
			got = append(got, string(replay.Answer(q).Body))
		}
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s: %s, want %s", name, text, c.want)
		}
	}
}

// TestFormsDifferInTheirBoundaryAlone: Chromium makes up the boundary of each form with files.
func TestFormsDifferInTheirBoundaryAlone(t *testing.T) {
	t.Parallel()
	form := func(boundary, value string) string {
		return "------WebKitFormBoundary" + boundary + "\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n" + value + "\r\n------WebKitFormBoundary" + boundary + "--\r\n"
	}
	const at = "https://shop.example/upload"
	replay, err := traffic.Open(write(t, entry("POST", at, form("0123456789abcdEF", "x"), plain("kept"))), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := replay.Answer(intercept.Request{Method: "POST", URL: at, Body: []byte(form("FEdcba9876543210", "x"))}); string(a.Body) != "kept" {
		t.Errorf("the same form: %+v", a)
	}
	if a := replay.Answer(intercept.Request{Method: "POST", URL: at, Body: []byte(form("FEdcba9876543210", "y"))}); a.Status != 0 || a.Failure == "" {
		t.Errorf("another form: %+v", a)
	}
}

// TestUnchangedResponsesAreWhole: an archive of DevTools has 304 for what its browser had, with the body.
func TestUnchangedResponsesAreWhole(t *testing.T) {
	t.Parallel()
	const at = "https://shop.example/a.js"
	replay, err := traffic.Open(write(t, entry("GET", at, "", obj{"status": 304, "statusText": "Not Modified", "headers": []obj{}, "content": obj{"text": "let a"}})), nil)
	if err != nil {
		t.Fatal(err)
	}
	if a := replay.Answer(intercept.Request{Method: "GET", URL: at}); a.Status != 200 || a.StatusText != "" || string(a.Body) != "let a" {
		t.Errorf("%+v", a)
	}
}

// TestBodiesThatAreNotRecorded: an answer whose body the archive was written without is missing, and not empty.
func TestBodiesThatAreNotRecorded(t *testing.T) {
	t.Parallel()
	without := func(at string, content obj) obj {
		return entry("GET", at, "", obj{"status": 200, "headers": []obj{}, "content": content})
	}
	replay, err := traffic.Open(write(t, without("https://shop.example/large", obj{"size": 0, "comment": "it has more than 32 MiB"}), without("https://shop.example/some", obj{"size": 7}),
		without("https://shop.example/none", obj{"size": 0})), nil)
	if err != nil {
		t.Fatal(err)
	}
	for at, answered := range map[string]bool{"large": false, "some": false, "none": true} {
		if a := replay.Answer(intercept.Request{Method: "GET", URL: "https://shop.example/" + at}); (a.Status == 200) != answered || (a.Failure == "") != answered {
			t.Errorf("%s: %+v", at, a)
		}
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	t.Parallel()
	outside := entry("GET", "https://shop.example/", "", obj{"status": 200, "headers": []obj{}, "content": obj{"_file": "../body.js"}})
	headers := entry("GET", "https://shop.example/", "", obj{"status": 200, "headers": []obj{}, "content": obj{"size": 9}})
	for file, want := range map[string]string{write(t): "has no entries", write(t, headers): "has no bodies", write(t, outside): "beside the archive", filepath.Join(t.TempDir(), "none.har"): "no such file"} {
		if _, err := traffic.Open(file, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
