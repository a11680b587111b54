package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/remote"
)

// peer is a server from npm, with calls in testdata/peers/NAME.calls.
type peer struct {
	name    string
	program string // below node_modules/.bin
	args    []string
	long    bool // only where TOOLGEN_PEERS is set
	prepare func(t *testing.T, dir string) (environment []string)
	// random matches what the server makes at random in a result.
	random *regexp.Regexp
}

func peers() []peer {
	return []peer{
		{name: "memory", program: "mcp-server-memory", prepare: func(_ *testing.T, dir string) []string {
			return []string{"MEMORY_FILE_PATH=" + filepath.Join(dir, "memory.jsonl")}
		}},
		{name: "filesystem", program: "mcp-server-filesystem", args: []string{"$DIR"}, prepare: func(t *testing.T, dir string) []string {
			if err := os.WriteFile(filepath.Join(dir, "dot.png"), []byte("\x89PNG\r\n\x1a\n"), 0o644); err != nil {
				t.Error(err)
			}
			return nil
		}},
		{name: "everything", program: "mcp-server-everything", args: []string{"stdio"}, long: true,
			random: regexp.MustCompile(`created at [0-9:]+ [AP]M|"blob":"UmVzb3VyY2U[^"]*"`)}, // the time of day, in the clear and in base64
		{name: "chrome", program: "chrome-devtools-mcp", long: true,
			args: []string{"--headless", "--isolated", "--executablePath", "/usr/bin/chromium", "--chromeArg=--no-sandbox", "--no-usage-statistics"}},
	}
}

// Each call of a server is answered by the proxy with the bytes that the server itself answers with.
func TestPeers(t *testing.T) {
	if os.Getenv("CALLSHEET_NIGHTLY") == "" && os.Getenv("TOOLGEN_PEERS") == "" {
		t.Skip("takes half a minute; make nightly runs it")
	}
	modules := installPackages(t, "testdata/peers")
	program := programPath(t)
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>Form</h1><label>Name <input></label><button onclick=\"this.textContent='Saved'\">Save</button>", r.URL.Path)
	}))
	t.Cleanup(pages.Close)
	t.Run("gates", func(t *testing.T) { checkGates(t, modules, program) })
	for _, p := range peers() {
		t.Run(p.name, func(t *testing.T) {
			if p.long && os.Getenv("TOOLGEN_PEERS") == "" {
				t.Skip("runs where TOOLGEN_PEERS is set: make proxy-peers")
			}
			dir := filepath.Join(t.TempDir(), "state")
			replace := strings.NewReplacer("$DIR", dir, "$URL", pages.URL)
			command := []string{"node", filepath.Join(modules, ".bin", p.program)}
			for _, a := range p.args {
				command = append(command, replace.Replace(a))
			}
			manifest := t.TempDir()
			var variables []string
			begin := func() {
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(dir, 0o755); err != nil {
					t.Fatal(err)
				}
				if p.prepare != nil {
					variables = p.prepare(t, dir)
				}
			}
			begin()
			importPeer(t, program, manifest, command, variables)
			calls := readCalls(t, "testdata/peers/"+p.name+".calls", replace)
			direct := answers(t, remote.Source{Command: command}, variables, calls)
			begin()
			proxied := answers(t, remote.Source{Command: []string{program, "proxy", "-C", manifest}}, variables, calls)
			equal := 0
			for i, c := range calls {
				a, b := direct[i], proxied[i]
				if p.random != nil {
					a, b = p.random.ReplaceAllString(a, "RANDOM"), p.random.ReplaceAllString(b, "RANDOM")
				}
				if a != b {
					t.Errorf("call %d, %s %s\nserver: %.600s\nproxy:  %.600s", i+1, c.tool, c.args, a, b)
					continue
				}
				equal++
			}
			t.Logf("%s: %d of %d results are equal to the byte", p.name, equal, len(calls))
			if len(calls) < 30 {
				t.Errorf("%d calls; 30 are promised", len(calls))
			}
		})
	}
}

// importPeer imports the server, with the protocol's effects where it states none.
func importPeer(t *testing.T, program, manifest string, command, variables []string) {
	t.Helper()
	args := []string{"import", "-C", manifest, "--effects", "protocol"}
	for _, v := range variables {
		name, _, _ := strings.Cut(v, "=")
		args = append(args, "--environment", name)
	}
	cmd := exec.Command(program, append(append(args, "--"), command...)...)
	cmd.Env = append(os.Environ(), variables...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
}

type peerCall struct {
	tool string
	args json.RawMessage
}

func readCalls(t *testing.T, file string, replace *strings.Replacer) []peerCall {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []peerCall
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		tool, args, _ := strings.Cut(strings.TrimSpace(line), " ")
		out = append(out, peerCall{tool, json.RawMessage(replace.Replace(args))})
	}
	return out
}

// answers makes the calls one after the other and returns the bytes of each answer.
func answers(t *testing.T, src remote.Source, variables []string, calls []peerCall) []string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	client, err := remote.Connect(ctx, src, remote.Options{Env: append(os.Environ(), variables...)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	out := make([]string, len(calls))
	for i, c := range calls {
		raw, err := client.Call(ctx, c.tool, c.args, nil)
		if out[i] = string(raw); err != nil {
			out[i] = "error: " + err.Error()
		}
	}
	return out
}

// installPackages installs the pinned packages of a directory and returns their node_modules.
func installPackages(t *testing.T, from string) string {
	t.Helper()
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			missing(t, from+" is packages of npm, and "+program+" is missing")
		}
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, fmt.Sprintf("npm cannot install %s: %v\n%s", from, err, out))
	}
	return filepath.Join(dir, "node_modules")
}

// missing skips a test, and fails it in CI, where everything that tests need is there.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") != "" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// programPath returns the toolgen that testscript has made of this test's own program.
func programPath(t *testing.T) string {
	t.Helper()
	program, err := exec.LookPath("toolgen")
	if err != nil {
		t.Fatal(err)
	}
	return program
}
