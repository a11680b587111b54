package address

import (
	"errors"
	"net/url"
	"strings"
	"testing"
)

func TestResolve(t *testing.T) {
	t.Parallel()
	accepted := map[string]string{
		"http://example.com/x?y#z":   "http://example.com/x?y#z",
		"HTTPS://example.com":        "HTTPS://example.com",
		" example.com/path ":         "https://example.com/path",
		"example.com:8080/x":         "https://example.com:8080/x",
		"localhost":                  "http://localhost",
		"localhost:3000/x":           "http://localhost:3000/x",
		"app.localhost:3000":         "http://app.localhost:3000",
		"127.0.0.1:9/x":              "http://127.0.0.1:9/x",
		"[::1]:9/x":                  "http://[::1]:9/x",
		"10.0.0.1":                   "https://10.0.0.1",
		"intranet":                   "https://intranet",
		"münchen.example":            "https://münchen.example",
		"about:blank":                "about:blank",
		"about:blank#x":              "about:blank#x",
		"data:text/html,<b>a b</b>":  "data:text/html,<b>a b</b>",
		"data:text/html,two\nlines ": "data:text/html,two\nlines",
	}
	for in, want := range accepted {
		if got, err := Resolve(in, false); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", in, got, err, want)
		}
	}
	refused := []string{
		"", " ", "javascript:alert(1)", "JavaScript:alert(1)", "javascript:1", "java\nscript:1", "file:///etc/passwd",
		"chrome://version", "about:config", "view-source:http://x", "ftp://example.com", "mailto:a@b.c",
		"blob:http://x/1", "ws://x", "http:", "http://", "http:/x", "https:example.com", `http:\\x`, "http://a b/",
		"example.com/a b", "http://x\x00y", "//example.com", "http://[::1", "about:srcdoc",
	}
	for _, in := range refused {
		if got, err := Resolve(in, false); !errors.As(err, new(*Error)) {
			t.Errorf("%q: %q, %v, want an Error", in, got, err)
		}
	}
	for _, in := range []string{
		"file:///etc/passwd", "./index.html", "../x/page.htm", "/srv/www/index.html", "~/notes.txt", "index.html", "my report.pdf", `C:\x\y.html`, `C:/x/y.html`, "page.html?q=1",
	} {
		if _, err := Resolve(in, false); err == nil || !strings.Contains(err.Error(), "file of this machine") || !strings.Contains(err.Error(), "--allow-file-urls") {
			t.Errorf("%q without leave to open files: %v", in, err)
		}
	}
	for in, want := range map[string]string{"/srv/a b.html": "file:///srv/a%20b.html", `C:\x\y.html`: "file:///C:/x/y.html"} {
		if got, err := Resolve(in, true); got != want || err != nil {
			t.Errorf("allowed file %q: %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := Resolve("./index.html", true); err == nil || !strings.Contains(err.Error(), "relative path") {
		t.Errorf("a relative path: %v", err)
	}
	if got, err := Resolve("docs/index.html", false); got != "https://docs/index.html" || err != nil {
		t.Errorf("a path below a host: %q, %v", got, err)
	}
	if got, err := Resolve("file:///tmp/x.html", true); got != "file:///tmp/x.html" || err != nil {
		t.Errorf("allowed file: %q, %v", got, err)
	}
	if _, err := Resolve("file://host/x", true); err == nil {
		t.Error("a file on another host")
	}
}

func FuzzResolve(f *testing.F) {
	for _, seed := range []string{"example.com", "localhost:1", "javascript:1", "data:,x", "http://a/b", "[::1]", "file:///x", "a:b@c"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got, err := Resolve(in, false)
		if err != nil {
			return
		}
		again, err := Resolve(got, false)
		if again != got || err != nil {
			t.Errorf("%q: %q resolves to %q, %v", in, got, again, err)
		}
		scheme, _, _ := strings.Cut(got, ":")
		switch strings.ToLower(scheme) {
		case "about", "data":
		case "http", "https":
			if u, err := url.Parse(got); err != nil || u.Hostname() == "" {
				t.Errorf("%q: %q has no host", in, got)
			}
		default:
			t.Errorf("%q: scheme of %q", in, got)
		}
	})
}
