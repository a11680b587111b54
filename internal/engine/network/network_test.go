package network

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestGlob compares glob with a regular expression.
func TestGlob(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[ab/*?.]{0,8}`).Draw(t, "pattern")
		text := rapid.StringMatching(`[ab/?.]{0,12}`).Draw(t, "text")
		oracle := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$")
		if got, want := glob(pattern).match(text), oracle.MatchString(text); got != want {
			t.Errorf("%q matches %q: %v, want %v", pattern, text, got, want)
		}
	})
}

func TestRedactURL(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"https://example.com/a?b=c&d":                        "https://example.com/a?b=c&d",
		"https://ada:pw@example.com/":                        "https://REDACTED@example.com/",
		"https://example.com/?access_token=x&page=2":         "https://example.com/?access_token=REDACTED&page=2",
		"https://example.com/?X-Amz-Signature=abc&key=1":     "https://example.com/?X-Amz-Signature=REDACTED&key=REDACTED",
		"https://example.com/?pass%77ord=x":                  "https://example.com/?pass%77ord=REDACTED",
		"https://example.com/cb#id_token=x&state=y&ok=1":     "https://example.com/cb#id_token=REDACTED&state=REDACTED&ok=1",
		"https://example.com/page#section":                   "https://example.com/page#section",
		"https://example.com/mail@example.com?u=a@b":         "https://example.com/mail@example.com?u=a@b",
		"https://example.com/?client_secret=&code=q&x=%zz":   "https://example.com/?client_secret=REDACTED&code=REDACTED&x=%zz",
		"data:text/plain," + strings.Repeat("x", 200):        "data:text/plain," + strings.Repeat("x", 88) + "…",
		"https://example.com/?q=who+has+the+token":           "https://example.com/?q=who+has+the+token",
		"wss://example.com/socket?sessionId=1&SID=2&side=ok": "wss://example.com/socket?sessionId=REDACTED&SID=REDACTED&side=ok",
	} {
		if got := RedactURL(in); got != want {
			t.Errorf("%s\n gives %s\n want  %s", in, got, want)
		}
	}
}

func FuzzRedactURL(f *testing.F) {
	f.Add("https://a:b@c/?token=x#y=z")
	f.Add("://?&=#")
	f.Fuzz(func(t *testing.T, address string) {
		got := RedactURL(address)
		if again := RedactURL(got); again != got {
			t.Errorf("%q gives %q, then %q", address, got, again)
		}
		// No parameter whose name is a secret's keeps its value.
		if u, err := url.Parse(got); err == nil && u.Scheme != "data" {
			for part := range strings.SplitSeq(u.RawQuery, "&") {
				if name, value, ok := strings.Cut(part, "="); ok && name == "token" && value != Redacted {
					t.Errorf("%q keeps %q", address, value)
				}
			}
		}
	})
}

func TestRedactText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, mime, want string }{
		{`{"access_token": "abc\"d", "n": 1}`, "application/json", `{"access_token": "REDACTED", "n": 1}`},
		{`{"a":{"password":"x"},"pin":1234,"code":404}`, "application/json", `{"a":{"password":"REDACTED"},"pin":"REDACTED","code":404}`},
		{`password=x&name=ada`, "application/x-www-form-urlencoded; charset=utf-8", `password=REDACTED&name=ada`},
		{`{"token":"cut of`, "application/json", `{"token":"REDACTED"`},
		{`plain token text`, "text/plain", `plain token text`},
	} {
		if got := redactText(c.in, c.mime); got != c.want {
			t.Errorf("%s gives %s, want %s", c.in, got, c.want)
		}
	}
}

func TestRedactAllRemovesRepeatedSecrets(t *testing.T) {
	t.Parallel()
	all := []Entry{
		{URL: "https://x/?token=longenough", MIME: "text/html", Body: []byte("you asked for token longenough")},
		{RequestHeaders: []Header{{"Authorization", "Bearer 123456789"}, {"Cookie", "a=cookie-value; b=c"}}, MIME: "text/plain",
			Body: []byte("123456789 and cookie-value; c stays")},
	}
	got := RedactAll(all, all)
	if s := string(got[0].Body); s != "you asked for token REDACTED" {
		t.Errorf("%q", s)
	}
	if s := string(got[1].Body); s != "REDACTED and REDACTED; c stays" {
		t.Errorf("%q", s)
	}
	if string(all[0].Body) != "you asked for token longenough" {
		t.Error("RedactAll changed its argument")
	}
}

func TestInvalidPatterns(t *testing.T) {
	t.Parallel()
	for pattern, syntax := range map[string]Syntax{"": Glob, "/api": Glob, strings.Repeat("*", 2001): Glob, "https://x/:(": URLPattern} {
		if _, err := newMatcher(pattern, syntax); err == nil {
			t.Errorf("%.20q was accepted", pattern)
		}
	}
	m, err := newMatcher("*://*/users/:id", URLPattern)
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]bool{"https://a.example/users/7": true, "https://a.example/users": false, "http://b/users/x": true} {
		if m.match(address) != want {
			t.Errorf("%s: %v", address, !want)
		}
	}
	if got := glob(`*/a?b\c`).cdpPattern(); got != `*/a\?b\\c` {
		t.Errorf("cdpPattern gives %s", got)
	}
}

func FuzzMatcher(f *testing.F) {
	f.Add("https://x/:id(\\d+)", "https://x/1")
	f.Add("{/:a}?*", "")
	f.Fuzz(func(_ *testing.T, pattern, address string) {
		for _, syntax := range []Syntax{Glob, URLPattern} {
			if m, err := newMatcher(pattern, syntax); err == nil {
				m.match(address)
			}
		}
	})
}

func TestHARIsJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		e := Entry{
			Number: 1, Method: "GET", URL: text.Draw(t, "url"), Type: "fetch", Status: rapid.Int().Draw(t, "status"),
			ResponseHeader: []Header{{text.Draw(t, "name"), text.Draw(t, "value")}}, Body: rapid.SliceOf(rapid.Byte()).Draw(t, "body"), MIME: text.Draw(t, "mime"),
		}
		raw, err := HAR(RedactAll([]Entry{e}, []Entry{e}), "Chrome/1")
		if err != nil || !json.Valid(raw) || !bytes.HasPrefix(raw, []byte(`{"log":{"version":"1.2"`)) {
			t.Errorf("%s, %v", raw, err)
		}
	})
}

func BenchmarkRedactURL(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		RedactURL("https://example.com/some/path?page=2&access_token=abcdef&sort=up")
	}
}

func ExampleRedactURL() {
	fmt.Println(RedactURL("https://example.com/?page=2&token=abc"))
	// Output: https://example.com/?page=2&token=REDACTED
}
