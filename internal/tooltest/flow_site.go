package tooltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"
)

// FlowSite serves testdata/flows in one of its versions: original, cosmetic (a redesign of classes,
// order and wrappers) or semantic (something is called otherwise, gone, or does something else).
type FlowSite struct {
	URL     string
	Version atomic.Value
}

// ServeFlows serves the site of the flows, in its original version.
func ServeFlows(t *testing.T) *FlowSite {
	t.Helper()
	s := &FlowSite{}
	s.Version.Store("original")
	mux := http.NewServeMux()
	mux.HandleFunc("/{page}", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, r.PathValue("page")) })
	mux.HandleFunc("/{page}/{rest...}", func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, r.PathValue("page")) })
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".csv"):
			w.Header().Set("Content-Type", "text/csv")
			fmt.Fprint(w, "year,total\n2026,42\n")
		case r.URL.Path == "/search.json":
			found := []string{}
			for _, name := range []string{"Blue lamp", "Blue chair", "Red lamp"} {
				if strings.Contains(strings.ToLower(name), strings.ToLower(r.URL.Query().Get("q"))) {
					found = append(found, name)
				}
			}
			_ = json.NewEncoder(w).Encode(found)
		default:
			mux.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s.URL = srv.URL
	return s
}

func (s *FlowSite) serve(w http.ResponseWriter, r *http.Request, page string) {
	w.Header().Set("Cache-Control", "no-store")
	http.ServeFileFS(w, r, pages, path.Join("flows", s.Version.Load().(string), path.Base(page)))
}
