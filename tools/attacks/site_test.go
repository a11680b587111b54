package attacks_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// site is a set of origins, each with a server of its own: evil and bank are evil.localhost and
// bank.localhost with different ports. What is requested of them is kept.
type site struct {
	t *testing.T

	mu       sync.Mutex
	origins  map[string]*origin
	requests []string
}

// origin is one server of a site.
type origin struct {
	mux    *http.ServeMux
	server *httptest.Server
	port   string
}

func newSite(t *testing.T) *site { return &site{t: t, origins: map[string]*origin{}} }

// at returns an origin, started at first use.
func (s *site) at(name string) *origin {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o, ok := s.origins[name]; ok {
		return o
	}
	o := &origin{mux: http.NewServeMux()}
	o.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		_ = r.Body.Close()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		s.mu.Lock()
		s.requests = append(s.requests, fmt.Sprintf("%s %s%s %s", r.Method, name, r.URL.RequestURI(), body))
		s.mu.Unlock()
		o.mux.ServeHTTP(w, r)
	}))
	u, err := url.Parse(o.server.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	o.port = u.Port()
	s.origins[name] = o
	s.t.Cleanup(func() { o.server.CloseClientConnections(); o.server.Close() })
	return o
}

// page serves HTML. {NAME} in it becomes the address of that origin, as http://bank.localhost:1234.
func (s *site) page(name, path, html string) *site {
	s.handle(name, path, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><meta charset=utf-8>"+s.expand(html)) // the browser may have left
	})
	return s
}

// handle serves a path of an origin; "/" is every path.
func (s *site) handle(name, path string, serve http.HandlerFunc) *site {
	s.at(name).mux.HandleFunc(path, serve)
	return s
}

// expand writes the addresses of origins.
func (s *site) expand(text string) string {
	for _, name := range []string{"evil", "bank", "other"} {
		if strings.Contains(text, "{"+name+"}") {
			text = strings.ReplaceAll(text, "{"+name+"}", s.url(name, ""))
		}
	}
	return text
}

// url returns the address of a path under the origin's name, which only the browser resolves.
func (s *site) url(name, path string) string {
	return "http://" + name + ".localhost:" + s.at(name).port + path
}

// address returns the address of a path by number, which every program resolves.
func (s *site) address(name, path string) string { return s.at(name).server.URL + path }

// requested returns the requests so far, one a line: method, origin and path, body.
func (s *site) requested() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.requests, "\n")
}
