package ui_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
	"github.com/callsheet/callsheet/internal/ui"
)

// counting is a view that counts what reaches it.
func counting(reached *int) ui.View {
	return func(api *ui.API) {
		api.Get("probe", func(*http.Request) (any, error) { *reached++; return "state", nil })
		api.Post("probe", func(*http.Request) (any, error) { *reached++; return "changed", nil })
		api.Stream("events", func(ctx context.Context, _ *http.Request, out *ui.Stream) error {
			*reached++
			if err := out.Send("first", "a\nb"); err != nil {
				return err
			}
			<-ctx.Done()
			return nil
		})
	}
}

type request struct {
	method, path, body string
	header             http.Header
}

func send(t *testing.T, site *httptest.Server, r request) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), r.method, site.URL+r.path, strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range r.header {
		req.Header[name] = values
	}
	if host := r.header.Get("Host"); host != "" {
		req.Host = host
	}
	if r.method == http.MethodPost && r.header.Get("Content-Type") == "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := site.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	return res
}

// signIn returns the headers of a signed-in page.
func signIn(t *testing.T, site *httptest.Server, token string) http.Header {
	t.Helper()
	res := send(t, site, request{method: http.MethodPost, path: "/ui/api/login", body: `{"token":"` + token + `"}`})
	var reply struct{ Key string }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("sign in: %s, %v", res.Status, err)
	}
	cookie := res.Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/ui/" {
		t.Errorf("the cookie is %+v, want HttpOnly, SameSite=Strict below /ui/", cookie)
	}
	return http.Header{"Cookie": {cookie.Name + "=" + cookie.Value}, "X-Callsheet-Key": {reply.Key}}
}

func with(h http.Header, pairs ...string) http.Header {
	h = h.Clone()
	for i := 0; i < len(pairs); i += 2 {
		h.Set(pairs[i], pairs[i+1])
	}
	return h
}

// TestOnlyThePageItselfIsServed sends requests as other pages, other hosts and other browsers would.
func TestOnlyThePageItselfIsServed(t *testing.T) {
	t.Parallel()
	reached := 0
	s := ui.New(ui.Options{}, counting(&reached))
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	known := signIn(t, site, s.Ticket())
	other := signIn(t, site, s.Ticket())
	refused := map[string]request{
		"without a session":            {path: "/ui/api/probe", header: http.Header{}},
		"without the key":              {path: "/ui/api/probe", header: with(known, "X-Callsheet-Key", "")},
		"with the key of another":      {path: "/ui/api/probe", header: with(known, "X-Callsheet-Key", other.Get("X-Callsheet-Key"))},
		"without the cookie":           {path: "/ui/api/probe", header: with(known, "Cookie", "")},
		"for another host":             {path: "/ui/api/probe", header: with(known, "Host", "rebound.example")},
		"by a page of another site":    {path: "/ui/api/probe", header: with(known, "Sec-Fetch-Site", "cross-site")},
		"by a page of another port":    {path: "/ui/api/probe", header: with(known, "Sec-Fetch-Site", "same-site")},
		"by an address that was typed": {path: "/ui/api/probe", header: with(known, "Sec-Fetch-Site", "none")},
		"with another origin":          {method: http.MethodPost, path: "/ui/api/probe", body: "{}", header: with(known, "Origin", "http://127.0.0.1:1")},
		"with the origin null":         {method: http.MethodPost, path: "/ui/api/probe", body: "{}", header: with(known, "Origin", "null")},
		"as a form":                    {method: http.MethodPost, path: "/ui/api/probe", body: "a=b", header: with(known, "Content-Type", "application/x-www-form-urlencoded")},
		"a stream without the key":     {path: "/ui/api/events", header: with(known, "X-Callsheet-Key", "")},
		"a ticket for a page":          {method: http.MethodPost, path: "/ui/api/ticket", body: "{}", header: with(known, "Origin", site.URL)},
	}
	for name, r := range refused {
		if r.method == "" {
			r.method = http.MethodGet
		}
		if res := send(t, site, r); res.StatusCode < 400 || res.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("a request %s: %s", name, res.Status)
		}
	}
	if reached != 0 {
		t.Errorf("%d refused requests reached a view", reached)
	}
	for _, own := range []http.Header{known, with(known, "Sec-Fetch-Site", "same-origin", "Origin", site.URL)} {
		res := send(t, site, request{method: http.MethodGet, path: "/ui/api/probe", header: own})
		if text, _ := io.ReadAll(res.Body); strings.TrimSpace(string(text)) != `"state"` {
			t.Errorf("its own page: %s %s", res.Status, text)
		}
	}
}

