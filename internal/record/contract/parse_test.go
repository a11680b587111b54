package contract_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/record/contract"
)

// TestParseReportsEveryProblem parses one contract with every kind of problem.
func TestParseReportsEveryProblem(t *testing.T) {
	t.Parallel()
	_, problems := contract.Parse([]byte(`{
		"urll": "/x",
		"dom_text": {"contains": "a", "equals": "b"},
		"dom_count": {"selector": "li", "min": 3, "max": 2},
		"element": {"selector": "#a", "state": ["visibel", 7]},
		"value": {"equals": "x"},
		"network": {"status": "6xx", "since": "lod", "metod": "GET"},
		"console": {"level": "eror"},
		"performance": {"metric": "lpc", "max": -1},
		"heap": {"growth": "1 MB", "size": "> 3"},
		"screenshot": {"distance": 65, "like": "xyz"},
		"looks_like": {"baseline": "page", "max": 2},
		"download": {"matches": "("},
		"no_dialog": false,
		"and": [],
		"or": [{}, 3],
		"not": {"url": {"matches": "(?=x)"}}
	}`))
	got := map[string]string{}
	for _, p := range problems {
		got[p.Path] += p.Problem + " " + p.Hint
	}
	for path, want := range map[string]string{
		"/urll": `did you mean "url"?`, "/dom_text/equals": "give one of contains, equals, matches", "/dom_count": "min 3 is above max 2",
		"/element/state/0": `did you mean "visible"?`, "/element/state/1": "expected a text, got 7", "/value": "selector is missing",
		"/network/status": `got "6xx"`, "/network/since": `did you mean "load"?`, "/network/metod": `did you mean "method"?`,
		"/console/level": `did you mean "error"?`, "/performance/metric": `did you mean "lcp"?`, "/performance/max": "from 0, got -1",
		"/heap/growth": `such as "< 1 MB"`, "/heap/size": `got "> 3"`,
		"/screenshot/distance": "0 to 64, got 65", "/screenshot/like": "no fingerprint", "/looks_like/max": "from 0 to 1, got 2", "/download/matches": "RE2", "/no_dialog": "expected true, got false",
		"/and": "one or more objects, got an empty list", "/or/0": "says nothing", "/or/1": "got 3", "/not/url/matches": "without look-around",
	} {
		if !strings.Contains(got[path], want) {
			t.Errorf("%s: %q lacks %q", path, got[path], want)
		}
		delete(got, path)
	}
	delete(got, "/performance") // with its bound wrong it has none
	if diff := cmp.Diff(map[string]string{}, got); diff != "" {
		t.Error(diff)
	}
}

func TestParseRefusesMalformedContracts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "not valid JSON",
		"{":                             "not valid JSON",
		`[{"url":"x"}]`:                 "expected an object",
		`{}`:                            "says nothing",
		`{"url":"a","url":"b"}`:         "not valid JSON",
		`{"url":1}`:                     "expected a text",
		`{"dom_count":"li"}`:            "expected an object with selector",
		`{"network":{}}`:                "give a part of the address",
		`{"screenshot":{"distance":3}}`: "give class",
		`{"looks_like":{"max":0.1}}`:    "give baseline",
		strings.Repeat(`{"not":`, 20) + `{"url":"a"}` + strings.Repeat("}", 20): "more than 16 levels",
		`{"and":[` + strings.Repeat(`{"url":"a"},`, 100) + `{"url":"a"}]}`:      "may have 100",
		`{"url":"` + strings.Repeat("a", 70000) + `"}`:                          "65536",
	} {
		c, problems := contract.Parse([]byte(text))
		if c != nil || len(problems) == 0 || !strings.Contains(problems.Error(), want) {
			t.Errorf("%.60q: %v, want %q", text, problems, want)
		}
	}
}

// TestShortForms parses the forms that agents write most.
func TestShortForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"url":"/done"}`, `{"dom_text":"Thanks","no_dialog":true}`, `{"element":"#ok"}`, `{"console":{}}`, `{"network":"/api"}`,
		`{"download":"report"}`, `{"download":{}}`, `{"screenshot":"login"}`, `{"network":{"status":404}}`,
		`{"element":{"selector":"#a","state":["visible","enabled"]}}`, `{"value":{"selector":"#a","equals":""}}`,
	} {
		c := parse(t, text)
		if c.String() != text {
			t.Errorf("%s became %s", text, c)
		}
	}
}

// FuzzParse: whatever comes, the answer is a contract or problems, each problem with a pointer that
// is one.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"url":"/done"}`, `{"and":[{"dom_text":{"matches":"a+"}},{"not":{"element":".e"}}]}`, `{"network":{"status":"2xx","min":1,"max":3}}`,
		`{"a/b~c":1}`, `{"or":[{}]}`, `[`, `{"screenshot":{"like":"0123456789abcdef"}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, problems := contract.Parse(raw)
		if (c == nil) != (len(problems) > 0) {
			t.Fatalf("%q: %v and %v", raw, c, problems)
		}
		for _, p := range problems {
			if p.Path != "" && p.Path[0] != '/' || p.Problem == "" {
				t.Errorf("%q: %+v", raw, p)
			}
		}
		if c != nil {
			r := c.Judge(t.Context(), &table{}, contract.Options{})
			if len(r.Nodes) == 0 || r.Attempts != 1 {
				t.Errorf("%q: %+v", raw, r)
			}
		}
	})
}
