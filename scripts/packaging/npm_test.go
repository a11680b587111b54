package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/callsheet/callsheet/scripts/packaging/internal/client"
	"github.com/callsheet/callsheet/scripts/packaging/internal/npm"
	"github.com/callsheet/callsheet/scripts/packaging/internal/release"
	"github.com/callsheet/callsheet/scripts/packaging/internal/target"
)

// npmPrefix installs the release's packages into an empty directory, and returns it.
func npmPrefix(t *testing.T, flags ...string) string {
	t.Helper()
	need(t, "npm")
	prefix := t.TempDir()
	args := []string{"install", "--offline", "--no-audit", "--no-fund", "--prefix", prefix}
	mustRun(t, prefix, "npm", append(append(args, flags...), npmFiles(t)...)...)
	return prefix
}

func npmFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(hostRelease(t), release.NPMDir, "*.tgz"))
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v: want the package and that of this system", files, err)
	}
	return files
}

func bin(prefix string) string { return filepath.Join(prefix, "node_modules", ".bin", "callsheet") }

func tools(t *testing.T, s client.Server) []byte {
	t.Helper()
	a, err := client.Ask(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	if a.Version != testVersion {
		t.Errorf("%v says version %q to clients, want %s", s.Command, a.Version, testVersion)
	}
	return a.Tools
}

func TestPostinstallReplacesTheShim(t *testing.T) {
	prefix := npmPrefix(t)
	installed, bare := readFile(t, bin(prefix)), filepath.Join(hostRelease(t), target.Host().Binary())
	if !bytes.Equal(installed, readFile(t, bare)) {
		t.Error("the command is not the program itself")
	}
	if out := mustRun(t, prefix, "npx", "callsheet", "site", "compile", "--help"); !strings.Contains(out, "callsheet site compile DIR") {
		t.Errorf("the program does not find the other one: %s", out)
	}
	if out := mustRun(t, prefix, "npx", "callsheet", "--version"); out != "callsheet "+testVersion+"\n" {
		t.Errorf("npx callsheet --version prints %q", out)
	}
	if !bytes.Equal(tools(t, client.Server{Command: []string{bin(prefix)}}), tools(t, client.Server{Command: []string{bare}})) {
		t.Error("the installed server lists other tools than the bare one")
	}
	left, _ := os.ReadDir(filepath.Join(prefix, "node_modules", "callsheet", "bin"))
	if len(left) != 2 { // the two programs
		t.Errorf("%v: files stay behind", left)
	}
	again := exec.CommandContext(t.Context(), "node", "install.js")
	again.Dir = filepath.Join(prefix, "node_modules", "callsheet")
	if out, err := again.Output(); err != nil || len(out) > 0 {
		t.Errorf("the script, run again, prints %q on standard output, %v", out, err)
	}
}

func TestShimRunsWithoutPostinstall(t *testing.T) {
	prefix := npmPrefix(t, "--ignore-scripts")
	if text := readFile(t, bin(prefix)); !bytes.HasPrefix(text, []byte("#!/usr/bin/env node")) {
		t.Fatal("the command is no shim")
	}
	bare := client.Server{Command: []string{filepath.Join(hostRelease(t), target.Host().Binary())}}
	if !bytes.Equal(tools(t, client.Server{Command: []string{bin(prefix)}}), tools(t, bare)) {
		t.Error("the server behind the shim lists other tools than the bare one")
	}
	out, err := runIn(t, prefix, nil, bin(prefix), "--no-such-flag")
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 2 || !strings.Contains(out, "no-such-flag") {
		t.Errorf("wrong usage ends with %v: %s", err, out)
	}

	script := filepath.Join(prefix, "other")
	writeFile(t, script, []byte("#!/bin/sh\necho other \"$@\"\n"), 0o755)
	if out, err := runIn(t, prefix, []string{"CALLSHEET_BINARY_PATH=" + script}, bin(prefix), "a b", "c"); err != nil || out != "other a b c\n" {
		t.Errorf("the override prints %q, %v", out, err)
	}
}

func TestShimPassesSignals(t *testing.T) {
	prefix := npmPrefix(t, "--ignore-scripts")
	script := filepath.Join(prefix, "waits")
	writeFile(t, script, []byte("#!/bin/sh\ntrap 'echo ended; exit 7' TERM\necho ready\nwhile :; do sleep 0.05; done\n"), 0o755)
	cmd := exec.CommandContext(t.Context(), bin(prefix))
	cmd.Env = append(os.Environ(), "CALLSHEET_BINARY_PATH="+script)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	word := make([]byte, len("ready\n"))
	if _, err := out.Read(word); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	rest := new(bytes.Buffer)
	_, _ = rest.ReadFrom(out)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 7 || rest.String() != "ended\n" {
		t.Errorf("the shim ends with %d after %q, want the program's 7", code, rest)
	}
}

func TestOverrideKeepsTheShim(t *testing.T) {
	t.Setenv("CALLSHEET_BINARY_PATH", filepath.Join(hostRelease(t), target.Host().Binary()))
	prefix := npmPrefix(t)
	if text := readFile(t, bin(prefix)); !bytes.HasPrefix(text, []byte("#!/usr/bin/env node")) {
		t.Error("the variable would have no effect: the shim is gone")
	}
}

func TestPostinstallRefusesAnotherProgram(t *testing.T) {
	prefix := npmPrefix(t, "--ignore-scripts")
	platform := filepath.Join(prefix, "node_modules", "@callsheet", target.Host().NodeOS()+"-"+target.Host().NodeArch())
	program := filepath.Join(platform, "bin", target.Host().Executable())
	writeFile(t, program, append(readFile(t, program), 0), 0o755)
	install := filepath.Join(prefix, "node_modules", "callsheet", "install.js")
	if out, err := runIn(t, prefix, nil, "node", install); err == nil || !strings.Contains(out, "is not the program of this release") {
		t.Errorf("a changed program is accepted: %v %s", err, out)
	}
	if err := os.RemoveAll(platform); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{install, bin(prefix)} {
		if out, err := runIn(t, prefix, nil, "node", command); err == nil || !strings.Contains(out, "--omit=optional") {
			t.Errorf("%s without the package of the system: %v %s", command, err, out)
		}
	}
}

// TestNPMPacksTheSame holds the files of the packages against those that npm would pack of them.
func TestNPMPacksTheSame(t *testing.T) {
	need(t, "npm")
	for _, file := range npmFiles(t) {
		dir := t.TempDir()
		mustRun(t, dir, "tar", "xzf", file)
		var packed []struct {
			FileName string                  `json:"filename"`
			Files    []struct{ Path string } `json:"files"`
		}
		out, err := exec.CommandContext(t.Context(), "npm", "pack", "--json", "--dry-run", "--ignore-scripts", filepath.Join(dir, "package")).Output()
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(out, &packed); err != nil || len(packed) != 1 {
			t.Fatalf("%v: %s", err, out)
		}
		var want []string
		for _, f := range packed[0].Files {
			want = append(want, "package/"+f.Path)
		}
		have := strings.Fields(mustRun(t, dir, "tar", "tzf", file))
		slices.Sort(want)
		slices.Sort(have)
		if !slices.Equal(have, want) || filepath.Base(file) != npm.FileName(strings.TrimSuffix(packed[0].FileName, "-"+testVersion+".tgz"), testVersion) {
			t.Errorf("%s has %v, npm packs %v as %s", file, have, want, packed[0].FileName)
		}
	}
}