// TestABrowserBehindAProxy signs in by TLS on another port, with a cookie that is never sent without TLS.
func TestABrowserBehindAProxy(t *testing.T) {
	t.Parallel()
	reached := 0
	s := ui.New(ui.Options{AllowedHosts: []string{"sheet.test"}}, counting(&reached))
	var proxies httpserver.Proxies
	if err := proxies.Set("127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(proxies.Restore(s))
	t.Cleanup(site.Close)
	forwarded := http.Header{"X-Forwarded-Host": {"sheet.test:8443"}, "X-Forwarded-Proto": {"https"}, "Origin": {"https://sheet.test:8443"}}
	res := send(t, site, request{method: http.MethodPost, path: "/ui/api/login", body: `{"token":"` + s.Ticket() + `"}`, header: forwarded})
	var reply struct{ Key string }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil || len(res.Cookies()) != 1 || !res.Cookies()[0].Secure {
		t.Fatalf("%s: %v, %v", res.Status, err, res.Cookies())
	}
	known := with(forwarded, "Cookie", res.Cookies()[0].Name+"="+res.Cookies()[0].Value, "X-Callsheet-Key", reply.Key)
	for want, header := range map[int]http.Header{
		http.StatusOK:        known,
		http.StatusForbidden: with(known, "X-Forwarded-Host", "sheet.test:8444"),
	} {
		if res := send(t, site, request{method: http.MethodPost, path: "/ui/api/probe", body: "{}", header: header}); res.StatusCode != want {
			t.Errorf("%s, want %d", res.Status, want)
		}
	}
}

// TestTicketsAreGoodOnce signs in twice with one ticket, and with the token of the server.
func TestTicketsAreGoodOnce(t *testing.T) {
	t.Parallel()
	s := ui.New(ui.Options{AuthToken: "the token"})
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	ticket := s.Ticket()
	signIn(t, site, ticket)
	signIn(t, site, "the token")
	for _, token := range []string{ticket, "another", ""} {
		if res := send(t, site, request{method: http.MethodPost, path: "/ui/api/login", body: `{"token":"` + token + `"}`}); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("the token %q: %s", token, res.Status)
		}
	}
	for authorization, want := range map[string]int{"": 401, "Bearer another": 401, "Bearer the token": 200} {
		res := send(t, site, request{method: http.MethodPost, path: "/ui/api/ticket", body: "{}", header: http.Header{"Authorization": {authorization}}})
		if res.StatusCode != want {
			t.Errorf("a ticket for %q: %s, want %d", authorization, res.Status, want)
		}
	}
}

// TestEveryAnswerIsGuardedInTheBrowser reads the headers of pages, scripts and refusals.
func TestEveryAnswerIsGuardedInTheBrowser(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(ui.New(ui.Options{}))
	t.Cleanup(site.Close)
	for _, path := range []string{"/ui/", "/ui/app.js", "/ui/views/live.js", "/ui/none", "/ui/api/server"} {
		res := send(t, site, request{method: http.MethodGet, path: path})
		csp := res.Header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || res.Header.Get("X-Frame-Options") != "DENY" ||
			res.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" || res.Header.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, res.Header)
		}
	}
	if res := send(t, site, request{method: http.MethodGet, path: "/ui/views/"}); res.StatusCode != http.StatusNotFound {
		t.Errorf("a directory is listed: %s", res.Status)
	}
}

// TestStreamsEndWithTheServer follows a stream whose data has a line break, until Close.
func TestStreamsEndWithTheServer(t *testing.T) {
	t.Parallel()
	reached := 0
	s := ui.New(ui.Options{}, counting(&reached))
	site := httptest.NewServer(s)
	t.Cleanup(site.Close)
	res := send(t, site, request{method: http.MethodGet, path: "/ui/api/events", header: signIn(t, site, s.Ticket())})
	in := bufio.NewReader(res.Body)
	if event, data := readEvent(t, in); event != "first" || data != `"a\nb"` {
		t.Fatalf("%q %q", event, data)
	}
	s.Close()
	if rest, err := io.ReadAll(in); err != nil || len(rest) != 0 {
		t.Errorf("after Close: %q, %v", rest, err)
	}
}

