package main

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/callsheet/callsheet/gen/output"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"toolgen": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// The exit code says whose turn it is: the author's, the caller's or ours.
func TestExitCodes(t *testing.T) {
	empty, module := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module example.com/m\n",
		"manifest/tools.yaml": "version: 1\ncapabilities: {}\nscenarios: {cold: []}\nscopes: {}\n",
	} {
		if err := output.Replace(filepath.Join(module, name), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want int
	}{
		{[]string{"explain"}, exitOK},
		{[]string{"--help"}, exitOK},
		{[]string{"lint", "-C", empty}, exitInput},
		{[]string{"lint", "-C", module}, exitOK},
		{[]string{"lnt"}, exitUsage},
		{[]string{"lint", "extra"}, exitUsage},
		{[]string{"freeze", "--why", ""}, exitUsage},
		{[]string{"explain", "nothing"}, exitUsage},
	} {
		if got := run(c.args, io.Discard, io.Discard, func(string) string { return "" }); got != c.want {
			t.Errorf("toolgen %q ends with %d, want %d", c.args, got, c.want)
		}
	}
	if got := run([]string{"freeze", "--why", "x", "-C", module}, io.Discard, io.Discard, func(string) string { panic("defect") }); got != exitDefect {
		t.Errorf("a defect ends with %d", got)
	}
}
