package chrome_test

import (
	"archive/zip"
	"bytes"
	"crypto/md5"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/chrome"
)

// archive is a ZIP file with these files, all executable.
func archive(t *testing.T, files ...[2]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		h := &zip.FileHeader{Name: f[0], Method: zip.Deflate}
		h.SetMode(0o755)
		if strings.HasPrefix(f[1], "-> ") {
			h.SetMode(fs.ModeSymlink | 0o777)
		}
		to, err := w.CreateHeader(h)
		if err == nil {
			_, err = to.Write([]byte(strings.TrimPrefix(f[1], "-> ")))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestInstall installs from a local server what is good, and nothing else.
func TestInstall(t *testing.T) { //nolint:paralleltest // sets the home directory
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("the index of the test has linux64 alone")
	}
	program := [2]string{"chrome-linux64/chrome", "#!/bin/sh\necho Chrome\n"}
	good := archive(t, program, [2]string{"chrome-linux64/locales/en.pak", "words"}, [2]string{"chrome-linux64/link", "-> locales/en.pak"})
	changed := bytes.Clone(good)
	changed[60] ^= 1 // in the content of the first file
	for _, test := range []struct {
		name, version, hash string
		body                []byte
		status              int
		wrong               string
	}{
		{"good", "140.0.1.2", "", good, 200, ""},
		{"good with a digest", "140.0.1.3", "md5", good, 200, ""},
		{"another digest", "140.0.1.2", "crc32c=AAAA, md5=AAAA", good, 200, "its MD5 digest is"},
		{"cut off", "140.0.1.2", "", good[:len(good)-100], 200, "unpack"},
		{"changed", "140.0.1.2", "", changed, 200, "unpack"},
		{"fewer bytes than stated", "140.0.1.2", "", good, 206, "EOF"},
		{"gone", "140.0.1.2", "", nil, 404, "404 Not Found"},
		{"outside", "140.0.1.2", "", archive(t, program, [2]string{"../../escaped", "x"}), 200, "escapes"},
		{"through a link", "140.0.1.2", "", archive(t, program, [2]string{"d", "-> /tmp"}, [2]string{"d/escaped", "x"}), 200, "escapes"},
		{"without a browser", "140.0.1.2", "", archive(t, [2]string{"readme", "x"}), 200, "has no browser"},
		{"a version that is a path", "../140", "", good, 200, "no stable Chrome"},
		{"no version", "", "", good, 200, "no stable Chrome"},
	} {
		t.Run(test.name, func(t *testing.T) {
			home := t.TempDir()
			t.Setenv("HOME", home)
			loads := 0
			var site *httptest.Server
			site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/index.json" {
					fmt.Fprintf(w, `{"channels":{"Stable":{"version":%q,"downloads":{"chrome":[{"platform":"win32","url":"x"},{"platform":"linux64","url":"%s/c.zip"}]}}}}`, test.version, site.URL)
					return
				}
				loads++
				if test.hash == "md5" {
					sum := md5.Sum(test.body)
					test.hash = "md5=" + base64.StdEncoding.EncodeToString(sum[:])
				}
				w.Header().Set("X-Goog-Hash", test.hash)
				length := len(test.body)
				if test.status == 206 {
					length, test.status = length+10, 200
				}
				w.Header().Set("Content-Length", fmt.Sprint(length))
				w.WriteHeader(test.status)
				_, _ = w.Write(test.body)
			}))
			t.Cleanup(site.Close)
			reached, total := 0.0, 0.0
			install := func() (string, error) {
				return chrome.Install(t.Context(), site.URL+"/index.json", func(done, all float64, _ string) { reached, total = done, all })
			}
			path, err := install()
			if test.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), test.wrong) {
					t.Errorf("%s, %v, want %q", path, err, test.wrong)
				}
				if left, _ := filepath.Glob(filepath.Join(home, ".cache/puppeteer/chrome/.incoming*")); len(left) > 0 {
					t.Errorf("%v stay", left)
				}
				return
			}
			if want := filepath.Join(home, ".cache/puppeteer/chrome/linux-"+test.version+"/chrome-linux64/chrome"); err != nil || path != want {
				t.Fatalf("%s %v, want %s", path, err, want)
			}
			info, err := os.Stat(path)
			linked, linkErr := os.ReadFile(filepath.Join(filepath.Dir(path), "link"))
			if err != nil || info.Mode()&0o111 == 0 || linkErr != nil || string(linked) != "words" || reached != float64(len(good)) || total != reached {
				t.Errorf("%v %v %s %v, progress %v of %v", info, err, linked, linkErr, reached, total)
			}
			if again, err := install(); err != nil || again != path || loads != 1 {
				t.Errorf("the second time: %s %v, %d downloads", again, err, loads)
			}
		})
	}
}
