package starter_test

import (
	"go/format"
	"path"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/starter"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	for module, want := range map[string]string{
		"example.com/hello":         "hello",
		"example.com/team/hello/v2": "hello",
		"hello-world":               "hello-world",
		"example.com/Hello":         "",
		"example.com/1":             "",
		"":                          "",
	} {
		m := starter.Module{Path: module}
		if err := m.Check(); (err == nil) != (want != "") || err == nil && m.Program() != want {
			t.Errorf("%q: %q, %v", module, m.Program(), err)
		}
	}
}

func TestFilesAreFilledIn(t *testing.T) {
	t.Parallel()
	files, err := starter.Files(starter.Module{Path: "example.com/hello-world"})
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range files {
		names[f.Path] = true
		text := string(f.Data)
		if strings.Contains(text, "{{") || strings.Contains(text, "<no value>") {
			t.Errorf("%s is not filled in", f.Path)
		}
		if path.Ext(f.Path) != ".go" {
			continue
		}
		if formatted, err := format.Source(f.Data); err != nil || string(formatted) != text {
			t.Errorf("%s is not formatted: %v", f.Path, err)
		}
	}
	for _, name := range []string{".gitignore", "Makefile", "README.md", "main.go", "manifest/tools.yaml", "tools/greeting/greeting_test.go"} {
		if !names[name] {
			t.Errorf("no %s", name)
		}
	}
}
