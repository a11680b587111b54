package host_test

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/filelock"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools/host"
)

// testServer is a server with a browser of its own, which tests may end.
type testServer struct{ *tooltest.Server }

func newServer(t *testing.T, cfg browser.Config, reach host.Reach) testServer {
	t.Helper()
	return testServer{tooltest.NewOwnServer(t, app.Config{Browser: cfg, Reach: reach, Clients: session.ClientPolicy{DebugPort: true}})}
}

func (s testServer) connect(id string) tooltest.Client { return s.Connect(id, "", nil) }

// isRunning reports whether a process is there and no zombie.
func isRunning(t *testing.T, pid int) bool {
	t.Helper()
	if pid == 0 {
		t.Fatal("no process")
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(text), ") Z ") {
		return false
	}
	return proctest.IsRunning(pid)
}

// requireReaping waits until no other test of the machine reaps: one would kill the other's
// orphans.
func requireReaping(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "callsheet-test-reaping"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	tooltest.Eventually(t, "no other test reaps", func() bool {
		held, err := filelock.Try(f)
		if err != nil {
			t.Fatal(err)
		}
		return !held
	})
}

func TestStopEndsTheBrowser(t *testing.T) {
	t.Parallel()
	home, m := tooltest.ServeSite(t), newServer(t, browser.Config{}, host.Reach{})
	ada, bob := m.connect("ada"), m.connect("bob")
	ada.Expect("oc_stop", nil, "closed 0 tabs of 0 connections", "no browser ran")
	ada.Call("navigate", tooltest.Args{"url": home + "/"})
	bob.Call("navigate", tooltest.Args{"url": home + "/second.html"})
	pid := m.Connections.OwnBrowser().Status().PID
	ada.Expect("oc_stop", nil, "closed 1 tab of 1 connection", "others use it")
	ada.ExpectRefusal("TOOL_NOT_VISIBLE", "list_targets", nil)
	bob.Expect("read_page", nil, "Second page")
	bob.Expect("oc_stop", tooltest.Args{"keepChrome": true}, "the browser goes on")
	if !isRunning(t, pid) {
		t.Error("the browser ended although it was to go on")
	}
	bob.Expect("oc_stop", nil, "ended the browser")
	if isRunning(t, pid) {
		t.Errorf("process %d lives", pid)
	}
	ada.Call("navigate", tooltest.Args{"url": home + "/"})
	ada.Expect("read_page", nil, "Fixture home")
	if next := m.Connections.OwnBrowser().Status().PID; next == pid || !isRunning(t, next) {
		t.Errorf("process %d after %d", next, pid)
	}
}

// TestOnlyOrphansAreReaped leaves a real browser behind as a server does that was killed, beside
// one that is owned.
func TestOnlyOrphansAreReaped(t *testing.T) {
	t.Parallel()
	requireReaping(t)
	exe, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	m := newServer(t, browser.Config{}, host.Reach{})
	c := m.connect("client")
	c.Call("tabs_create", tooltest.Args{"url": "about:blank"})
	owned := m.Connections.OwnBrowser().Status().PID
	leave := func(name string) *exec.Cmd {
		t.Helper()
		profile := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(profile, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(profile, "callsheet-owner"), []byte("1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(exe, "--headless=new", "--no-sandbox", "--no-first-run", "--disable-gpu", "--remote-debugging-port=0",
			"--user-data-dir="+profile, "about:blank")
		chromium.SetProcessGroup(cmd)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			chromium.KillGroup(cmd.Process.Pid) // with its child processes
			_ = cmd.Wait()
		})
		tooltest.Eventually(t, "the browser listens", func() bool {
			_, err := os.Stat(filepath.Join(profile, "DevToolsActivePort"))
			return err == nil
		})
		return cmd
	}
	orphan, personal := leave("callsheet-profile-orphan"), leave("chromium")
	c.Expect("oc_doctor_report", nil, "run without a server", "oc_reap_orphans")
	c.Expect("oc_reap_orphans", nil, "killed ")
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Exited() {
		t.Errorf("the orphan was not killed: %v", orphan.ProcessState)
	}
	for _, pid := range []int{owned, personal.Process.Pid} {
		if !isRunning(t, pid) {
			t.Errorf("process %d is no orphan and was killed", pid)
		}
	}
	c.Expect("tabs_context", nil, "about:blank")
}

