package crawl

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRobotsRules(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text            string
		allowed, barred []string
	}{
		"a delay that is no number spoils its line alone": {
			"User-agent: *\nCrawl-delay: ten\nDisallow: /private\n", []string{"/", "/public"}, []string{"/private", "/private/a"},
		},
		"an empty delay": {"User-agent: *\nCrawl-delay:\nDisallow: /private\n", []string{"/"}, []string{"/private"}},
		"rules before any name are nobody's": {
			"Disallow: /everybody\nCrawl-delay: 3\nUser-agent: *\nDisallow: /private\n", []string{"/everybody"}, []string{"/private"},
		},
		"a pattern begins at the beginning": {
			"User-agent: *\nDisallow: /private/*/x\n", []string{"/public/private/1/x", "/private/x"}, []string{"/private/1/x", "/private/1/2/xyz"},
		},
		"the longest pattern decides": {
			"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\n", []string{"/a/b", "/a/b/d"}, []string{"/a", "/a/x", "/a/b/c"},
		},
		"of two that are as long the kinder one": {"User-agent: *\nDisallow: /a\nAllow: /a\n", []string{"/a"}, nil},
		"an end": {
			"User-agent: *\nDisallow: /*.gif$\nDisallow: /exactly$\n", []string{"/a.gif?x", "/exactly/not", "/a.gifs"}, []string{"/a.gif", "/x/b.gif", "/exactly"},
		},
		"wildcards that overlap": {"User-agent: *\nDisallow: /a*ab$\n", []string{"/ab", "/aabb"}, []string{"/aab", "/abab", "/axabab"}},
		"queries":                {"User-agent: *\nDisallow: /*?sort=\n", []string{"/?order=1", "/sort="}, []string{"/?sort=up", "/list?sort="}},
		"its own name counts, and nobody else's": {
			"User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: CallSheet/1.0\nDisallow: /own\n", []string{"/", "/x"}, []string{"/own"},
		},
		"groups of one name are one": {
			"User-agent: callsheet\nDisallow: /a\nUser-agent: x\nDisallow: /x\nUser-agent: callsheet\nDisallow: /b\n", []string{"/x"}, []string{"/a", "/b"},
		},
		"a name that only begins like this one": {"User-agent: callsheets\nDisallow: /\nUser-agent: call\nDisallow: /\n", []string{"/"}, nil},
		"nothing is forbidden":                  {"User-agent: *\nDisallow:\n", []string{"/", "/a"}, nil},
		"a map between a name and its rules":    {"User-agent: *\nSitemap: http://h/map.xml\nNonsense: 1\nDisallow: /a\n", []string{"/"}, []string{"/a"}},
		"letters of all kinds": {
			"\ufeffUSER-AGENT : *\r\ndisallow :/über/ # not this\r\nDisallow: /%7euser\r\nDisallow: /a%2fb\r\n",
			[]string{"/ueber/", "/a/b"}, []string{"/%C3%BCber/x", "/~user", "/a%2Fb"},
		},
		"no slash, no colon": {"User-agent *\nDisallow private/\n", []string{"/x/private/"}, []string{"/private/"}},
	} {
		r := robotsFile{Status: http.StatusOK, Body: tc.text}.rules()
		for _, path := range tc.allowed {
			if !r.allow("http://h" + path) {
				t.Errorf("%s: %s is barred", name, path)
			}
		}
		for _, path := range tc.barred {
			if r.allow("http://h" + path) {
				t.Errorf("%s: %s is allowed", name, path)
			}
		}
	}
}

func TestRobotsDelay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"User-agent: *\nCrawl-delay: 1.5":                              1500 * time.Millisecond,
		"User-agent: *\nCrawl-delay: 86400":                            longestDelay,
		"User-agent: *\nCrawl-delay: inf":                              longestDelay,
		"User-agent: *\nCrawl-delay: -3":                               0,
		"User-agent: *\nCrawl-delay: NaN":                              0,
		"User-agent: *\nCrawl-delay: 5\nUser-agent: callsheet\nAllow:": 0,
	} {
		if got := parseRules(text).delay; got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for _, status := range []int{http.StatusNotFound, http.StatusForbidden} {
		if r := (robotsFile{Status: status, Body: "User-agent: *\nDisallow: /"}).rules(); !r.allow("http://h/a") {
			t.Errorf("a file that is not there (%d) forbids", status)
		}
	}
}

func FuzzRobotsRules(f *testing.F) {
	f.Add("User-agent: *\nDisallow: /a*b$\nCrawl-delay: 1e400\nSitemap: x", "/ab")
	f.Add("user-agent\rallow:%\u00fc%zz*$*", "/%")
	f.Fuzz(func(t *testing.T, text, path string) {
		r := parseRules(text)
		if r.delay < 0 || r.delay > longestDelay {
			t.Errorf("a delay of %v", r.delay)
		}
		r.allow("http://h/" + path)
		if !strings.Contains(strings.ToLower(text), "disallow") && !r.allow("http://h/"+path) {
			t.Error("nothing forbids it, and it is barred")
		}
	})
}
