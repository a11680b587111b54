package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	cmdline "github.com/callsheet/callsheet/gen/toolkit/command"
	"github.com/callsheet/callsheet/generated/cli"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// shell runs commands as one user would, whose daemon ends with the test.
type shell struct {
	t   *testing.T
	exe string // "" is the test binary
	env []string
	dir string // where commands run
}

func newShell(t *testing.T) shell {
	t.Helper()
	state := t.TempDir()
	s := shell{t: t, dir: t.TempDir(), env: []string{"XDG_RUNTIME_DIR=" + t.TempDir(), "XDG_STATE_HOME=" + state, "CALLSHEET_DAEMON_IDLE=10m"}}
	t.Cleanup(func() {
		s.run("daemon", "stop")
		if log, err := os.ReadFile(filepath.Join(state, "callsheet", "daemon.log")); t.Failed() && err == nil {
			t.Logf("the daemon's log:\n%s", log)
		}
	})
	return s
}

func (s shell) command(args ...string) *exec.Cmd {
	cmd := command(s.t, args...)
	if s.exe != "" {
		cmd.Path = s.exe
	}
	cmd.Env, cmd.Dir = append(cmd.Env, s.env...), s.dir
	return cmd
}

// run runs a command line and returns what it printed, and its exit code.
func (s shell) run(args ...string) (stdout, stderr string, code int) {
	s.t.Helper()
	cmd := s.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		s.t.Fatalf("%q: %v", args, err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// does runs a command line that must succeed and print each of want.
func (s shell) does(line string, want ...string) string {
	s.t.Helper()
	words, err := cmdline.Split(line)
	if err != nil {
		s.t.Fatal(err)
	}
	out, errs, code := s.run(words...)
	if code != exit.OK || errs != "" {
		s.t.Fatalf("%s: exit %d, %s%s", line, code, out, errs)
	}
	for _, w := range want {
		if !strings.Contains(out, w) {
			s.t.Errorf("%s prints %q, which lacks %q", line, out, w)
		}
	}
	return out
}

// fails runs a command line that must end with the code and say each of want.
func (s shell) fails(code int, line string, want ...string) {
	s.t.Helper()
	words, err := cmdline.Split(line)
	if err != nil {
		s.t.Fatal(err)
	}
	out, errs, got := s.run(words...)
	if got != code || out != "" {
		s.t.Errorf("%s: exit %d, want %d: %s%s", line, got, code, out, errs)
	}
	for _, w := range want {
		if !strings.Contains(errs, w) {
			s.t.Errorf("%s says %q, which lacks %q", line, errs, w)
		}
	}
}

// title is the document's title, which the fixture changes to what was done to it.
func (s shell) title() string {
	s.t.Helper()
	return strings.Trim(strings.TrimSpace(s.does("eval document.title")), `"`)
}

// fixture serves two pages.
func fixture(t *testing.T) string {
	t.Helper()
	loads := 0
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) {
		loads++
		fmt.Fprintf(w, `<!doctype html><title>One %d</title><h1>First page</h1><a href=/two>next</a>
			<input aria-label=Name oninput="document.title = 'typed ' + value">
			<button onclick="document.title = event.detail + ' ' + event.type" ondblclick="document.title = 'double'">Go</button>
			<button id=late style="visibility: hidden">Later</button>
			<button onclick="setTimeout(() => { late.style.visibility = ''; document.body.append('Arrived') }, 300)">Start</button>`, loads)
	})
	mux.HandleFunc("/two", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Two</title><h1>Second page</h1><p style="height: 3000px">long</p>`)
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// ref finds the ref in a snapshot's line that contains want.
func (s shell) ref(snapshot, want string) string {
	s.t.Helper()
	for line := range strings.Lines(snapshot) {
		if m := regexp.MustCompile(`\[(@?e[0-9]+)\]`).FindStringSubmatch(line); m != nil && strings.Contains(line, want) {
			return m[1]
		}
	}
	s.t.Fatalf("no ref for %s in\n%s", want, snapshot)
	return ""
}

// TestVerbs uses a page as a person would from a shell: each command is a process of its own, the
// page stays.
func TestVerbs(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.fails(exit.Tool, "reload", "NO_TAB")
	s.does("navigate "+url, `"One 1" 200`)
	seen := s.does("snapshot --interactive", `button "Go"`)
	if strings.Contains(seen, "First page") {
		t.Errorf("an interactive snapshot shows text: %s", seen)
	}
	s.does("snapshot", "First page")
	goRef := s.ref(seen, `"Go"`)
	s.does("click "+goRef, "clicked")
	if got := s.title(); got != "1 click" {
		t.Errorf("click: %s", got)
	}
	s.does("click @" + goRef + " --action double_click")
	if got := s.title(); got != "double" {
		t.Errorf("double click: %s", got)
	}
	s.does(`type ` + s.ref(seen, `"Name"`) + ` --text "Ada L"`)
	if got := s.title(); got != "typed Ada L" {
		t.Errorf("type: %s", got)
	}
	s.does("fill Name -5 --session default", "-5")
	if got := s.title(); got != "typed -5" {
		t.Errorf("fill: %s", got)
	}
	s.does(`type ` + s.ref(seen, `"Name"`) + ` --text "Ada L"`)
	s.fails(exit.Tool, "navigate ./index.html", "file of this machine", "--allow-file-urls")
	s.does(`hover --query "Go button"`, "hovered")
	s.does(`find "Start button"`, `button "Start"`)
	s.does("query button --multiple", "3 of 3")
	s.does(`xpath //h1`, "1 of 1")

	s.does("click --query next", `/two "Two"`)
	s.does("back", "typed Ada L") // the page as it was left
	s.does("forward", "Two")
	s.does("scroll down 5")
	s.does("geolocation -33.87 151.21", "-33.87,151.21")
	s.does("emulate-device iphone-14", "390")
	s.does("emulate-device --reset")
	s.does("press Home")
	s.does("wait url_match /two", "url_match")
	s.does("tab-new "+url, "t2")
	s.does("tabs", "current: t2", "t1", "/two")
	s.does("tab-close t2")
	s.does("storage local set --key a --value b")
	s.does("storage local get --key a", "b")
	s.does("cookies get")
	s.does("console")
	s.does("profile")
	s.does("connections")
	s.does("debugger-enable")
	s.does("debugger-disable")

	id := strings.Fields(s.does("browser-snapshot --interactive=false", "snapshotId", "Second page"))[1]
	s.fails(exit.Tool, "browser-click-ref "+id+"x @e1", "STALE_REF")
}

// TestCommandLineEquivalents runs what the answers of deferred tools advise, verbatim but for the
// placeholders.
func TestCommandLineEquivalents(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	fill := func(line string, values ...string) string {
		words, err := cmdline.Split(line)
		if err != nil || words[0] != "callsheet" {
			t.Fatalf("%s: %v", line, err)
		}
		if _, _, err := cmdline.Parse(cli.Verbs(), words[1:]); err != nil {
			t.Errorf("%s does not parse: %v", line, err)
		}
		return strings.NewReplacer(values...).Replace(strings.TrimPrefix(line, "callsheet "))
	}
	s.does(fill("callsheet navigate <url>", "<url>", url), "One 1")
	seen := s.does(fill("callsheet snapshot --interactive"), `button "Start"`)
	s.does(fill(`callsheet type <ref> --text "..."`, "<ref>", s.ref(seen, `"Name"`)))
	if got := s.title(); got != "typed ..." {
		t.Errorf("type: %s", got)
	}
	s.does("click " + s.ref(seen, `"Start"`))
	s.does(fill("callsheet wait-for <ref-or-text>", "<ref-or-text>", "Arrived"))
	s.does(fill("callsheet wait-for <ref-or-text>", "<ref-or-text>", s.ref(s.does("snapshot"), `"Later"`)))
	s.fails(exit.Tool, "wait-for e9999", "unknown ref")
	s.fails(exit.Tool, "wait-for nothing --timeout 200", "TIMEOUT")
	s.does(fill("callsheet screenshot --out <path>", "<path>", "page.png"), "page.png")
	f, err := os.Open(filepath.Join(s.dir, "page.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	if size, err := png.DecodeConfig(f); err != nil || size.Width < 100 {
		t.Errorf("the picture: %v %v", size, err)
	}
	s.does("navigate " + url + "/two")
	s.does(fill("callsheet back"), url+"/ ")
	s.does(fill("callsheet forward"), "Two")
	s.does(fill("callsheet back"))
	before := s.title()
	s.does(fill("callsheet reload"))
	if after := s.title(); before == after || !strings.HasPrefix(after, "One ") {
		t.Errorf("reload: %s, then %s", before, after)
	}
}

// TestOutput holds what programs rely on.
func TestOutput(t *testing.T) {
	t.Parallel()
	s, url := newShell(t), fixture(t)
	s.does("navigate " + url)
	var tabs struct{ TabCount int }
	if err := json.Unmarshal([]byte(s.does("tabs --json")), &tabs); err != nil || tabs.TabCount != 1 {
		t.Errorf("%+v %v", tabs, err)
	}
	var content struct{ Content []struct{ Type, Text string } }
	if err := json.Unmarshal([]byte(s.does("snapshot --json")), &content); err != nil || !strings.Contains(content.Content[0].Text, "First page") {
		t.Errorf("%+v %v", content, err)
	}
	out, _, code := s.run("click", "e999", "--json")
	var refusal struct{ Code string }
	if err := json.Unmarshal([]byte(out), &refusal); err != nil || refusal.Code != "NOT_FOUND" || code != exit.Tool {
		t.Errorf("exit %d, %s %v", code, out, err)
	}
	kept := strings.TrimSpace(s.does("screenshot --format jpeg"))
	if data, err := os.ReadFile(kept); err != nil || !bytes.HasPrefix(data, []byte("\xff\xd8")) || filepath.Ext(kept) != ".jpeg" {
		t.Errorf("%s: %v", kept, err)
	}
	printed := strings.Split(strings.TrimSpace(s.does("pdf")), "\n")
	s.does("pdf --out page.pdf", "page.pdf")
	for _, path := range []string{printed[len(printed)-1], filepath.Join(s.dir, "page.pdf")} {
		if data, err := os.ReadFile(path); err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) || filepath.Ext(path) != ".pdf" {
			t.Errorf("the print %q has %d bytes, %v", path, len(data), err)
		}
	}
	for name, line := range map[string]string{"page.har": "network-capture-full har", "page.cpuprofile": "cpu-profile --ms 1", "page.zip": "evidence --include console"} {
		s.does(line + " --out " + name)
		if info, err := os.Stat(filepath.Join(s.dir, name)); err != nil || info.Size() < 100 {
			t.Errorf("%s: %v", line, err)
		}
	}
	s.fails(exit.Usage, "network-capture-full har --path page.har", "unknown flag --path")
	s.fails(exit.Usage, "screenshot --out no/such/dir/x.png", "write the file")
	for _, line := range []string{"tabs", "daemon status", "tools", "help", "help navigate"} {
		if out := s.does(line); strings.Contains(out, "\x1b") {
			t.Errorf("%s prints escapes to a pipe", line)
		}
	}
	s.does("daemon status --json", `"running":true`)
	s.does("version", "callsheet ")
	s.does("completion bash", "__start_callsheet")
	s.does("help type", "callsheet type [<ref-or-query>] --text", `callsheet type e7 --text "Ada Lovelace"`, "--session")
	if out, _, code := s.run("__complete", "screenshot", "--format", ""); code != exit.OK || !strings.Contains(out, "webp\njpeg\n") {
		t.Errorf("completion of values: exit %d, %s", code, out)
	}
	s.does("help --all", "navigate", "daemon", "tools", "--slim")
}

// TestUsage refuses before anything is started.
func TestUsage(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	for line, want := range map[string]string{
		"bakc":                      `unknown verb "bakc", did you mean "back"?`,
		"page-screenshot":           `the verb of page_screenshot is "screenshot"`,
		"screenshot --otu x":        `unknown flag --otu, did you mean "--out"?`,
		"screenshot --format gif":   `"gif" is not one of png, webp, jpeg`,
		"navigate":                  "navigate needs <url>",
		"back now":                  "back takes no argument",
		"tabs --session 'a b'":      "--session: a name is",
		"daemon stpo":               `unknown command "stpo" of callsheet daemon (start, status, stop), did you mean "stop"?`,
		"tools --scenario pausd":    `unknown scenario "pausd", did you mean "paused"?`,
		"tools --tools-only cor":    `did you mean "core"?`,
		"--slim navigate x":         "the flags of navigate stand after it",
		"daemon start --viewport 1": "expected WIDTHxHEIGHT",
		"back -200":                 `back takes no argument, got "-200" beside`,
		"scroll down -2.5":          `"-2.5" is not a whole number`,
		"press -- -x y":             "press takes one argument",
		"screenshot page.png":       "--out FILE names the file to write",
		"daemon start --browser-arg --remote-debugging-port=9222": "--browser-arg: --remote-debugging-port is not passed to the browser: chrome_launch takes debug_port",
		"daemon start --browser-arg=--user-data-dir=/p":           "--user-data-dir chooses the profile",
		"daemon start --browser-arg --remote-debugging-pipe":      "cannot be driven",
		"serve --browser-arg --version":                           "cannot be driven",
		"--browser-arg https://example.com":                       "is no switch of a browser",
	} {
		s.fails(exit.Usage, line, want)
	}
	s.does("daemon status", "not running")
	s.fails(exit.Tool, "wait-for x --timeout 0 --tab-id t9")
}

func TestToolsCommand(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	type row struct {
		Name, Why string
		Bytes     int
		Listed    bool
	}
	rows := func(line string) map[string]row {
		t.Helper()
		var list struct{ Tools []row }
		if err := json.Unmarshal([]byte(s.does(line+" --json")), &list); err != nil {
			t.Fatal(err)
		}
		out := map[string]row{}
		for _, r := range list.Tools {
			out[r.Name] = r
		}
		return out
	}
	cold, paused := rows("tools --visibility follow --all-tools"), rows("tools --visibility follow --all-tools --scenario paused --disable-tools storage")
	if r := cold["debugger_resume"]; r.Listed || r.Why != "needs paused" {
		t.Errorf("cold: %+v", r)
	}
	if r := paused["debugger_resume"]; !r.Listed || r.Bytes < 100 {
		t.Errorf("paused: %+v", r)
	}
	if r := paused["cookies"]; r.Listed || r.Why != "excluded by --disable-tools" {
		t.Errorf("excluded: %+v", r)
	}
	if r := rows("tools")["geolocation"]; r.Listed || !strings.HasPrefix(r.Why, "tier 2") {
		t.Errorf("tier: %+v", r)
	}
	if got := rows("tools --scope browser"); len(got) != 2 || !got["browser_snapshot"].Listed {
		t.Errorf("scope browser: %+v", got)
	}
	if r := rows("tools")["dialog"]; !r.Listed || r.Why != "needs dialog_open" {
		t.Errorf("of the core, and refused: %+v", r)
	}
	for line, snapshot := range map[string]string{"tools": "static", "tools --visibility follow": "default", "tools --scenario paused": "core.paused"} {
		data, err := os.ReadFile("../../generated/snapshot/tools_list." + snapshot + ".json")
		if err != nil {
			t.Fatal(err)
		}
		s.does(line, fmt.Sprintf("tools are listed, in %d bytes", len(bytes.TrimSpace(data))))
	}
}
