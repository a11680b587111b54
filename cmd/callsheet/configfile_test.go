package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// configRun runs "callsheet config" with a file of this text and returns what it says.
func configRun(t *testing.T, code int, text string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "callsheet.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, append([]string{"config"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, options.FileVariable+"="+path, "XDG_STATE_HOME="+dir)
	out, _ := cmd.CombinedOutput() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("config %v: exit %d, want %d: %s", args, got, code, out)
	}
	return strings.ReplaceAll(string(out), dir+"/", "")
}

// TestConfigCheckFindsMistakes plants mistakes one by one; each is reported once, at its place.
func TestConfigCheckFindsMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, want string }{
		"misspelt key":         {"version: 1\nstate-dri: x\n", `2:1: unknown key "state-dri"; did you mean "state-dir"?`},
		"underscores":          {"version: 1\nstate_dir: x\n", `2:1: unknown key "state_dir"; did you mean "state-dir"?`},
		"unknown key":          {"version: 1\nfrobnicate: x\n", `2:1: unknown key "frobnicate"; a key is the name of a flag`},
		"no version":           {"slim: true\n", "1:1: the configuration has no version; begin with version: 1"},
		"other version":        {"version: 2\n", "1:10: version 2 is unknown"},
		"empty":                {"", "the file is empty"},
		"duplicate key":        {"version: 1\nslim: true\nslim: false\n", "3:1: "},
		"tab":                  {"version: 1\nprofiles:\n\twork: {slim: true}\n", "3:1: "},
		"a list for a text":    {"version: 1\nviewport: [1, 2]\n", "2:11: viewport takes one value, not a list"},
		"mapping for a text":   {"version: 1\npolicy: {a: b}\n", "2:9: policy must be a text, not a mapping"},
		"null":                 {"version: 1\nviewport:\n", "viewport must be a text, not null"},
		"empty list":           {"version: 1\ntools: []\n", "2:8: tools is an empty list; leave the key out"},
		"bad viewport":         {"version: 1\nviewport: 1280\n", `2:11: viewport cannot be "1280": expected WIDTHxHEIGHT`},
		"bad level":            {"version: 1\nlog-level: loud\n", `2:12: log-level cannot be "loud"`},
		"text for a boolean":   {"version: 1\nheadless: maybe\n", `2:11: headless cannot be "maybe"`},
		"text for a number":    {"version: 1\nmax-sessions: lots\n", `2:15: max-sessions cannot be "lots"`},
		"on or off":            {"version: 1\nhints: perhaps\n", `2:8: hints cannot be "perhaps": on or off`},
		"visibility":           {"version: 1\nvisibility: some\n", `2:13: visibility cannot be "some": known: core, follow, static`},
		"session":              {"version: 1\nsession: work\n", "2:1: session cannot stand in a configuration file"},
		"another file":         {"version: 1\nconfig: other.yaml\n", "2:1: config cannot stand in a configuration file"},
		"unknown profile":      {"version: 1\nprofile: wrk\nprofiles: {work: {slim: true}}\n", `2:10: there is no profile "wrk"; did you mean "work"?`},
		"the manifest's name":  {"version: 1\nprofiles: {control_plane: {slim: true}}\n", `2:12: profile "control_plane" is one of the manifest's`},
		"profile is a text":    {"version: 1\nprofiles: {work: slim}\n", `2:18: profile "work" must be a mapping`},
		"unknown capability":   {"version: 1\ntools-only: [core, debuger]\n", `2:20: --tools-only: unknown capability "debuger"`},
		"unknown tool":         {"version: 1\nprofiles: {work: {exclude-tools: navigat}}\n", `2:34: --exclude-tools: unknown tool "navigat"`},
		"missing secrets":      {"version: 1\nsecrets: none.env\n", "2:1: --secrets: "},
		"missing policy":       {"version: 1\npolicy: none.yaml\n", "2:9: "},
		"attached and started": {"version: 1\ncdp-endpoint: http://127.0.0.1:9222\nbrowser: /usr/bin/x\n", "2:1: --cdp-endpoint attaches to a running browser"},
		"address":              {"version: 1\nhttp: 99999\n", "2:7: --http: "},
		"database":             {"version: 1\ndatabase-url: mysql://x\n", "2:1: --database-url: an address of Postgres is wanted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := configRun(t, exit.Tool, test.text, "check")
			says(t, out, test.want)
			if n := strings.Count(out, "[config-") + strings.Count(out, "[yaml-") + strings.Count(out, "[duplicate"); n > 1 {
				t.Errorf("%d problems for one mistake:\n%s", n, out)
			}
		})
	}
}

