package ui

import (
	"embed"
	"net/http"
	"net/url"
	"strings"
)

//go:embed assets
var assets embed.FS

// staticFiles serves the files of the front end below Path. They hold nothing of a session.
func staticFiles() http.Handler {
	serve := http.FileServerFS(assets)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, Path)
		if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasSuffix(name, "/") {
			http.NotFound(w, r)
			return
		}
		file := r.Clone(r.Context())
		file.URL = &url.URL{Path: "/assets/" + name}
		serve.ServeHTTP(w, file)
	})
}
