package main

import (
	"bytes"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/callsheet/callsheet/gen"
)

var update = flag.Bool("update", false, "rewrite what the table of mistakes expects, and sign its base anew")

// The table of mistakes: testdata/mistakes/STAGE/NAME.txtar makes one mistake in the module of
// base.txtar, which has none, and mends it. Its sections, each at most once for a file:
//
//	edit FILE    a patch: lines that begin with "-" become those that begin with "+", those that
//	             begin with " " stand around them; "@@" separates places. Without "-" and " " the
//	             lines are the file, or come at its end.
//	swap FILE    two lines: a text that the file has once, and what becomes of it
//	delete FILE  takes the file away
//	want         what "toolgen lint" prints, or "toolgen check" where that is silent: one problem with a place
//	mend         commands of toolgen, "rm FILE" and "git restore FILE", one a line; "! toolgen …"
//	             leaves a problem to the next
//	mend FILE    a patch that does what the message says
//	paste FILE   appends what the message shows to be pasted, under "allowances:" if the file is new
//
// After that "toolgen lint" is silent, or "toolgen check" where files were generated.
func TestMistakes(t *testing.T) {
	base := readBase(t)
	var files []string
	err := filepath.WalkDir("testdata/mistakes", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Base(path) != "base.txtar" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 60 {
		t.Errorf("the table has %d mistakes, and at least 60 are promised", len(files))
	}
	for _, file := range files {
		name, _ := filepath.Rel("testdata/mistakes", file)
		t.Run(strings.TrimSuffix(filepath.ToSlash(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := mistake{t: t, file: file, archive: archive, base: base, dir: t.TempDir()}
			m.write(base)
			m.run()
		})
	}
}

type mistake struct {
	t       *testing.T
	file    string
	archive *txtar.Archive
	base    map[string][]byte
	dir     string
}

func (m *mistake) run() {
	m.change("edit ")
	for _, f := range m.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "delete "); ok {
			m.fileCommand([]string{"rm", name})
		}
		if name, ok := strings.CutPrefix(f.Name, "swap "); ok {
			m.swap(name, strings.Split(string(f.Data), "\n"))
		}
	}
	_, report := m.toolgen("lint")
	if report == "" {
		_, report = m.toolgen("check")
	}
	m.compare(report)
	m.oneRoot(report)

	m.change("mend ")
	m.paste(report)
	fixed := strings.Contains(report, "toolgen fix")
	for line := range strings.Lines(string(m.section("mend"))) {
		args, want := words(line), exitOK
		if args[0] == "!" { // it leaves a problem to the next command
			args, want = args[1:], exitInput
		}
		if m.fileCommand(args) {
			continue
		}
		if len(args) < 2 || args[0] != "toolgen" {
			m.t.Fatalf("%q is no command of toolgen", line)
		}
		fixed = fixed && args[1] != "fix"
		if code, out := m.toolgen(args[1:]...); code != want {
			m.t.Fatalf("%s ends with %d: %s", strings.TrimSpace(line), code, out)
		}
	}
	if fixed {
		m.t.Error("toolgen fix mends it, and the case does not say so")
	}
	last := "lint" // after an edit of the manifest, generated files are stale
	if strings.Contains(string(m.section("mend")), "toolgen generate") {
		last = "check"
	}
	if code, out := m.toolgen(last); code != exitOK || out != "" {
		m.t.Fatalf("after the mend, toolgen %s ends with %d: %s", last, code, out)
	}
}

// fileCommand runs "rm FILE" or "git restore FILE", and reports whether it was one of them.
func (m *mistake) fileCommand(args []string) bool {
	name := args[len(args)-1]
	switch {
	case len(args) == 2 && args[0] == "rm":
		if err := os.Remove(m.path(name)); err != nil {
			m.t.Fatal(err)
		}
	case len(args) == 3 && args[0] == "git" && args[1] == "restore":
		m.write(map[string][]byte{name: m.base[name]})
	default:
		return false
	}
	return true
}

