package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
		Setup:         useRepositoryModules,
	})
}

// useRepositoryModules lets a script build its own module against this repository, without a
// network: real.mod requires what the repository does, and the caches are those of whoever runs the
// tests.
func useRepositoryModules(env *testscript.Env) error {
	repo, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(repo, "go.mod"))
	if err != nil {
		return err
	}
	_, requires, _ := strings.Cut(string(mod), "\nrequire (")
	text := "module example.com/m\n\ngo 1.26\n\nrequire github.com/callsheet/callsheet/gen v0.0.0\n\nreplace github.com/callsheet/callsheet/gen => " +
		repo + "\n\nrequire (" + requires
	if err := os.WriteFile(filepath.Join(env.WorkDir, "real.mod"), []byte(text), 0o644); err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(repo, "go.sum"))
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), sum, 0o644); err != nil {
		return err
	}
	// A build of another module needs more modules than a build of this one has fetched: those of
	// other systems.
	graph := exec.Command("go", "mod", "graph")
	graph.Dir = repo
	if out, err := graph.CombinedOutput(); err != nil {
		return fmt.Errorf("fetch the requirements: %w: %.500s", err, out)
	}
	for name, of := range map[string]string{"GOFLAGS": "GOFLAGS", "GOCACHE": "GOCACHE", "GOMODCACHE": "GOMODCACHE", "GOSUMDB": "GOSUMDB", "ONLINE": "GOPROXY"} {
		value, err := exec.Command("go", "env", of).Output()
		if err != nil {
			return err
		}
		env.Setenv(name, strings.TrimSpace(string(value)))
	}
	env.Setenv("TOOLKIT", repo)
	env.Setenv("GOFLAGS", env.Getenv("GOFLAGS")+" -mod=mod")
	env.Setenv("GOPROXY", "off") // a script that adds requirements takes $ONLINE
	return nil
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
	if got := run([]string{"freeze", "--why", "x y z", "-C", module}, io.Discard, io.Discard, func(string) string { panic("defect") }); got != exitDefect {
		t.Errorf("a defect ends with %d", got)
	}
}
