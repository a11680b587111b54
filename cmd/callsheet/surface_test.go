package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
)

// A request for the list, as clients of each era and scripts write it.
const (
	initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ready      = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listOld    = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	listModern = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}}}`
)

// TestListsAreTheSnapshots holds what the program sends against what the compiler promised, byte
// for byte, on both transports and in both eras.
func TestListsAreTheSnapshots(t *testing.T) {
	t.Parallel()
	for snapshot, flags := range map[string][]string{
		"tools_list.static.json": nil, "tools_list.default.json": {"--visibility", "follow"}, "tools_list.slim.json": {"--slim"},
		"tools_list.all.json":             {"--visibility", "follow", "--all-tools"},
		"tools_list.browser.default.json": {"--headless", "--scope", "browser"},
	} {
		data, err := os.ReadFile(filepath.Join("../../generated/snapshot", snapshot))
		if err != nil {
			t.Fatal(err)
		}
		want := strings.TrimSuffix(string(data), "\n")
		if got := toolsOf(t, overStdio(t, flags, initialize, ready, listOld)); got != want {
			t.Errorf("stdio, sessions, %v: -want +got\n%s", flags, cmp.Diff(want, got))
		}
		if snapshot != "tools_list.slim.json" {
			// Without a session nothing can come into view later, so everything is in view:
			// predicates guard the calls.
			opt := toolkit.Options{AllTools: slices.Contains(flags, "--all-tools")}
			if slices.Contains(flags, "--scope") {
				opt.Scope = flags[len(flags)-1]
			}
			want = everything(t, opt)
		}
		url := serveHTTP(t, flags...)
		if got := toolsOf(t, overStdio(t, flags, listModern)); got != want {
			t.Errorf("stdio, stateless, %v: -want +got\n%s", flags, cmp.Diff(want, got))
		}
		for era, body := range map[string]string{"bare": listOld, "stateless": listModern} {
			if got := toolsOf(t, overHTTP(t, url, era, body)); got != want {
				t.Errorf("HTTP, %s, %v: -want +got\n%s", era, flags, cmp.Diff(want, got))
			}
		}
	}
}

// everything is the list of all tools of a surface, whatever their predicates.
func everything(t *testing.T, opt toolkit.Options) string {
	t.Helper()
	built, err := app.New(app.Config{Surface: opt})
	if err != nil {
		t.Fatal(err)
	}
	return string(built.Surface.NewStaticSession("").List())
}

// TestFiltersTakeOutExactlyTheirTools is seed 000's scenarios 1 to 4 on the real surface.
func TestFiltersTakeOutExactlyTheirTools(t *testing.T) {
	t.Parallel()
	whole := names(t, overStdio(t, nil, listModern))
	without := names(t, overStdio(t, []string{"--disable-tools", "storage"}, listModern))
	storage := []string{"cookies", "storage", "oc_context_export", "oc_context_import"}
	want := slices.DeleteFunc(slices.Clone(whole), func(n string) bool { return slices.Contains(storage, n) })
	if d := cmp.Diff(want, without); d != "" {
		t.Errorf("--disable-tools storage: -want +got\n%s", d)
	}
	answer := overStdio(t, []string{"--disable-tools", "storage"}, initialize, ready,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"cookies","arguments":{"action":"get"}}}`)
	if !strings.Contains(answer, `"structuredContent":{"code":"CAPABILITY_DISABLED","tool":"cookies","capability":"storage",`) {
		t.Errorf("a disabled tool answers %s", answer)
	}
	answer = overStdio(t, []string{"--tools-only", "core"}, initialize, ready,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"expand_tools","arguments":{"name":"list_profiles"}}}`)
	if !strings.Contains(answer, `"code":"CAPABILITY_DISABLED","tool":"list_profiles","capability":"profile"`) {
		t.Errorf("expand_tools reaches beyond the filter: %s", answer)
	}
}

// overStdio runs the program on the lines and returns its answer to the request with id 1. The
// input stays open until that is there: at its end the program gives calls a moment only, which a
// busy machine may not have.
func overStdio(t *testing.T, flags []string, lines ...string) string {
	t.Helper()
	p := start(t, flags...)
	go func() { _, _ = io.Copy(io.Discard, p.stderr) }()
	if _, err := io.WriteString(p.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		t.Fatalf("%v: %v", flags, err)
	}
	for {
		line, err := p.stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("%v: no answer: %v", flags, err)
		}
		if !strings.Contains(line, `"id":1,`) {
			continue
		}
		_ = p.stdin.Close()
		_, _ = io.Copy(io.Discard, p.stdout)
		if err := p.cmd.Wait(); err != nil {
			t.Errorf("%v: %v", flags, err)
		}
		return strings.TrimSpace(line)
	}
}

// serveHTTP starts the program on a free port and returns its URL.
func serveHTTP(t *testing.T, flags ...string) string {
	t.Helper()
	p := start(t, append([]string{"--http", "0"}, flags...)...)
	t.Cleanup(func() { _ = p.cmd.Process.Kill(); _ = p.cmd.Wait() })
	line, err := p.stderr.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`http://[^ \n]+`).FindString(line)
}

func overHTTP(t *testing.T, url, era, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if era == "stateless" {
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		req.Header.Set("Mcp-Method", "tools/list")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if at := bytes.Index(data, []byte("data: {")); at >= 0 { // an event stream
		data, _, _ = bytes.Cut(data[at+len("data: "):], []byte("\n"))
	}
	return string(data)
}

// toolsOf cuts the value of tools out of an answer, without decoding it.
func toolsOf(t *testing.T, answer string) string {
	t.Helper()
	var a struct {
		Result struct {
			Tools json.RawMessage `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		t.Fatalf("%v in %s", err, answer)
	}
	return string(a.Result.Tools)
}

func names(t *testing.T, answer string) []string {
	t.Helper()
	var tools []struct {
		Name string `json:"name"`
	}
	if err := json.Unmarshal([]byte(toolsOf(t, answer)), &tools); err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, x := range tools {
		out = append(out, x.Name)
	}
	return out
}
