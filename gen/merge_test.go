package gen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/scope"
)

// mergeTools is how many tools the module of TestTwoChangesMerge has, all in one file.
const mergeTools = 8

// mergeModule writes a module whose tool n has the description "Reads N." in the plainest form.
func mergeModule(t *testing.T, dir string) {
	t.Helper()
	var tools strings.Builder
	tools.WriteString("tools:\n")
	for n := range mergeTools {
		fmt.Fprintf(&tools, "  - name: read_%d\n    title: Read %d\n    description: Reads %d.\n    capability: core\n    scope: default\n"+
			"    effects: {read_only: true, destructive: false, idempotent: true, open_world: true}\n    visible: always\n    input: {}\n\n", n, n, n)
	}
	for name, text := range map[string]string{
		"go.mod":                   "module example.com/m\n",
		"manifest/tools.yaml":      "version: 1\ninclude: [tools/page.yaml]\ncapabilities:\n  core: {title: Core, description: The core.}\nscopes: {default: {status: frozen, since: \"1\"}}\n",
		"manifest/tools/page.yaml": tools.String(),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compile freezes the scopes of a module and generates.
func compile(t *testing.T, dir, why string) {
	t.Helper()
	src, err := gen.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	lock, diags, err := gen.Freeze(src, scope.Entry{Who: "Ada", Why: why, When: time.Unix(0, 0)})
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	if err := os.WriteFile(filepath.Join(dir, gen.LockFile), lock, 0o644); err != nil {
		t.Fatal(err)
	}
	if src, err = gen.Load(dir); err != nil {
		t.Fatal(err)
	}
	plan, diags := gen.Run(src)
	if plan == nil {
		t.Fatal(diags)
	}
	if _, err := plan.Write(filepath.Join(dir, gen.Generated)); err != nil {
		t.Fatal(err)
	}
}

// Two branches that each change one tool, freeze and generate merge without a conflict in what people write, the
// lock and generated code. What sums up all tools, which are the lists that clients are sent and the documents, is
// generated anew: no freeze is needed after it.
func TestTwoChangesMerge(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	dir := t.TempDir()
	run := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := run(args...); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	mergeModule(t, dir)
	git("init", "-q", "-b", "main")
	compile(t, dir, "the first tools")
	git("add", "-A")
	git("commit", "-qm", "the first tools")
	for branch, n := range map[string]int{"one": 2, "other": 3} {
		git("checkout", "-qb", branch, "main")
		file := filepath.Join(dir, "manifest/tools/page.yaml")
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		now := strings.Replace(string(text), fmt.Sprintf("Reads %d.", n), fmt.Sprintf("Reads page %d of the %s book.", n, branch), 1)
		if err := os.WriteFile(file, []byte(now), 0o644); err != nil {
			t.Fatal(err)
		}
		compile(t, dir, "say what "+branch+" reads")
		git("add", "-A")
		git("commit", "-qm", branch)
	}
	git("checkout", "-q", "main")
	git("merge", "-q", "--no-edit", "one")
	_, _ = run("merge", "-q", "--no-edit", "other") // its conflicts are looked at
	conflicts, err := run("diff", "--name-only", "--diff-filter=U")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(conflicts) {
		if !strings.HasPrefix(name, "generated/docs/") && !strings.HasPrefix(name, "generated/snapshot/") {
			diff, _ := run("diff", name)
			t.Errorf("%s has a conflict:\n%s", name, diff)
		}
	}
	src, err := gen.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	plan, diags := gen.Run(src)
	if plan == nil || len(diags) > 0 {
		t.Fatal(diags)
	}
	changes, err := plan.Diff(filepath.Join(dir, gen.Generated))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if !strings.Contains(conflicts, c.Path) {
			t.Errorf("%s is %s after the merge, without a conflict", c.Path, c.Kind)
		}
	}
}
