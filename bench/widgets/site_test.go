package widgets

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
)

// serveSite serves the pages at /, the libraries at /npm/ and the bundles of src/ at /dist/, on
// loopback.
func serveSite(dir string) (*httptest.Server, error) {
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		return nil, fmt.Errorf("the libraries are missing: run make widgets-install: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(dir, "pages"))))
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules")))))
	mux.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir(filepath.Join(dir, "dist")))))
	mux.HandleFunc("/upload", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return httptest.NewServer(mux), nil
}