func TestDevToolsURL(t *testing.T) {
	t.Parallel()
	c := newServer(t, browser.Config{}, host.Reach{}).connect("client")
	c.Call("tabs_create", tooltest.Args{"url": "about:blank"})
	c.ExpectRefusal("FAILED", "oc_devtools_url", nil, "listens on no port", "chrome_launch with debug_port where the operator allows it")
	port := proctest.FreePort(t)
	c.Call("chrome_launch", tooltest.Args{"debug_port": port, "connection_id": "open"})
	c.Call("chrome_switch_connection", tooltest.Args{"connection_id": "open"})
	text := c.Call("oc_devtools_url", nil)
	parts := regexp.MustCompile(`^t\d+ (http://127\.0\.0\.1:\d+/devtools/inspector\.html)\?ws=(\S+)$`).FindStringSubmatch(text)
	if parts == nil {
		t.Fatalf("the address is %q", text)
	}
	for address, status := range map[string]int{parts[1]: http.StatusOK, "http://" + parts[2]: http.StatusSwitchingProtocols} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
		if err != nil {
			t.Fatal(err)
		}
		if status == http.StatusSwitchingProtocols { // what the page of the first address does
			for name, value := range map[string]string{
				"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
				"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "http://127.0.0.1:" + strconv.Itoa(port),
			} {
				req.Header.Set(name, value)
			}
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode != status {
			t.Errorf("%s answers %s", address, res.Status)
		}
	}
}

// TestDoctorReportWhileTheBrowserRuns has the server's own browser hold the profile: that is no
// fault.
func TestDoctorReportWhileTheBrowserRuns(t *testing.T) {
	t.Parallel()
	c := newServer(t, browser.Config{UserDataDir: t.TempDir()}, host.Reach{}).connect("client")
	c.Call("tabs_create", tooltest.Args{"url": "about:blank"})
	text := c.Expect("oc_doctor_report", nil, "ok       browser", "ok       profile", "ok       state")
	if strings.Contains(text, "start  ") || strings.Contains(text, "failure") {
		t.Errorf("the report is\n%s", text)
	}
}

func TestConnectionInfoHoldsNoToken(t *testing.T) {
	t.Parallel()
	const token = "TOKEN-THAT-IS-SECRET"
	plain := newServer(t, browser.Config{}, host.Reach{Program: "/opt/my tools/callsheet"}).connect("client")
	plain.Expect("oc_get_connection_info", tooltest.Args{"host": "claude"}, "claude mcp add callsheet -- '/opt/my tools/callsheet' serve",
		`{"mcpServers":{"callsheet":{"args":["serve"],"command":"/opt/my tools/callsheet"}}}`)
	plain.Expect("oc_get_connection_info", tooltest.Args{"host": "gemini"}, "gemini mcp add callsheet '/opt/my tools/callsheet' serve")
	served := newServer(t, browser.Config{}, host.Reach{Program: "/bin/callsheet", URL: "http://127.0.0.1:9876/mcp", Guarded: true}).connect("client")
	for _, name := range []string{"claude", "gemini", "chatgpt", "custom"} {
		if text := served.Expect("oc_get_connection_info", tooltest.Args{"host": name}, "http://127.0.0.1:9876/mcp", "not told here"); strings.Contains(text, token) {
			t.Errorf("%s is told the token", name)
		}
	}
	served.ExpectRefusal("INVALID_ARGUMENTS", "oc_get_connection_info", tooltest.Args{"host": "all"}, "custom")
}

// TestClipboardAndHostSettings has programs of the test's own on the PATH: this machine has no
// desktop.
func TestClipboardAndHostSettings(t *testing.T) {
	c, dir := tooltest.Connect(t, toolkit.Options{}), t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":7")
	c.ExpectRefusal("FAILED", "oc_copy_to_clipboard", tooltest.Args{"text": "x"}, "install wl-clipboard (Wayland), xclip or xsel (X11)")
	c.Expect("oc_open_host_settings", tooltest.Args{"host": "claude"}, "no desktop", "https://claude.ai/settings/connectors")
	for name, body := range map[string]string{"xclip": `/bin/cat > "$0.got"`, "xdg-open": `echo "$@" > "$0.got"`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+body+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	got := func(name, want string) {
		t.Helper()
		if text, err := os.ReadFile(filepath.Join(dir, name+".got")); err != nil || string(text) != want {
			t.Errorf("%s got %q, %v", name, text, err)
		}
	}
	if text := c.Expect("oc_copy_to_clipboard", tooltest.Args{"text": "$(id) für später\n"}, "copied 17 characters"); strings.Contains(text, "id") {
		t.Errorf("the answer repeats the text: %s", text)
	}
	got("xclip", "$(id) für später\n")
	c.Expect("oc_open_host_settings", tooltest.Args{"host": "chatgpt"}, "opened https://chatgpt.com/")
	got("xdg-open", "https://chatgpt.com/#settings/Connectors\n")
	c.ExpectRefusal("INVALID_ARGUMENTS", "oc_open_host_settings", tooltest.Args{"host": "https://evil.example"}, "gemini")
}
