package tools_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/cli/doctor"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/totp"
	evidence "github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
	"github.com/callsheet/callsheet/tools/host"
)

// machine is a server with a browser of its own, which tests may end.
type machine struct {
	t     *testing.T
	board *session.Switchboard
	needs tools.Needs
}

func newMachine(t *testing.T, cfg browser.Config, reach host.Reach) machine {
	t.Helper()
	place, err := statedir.New(filepath.Join(t.TempDir(), "state"))
	if err != nil {
		t.Fatal(err)
	}
	output, err := files.NewDir(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Headless = true
	m := machine{t: t, board: session.New(session.Config{Browser: cfg})}
	db := database.New(place)
	t.Cleanup(func() {
		if err := m.board.Close(context.Background()); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	m.needs = tools.Needs{
		Browser: m.board.Own(), Output: output, Artifacts: artifact.New(place, 0), Store: db, Codes: totp.New(nil),
		Contexts: identity.New(place, seal.New(seal.FromEnvironment)), Exemplars: evidence.NewExemplars(place),
		Subject: doctor.Subject{Browser: cfg, State: place, Store: db}, Reach: reach,
	}
	return m
}

// connect connects a client of that name.
func (m machine) connect(id string) client {
	m.t.Helper()
	needs := m.needs
	needs.Sessions = func(string) *session.Set { return m.board.Set(id) }
	surface, err := toolkit.NewSurface(tools.Registry(needs), toolkit.Options{})
	if err != nil {
		m.t.Fatal(err)
	}
	server := mcpserver.New(surface, mcpserver.Options{Name: "callsheet", Version: "test"})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- server.ServeStdio(context.Background(), fromClient, toClient) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(m.t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		_ = session.Close()
		_ = toServer.Close()
		if err := <-done; err != nil {
			m.t.Errorf("the server ended with %v", err)
		}
	})
	return client{ClientSession: session, T: m.t}
}

// live reports whether a process is there and no zombie.
func live(t *testing.T, pid int) bool {
	t.Helper()
	if pid == 0 {
		t.Fatal("no process")
	}
	if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(text), ") Z ") {
		return false
	}
	return syscall.Kill(pid, 0) == nil
}

func TestStopEndsTheBrowserAndTheNextCallStartsIt(t *testing.T) {
	t.Parallel()
	home, m := site(t), newMachine(t, browser.Config{}, host.Reach{})
	ada, bob := m.connect("ada"), m.connect("bob")
	ada.says("oc_stop", nil, "closed 0 tabs of 0 connections", "no browser ran")
	ada.call("navigate", args{"url": home + "/"})
	bob.call("navigate", args{"url": home + "/second.html"})
	pid := m.board.Own().Status().PID
	ada.says("oc_stop", nil, "closed 1 tab of 1 connection", "others use it")
	ada.refused("TOOL_NOT_VISIBLE", "list_targets", nil)
	bob.says("read_page", nil, "Second page")
	bob.says("oc_stop", args{"keepChrome": true}, "the browser goes on")
	if !live(t, pid) {
		t.Error("the browser ended although it was to go on")
	}
	bob.says("oc_stop", nil, "ended the browser")
	if live(t, pid) {
		t.Errorf("process %d lives", pid)
	}
	ada.call("navigate", args{"url": home + "/"})
	ada.says("read_page", nil, "Fixture home")
	if next := m.board.Own().Status().PID; next == pid || !live(t, next) {
		t.Errorf("process %d after %d", next, pid)
	}
}

func TestAWorkersCookiesAreItsOwn(t *testing.T) {
	t.Parallel()
	home, c := site(t), connect(t, toolkit.Options{})
	c.says("worker", args{"action": "list"}, "no workers")
	c.call("navigate", args{"url": home + "/cookies"})
	c.says("worker", args{"action": "create", "name": "ada"}, "ada (active): a worker in the server's own")
	visit := func(want bool) {
		t.Helper()
		c.call("navigate", args{"url": home + "/cookies"})
		if text := c.call("page_content", nil); strings.Contains(text, "served=yes") != want {
			t.Errorf("the cookie was sent: %v\n%s", !want, text)
		}
	}
	visit(false)
	visit(true)
	c.says("worker", args{"action": "create"}, "worker-1 (active)")
	visit(false)
	c.says("worker", args{"action": "list"}, "ada: a worker", "worker-1 (active): a worker")
	c.refused("FAILED", "worker", args{"action": "create", "name": "ada"}, "in use")
	c.refused("NOT_FOUND", "worker", args{"action": "delete", "name": "default"}, "no worker")
	c.refused("INVALID_ARGUMENTS", "worker", args{"action": "delete"}, "name")
	c.says("chrome_switch_connection", args{"connection_id": "ada"}, "ada (active)")
	c.says("worker", args{"action": "delete", "name": "ada"}, "deleted worker ada", "the active connection is default")
	visit(true)
	c.says("worker", args{"action": "create", "name": "ada"}, "ada (active)")
	visit(false)
}

// reaping waits until no other test of the machine reaps: one would kill the other's orphans.
func reaping(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "callsheet-test-reaping"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
}

// TestOnlyOrphansAreReaped leaves a real browser behind as a server does that was killed, beside one that is owned.
func TestOnlyOrphansAreReaped(t *testing.T) {
	t.Parallel()
	reaping(t)
	exe, err := browser.Find("")
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(t, browser.Config{}, host.Reach{})
	c := m.connect("client")
	c.call("tabs_create", args{"url": "about:blank"})
	owned := m.board.Own().Status().PID
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
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // with its helpers, which end by themselves otherwise
			_ = cmd.Wait()
		})
		eventually(t, "the browser listens", func() bool {
			_, err := os.Stat(filepath.Join(profile, "DevToolsActivePort"))
			return err == nil
		})
		return cmd
	}
	orphan, personal := leave("callsheet-profile-orphan"), leave("chromium")
	c.says("oc_doctor_report", nil, "run without a server", "oc_reap_orphans")
	c.says("oc_reap_orphans", nil, "killed ")
	if err := orphan.Wait(); err == nil || orphan.ProcessState.Exited() {
		t.Errorf("the orphan was not killed: %v", orphan.ProcessState)
	}
	for _, pid := range []int{owned, personal.Process.Pid} {
		if !live(t, pid) {
			t.Errorf("process %d is no orphan and was killed", pid)
		}
	}
	c.says("tabs_context", nil, "about:blank")
}

