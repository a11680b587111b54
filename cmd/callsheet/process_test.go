package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app/options"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// asServer makes the test binary the program itself, so that tests meet a real process.
const asServer = "CALLSHEET_TEST_AS_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		main()
	}
	_ = os.Setenv(options.FileVariable, "")        // the file of whoever runs the tests is none of theirs
	_ = os.Setenv(chromium.NoSandboxVariable, "1") // the pages of tests are trusted
	os.Exit(m.Run())
}

// commandLimit ends a program that hangs, before an idle daemon ends. A server is in use for as long as its test runs.
const commandLimit = 5 * time.Minute

func command(t testing.TB, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0") // the race detector sleeps a second otherwise
	return cmd
}

// process is a started program.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
	stderr *bufio.Reader
}

func start(t *testing.T, args ...string) process {
	t.Helper()
	p := prepare(t, args...)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// prepare returns a program that the caller starts.
func prepare(t *testing.T, args ...string) process {
	t.Helper()
	cmd := command(t, args...)
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	errs, err3 := cmd.StderrPipe()
	if err1 != nil || err2 != nil || err3 != nil {
		t.Fatal(err1, err2, err3)
	}
	return process{cmd, in, bufio.NewReader(out), bufio.NewReader(errs)}
}

// ended checks that the process ends with the code. A process that does not end is killed by its
// context.
func (p process) ended(t *testing.T, code int) {
	t.Helper()
	_, _ = io.Copy(io.Discard, p.stdout)
	_ = p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit %d, want %d", got, code)
	}
}

func TestStdioProcess(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-11-25", "2026-07-28"} {
		cs := tooltest.Dial(t, &mcp.CommandTransport{Command: command(t), TerminateDuration: time.Minute}, version)
		if len(cs.Listed(t)) == 0 {
			t.Error("no tool is listed")
		}
		if err := cs.Close(); err != nil { // the end of its input ends the process; otherwise its context kills it
			t.Error(err)
		}
	}
}

// TestLogAsJSON reads the first line of a server's log as JSON.
func TestLogAsJSON(t *testing.T) {
	t.Parallel()
	p := start(t, "--http", "127.0.0.1:0", "--log-format", "json")
	line, err := p.stderr.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var entry struct{ Level, Msg, URL string }
	if err := json.Unmarshal(line, &entry); err != nil || entry.Level != "INFO" || entry.Msg != "serving" || !strings.HasPrefix(entry.URL, "http://127.0.0.1:") {
		t.Errorf("%s: %+v %v", line, entry, err)
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ended(t, exit.OK)
}

// TestScriptProcess writes its requests, closes, and reads: nothing may be lost.
func TestScriptProcess(t *testing.T) {
	t.Parallel()
	cmd := command(t)
	cmd.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
garbage
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1,"result":{"capabilities"`, `"code":-32700`, `"id":2,"result":{"tools":[`} {
		if !bytes.Contains(out, []byte(want)) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}

func TestSignalsEndTheProcess(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		p := start(t)
		_, _ = io.WriteString(p.stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		if _, err := p.stdout.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := p.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.ended(t, exit.OK)
	}
}

// TestClientGoesAway closes the program's standard output while it is in use.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	cmd := command(t)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	_ = r.Close()
	_, _ = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exit.Transport {
		t.Errorf("exit %d, want %d", code, exit.Transport)
	}
}

func TestHTTPProcess(t *testing.T) {
	t.Parallel()
	p := start(t, "--http", "127.0.0.1:0")
	line, err := p.stderr.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, p.stderr) }()
	url := regexp.MustCompile(`http://[^ \n"]+`).FindString(line)
	res, err := http.Post(url, "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if !bytes.HasPrefix(text, []byte(`{"jsonrpc":"2.0","id":1,"result":{"tools":[`)) {
		t.Errorf("%s", text)
	}
	if res, err = http.Get(strings.TrimSuffix(url, "/mcp") + "/healthz"); err != nil || res.StatusCode != 200 {
		t.Errorf("health: %v %v", res, err)
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.ended(t, exit.OK)
}

func TestTakenPort(t *testing.T) {
	t.Parallel()
	first := start(t, "--http", "127.0.0.1:0")
	line, err := first.stderr.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(line)
	if err := command(t, "--http", address).Run(); err == nil || !strings.Contains(err.Error(), "exit status 3") {
		t.Errorf("a taken port: %v", err)
	}
	if err := command(t, "--http", "0.0.0.0:0").Run(); err == nil || !strings.Contains(err.Error(), "exit status 2") {
		t.Errorf("an open address without a token: %v", err)
	}
	_ = first.cmd.Process.Signal(os.Interrupt)
	first.ended(t, exit.OK)
}
