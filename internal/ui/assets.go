package ui

import (
	"embed"
	"io/fs"
	"net/http"
	"strings"
)

//go:embed assets
var assets embed.FS

// staticFiles serves the files of the front end below Path. They hold nothing of a session.
func staticFiles() http.Handler {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // the directory is embedded
	}
	serve := http.StripPrefix(strings.TrimSuffix(Path, "/"), http.FileServerFS(files))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasSuffix(r.URL.Path, "/") && r.URL.Path != Path {
			http.NotFound(w, r)
			return
		}
		serve.ServeHTTP(w, r)
	})
}
