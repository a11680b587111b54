//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many servers and how many processes of browsers are killed.
const (
	shortKills, soakKills               = 4, 300
	shortBrowserKills, soakBrowserKills = 4, 100
	killLanes                           = 4
)

func servePressPage(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Kill</title><button onclick=\"this.after('pressed')\">Press</button>", strings.Repeat("<p>text</p>", 200))
	}))
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	return site.URL
}

// requests renders calls as lines of the protocol, which a client sends without waiting.
func requests(first int, calls ...string) string {
	var b strings.Builder
	for i, call := range calls {
		fmt.Fprintf(&b, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", first+i, call)
	}
	return b.String()
}

// TestKilledServersLeaveNothing kills servers while calls run. No process of them lives on, and the
// next start removes their files.
func TestKilledServersLeaveNothing(t *testing.T) {
	kills := shortKills
	if os.Getenv(soakVariable) != "" {
		kills = soakKills
	}
	url, temp, state := servePressPage(t), shortTempDir(t), t.TempDir()
	var wg sync.WaitGroup
	for lane := range killLanes {
		random := rand.New(rand.NewPCG(2026, uint64(lane)))
		wg.Go(func() {
			for i := lane; i < kills; i += killLanes {
				killDuringCalls(t, temp, state, url, time.Duration(random.IntN(300_000))*time.Microsecond)
			}
		})
	}
	wg.Wait()
	checkSwept(t, temp, "--state-dir", state)
	if left := entries(t, filepath.Join(state, "artifacts", "incoming")); len(left) > 0 {
		t.Errorf("left of downloads: %v", left)
	}
	t.Logf("%d servers were killed during calls", kills)
}

func killDuringCalls(t *testing.T, temp, state, url string, moment time.Duration) {
	t.Helper()
	p := startInSession(t, temp, "--state-dir", state)
	_, _ = io.WriteString(p.stdin, strings.Replace(launchRequests, "about:blank", url, 1))
	for range 2 { // of initialize and of navigate
		if _, err := p.stdout.ReadString('\n'); err != nil {
			t.Errorf("no answer: %v", err)
		}
	}
	_, _ = io.WriteString(p.stdin, requests(3,
		`{"name":"read_page","arguments":{}}`, `{"name":"interact","arguments":{"query":"Press"}}`,
		`{"name":"page_screenshot","arguments":{}}`, `{"name":"page_reload","arguments":{}}`,
		`{"name":"read_page","arguments":{"mode":"full"}}`, `{"name":"tabs_create","arguments":{"url":"about:blank"}}`))
	<-time.After(moment) // what differs between the servers
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
	if left := waitForSession(p.cmd.Process.Pid); len(left) > 0 {
		t.Errorf("killed after %v: left %v", moment, left)
	}
}

// victims are the processes of a browser by what their command lines have, and "" for the main one.
var victims = []string{"", "--type=renderer", "--type=gpu-process", "network.mojom.NetworkService"}

// lossCodes are the refusals that say what a call has lost with a process.
var lossCodes = []string{"BROWSER_GONE", "TAB_CRASHED", "NO_TAB", "NAVIGATION_FAILED", "NO_BROWSER"}

// TestKilledBrowserProcesses kills processes of the browser during calls. The server goes on: the
// calls answer or say what was lost, and a navigation brings a page that can be used.
func TestKilledBrowserProcesses(t *testing.T) {
	kills := shortBrowserKills
	if os.Getenv(soakVariable) != "" {
		kills = soakBrowserKills
	}
	url, temp := servePressPage(t), shortTempDir(t)
	cmd := prepare(t, "--headless", "--state-dir", t.TempDir()).cmd
	cmd = &exec.Cmd{Path: cmd.Path, Args: cmd.Args, Env: append(cmd.Env, "TMPDIR="+temp), SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
	client := tooltest.Dial(t, &mcp.CommandTransport{Command: cmd}, "")
	k := &browserKiller{t: t, client: client.ClientSession, server: cmd.Process.Pid, random: rand.New(rand.NewPCG(2026, 1)), answers: map[string]int{}}
	for i := range kills {
		k.round(url, victims[i%len(victims)])
	}
	t.Logf("%d processes of browsers were killed; answers: %v", kills, k.answers)
	if err := client.Close(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if left := waitForSession(cmd.Process.Pid); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if left := entries(t, temp); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// browserKiller is a client of a server whose browser loses processes.
type browserKiller struct {
	t       *testing.T
	client  *mcp.ClientSession
	server  int
	random  *rand.Rand
	answers map[string]int // by code; "" is a success
}

// round opens a page, kills a process during a call, and opens the page again.
func (k *browserKiller) round(url, victim string) {
	k.t.Helper()
	if code, text := k.call("navigate", map[string]any{"url": url}); code != "" {
		k.t.Errorf("navigate before a kill: %s", text)
	}
	pids := k.processes(victim)
	if len(pids) == 0 {
		k.t.Errorf("no process %q", victim)
		return
	}
	during := make(chan string)
	go func() {
		_, text := k.call("interact", map[string]any{"query": "Press"})
		during <- text
	}()
	<-time.After(time.Duration(k.random.IntN(60)) * time.Millisecond) // what differs between the rounds
	if err := proctest.Kill(pids[k.random.IntN(len(pids))]); err != nil {
		k.t.Errorf("kill %q: %v", victim, err)
	}
	<-during
	for range 2 { // the loss may come during the first one
		code, text := k.call("read_page", nil)
		k.answers[code]++
		if code != "" && !slices.Contains(lossCodes, code) {
			k.t.Errorf("after the end of %q: %s", victim, text)
		}
	}
	code, text := "", ""
	for range 3 { // a network process that has just begun may refuse a connection
		if code, text = k.call("navigate", map[string]any{"url": url}); code == "" {
			break
		}
		k.answers[code]++
	}
	if code == "" {
		code, text = k.call("interact", map[string]any{"query": "Press"})
	}
	if code != "" {
		k.t.Errorf("a page after the end of %q: %s", victim, text)
	}
}

// call calls a tool and returns the code of a refusal, "" for none, and the text.
func (k *browserKiller) call(tool string, args map[string]any) (code, text string) {
	ctx, cancel := context.WithTimeout(k.t.Context(), 2*time.Minute)
	defer cancel()
	res, err := k.client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		k.t.Errorf("%s: %v", tool, err)
		return "NO_ANSWER", err.Error()
	}
	for _, c := range res.Content {
		if content, ok := c.(*mcp.TextContent); ok && !strings.HasPrefix(content.Text, toolkit.SinceLast) {
			text = content.Text
			break
		}
	}
	if res.IsError {
		code, _, _ = strings.Cut(text, ":")
	}
	return code, text
}

// processes returns the processes of the server's browser whose command line has the text; for ""
// the main one.
func (k *browserKiller) processes(text string) (pids []int) {
	for _, line := range sessionProcesses(k.server) {
		pid, args, _ := strings.Cut(line, " ")
		if !strings.Contains(args, "--headless") && !strings.Contains(args, "--type=") || strings.Contains(args, "--type=zygote") {
			continue // the server, or a helper of the browser
		}
		if is := strings.Contains(args, "--type="); text == "" && is || text != "" && !strings.Contains(args, text) {
			continue
		}
		if n, err := strconv.Atoi(pid); err == nil && n != k.server {
			pids = append(pids, n)
		}
	}
	return pids
}