func TestConfigVerbs(t *testing.T) {
	t.Parallel()
	says(t, configRun(t, exit.OK, "version: 1\nslim: true\nhints: off\nprofiles: {work: {viewport: 800x600}}\n", "check"), "is a valid configuration")
	out := configRun(t, exit.OK, "version: 1\nslim: true\nauth-token: hunter2-hunter2-hunter2\nprofiles: {work: {viewport: 800x600}}\n", "show", "--profile", "work", "--http", "127.0.0.1:1")
	says(t, out, "slim", "callsheet.yaml:2:7", "viewport", "800x600", "callsheet.yaml:4:29 (profile work)", "(hidden)", "127.0.0.1:1", "flag")
	if strings.Contains(out, "hunter2-hunter2-hunter2") {
		t.Errorf("a token is shown:\n%s", out)
	}
	says(t, configRun(t, exit.Usage, "version: 1\nslmi: true\n", "show"), `did you mean "slim"?`)
	says(t, configRun(t, exit.Usage, "version: 1\nprofiles: {work: {slim: true}}\n", "show", "--profile", "wrk"), `has no profile "wrk"; did you mean "work"?`)
	says(t, configRun(t, exit.OK, "version: 1\n", "show", "--http", "[::1]:80"), "[::1]:80")
	says(t, configRun(t, exit.OK, "version: 1\n", "show"), "every setting has its default")
	says(t, configRun(t, exit.OK, "version: 1\n", "schema"), "2020-12", `"state-dir"`)
	example := configRun(t, exit.OK, "", "init")
	says(t, configRun(t, exit.OK, example, "check"), "is a valid configuration")
}

// TestConfigInitWritesOnce writes the file where it is read by default, and keeps one that is there.
func TestConfigInitWritesOnce(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	run := func(args ...string) (string, int) {
		cmd := command(t, args...)
		cmd.Env = slices.DeleteFunc(cmd.Env, func(v string) bool { return strings.HasPrefix(v, options.FileVariable+"=") })
		cmd.Env = append(cmd.Env, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
		out, _ := cmd.CombinedOutput()
		return string(out), cmd.ProcessState.ExitCode()
	}
	path := filepath.Join(home, "callsheet", "callsheet.yaml")
	if out, code := run("config", "init", "--write"); code != exit.OK || strings.TrimSpace(out) != path {
		t.Fatalf("exit %d: %s", code, out)
	}
	if out, code := run("config", "init", "--write"); code != exit.Usage || !strings.Contains(out, "exists and is kept") {
		t.Errorf("exit %d: %s", code, out)
	}
	if err := os.WriteFile(path, []byte("version: 1\ntools: [navigate]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _ := run("tools")
	says(t, out, "1 of ")
	if out, _ := run("tools", "--config", ""); strings.Contains(out, "\n1 of ") {
		t.Errorf("--config \"\" reads the file:\n%s", out)
	}
	if out, code := run("tools", "--config", "none.yaml"); code != exit.Usage || !strings.Contains(out, "none.yaml") {
		t.Errorf("exit %d: %s", code, out)
	}
}

// TestUnknownProfileOfADaemon refuses a profile by a command that has no list of tools.
func TestUnknownProfileOfADaemon(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"jobs", "list", "--profile", "wrk"}, {"daemon", "start", "--profile", "wrk"}} {
		cmd := command(t, args...)
		cmd.Env = append(cmd.Env, "XDG_STATE_HOME="+t.TempDir())
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != exit.Usage || !strings.Contains(string(out), `no profile "wrk"`) {
			t.Errorf("%v: exit %d: %s", args, code, out)
		}
	}
}

// TestServerTakesConfig lists the tools that a file chooses, over the protocol.
func TestServerTakesConfig(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "callsheet.yaml")
	text := "version: 1\nauth-token: only-for-http\nprofiles:\n  one: {tools: navigate}\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, "serve", "--config", path, "--profile", "one")
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err, string(err.(*exec.ExitError).Stderr))
	}
	if n := strings.Count(string(out), `"inputSchema"`); n != 1 {
		t.Errorf("%d tools are listed, want 1:\n%s", n, out)
	}
}
