package imports_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/site/imports"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// directory is a site on disk.
type directory struct {
	t   *testing.T
	dir string
}

func newDirectory(t *testing.T, root string) directory {
	t.Helper()
	d := directory{t, t.TempDir()}
	d.write("site.yaml", "version: 1\nname: shop\ndescription: What the shop offers.\norigins: [https://shop.example]\n"+root)
	return d
}

func (d directory) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d directory) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(text)
}

// files lists the files of the site's tools.
func (d directory) files() []string {
	d.t.Helper()
	entries, err := os.ReadDir(filepath.Join(d.dir, "tools"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		d.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func builtin(t *testing.T) *toolkit.Registry {
	t.Helper()
	return tooltest.NewServer(t, app.Config{Surface: toolkit.Options{AllTools: true}}).Surface.Registry()
}

// TestWriteKeepsWhatExists replaces a tool only where that is wanted.
func TestWriteKeepsWhatExists(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	a.add("GET", "/api/items", "", `{"total":1}`)
	a.add("GET", "/api/users", "", `{"total":1}`)
	d := newDirectory(t, "")
	const mine = "name: get_items\ndescription: Mine.\nstart: /items\n"
	d.write("tools/get_items.yaml", mine)
	o := imports.WriteOptions{Builtin: builtin(t), From: "shop.har"}
	read := a.read(t)
	written, err := read.Write(d.dir, o)
	if err != nil || !slices.Equal(toolNames(written), []string{"get_users"}) || d.read("tools/get_items.yaml") != mine || len(read.Omissions) != 1 || !strings.Contains(read.Omissions[0].Why, "--replace") {
		t.Errorf("%v %+v %+v", err, written, read.Omissions)
	}
	o.Replace, o.Only = true, []string{"get_items"}
	if written, err = a.read(t).Write(d.dir, o); err != nil || !slices.Equal(toolNames(written), []string{"get_items"}) || d.read("tools/get_items.yaml") == mine {
		t.Errorf("%v %+v", err, written)
	}
	o.Name = "items"
	if _, err = a.read(t).Write(d.dir, o); err != nil || !strings.Contains(d.read("tools/items.yaml"), "name: items\n") {
		t.Errorf("%v %v", err, d.files())
	}
	for want, o := range map[string]imports.WriteOptions{`no tool "nothing"`: {Only: []string{"nothing"}}, "--name is for one tool": {Name: "x"}} {
		if _, err := a.read(t).Write(d.dir, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if got := d.files(); !slices.Equal(got, []string{"get_items.yaml", "get_users.yaml", "items.yaml"}) {
		t.Errorf("the tools are %v", got)
	}
}

// TestWriteDeclaresSecrets adds the names of secrets to site.yaml as it is written.
func TestWriteDeclaresSecrets(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	a.add("POST", "/login", form("user=ann&password=pw&pin=1234"), `{}`)
	reg := builtin(t)
	for root, want := range map[string]string{
		"":                                "secrets: [UNNAMED_PASSWORD, UNNAMED_PIN]\n",
		"# a comment\nsecrets: [OTHER]\n": "# a comment\nsecrets: [OTHER, UNNAMED_PASSWORD, UNNAMED_PIN]\n",
		"secrets:\n  - OTHER\n  - UNNAMED_PIN # x\n": "secrets:\n  - OTHER\n  - UNNAMED_PIN # x\n  - UNNAMED_PASSWORD\n",
		"secrets: [UNNAMED_PIN, UNNAMED_PASSWORD]\n": "secrets: [UNNAMED_PIN, UNNAMED_PASSWORD]\n",
		"secrets: []\n# the end\n":                   "secrets: [UNNAMED_PASSWORD, UNNAMED_PIN]\n# the end\n",
		"secrets:\n  - OTHER # [a]\n":                "secrets:\n  - OTHER # [a]\n  - UNNAMED_PASSWORD\n  - UNNAMED_PIN\n",
	} {
		d := newDirectory(t, root)
		if strings.Contains(root, "OTHER") {
			d.write("tools/other.yaml", "name: other\ndescription: Other.\nstart: /\nsteps:\n  - type \"{secret:OTHER}\" in Password\n")
		}
		if _, err := a.read(t).Write(d.dir, imports.WriteOptions{Builtin: reg, From: "shop.har"}); err != nil {
			t.Errorf("%s: %v", root, err)
		}
		if got := d.read("site.yaml"); !strings.HasSuffix(got, want) {
			t.Errorf("%s becomes\n%s", root, got)
		}
		if info, err := os.Stat(filepath.Join(d.dir, "site.yaml")); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("site.yaml has %v, %v", info.Mode(), err)
		}
	}
}

// TestWriteChecksFirst leaves out a tool that does not compile, and writes nothing to a broken site.
func TestWriteChecksFirst(t *testing.T) {
	t.Parallel()
	reg := builtin(t)
	flow := "go:\n  description: Go.\n  steps: [{call: \"callsheet:navigate\", args: {url: \"/a\"}}]\nwrong:\n  description: Wrong.\n  steps: [{call: \"callsheet:navigate\", args: {address: \"/a\"}}]\n"
	read := func() *imports.Result {
		out, err := imports.Read(imports.Options{Data: []byte(flow), File: "flows.yaml", Origins: []string{"https://shop.example"}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	d := newDirectory(t, "")
	first := read()
	if _, err := first.Write(d.dir, imports.WriteOptions{Builtin: reg, From: "flows.yaml"}); err != nil {
		t.Fatal(err)
	}
	if got := d.files(); !slices.Equal(got, []string{"go.yaml"}) || len(first.Omissions) != 1 || !strings.Contains(first.Omissions[0].String(), "\"url\" is required") {
		t.Errorf("%v %+v", got, first.Omissions)
	}
	broken := newDirectory(t, "facts: {never: {observe: {url: /x}}}\n")
	_, err := read().Write(broken.dir, imports.WriteOptions{Builtin: reg, From: "flows.yaml"})
	var diags *imports.DiagnosticsError
	if !errors.As(err, &diags) || len(broken.files()) > 0 || !strings.HasPrefix(diags.Diagnostics[0].Pos.File, filepath.ToSlash(broken.dir)) {
		t.Errorf("%v %v", err, broken.files())
	}
	if _, err := read().Write(t.TempDir(), imports.WriteOptions{Builtin: reg}); err == nil || !strings.Contains(err.Error(), "callsheet site new") {
		t.Errorf("a directory without a site: %v", err)
	}
}

// TestWriteKeepsLinks changes the files that links lead to, and leaves their permissions.
func TestWriteKeepsLinks(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	a.add("POST", "/login", form("user=ann&password=pw"), `{}`)
	d := newDirectory(t, "")
	if err := errors.Join(os.Rename(filepath.Join(d.dir, "site.yaml"), filepath.Join(d.dir, "shared")), os.Symlink("shared", filepath.Join(d.dir, "site.yaml"))); err != nil {
		t.Skip(err) // where links need a right
	}
	if _, err := a.read(t).Write(d.dir, imports.WriteOptions{Builtin: builtin(t), From: "shop.har"}); err != nil {
		t.Fatal(err)
	}
	link, err := os.Lstat(filepath.Join(d.dir, "site.yaml"))
	if err != nil || link.Mode()&os.ModeSymlink == 0 || !strings.Contains(d.read("shared"), "secrets: [UNNAMED_PASSWORD]") {
		t.Errorf("the link: %v %v\n%s", link, err, d.read("shared"))
	}
	if shared, err := os.Stat(filepath.Join(d.dir, "shared")); err != nil || shared.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v %v", shared, err)
	}
}