// TestAStreamHasSeveralTopics follows two topics at once, of which one ends.
func TestAStreamHasSeveralTopics(t *testing.T) {
	t.Parallel()
	reached := 0
	s := ui.New(ui.Options{}, counting(&reached), func(api *ui.API) {
		api.Stream("echo", func(_ context.Context, r *http.Request, _ *ui.Stream) error {
			return errors.New("no " + r.URL.Query().Get("q"))
		})
	})
	site := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); site.Close() })
	known := signIn(t, site, s.Ticket())
	res := send(t, site, request{method: http.MethodGet, path: "/ui/api/stream?topic=echo%3Fq%3Da%2526b&topic=events", header: known})
	in, got := bufio.NewReader(res.Body), map[string]string{}
	for range 2 {
		event, data := readEvent(t, in)
		got[event] = data
	}
	if got["0 failed"] != `{"error":"no a\u0026b"}` || got["1 first"] != `"a\nb"` {
		t.Errorf("%q", got)
	}
	if res := send(t, site, request{method: http.MethodGet, path: "/ui/api/stream?topic=none", header: known}); res.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown topic: %s", res.Status)
	}
}

// TestTheOldestStreamMakesPlace opens a stream more than a person has: a browser would have no connection
// left for an answer to a question.
func TestTheOldestStreamMakesPlace(t *testing.T) {
	t.Parallel()
	reached := 0
	s := ui.New(ui.Options{}, counting(&reached))
	site := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); site.Close() })
	known := signIn(t, site, s.Ticket())
	var streams []*bufio.Reader
	for range 5 {
		in := bufio.NewReader(send(t, site, request{method: http.MethodGet, path: "/ui/api/events", header: known}).Body)
		readEvent(t, in)
		streams = append(streams, in)
	}
	if event, _ := readEvent(t, streams[0]); event != "displaced" {
		t.Errorf("the oldest stream gets %q", event)
	}
	if rest, err := io.ReadAll(streams[0]); err != nil || len(rest) > 0 {
		t.Errorf("it goes on with %q, %v", rest, err)
	}
	send(t, site, request{method: http.MethodGet, path: "/ui/api/events", header: signIn(t, site, s.Ticket())})
	s.Close()
	if rest, err := io.ReadAll(streams[1]); err != nil || len(rest) > 0 {
		t.Errorf("another person displaced the second: %q, %v", rest, err)
	}
}

// TestStreamsThatOpenAtOnceAreBounded opens many streams of one person before any of them ends.
func TestStreamsThatOpenAtOnceAreBounded(t *testing.T) {
	t.Parallel()
	const all, most = 40, 4
	var began, open atomic.Int32
	s := ui.New(ui.Options{}, func(api *ui.API) {
		api.Stream("events", func(ctx context.Context, _ *http.Request, _ *ui.Stream) error {
			open.Add(1)
			began.Add(1)
			defer open.Add(-1)
			<-ctx.Done()
			return ctx.Err()
		})
	})
	site := httptest.NewServer(s)
	t.Cleanup(func() { s.Close(); site.Close() })
	known := signIn(t, site, s.Ticket())
	var asking sync.WaitGroup
	for range all {
		asking.Go(func() { send(t, site, request{method: http.MethodGet, path: "/ui/api/events", header: known}) })
	}
	asking.Wait()
	// A stream is answered before its handler runs: few are open at first.
	for deadline := time.Now().Add(20 * time.Second); began.Load() < all || open.Load() > most; {
		if time.Now().After(deadline) {
			t.Fatalf("%d streams began, %d stay open", began.Load(), open.Load())
		}
		runtime.Gosched()
	}
	if n := open.Load(); n != most {
		t.Errorf("%d streams are open, not %d", n, most)
	}
}

func readEvent(t *testing.T, in *bufio.Reader) (event, data string) {
	t.Helper()
	var lines [3]string
	for i := range lines {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		lines[i] = strings.TrimSuffix(line, "\n")
	}
	return strings.TrimPrefix(lines[0], "event: "), strings.TrimPrefix(lines[1], "data: ")
}