// root is the first line of a diagnostic: a place, a message and a rule. A file that is not there has
// no lines.
var root = regexp.MustCompile(`(?m)^[^ :\n]+(:\d+:\d+)?: .* \[[\w-]+\]$`)

// oneRoot fails unless the report is one diagnostic that says how to mend it.
func (m *mistake) oneRoot(report string) {
	if found := root.FindAllString(report, -1); len(found) != 1 {
		m.t.Errorf("%d problems for one mistake:\n%s", len(found), report)
	} else if !strings.Contains(found[0], "; ") {
		m.t.Errorf("the report does not say how to mend it:\n%s", report)
	}
}

// compare holds the report against the section want, or writes the section.
func (m *mistake) compare(report string) {
	if string(m.section("want")) == report {
		return
	}
	if !*update {
		m.t.Errorf("toolgen prints\n%s\nwant\n%s", report, m.section("want"))
		return
	}
	i := slices.IndexFunc(m.archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	if i < 0 {
		i = slices.IndexFunc(m.archive.Files, func(f txtar.File) bool {
			return f.Name == "mend" || strings.HasPrefix(f.Name, "mend ") || strings.HasPrefix(f.Name, "paste ")
		})
		i = max(i, 0)
		m.archive.Files = slices.Insert(m.archive.Files, i, txtar.File{Name: "want"})
	}
	m.archive.Files[i].Data = []byte(report)
	if err := os.WriteFile(m.file, txtar.Format(m.archive), 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// change applies the patches of the sections with a prefix.
func (m *mistake) change(prefix string) {
	for _, f := range m.archive.Files {
		if name, ok := strings.CutPrefix(f.Name, prefix); ok {
			have, err := os.ReadFile(m.path(name))
			if err != nil && !os.IsNotExist(err) {
				m.t.Fatal(err)
			}
			now, err := patched(have, f.Data)
			if err != nil {
				m.t.Fatalf("%s: %v", f.Name, err)
			}
			m.write(map[string][]byte{name: now})
		}
	}
}

// swap replaces a text that a file has once.
func (m *mistake) swap(name string, lines []string) {
	have := string(m.base[name])
	if len(lines) < 2 || strings.Count(have, lines[0]) != 1 {
		m.t.Fatalf("%s does not have %q once", name, lines[0])
	}
	m.write(map[string][]byte{name: []byte(strings.Replace(have, lines[0], lines[1], 1))})
}

// paste appends the list entries that a report shows.
func (m *mistake) paste(report string) {
	for _, f := range m.archive.Files {
		name, ok := strings.CutPrefix(f.Name, "paste ")
		if !ok {
			continue
		}
		have, err := os.ReadFile(m.path(name))
		if err != nil {
			have = f.Data
		}
		entries := regexp.MustCompile(`(?m)^ *(- \{.*\})$`).FindAllStringSubmatch(report, -1)
		if len(entries) == 0 {
			m.t.Fatal("the report shows nothing to paste")
		}
		for _, e := range entries {
			have = append(have, "  "+e[1]+"\n"...)
		}
		m.write(map[string][]byte{name: have})
	}
}

func (m *mistake) section(name string) []byte {
	for _, f := range m.archive.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

func (m *mistake) path(name string) string { return filepath.Join(m.dir, filepath.FromSlash(name)) }

func (m *mistake) write(files map[string][]byte) {
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(m.path(name)), 0o755); err != nil {
			m.t.Fatal(err)
		}
		if err := os.WriteFile(m.path(name), data, 0o644); err != nil {
			m.t.Fatal(err)
		}
	}
}

// toolgen runs the command in the module and returns its exit code and what it says to people.
func (m *mistake) toolgen(args ...string) (int, string) {
	var out, diagnostics bytes.Buffer
	code := run(append([]string{"-C", m.dir}, args...), &out, &diagnostics, func(name string) string {
		return map[string]string{"GIT_AUTHOR_NAME": "ann", "SOURCE_DATE_EPOCH": "1795000000"}[name]
	})
	return code, diagnostics.String()
}

// words splits a command line; double quotes hold words together.
func words(line string) []string {
	var out []string
	for i, part := range strings.Split(strings.TrimSpace(line), `"`) {
		if i%2 == 1 {
			out = append(out, part)
		} else {
			out = append(out, strings.Fields(part)...)
		}
	}
	return out
}

// readBase returns the module without a mistake, with what it compiles to.
func readBase(t *testing.T) map[string][]byte {
	archive, err := txtar.ParseFile("testdata/mistakes/base.txtar")
	if err != nil {
		t.Fatal(err)
	}
	base := map[string][]byte{}
	for _, f := range archive.Files {
		base[f.Name] = f.Data
	}
	if *update {
		signBase(t, base)
		for i, f := range archive.Files {
			archive.Files[i].Data = base[f.Name]
		}
		for _, name := range []string{gen.LockFile, gen.ReleasedFile} {
			if !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == name }) {
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: base[name]})
			}
		}
		if err := os.WriteFile("testdata/mistakes/base.txtar", txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m := mistake{t: t, dir: t.TempDir()}
	m.write(base)
	if code, out := m.toolgen("generate"); code != exitOK || out != "" {
		t.Fatalf("the base has problems: %s", out)
	}
	maps.Copy(base, m.read(gen.Generated))
	return base
}

