package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	oracle "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/scripts/packaging/internal/check"
	"github.com/callsheet/callsheet/scripts/packaging/internal/client"
	"github.com/callsheet/callsheet/scripts/packaging/internal/compile"
	"github.com/callsheet/callsheet/scripts/packaging/internal/deb"
	"github.com/callsheet/callsheet/scripts/packaging/internal/release"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

const testVersion = "1.2.3-rc.4"

// made is a release of this machine's target, which all tests share and none changes.
var made = struct {
	sync.Once
	dir string
	err error
}{}

func TestMain(m *testing.M) {
	code := m.Run()
	if made.dir != "" {
		_ = os.RemoveAll(made.dir)
	}
	os.Exit(code)
}

func buildRelease(ctx context.Context, dir string) error {
	targets, err := target.Parse("host")
	if err != nil {
		return err
	}
	return release.Build(ctx, release.Options{
		Source:  compile.Source{Root: "../..", Version: testVersion, Time: time.Unix(1_700_000_000, 0)},
		Targets: targets, Out: dir, Log: func(string, ...any) {},
	})
}

// hostRelease returns the directory of the release. Its tests run nightly: to make one takes a minute.
func hostRelease(t *testing.T) string {
	t.Helper()
	if os.Getenv("CALLSHEET_NIGHTLY") == "" {
		t.Skip("makes a release; make nightly does")
	}
	made.Do(func() {
		if made.dir, made.err = os.MkdirTemp("", "callsheet-release-*"); made.err == nil { //nolint:usetesting // several tests use it
			made.err = buildRelease(context.WithoutCancel(t.Context()), made.dir)
		}
	})
	if made.err != nil {
		t.Fatal(made.err)
	}
	return made.dir
}

