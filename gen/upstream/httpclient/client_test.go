package httpclient

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// server answers by the path of the request, and repeats what it got at /echo.
func server(t *testing.T) *httptest.Server {
	t.Helper()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked: %v %v", r.URL, r.Header)
	}))
	t.Cleanup(other.Close)
	mux := http.NewServeMux()
	write := func(path, kind, body string, status int) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		})
	}
	write("/object", "application/json; charset=utf-8", "{ \"a\": 1.0,\n\"b\": \"<&>\" }", 200)
	write("/list", "application/problem+json", `[1,2]`, 200)
	write("/text", "text/plain", "hello", 200)
	write("/image", "image/png", "\x89PNG", 200)
	write("/binary", "application/octet-stream", "\xff\x00", 200)
	write("/broken", "application/json", `{"a":`, 200)
	write("/missing", "application/json", `{"error":"no such"}`, 404)
	write("/long", "text/plain", strings.Repeat("é", MaxError), 500)
	write("/empty", "text/plain", "", 204)
	mux.HandleFunc("/created", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/things/1")
		w.WriteHeader(201)
	})
	mux.HandleFunc("/large", func(w http.ResponseWriter, _ *http.Request) {
		chunk := make([]byte, 1<<20)
		for range MaxResult/len(chunk) + 1 {
			_, _ = w.Write(chunk)
		}
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) { _, _ = fmt.Fprintf(w, "%v %v", r.URL, r.Header) })
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/text", http.StatusFound) })
	mux.HandleFunc("/away", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/?token=t", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestResults(t *testing.T) {
	s := server(t)
	c := New(Options{Server: s.URL})
	defer c.Close()
	for path, want := range map[string]string{
		"/object":  `{"content":[{"type":"text","text":"{ \"a\": 1.0,\n\"b\": \"<&>\" }"}],"structuredContent":{"a":1.0,"b":"<&>"}}`,
		"/list":    `{"content":[{"type":"text","text":"[1,2]"}],"structuredContent":{"result":[1,2]}}`,
		"/text":    `{"content":[{"type":"text","text":"hello"}]}`,
		"/moved":   `{"content":[{"type":"text","text":"hello"}]}`,
		"/image":   `{"content":[{"type":"image","data":"iVBORw==","mimeType":"image/png"}]}`,
		"/binary":  `{"content":[{"type":"resource","resource":{"uri":"` + s.URL + `/binary","mimeType":"application/octet-stream","blob":"/wA="}}]}`,
		"/broken":  `{"content":[{"type":"text","text":"{\"a\":"}]}`,
		"/missing": `{"content":[{"type":"text","text":"HTTP 404 Not Found\n{\"error\":\"no such\"}"}],"isError":true}`,
		"/long":    `{"content":[{"type":"text","text":"HTTP 500 Internal Server Error\n` + strings.Repeat("é", MaxError/2) + `\n(the first 8192 bytes of the answer)"}],"isError":true}`,
		"/empty":   `{"content":[{"type":"text","text":"HTTP 204 No Content"}]}`,
		"/created": `{"content":[{"type":"text","text":"HTTP 201 Created\nLocation: /things/1"}]}`,
		"/large":   `{"content":[{"type":"text","text":"HTTP 200 OK, and the answer has more than 16777216 bytes; ask for less"}],"isError":true}`,
	} {
		got, err := c.Call(t.Context(), &Operation{Method: "GET", Path: path}, nil)
		if err != nil || string(got) != want {
			t.Errorf("%s: %.300s %v\nwant %.300s", path, got, err, want)
		}
	}
}