// signBase writes the base's threat model, lock and record as the commands do: its tool note_share
// was deferred once.
func signBase(t *testing.T, base map[string][]byte) {
	const model, notes = "manifest/threat-models/note_share.md", "manifest/tools/notes.yaml"
	delete(base, gen.LockFile)
	delete(base, gen.ReleasedFile)
	m := mistake{t: t, dir: t.TempDir()}
	m.write(base)
	must := func(args ...string) {
		if code, out := m.toolgen(args...); code != exitOK {
			t.Fatalf("toolgen %q ends with %d: %s", args, code, out)
		}
	}
	live := regexp.MustCompile(`(?s)  - name: note_share\n.*?\n\n`)
	deferred := live.ReplaceAll(base[notes], []byte("  - name: note_share\n    capability: sharing\n    scope: default\n    deferred:\n"+
		"      reason: sending needs a policy on addresses\n      cli_equivalent: {verb: note-find, args: [--text, <text>]}\n"+
		"      competitor_ref: {product: paperpad, none: \"it keeps notes on one machine\"}\n      since: \"0.9\"\n      surfaces: [network]\n\n"))
	m.write(map[string][]byte{notes: deferred, "README.md": []byte("# Notes\n"), "manifest/claims.yaml": []byte("version: 1\nclaims: []\n")})
	must("freeze", "--why", "the first tools")
	m.write(map[string][]byte{notes: base[notes]})
	_, report := m.toolgen("check")
	if hash := regexp.MustCompile(`"note_share" is now (\w+)`).FindStringSubmatch(report); hash != nil {
		base[model] = regexp.MustCompile(`(?m)^reviewed_schema_sha256: .*$`).ReplaceAll(base[model], []byte(`reviewed_schema_sha256: "`+hash[1]+`"`))
	}
	m.write(map[string][]byte{model: base[model], "README.md": base["README.md"], "manifest/claims.yaml": base["manifest/claims.yaml"]})
	must("freeze", "--why", "share notes with people")
	must("generate")
	must("release", "1.0.0")
	maps.Copy(base, m.read("manifest"))
}

// read returns the files below a directory of the module.
func (m *mistake) read(dir string) map[string][]byte {
	out := map[string][]byte{}
	err := filepath.WalkDir(m.path(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(m.dir, path)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	return out
}
