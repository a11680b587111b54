package debugger

import (
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/chromedp/cdproto/runtime"
	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/text"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2][]string{
		"http://h/a.js": {{"http://h/a.js"}, {"http://h/a.js?x", "http://h/b/a.js"}},
		"a.js":          {{"http://h/a.js", "http://h/a.js?x#y", "a.js"}, {"http://h/ba.js", "http://h/a.jsx"}},
		"/src/a.ts":     {{"http://h/src/a.ts", "webpack:///src/a.ts"}, {"http://h/xsrc/a.ts"}},
		"*/v/*":         {{"http://h/v/x.js"}, {"http://h/w/x.js"}},
		`/chunk-\d+/`:   {{"http://h/chunk-12.js"}, {"http://h/chunk-x.js"}},
	} {
		p, err := parsePattern(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		for i, addresses := range want {
			for _, address := range addresses {
				if got := p.matches(address); got != (i == 0) {
					t.Errorf("%s matches %s: %v", text, address, got)
				}
			}
		}
	}
}

func FuzzPattern(f *testing.F) {
	f.Add("a.js", "http://h/a.js")
	f.Add("/(a|b)/", "x")
	f.Add("*", "")
	f.Fuzz(func(t *testing.T, text, address string) {
		p, err := parsePattern(text)
		if err != nil {
			return
		}
		if e, err := regexp.Compile(p.regex()); err != nil || e.MatchString(address) != p.matches(address) {
			t.Errorf("%q as %q differs on %q: %v", text, p.regex(), address, err)
		}
	})
}

func TestFunctionHeads(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, source := range []string{
		"function add(a, b) {\n  return a }", "class Cart extends X {\n}", "(a, b) => a + b", "async function f() {}",
		"function () { [native code] }", "put(item) {\n}", "x => ({x})",
	} {
		got[source] = formatFunction(source)
	}
	want := map[string]string{
		"function add(a, b) {\n  return a }": "ƒ add(a, b)", "class Cart extends X {\n}": "class Cart extends X",
		"(a, b) => a + b": "ƒ (a, b) => …", "async function f() {}": "ƒ async f()", "function () { [native code] }": "ƒ ()",
		"put(item) {\n}": "ƒ put(item)", "x => ({x})": "ƒ x => …",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPauseTextKeepsLimit formats a pause in which every field is too long.
func TestPauseTextKeepsLimit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 4000)
	p := Pause{Reason: AtException, Detail: long, Function: long, Location: Location{URL: long, Line: 1, Generated: &Location{URL: long}}, This: long}
	for range 200 {
		p.Source = append(p.Source, SourceLine{Text: text.ClipBytes(long, lineLimit)})
		p.Frames = append(p.Frames, Frame{ID: "f1", Function: long, Location: Location{URL: long}, Async: long})
		p.Scopes = append(p.Scopes, Scope{Kind: "local", Name: long, Variables: []Variable{{long, long}}})
		p.Watches = append(p.Watches, Watch{Expression: long, Value: long})
		p.Changes = append(p.Changes, Change{Name: long, Old: long, New: long})
	}
	if got := p.Text(100); len(got) > textLimit || !utf8.ValidString(got) || !strings.HasPrefix(got, "paused at …/") {
		t.Errorf("%d bytes: %.100s", len(got), got)
	}
	if got := formatValue(&runtime.RemoteObject{Type: "string", Value: []byte(`"` + long + `"`)}, 100); len(got) > 100 {
		t.Errorf("a string in %d bytes", len(got))
	}
}