// run runs a program and returns its output.
func mustRun(t *testing.T, dir string, name string, args ...string) string {
	t.Helper()
	out, err := runIn(t, dir, nil, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func runIn(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// need skips a test where a program is missing; under CI it fails.
func need(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func TestArtifactsAgree(t *testing.T) {
	r, err := check.Directory(t.Context(), hostRelease(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	if r.Version != testVersion || len(r.Started) < 5 || r.ToolsBytes < 1000 {
		t.Errorf("%+v: the check saw too little", r)
	}
}

func TestSecondReleaseIsTheSame(t *testing.T) {
	first, second := hostRelease(t), filepath.Join(t.TempDir(), "again")
	if err := buildRelease(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	one, two := readFile(t, filepath.Join(first, release.ChecksumFile)), readFile(t, filepath.Join(second, release.ChecksumFile))
	if !bytes.Equal(one, two) {
		t.Errorf("the releases differ:\n%s\n%s", one, two)
	}
}

func TestCheckFindsDisagreements(t *testing.T) {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(hostRelease(t))); err != nil {
		t.Fatal(err)
	}
	bare := filepath.Join(dir, target.Host().Binary())
	rename(t, bare, bare+".real")
	writeFile(t, bare, []byte("#!/bin/sh\nexec \"$0.real\" --read-only \"$@\"\n"), 0o755)
	edit(t, filepath.Join(dir, "metadata", "gemini", "gemini-extension.json"), `"version": "1.2.3-rc.4"`, `"version": "1.2.2"`)
	link := []byte(`{"command":"npx","args":["-y","callsheet@1.2.1"]}`)
	install := filepath.Join(dir, "metadata", "INSTALL.md")
	writeFile(t, install, append(readFile(t, install), "\ncursor://x?name=callsheet&config="+base64.StdEncoding.EncodeToString(link)+"\n"...), 0o644)
	package_ := filepath.Join(dir, deb.FileName(testVersion, target.Host().Arch))
	rename(t, package_, filepath.Join(dir, deb.FileName("1.2.0", target.Host().Arch)))

	r, err := check.Directory(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	problems := strings.Join(r.Problems, "\n")
	for _, want := range []string{
		`metadata/gemini/gemini-extension.json says version "1.2.2"`,
		`metadata/INSTALL.md says version "1.2.1"`,
		`(its name) says version "1.2.0"`,
		`has another callsheet for`,
		`answers tools/list with other bytes`,
		`SHA256SUMS lists callsheet_1.2.3-rc.4_`,
		`metadata/INSTALL.md: SHA256SUMS says`,
	} {
		if !strings.Contains(problems, want) {
			t.Errorf("the check does not say %q:\n%s", want, problems)
		}
	}
}

// TestSchemas holds what registries and clients read against the schemas of their publishers.
func TestSchemas(t *testing.T) {
	dir := hostRelease(t)
	schemas := filepath.Join("..", "..", "gen", "emit", "metadata", "testdata")
	validate(t, filepath.Join(schemas, "server.schema.json"), readFile(t, filepath.Join(dir, "metadata", "server.json")))
	bundle := filepath.Join(dir, release.BundleFile(testVersion, target.Host()))
	archive, err := zip.OpenReader(bundle)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	manifest, err := fs.ReadFile(archive, "manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	validate(t, filepath.Join(schemas, "mcpb.schema.json"), manifest)
}

func validate(t *testing.T, schema string, document []byte) {
	t.Helper()
	text, err := oracle.UnmarshalJSON(bytes.NewReader(readFile(t, schema)))
	if err != nil {
		t.Fatal(err)
	}
	c := oracle.NewCompiler()
	if err := c.AddResource(schema, text); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile(schema)
	if err != nil {
		t.Fatal(err)
	}
	value, err := oracle.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(value); err != nil {
		t.Errorf("%s: %v", schema, err)
	}
}

// TestDebianPackage installs the package into a root of its own, uses it and removes it.
func TestDebianPackage(t *testing.T) {
	need(t, "dpkg")
	root := t.TempDir()
	for _, dir := range []string{"info", "updates", "triggers"} {
		if err := os.MkdirAll(filepath.Join(root, "var/lib/dpkg", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, filepath.Join(root, "var/lib/dpkg/status"), nil, 0o644)
	dpkg := func(args ...string) {
		t.Helper()
		mustRun(t, root, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--force-depends", "--log=" + filepath.Join(root, "log")}, args...)...)
	}
	dpkg("--install", filepath.Join(hostRelease(t), deb.FileName(testVersion, target.Host().Arch)))
	program := filepath.Join(root, "usr/bin/callsheet")
	if got, want := mustRun(t, root, program, "version"), "callsheet "+testVersion+"\n"; got != want {
		t.Errorf("the program says %q, want %q", got, want)
	}
	if got, want := mustRun(t, root, program, "site", "compile", "--help"), "callsheet site compile DIR"; !strings.Contains(got, want) {
		t.Errorf("the server does not find the other program: %s", got)
	}
	if a, err := client.Ask(t.Context(), client.Server{Command: []string{program}}); err != nil || a.Version != testVersion {
		t.Errorf("the server says %q, %v", a.Version, err)
	}
	for file, want := range map[string]string{
		"usr/share/bash-completion/completions/callsheet":    "complete -o default",
		"usr/share/zsh/vendor-completions/_callsheet":        "#compdef callsheet",
		"usr/share/fish/vendor_completions.d/callsheet.fish": "complete -c callsheet",
		"usr/lib/systemd/user/callsheet.service":             "ExecStart=/usr/bin/callsheet serve --http",
		"usr/share/doc/callsheet/copyright":                  "License: Expat\n Permission is hereby granted",
		"var/lib/dpkg/status":                                "Depends: chromium",
	} {
		if text := readFile(t, filepath.Join(root, file)); !bytes.Contains(text, []byte(want)) {
			t.Errorf("%s lacks %q", file, want)
		}
	}
	for page, want := range map[string]string{"callsheet.1.gz": "CALLSHEET-CLICK", "callsheet-click.1.gz": "--session", "callsheet-site-compile.1.gz": "--freeze"} {
		text := mustRun(t, root, "gzip", "-dc", filepath.Join(root, "usr/share/man/man1", page))
		if plain := strings.ToUpper(strings.ReplaceAll(text, `\-`, "-")); !strings.Contains(plain, strings.ToUpper(want)) {
			t.Errorf("%s lacks %q", page, want)
		}
	}
	dpkg("--purge", "callsheet")
	if _, err := os.Stat(filepath.Join(root, "usr")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("files stay behind: %s", mustRun(t, root, "find", "usr"))
	}
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, name string, data []byte, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, data, mode); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, file, old, text string) {
	t.Helper()
	before := string(readFile(t, file))
	if !strings.Contains(before, old) {
		t.Fatalf("%s lacks %q:\n%s", file, old, before)
	}
	writeFile(t, file, []byte(strings.Replace(before, old, text, 1)), 0o644)
}
