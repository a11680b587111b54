package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
)

// enter signs in by an address that callsheet ui printed, and returns the status of the answer.
func enter(t *testing.T, address string) int {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(address))
	if err != nil || u.Hostname() != "127.0.0.1" || !strings.HasPrefix(u.Fragment, "token=") {
		t.Fatalf("%q is no address of the ui: %v", address, err)
	}
	body := fmt.Sprintf(`{"token":%q}`, strings.TrimPrefix(u.Fragment, "token="))
	u.Fragment = ""
	res, err := http.Post(u.String()+"api/login", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.StatusCode
}

// TestTheDaemonServesItsUI asks twice for the address, each of which signs in once. Before, the daemon
// listens nowhere but at its socket.
func TestTheDaemonServesItsUI(t *testing.T) {
	t.Parallel()
	s := newShell(t)
	s.does("daemon start")
	pid := s.state().PID
	if got := listeners(t, pid); got != 0 {
		t.Errorf("a daemon that no person watches listens at %d ports", got)
	}
	first, second := s.does("ui --no-open"), s.does("ui --no-open")
	if before, _, _ := strings.Cut(first, "#"); !strings.HasPrefix(second, before) || first == second {
		t.Errorf("the addresses are %s and %s", first, second)
	}
	if got := listeners(t, pid); got != 1 {
		t.Errorf("the daemon listens at %d ports, want 1", got)
	}
	for address, want := range map[string]int{first: 200, second: 200} {
		if got := enter(t, address); got != want {
			t.Errorf("%s answers %d", address, got)
		}
		if got := enter(t, address); got != 401 {
			t.Errorf("%s is good twice: %d", address, got)
		}
	}
	s.does("daemon stop", "stopped")
}

// listeners counts the TCP ports at which a process listens.
func listeners(t *testing.T, pid int) (n int) {
	t.Helper()
	sockets := map[string]bool{}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil {
			sockets[to] = true
		}
	}
	for _, table := range []string{"tcp", "tcp6"} {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
		if err != nil {
			t.Skip(err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" && sockets["socket:["+f[9]+"]"] {
				n++
			}
		}
	}
	return n
}

// TestAServerServesItsUI asks servers over HTTP, with a token and without, for the address of their ui.
func TestAServerServesItsUI(t *testing.T) {
	t.Parallel()
	for _, token := range []string{"", "a-token-of-some-length"} {
		s := newShell(t)
		p := prepare(t, "--http", "127.0.0.1:0", "--state-dir", filepath.Join(s.dir, "state"))
		s.env = append(s.env, options.TokenVariable+"="+token)
		p.cmd.Env = append(p.cmd.Env, s.env...)
		if err := p.cmd.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := p.stderr.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, p.stderr) }()
		base := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
		if base == "" {
			t.Fatalf("the server says %q", line)
		}
		if got := enter(t, s.does("ui --no-open --server "+base)); got != 200 {
			t.Errorf("with the token %q: %d", token, got)
		}
		if token != "" {
			s.env = append(s.env, options.TokenVariable+"=another-token-of-some-length")
			s.fails(exit.Transport, "ui --no-open --server "+base, "a bearer token is required")
		}
		res, err := http.Get(base + "/ui/api/server")
		if err != nil {
			t.Fatal(err)
		}
		var refusal struct{ Error string }
		if err := json.NewDecoder(res.Body).Decode(&refusal); err != nil || res.StatusCode != 401 {
			t.Errorf("without a session: %s, %v", res.Status, err)
		}
		_ = res.Body.Close()
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		p.ended(t, exit.OK)
	}
	newShell(t).fails(exit.Usage, "ui --server nonsense", "is no address")
}
