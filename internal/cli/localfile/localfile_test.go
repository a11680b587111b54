package localfile_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/callsheet/callsheet/internal/cli/localfile"
)

func TestResolve(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	t.Chdir(dir)
	t.Setenv("HOME", home)
	if err := os.Mkdir(filepath.Join(dir, "site"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"site/index.html", "a page.HTML", "example.com"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"./missing.html":  "file://" + dir + "/missing.html",
		"../x":            "file://" + filepath.Dir(dir) + "/x",
		"site/index.html": "file://" + dir + "/site/index.html",
		"a page.HTML":     "file://" + dir + "/a%20page.HTML",
		"~/notes/a.html":  "file://" + home + "/notes/a.html",
		"example.com":     "example.com", // there is a file of that name
		"missing.html":    "missing.html",
		"localhost:3000":  "localhost:3000",
		"back":            "back",
		"/etc/hostname":   "/etc/hostname",
		"site":            "site",
	} {
		var got struct {
			URL   string `json:"url"`
			TabID string `json:"tabId"`
		}
		args, err := json.Marshal(map[string]string{"url": text, "tabId": "t1"})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(localfile.Resolve(args, "url"), &got); err != nil || got.URL != want || got.TabID != "t1" {
			t.Errorf("%s: %+v %v, want %s", text, got, err, want)
		}
	}
	for _, args := range []string{`{}`, `{"url":["./a"]}`, `{"query":"./a"}`} {
		if got := string(localfile.Resolve(json.RawMessage(args), "url")); got != args {
			t.Errorf("%s becomes %s", args, got)
		}
	}
}
