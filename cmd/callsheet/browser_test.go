package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// TestBrowserInstall downloads a browser from a local server, starts it, and says what else to do where nothing answers.
func TestBrowserInstall(t *testing.T) {
	t.Parallel()
	real, err := chromium.FindExecutable("")
	if err != nil || runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("needs a browser of linux/amd64")
	}
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	h := &zip.FileHeader{Name: "chrome-linux64/chrome"}
	h.SetMode(0o755)
	to, err := w.CreateHeader(h)
	if err == nil {
		_, err = fmt.Fprintf(to, "#!/bin/sh\nexec %s \"$@\"\n", real)
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	var site *httptest.Server
	site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/index" {
			fmt.Fprintf(w, `{"channels":{"Stable":{"version":"1.2.3.4","downloads":{"chrome":[{"platform":"linux64","url":"%s/zip"}]}}}}`, site.URL)
			return
		}
		_, _ = w.Write(archive.Bytes())
	}))
	t.Cleanup(site.Close)
	s, home := atHome(t)
	s.env = append(s.env, "PATH=/usr/bin:/bin", "CHROME_PATH=")
	s.does("browser install --url "+site.URL+"/index", "ok       browser   "+filepath.Join(home, ".cache/puppeteer/chrome/linux-1.2.3.4/chrome-linux64/chrome"))
	for _, nothing := range []string{site.URL + "/zip", "http://127.0.0.1:1/index"} {
		s.fails(exit.Transport, "browser install --url "+nothing, "no browser was installed: ", nothing, "playwright install chromium", "apt-get install chromium", "CHROME_PATH")
	}
	if out, errs, _ := s.run("browser", "install", "--url", "http://127.0.0.1:1/index"); out != "" || strings.Count(errs, "\n") != 1 {
		t.Errorf("it is no one line: %q %q", out, errs)
	}
}