func TestDevToolsAreWhereTheBrowserListens(t *testing.T) {
	t.Parallel()
	c := newMachine(t, browser.Config{}, host.Reach{}).connect("client")
	c.call("tabs_create", args{"url": "about:blank"})
	c.refused("FAILED", "oc_devtools_url", nil, "listens on no port", "chrome_launch with debug_port")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	_ = ln.Close()
	c.call("chrome_launch", args{"debug_port": port, "connection_id": "open"})
	c.call("chrome_switch_connection", args{"connection_id": "open"})
	text := c.call("oc_devtools_url", nil)
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
				"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==", "Origin": "http://" + ln.Addr().String(),
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

// TestTheReportIsOfAMachineInUse has the server's own browser hold the profile: that is no fault.
func TestTheReportIsOfAMachineInUse(t *testing.T) {
	t.Parallel()
	c := newMachine(t, browser.Config{UserDataDir: t.TempDir()}, host.Reach{}).connect("client")
	c.call("tabs_create", args{"url": "about:blank"})
	text := c.says("oc_doctor_report", nil, "ok       browser", "ok       profile", "ok       state")
	if strings.Contains(text, "start  ") || strings.Contains(text, "failure") {
		t.Errorf("the report is\n%s", text)
	}
}

func TestHowHostsConnectWithoutAToken(t *testing.T) {
	t.Parallel()
	const token = "TOKEN-THAT-IS-SECRET"
	plain := newMachine(t, browser.Config{}, host.Reach{Program: "/opt/my tools/callsheet"}).connect("client")
	plain.says("oc_get_connection_info", args{"host": "claude"}, "claude mcp add callsheet -- '/opt/my tools/callsheet' serve",
		`{"mcpServers":{"callsheet":{"args":["serve"],"command":"/opt/my tools/callsheet"}}}`)
	plain.says("oc_get_connection_info", args{"host": "gemini"}, "gemini mcp add callsheet '/opt/my tools/callsheet' serve")
	served := newMachine(t, browser.Config{}, host.Reach{Program: "/bin/callsheet", URL: "http://127.0.0.1:9876/mcp", Guarded: true}).connect("client")
	for _, name := range []string{"claude", "gemini", "chatgpt", "custom"} {
		if text := served.says("oc_get_connection_info", args{"host": name}, "http://127.0.0.1:9876/mcp", "not told here"); strings.Contains(text, token) {
			t.Errorf("%s is told the token", name)
		}
	}
	served.refused("INVALID_ARGUMENTS", "oc_get_connection_info", args{"host": "all"}, "custom")
}

// TestThePersonIsReached has programs of the test's own on the PATH: this machine has no desktop.
func TestThePersonIsReached(t *testing.T) {
	c, dir := connect(t, toolkit.Options{}), t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("DISPLAY", ":7")
	c.refused("FAILED", "oc_copy_to_clipboard", args{"text": "x"}, "install wl-clipboard (Wayland), xclip or xsel (X11)")
	c.says("oc_open_host_settings", args{"host": "claude"}, "no desktop", "https://claude.ai/settings/connectors")
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
	if text := c.says("oc_copy_to_clipboard", args{"text": "$(id) für später\n"}, "copied 17 characters"); strings.Contains(text, "id") {
		t.Errorf("the answer repeats the text: %s", text)
	}
	got("xclip", "$(id) für später\n")
	c.says("oc_open_host_settings", args{"host": "chatgpt"}, "opened https://chatgpt.com/")
	got("xdg-open", "https://chatgpt.com/#settings/Connectors\n")
	c.refused("INVALID_ARGUMENTS", "oc_open_host_settings", args{"host": "https://evil.example"}, "gemini")
}
