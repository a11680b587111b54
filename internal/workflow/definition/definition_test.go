package definition_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/definition"
	"github.com/callsheet/callsheet/internal/workflow/external"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// testCatalogs is the catalogues of an archive: its servers.json maps an alias to tools with their
// schemas; null has not answered.
type testCatalogs map[string][]struct {
	Name                 string
	InputSchema          json.RawMessage
	ReadOnly, Idempotent *bool
}

func (tc testCatalogs) Aliases() []string {
	var out []string
	for name := range tc {
		out = append(out, name)
	}
	return out
}

func (tc testCatalogs) Catalog(alias string) (*external.Catalog, bool) {
	tools, ok := tc[alias]
	if !ok || tools == nil {
		return nil, ok
	}
	c := &external.Catalog{Alias: alias}
	for _, t := range tools {
		c.Tools = append(c.Tools, external.Tool{Name: t.Name, InputSchema: t.InputSchema,
			Annotations: external.Annotations{ReadOnly: t.ReadOnly, Idempotent: t.Idempotent}})
	}
	return c, true
}

// Each archive holds workflow files, a catalogue and, as want.txt, which workflows are offered and
// every diagnostic.
func TestDiagnostics(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			var files []yamltree.File
			catalogs := testCatalogs{}
			want := -1
			for i, f := range archive.Files {
				switch f.Name {
				case "want.txt":
					want = i
				case "catalog.json":
					if err := json.Unmarshal(f.Data, &catalogs); err != nil {
						t.Fatal(err)
					}
				default:
					files = append(files, yamltree.File{Name: f.Name, Data: f.Data})
				}
			}
			got := report(t, files, catalogs)
			if *update {
				if want < 0 {
					archive.Files, want = append(archive.Files, txtar.File{Name: "want.txt"}), len(archive.Files)
				}
				archive.Files[want].Data = got
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(archive.Files[want].Data), string(got)); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

func report(t *testing.T, files []yamltree.File, catalogs testCatalogs) []byte {
	t.Helper()
	var out bytes.Buffer
	loaded := definition.Load(files)
	all := loaded.Diags
	for _, w := range loaded.Workflows {
		b, diags := definition.Bind(w, catalogs, new(definition.SchemaCache))
		all = append(all, diags...)
		state := "offered"
		if diags.HasErrors() {
			state = "broken"
		}
		if len(b.Pending) > 0 {
			state += ", waits for " + strings.Join(b.Pending, ", ")
		}
		out.WriteString(w.Name + ": " + state + "\n")
	}
	for _, w := range loaded.Partial {
		_, diags := definition.Bind(w, catalogs, new(definition.SchemaCache))
		all = append(all, diags...)
	}
	for _, name := range loaded.Broken {
		out.WriteString(name + ": broken\n")
	}
	out.WriteString("\n")
	for _, d := range all.Sorted() {
		if err := (diag.List{d}).Fprint(&out, diag.Text, loaded.Source); err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func FuzzLoad(f *testing.F) {
	archives, _ := filepath.Glob("testdata/*.txtar")
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".yaml") {
				f.Add(file.Data)
			}
		}
	}
	catalogs := testCatalogs{"a": {{Name: "t",
		InputSchema: json.RawMessage(`{"type":"object","properties":{"u":{"type":"string"}}}`)}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		stuck := time.AfterFunc(20*time.Second, func() { panic(fmt.Sprintf("reading %q does not end", data)) })
		defer stuck.Stop()
		loaded := definition.Load([]yamltree.File{{Name: "w.yaml", Data: data}})
		for _, w := range loaded.Workflows {
			definition.Bind(w, catalogs, new(definition.SchemaCache))
		}
		lines := strings.Split(string(data), "\n")
		for _, d := range loaded.Diags {
			if d.Pos.Line > len(lines) {
				t.Fatalf("%v is not in the file: %s", d.Pos, d.Message)
			}
		}
	})
}

// A key of a workflow that lacks its colon is named, also inside of a step.
func TestKeyWithoutColon(t *testing.T) {
	for text, key := range map[string]string{
		"w:\n  steps:\n    - call: a:b\n      timeout 5s\n":                                       "timeout",
		"w:\n  description: d\n  runtime scripted\n":                                              "runtime",
		"w:\n  steps:\n    - call: a:b\n      retry:\n        attempts: 2\n        maxDelay 3s\n": "maxDelay",
		"w:\n  parameters:\n    a:\n      type: string\n      required true\n":                    "required",
	} {
		d := definition.Load([]yamltree.File{{Name: "w.yaml", Data: []byte(text)}})
		if len(d.Diags) == 0 || !strings.Contains(d.Diags[0].Message, `"`+key+`" has no colon`) {
			t.Errorf("%q: %v", text, d.Diags)
		}
	}
}
