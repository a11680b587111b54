package workflow_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/workflow"
)

const savingWorkflows = `
long:
  steps:
    - { id: page, call: up:long, args: { bytes: 40000 }, saveTo: reports/page.txt }
    - { id: next, call: up:echo, args: { s: "{{ page.saved.path }} {{ page.saved.bytes }}", n: "{{ page.text | len }}" } }
    - { id: only, call: up:echo, if: page.saved.bytes == 40000, args: { s: compared } }
picture: { steps: [{ call: up:picture, args: { bytes: 7 }, saveTo: p.png }] }
named:
  parameters: { name: { type: string, required: true } }
  steps: [{ call: up:echo, args: { s: text }, saveTo: "{{ name }}" }]
each:
  parameters: { list: { type: array, items: { type: string } } }
  steps:
    - forEach: "{{ list }}"
      call: up:echo
      args: { s: "{{ item }}" }
      saveTo: "each/{{ index }}.json"
summary:
  steps: [{ call: up:long, args: { bytes: 300 }, saveTo: s.txt }]
  summarize: { mode: template }
`

func withOutput(t *testing.T) (string, option) {
	dir := t.TempDir()
	output, err := files.NewDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return output.Path(), func(c *workflow.Config) { c.Output = output }
}

func readFile(t *testing.T, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The caller receives path and size of a saved result, and later steps its content.
func TestSaveTo(t *testing.T) {
	t.Parallel()
	dir, output := withOutput(t)
	b := serve(t, savingWorkflows, output)
	res := b.call(t, "long", `{}`)
	text, path := resultText(res), filepath.Join(dir, "reports", "page.txt")
	if res.Refused || strings.Contains(text, "xxx") || !strings.Contains(text, "saved to "+path+" (40000 bytes)") || len(res.Links) > 0 {
		t.Errorf("%.500s", text)
	}
	if !strings.Contains(text, path+` 40000`) || !strings.Contains(text, `"n":40000`) || !strings.Contains(text, `"s":"compared"`) {
		t.Errorf("%.500s", text)
	}
	var structured struct {
		Page struct {
			Saved struct {
				Path  string
				Bytes int
			}
		}
	}
	if err := json.Unmarshal(res.Structured, &structured); err != nil || structured.Page.Saved.Path != path || structured.Page.Saved.Bytes != 40000 {
		t.Errorf("%v %s", err, res.Structured)
	}
	if got := readFile(t, path); got != strings.Repeat("x", 40000) {
		t.Errorf("the file has %d bytes", len(got))
	}
	b.ok(t, "picture", `{}`)
	if got := readFile(t, dir, "p.png"); got != string(make([]byte, 7)) {
		t.Errorf("%q", got)
	}
	b.ok(t, "each", `{"list":["a","b"]}`)
	if got := readFile(t, dir, "each", "1.json"); !strings.Contains(got, `"s":"b"`) {
		t.Error(got)
	}
	if got := b.ok(t, "summary", `{}`); strings.Contains(got, "xxx") {
		t.Error(got)
	}
}

// A path from a page or a client leads nowhere but below the output directory, and a wrong one
// keeps the call from being made.
func TestSaveToStaysInside(t *testing.T) {
	t.Parallel()
	dir, output := withOutput(t)
	b := serve(t, savingWorkflows, output)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"../x", "a/../../x", "/tmp/x", dir + "/x", "", ".", "sub/", `a\b`} {
		args, err := json.Marshal(map[string]string{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		if res := b.call(t, "named", string(args)); !res.Refused || !strings.Contains(resultText(res), "no file below the output directory") {
			t.Errorf("%q: %s", name, resultText(res))
		}
	}
	if got := b.calls(t); got != "" {
		t.Errorf("called all the same: %s", got)
	}
	res := b.call(t, "named", `{"name":"link/x"}`)
	if !res.Refused || !strings.Contains(resultText(res), "outside the output directory") {
		t.Error(resultText(res))
	}
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
	b.ok(t, "named", `{"name":"deep/er/x.json"}`)
	readFile(t, dir, "deep", "er", "x.json")
}

func TestSaveToWithoutOutput(t *testing.T) {
	t.Parallel()
	b := serve(t, savingWorkflows)
	if res := b.call(t, "picture", `{}`); !res.Refused || !strings.Contains(resultText(res), "no output directory") {
		t.Error(resultText(res))
	}
}
