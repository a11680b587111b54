package golang_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	_ "github.com/callsheet/callsheet/gen/toolkit/toolkittest" // the module is compiled with it, so a change of it runs this test again
)

// boundariesTest runs the test that every module has which toolgen init begins, once for each bug.
const boundariesTest = `package main

import (
	"os"
	"strconv"
	"testing"

	"example.com/x/generated/toolset/toolsapi"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

func TestBug(t *testing.T) {
	last, _ := strconv.Atoi(os.Getenv("BUGS"))
	for bug := 0; bug <= last; bug++ {
		t.Run(strconv.Itoa(bug), func(t *testing.T) {
			toolkit.Plant(bug)
			reg := &toolkit.Registry{Tools: toolsapi.Tools(nil), Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"}}
			toolkittest.Boundaries(t, reg.Index())
		})
	}
}
`

// TestBoundariesFindPlantedBugs plants a bug in every check of the generated decoders and of the toolkit that reads for
// them, one at a time, and runs the boundary tests of the module: without a bug they pass, and they find each.
func TestBoundariesFindPlantedBugs(t *testing.T) {
	t.Parallel()
	if os.Getenv("CALLSHEET_NIGHTLY") == "" {
		t.Skip("takes a minute; make nightly runs it")
	}
	dir := module(t, resolve(t, "testdata/planted/tools.yaml"), map[string]string{"boundaries_test.go": boundariesTest})
	bugs, overlay := plantAll(t, dir)
	tests := exec.Command("go", "test", "-mod=mod", "-vet=off", "-overlay", overlay, "-v", ".")
	tests.Dir = dir
	tests.Env = append(os.Environ(), "GOWORK=off", "GOPROXY=off", "GOGC=400", fmt.Sprint("BUGS=", len(bugs)))
	out, err := tests.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	results := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^    --- (PASS|FAIL): TestBug/(\d+) `).FindAllStringSubmatch(string(out), -1) {
		results[m[2]] = m[1]
	}
	if before, _, _ := strings.Cut(string(out), "TestBug/1\n"); results["0"] != "PASS" || strings.Contains(before, "no value") {
		t.Fatalf("without a bug, or with bounds that no value breaks alone:\n%.5000s", out)
	}
	kinds := map[string]int{}
	for i, bug := range bugs {
		kinds[bug.Kind]++
		if got := results[fmt.Sprint(i+1)]; got != "FAIL" {
			t.Errorf("%s: no boundary test finds it (%q): %s", bug.Kind, got, bug.What)
		}
	}
	t.Logf("%d bugs planted: %v", len(bugs), kinds)
	for _, kind := range Kinds() {
		if kinds[kind] == 0 {
			t.Errorf("no bug of the kind %q is planted", kind)
		}
	}
}

// plantAll plants bugs in the generated code and in copies of the toolkit's files, which stand in for those when the module
// is compiled. It returns the bugs, and the file that names the copies.
func plantAll(t *testing.T, dir string) ([]Bug, string) {
	t.Helper()
	toolkit, err := filepath.Abs("../../toolkit")
	if err != nil {
		t.Fatal(err)
	}
	p := Planter{Tag: "kind"}
	replace := map[string]string{}
	write := func(path string, text []byte, err error) {
		if err == nil {
			err = os.WriteFile(path, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "generated", "toolset", "*", "*.go"))
	if err != nil || len(files) < 2 {
		t.Fatalf("generated files: %v, %v", files, err)
	}
	shared, err := filepath.Glob(filepath.Join(dir, "generated", "toolset", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(files, shared...) {
		text, err := p.Generated(path)
		write(path, text, err)
	}
	copies := t.TempDir()
	for _, name := range ToolkitFiles() {
		original, planted := filepath.Join(toolkit, name), filepath.Join(copies, name)
		text, err := p.Toolkit(original)
		write(planted, text, err)
		replace[original] = planted
	}
	helper := filepath.Join(copies, "planted.go")
	write(helper, []byte(Helper), nil)
	replace[filepath.Join(toolkit, "planted.go")] = helper
	text, err := json.Marshal(map[string]any{"Replace": replace})
	overlay := filepath.Join(copies, "overlay.json")
	write(overlay, text, err)
	return p.Bugs, overlay
}