func TestRedirects(t *testing.T) {
	s := server(t)
	c := New(Options{Server: s.URL, Secrets: map[string]Secret{"key": {"KEY", "geheim"}}})
	security := [][]Scheme{{{Name: "key", In: "query", Field: "token"}}}
	for path, want := range map[string]string{"/away": "which is another server; it was not followed", "/loop": "after 5 redirects"} {
		_, err := c.Call(t.Context(), &Operation{Method: "GET", Path: path, Security: security}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "geheim") || strings.Contains(err.Error(), "token=") {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := c.Call(t.Context(), &Operation{Method: "POST", Path: "/moved"}, nil); err == nil || !strings.Contains(err.Error(), "is not repeated") {
		t.Error(err)
	}
}

// Each scheme puts its secret where it belongs, and no answer has it, though the server repeats it.
func TestSecrets(t *testing.T) {
	s := server(t)
	secrets := map[string]Secret{"key": {"KEY", "ge heim/"}, "token": {"TOKEN", "abc"}, "user": {"USER", "ada:pass"}, "unset": {"UNSET", ""}}
	c := New(Options{Server: s.URL, Secrets: secrets, Headers: map[string]string{"X-Own": "own-token"}, Hidden: []string{"own-token"}})
	for _, row := range []struct {
		security [][]Scheme
		want     string
	}{
		{[][]Scheme{{{"key", "query", "k"}}}, "k=REDACTED "},
		{[][]Scheme{{{"key", "header", "X-Key"}}}, "X-Key:[REDACTED]"},
		{[][]Scheme{{{"key", "cookie", "k"}}}, "Cookie:[k=REDACTED]"},
		{[][]Scheme{{{"token", Bearer, ""}}}, "Authorization:[Bearer REDACTED]"},
		{[][]Scheme{{{"user", Basic, ""}}}, "Authorization:[Basic REDACTED]"},
		{[][]Scheme{{{"unset", Bearer, ""}}, {{"key", "header", "X-Key"}, {"token", Bearer, ""}}}, "Authorization:[Bearer REDACTED]"},
		{[][]Scheme{{{"unset", Bearer, ""}}, {}}, "X-Own:[REDACTED]"},
		{[][]Scheme{{{"not named", Bearer, ""}}}, "X-Own:[REDACTED]"},
	} {
		got, err := c.Call(t.Context(), &Operation{Method: "GET", Path: "/echo", Security: row.security}, nil)
		if err != nil || !strings.Contains(string(got), row.want) {
			t.Errorf("%v: %s %v, want %s", row.security, got, err, row.want)
		}
		for _, secret := range []string{"heim", "abc", "ada", "YWRhOnBhc3M=", "own-token"} {
			if strings.Contains(string(got), secret) {
				t.Errorf("%v: %q is in the result: %s", row.security, secret, got)
			}
		}
	}
	_, err := c.Call(t.Context(), &Operation{Method: "GET", Path: "/echo", Security: [][]Scheme{{{"unset", Bearer, ""}}}}, nil)
	if err == nil || !strings.Contains(err.Error(), "the environment lacks UNSET") {
		t.Error(err)
	}
	s.Close()
	_, err = c.Call(t.Context(), &Operation{Method: "GET", Path: "/echo", Security: [][]Scheme{{{"key", "query", "k"}}}}, json.RawMessage(`{}`))
	if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "heim") {
		t.Error(err)
	}
}

// A secret that a server repeats in JSON is redacted as it is written there, and one in an answer that is too long
// makes it no shorter.
func TestSecretsInAnswers(t *testing.T) {
	const secret = `pass"word`
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/long" {
			_, _ = fmt.Fprintf(w, `{"key": %q, "rest": "%s"}`, strings.Repeat("x", len(secret))+secret, strings.Repeat("y", MaxResult-40))
			return
		}
		_, _ = fmt.Fprintf(w, `{"key": %q}`, secret)
	}))
	defer s.Close()
	c := New(Options{Server: s.URL, Secrets: map[string]Secret{"key": {"KEY", secret}}})
	got, err := c.Call(t.Context(), &Operation{Method: "GET", Path: "/short"}, nil)
	if err != nil || !strings.Contains(string(got), `{"key":"REDACTED"}`) || strings.Contains(string(got), "word") {
		t.Errorf("%s %v", got, err)
	}
	got, err = c.Call(t.Context(), &Operation{Method: "GET", Path: "/long"}, nil)
	if err != nil || !strings.Contains(string(got), "ask for less") {
		t.Errorf("%.200s %v", got, err)
	}
}
