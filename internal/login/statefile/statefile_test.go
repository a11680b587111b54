package statefile_test

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/login/statefile"
)

// theirs is a state in the form in which Playwright 1.60 writes it.
const theirs = `{
  "cookies": [
    {"name": "sid", "value": "1", "domain": "a.example", "path": "/", "expires": -1, "httpOnly": true, "secure": false, "sameSite": "Lax"},
    {"name": "part", "value": "x", "domain": ".embed.example", "path": "/", "expires": 1900000000.5, "httpOnly": false, "secure": true, "sameSite": "None",
      "partitionKey": "https://top.example", "_crHasCrossSiteAncestor": true}
  ],
  "origins": [{
    "origin": "https://a.example",
    "localStorage": [{"name": "k", "value": "v"}],
    "indexedDB": [{"name": "auth", "version": 3, "stores": [{"name": "t", "autoIncrement": false, "keyPath": "id", "records": [{"value": {"id": 1}}], "indexes": []}]}],
    "later": true
  }]
}`

func TestStatesComeBack(t *testing.T) {
	t.Parallel()
	want, err := statefile.Parse([]byte(theirs))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "state.json")
	if err := os.WriteFile(path, []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := statefile.Write(path, want); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others can read the file: %v %v", info, err)
	}
	got, err := statefile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if first, second := encode(t, want), encode(t, got); first != second {
		t.Errorf("written and read it is\n%s\nnot\n%s", second, first)
	}
	if names := got.OriginNames(); !reflect.DeepEqual(names, []string{"embed.example", "https://a.example"}) {
		t.Errorf("the origins are %q", names)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); left != nil {
		t.Errorf("writing left %q", left)
	}
	if text := encode(t, statefile.State{}); text != "{\n  \"cookies\": [],\n  \"origins\": []\n}\n" {
		t.Errorf("the empty state is %s", text)
	}
}

func encode(t *testing.T, s statefile.State) string {
	t.Helper()
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestMistakesHavePositions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "1:1: this is no JSON: it ends too early",
		"{\"cookies\": [":          "this is no JSON: it ends too early",
		"{\n  \"cookies\": [}":     "2:15: this is no JSON",
		"{\"cookies\": []}\n true": "2:2: text follows the state",
		"null":                     "1:1: this is no storage state",
		`{"theme": "dark"}`:        "1:1: this is no storage state",
		`{"cookies": [{"domain": "a.example", "path": "/"}]}`:                                                   "cookies[0] has neither name nor value",
		`{"cookies": [{"name": "a", "path": "/"}]}`:                                                             "cookies[0].domain is missing",
		`{"cookies": [{"name": "a", "domain": "a.example", "path": "/", "sameSite": "lax"}]}`:                   "cookies[0].sameSite must be Strict, Lax or None",
		`{"origins": [{"origin": "file:///etc"}]}`:                                                              "origins[0].origin must be scheme://host",
		`{"origins": [{"origin": "https://a.example", "indexedDB": [{"name": "x", "version": 0}]}]}`:            "origins[0].indexedDB[0].version must be at least 1",
		`{"cookies": [{"name": "a", "value": ["hunter2"], "domain": "a.example", "path": "/"}], "origins": []}`: "cookies.value has the wrong type, array",
	} {
		if _, err := statefile.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
