package crawl

import (
	"bytes"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func TestOneFormForEachAddress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		base, link, want string
		strip            bool
	}{
		{"", "HTTP://Example.COM:80", "http://example.com/", false},
		{"", "https://example.com:443/a/../b/./c", "https://example.com/b/c", false},
		{"", "https://example.com:8443/#top", "https://example.com:8443/", false},
		{"", "https://user:secret@example.com/", "https://example.com/", false},
		{"", "http://example.com/?b=2&a=1&a=0", "http://example.com/?a=0&a=1&b=2", false},
		{"", "http://example.com/?", "http://example.com/", false},
		{"", "http://example.com/%7euser/%2f%e4", "http://example.com/~user/%2F%E4", false},
		{"", "http://münchen.example/", "http://xn--mnchen-3ya.example/", false},
		{"", "http://example.com/?utm_source=x&id=7&fbclid=y", "http://example.com/?id=7", true},
		{"", "http://example.com/?utm_source=x&id=7", "http://example.com/?id=7&utm_source=x", false},
		{"http://example.com/a/b?x=1", "c", "http://example.com/a/c", false},
		{"http://example.com/a/b?x=1", "?y=2", "http://example.com/a/b?y=2", false},
		{"http://example.com/a/", "//other.example/x", "http://other.example/x", false},
		{"http://example.com/a/", "\\b", "http://example.com/b", false},
		{"http://example.com/", "mailto:a@b.c", "", false},
		{"http://example.com/", "javascript:alert(1)", "", false},
		{"http://example.com/", "file:///etc/passwd", "", false},
		{"", "http://[bad", "", false},
		{"", "http://example.com/" + strings.Repeat("x", 3000), "", false},
	} {
		at, err := NewCanonicalizer(tc.strip).Resolve(tc.base, tc.link)
		if at.URL != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%q on %q is %q (%v), want %q", tc.link, tc.base, at.URL, err, tc.want)
		}
		if again, _ := NewCanonicalizer(tc.strip).Resolve("", at.URL); err == nil && again.URL != at.URL {
			t.Errorf("%q becomes %q", at.URL, again.URL)
		}
	}
	a, _ := NewCanonicalizer(false).Resolve("", "http://h/cal/2026/11?view=week&d=3")
	b, _ := NewCanonicalizer(false).Resolve("", "http://h/cal/1999/7?d=9&view=day")
	if a.Pattern() != b.Pattern() || a.Key() == b.Key() {
		t.Errorf("%q and %q", a.Pattern(), b.Pattern())
	}
}

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		pattern, address string
		want             bool
	}{
		{"http://h/**", "http://h/", true},
		{"http://h/**", "http://h/a/b?c=d", true},
		{"http://h/**", "http://h.evil.example/", false},
		{"http://h/*", "http://h/a/b", false},
		{"h/docs/**", "https://h/docs/x", true},
		{"/docs/*", "https://any.example/docs/x", true},
		{"/docs/*", "https://any.example/x?/docs/y", false},
		{"**/private/**", "http://h/a/private/b", true},
		{"http://h/a.b", "http://h/aXb", false},
		{"http://h/(", "http://h/(", true},
	} {
		if got := compileGlob(tc.pattern).MatchString(tc.address); got != tc.want {
			t.Errorf("%q on %q: %v", tc.pattern, tc.address, got)
		}
	}
}

func TestWhatIsTooDeepIsFlattened(t *testing.T) {
	t.Parallel()
	page := strings.Repeat("<div><b>", 3000) + "<a href=/x>deep</a> text" + strings.Repeat("</b></div>", 3000) + "<p>after</p>"
	if _, err := html.Parse(strings.NewReader(page)); err == nil {
		t.Skip("the parser takes it as it is")
	}
	d, err := parse([]byte(page), "text/html; charset=utf-8")
	if err != nil {
		t.Fatal(err)
	}
	if len(d.data.Links) != 1 || d.data.Links[0].URL != "/x" || !strings.Contains(d.body, "deep text") || !strings.Contains(d.body, "after") {
		t.Errorf("%v %q", d.data.Links, d.body)
	}
	if text, _, _, err := d.content(Markdown); err != nil || !strings.Contains(text, "deep") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestWhichPagesNeedABrowser(t *testing.T) {
	t.Parallel()
	for markup, want := range map[string]bool{
		`<div id=root></div><script src=/app.js></script>`:          true,
		`<div id="__next"></div><a href=/x>x</a><script>1</script>`: true,
		`<p>Hello</p>`:                                     false,
		`<p>Hello</p><script>1</script>`:                   true,
		`<p>Hello</p><a href=/>home</a><script>1</script>`: false,
		`<div id=root></div><p>` + strings.Repeat("word ", 100) + `</p><script src=/x.js></script>`: false,
	} {
		d, err := parse([]byte(markup), "text/html")
		if err != nil || d.needsScript() != want {
			t.Errorf("%s: %v, %v", markup, d.needsScript(), err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("<title>x</title><a href=/y>z</a>"), "text/html")
	f.Add([]byte("<base href='http://[x'><link rel=canonical href=%%%>\x00\xff"), "text/html; charset=utf-16")
	f.Add(bytes.Repeat([]byte("<table><td>"), 400), "")
	f.Fuzz(func(t *testing.T, body []byte, kind string) {
		d, err := parse(body, kind)
		if err != nil {
			return
		}
		for _, format := range []Format{Markdown, PlainText, Structured} {
			if text, _, _, err := d.content(format); err == nil && len(text) > maxContentBytes {
				t.Errorf("%d bytes", len(text))
			}
		}
	})
}

func FuzzParseSitemap(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>http://h/</loc><lastmod>2026</lastmod></url></urlset>`))
	f.Add([]byte("http://h/a\nhttp://h/b"))
	f.Fuzz(func(t *testing.T, body []byte) {
		pages, maps, err := parseSitemap(body)
		if err == errNoSitemap && len(pages)+len(maps) > 0 {
			t.Error("it is none, and lists something")
		}
	})
}
