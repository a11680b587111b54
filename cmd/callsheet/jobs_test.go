//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/crawltest"
)

// crawlMemory bounds the memory of a server for itself after ten thousand pages, in bytes. Here it has 26 to 45 MB.
const crawlMemory = 60 << 20

// jobsProgram runs the program for as long as the test.
func jobsProgram(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, args...)
	cmd.Env = append(os.Environ(), asServer+"=1")
	return cmd
}

// jobsSay runs a verb about jobs to its end.
func jobsSay(t *testing.T, code int, args ...string) string {
	t.Helper()
	cmd := jobsProgram(t, append([]string{"jobs"}, args...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Fatalf("jobs %v: exit %d, want %d: %s", args, got, code, errs.String())
	}
	return out.String() + errs.String()
}

// memory returns the anonymous memory of a process, without the pages of its program that the system has read, in bytes.
func memory(pid int) int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kb, _ := strconv.Atoi(string(m[1]))
	return kb << 10
}

// TestAKilledServerGoesOn kills servers and workers that crawl, again and again. Later servers
// continue the crawl without being asked, and in the end every page has one result.
func TestAKilledServerGoesOn(t *testing.T) {
	pages, kills := 200, 2
	if os.Getenv(soakVariable) != "" {
		pages, kills = 10_000, 12
	}
	site := crawltest.New(crawltest.Options{Pages: pages, Traps: true, Latency: 4 * time.Millisecond})
	srv := httptest.NewServer(site)
	t.Cleanup(srv.Close)
	dir := t.TempDir()
	jobsSay(t, exit.Usage, "show", "nosuchjob", "--state-dir", dir)
	if text := jobsSay(t, exit.OK, "list", "--state-dir", dir); !strings.Contains(text, "no jobs") {
		t.Errorf("list says %q", text)
	}

	serve := func() (*toolkittest.Kit, *exec.Cmd) {
		cmd := jobsProgram(t, "--state-dir", dir, "--all-tools")
		return tooltest.Dial(t, &mcp.CommandTransport{Command: cmd}, ""), cmd
	}
	cs, server := serve()
	res := cs.Call(t, "crawl", toolkittest.Args{
		"url": srv.URL, "max_depth": 100, "max_pages": 10 * pages, "delay_ms": 0, "concurrency": 4, "wait": 0, "max_per_pattern": 20, "render": "never",
	})
	id := regexp.MustCompile(`job (\w+)`).FindStringSubmatch(res.Text)[1]
	look := func() (r crawl.Report) {
		if err := json.Unmarshal([]byte(jobsSay(t, exit.OK, "show", id, "--json", "--state-dir", dir)), &r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	most, began := 0, time.Now()
	var helper *exec.Cmd
	step := int64(pages / (kills + 1))
	for n := range kills {
		for want := int64(n)*step + 1 + rand.Int64N(step); ; time.Sleep(time.Duration(50+rand.IntN(100)) * time.Millisecond) {
			most = max(most, memory(server.Process.Pid))
			if r := look(); r.Done >= want || r.State != "running" {
				break
			}
			if time.Since(began) > 20*time.Minute {
				t.Fatalf("it does not go on after %d kills: %+v", n, look())
			}
		}
		_ = server.Process.Kill()
		_ = cs.Close()
		if helper != nil {
			_ = helper.Process.Kill()
			_ = helper.Wait()
		}
		t.Logf("killed the server and its helper at %d pages", look().Done)
		if helper = nil; n%2 == 0 {
			helper = jobsProgram(t, "jobs", "work", "--state-dir", dir, "--slots", "2")
			if err := helper.Start(); err != nil {
				t.Fatal(err)
			}
		}
		cs, server = serve()
	}
	for look().State == "running" {
		if most = max(most, memory(server.Process.Pid)); time.Since(began) > 30*time.Minute {
			t.Fatalf("it does not end: %+v", look())
		}
		time.Sleep(100 * time.Millisecond)
	}
	took := time.Since(began)
	// The result of ten thousand pages is small; all of it goes through the server once more for
	// the artifact.
	text := cs.Call(t, "crawl", toolkittest.Args{"job": id}).Text
	if len(text) > 24_000 || !strings.Contains(text, "done") {
		t.Errorf("%d bytes: %.300s", len(text), text)
	}
	most = max(most, memory(server.Process.Pid))
	_ = cs.Close()
	if helper != nil {
		_ = helper.Process.Kill()
		_ = helper.Wait()
	}

	seen := make(map[string]string)
	for line := range strings.Lines(jobsSay(t, exit.OK, "show", id, "--results", "--state-dir", dir)) {
		var p crawl.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatalf("%v in %.100q", err, line)
		}
		if _, twice := seen[p.URL]; twice {
			t.Errorf("%s is there twice", p.URL)
		}
		seen[p.URL] = p.Outcome
	}
	missing := 0
	for _, path := range site.Paths() {
		if seen[srv.URL+path] != crawl.OutcomeOK {
			missing++
		}
	}
	r := look()
	if missing > 0 || int(r.Done) != len(seen) || r.Done != r.Total {
		t.Errorf("%d of %d pages are missing; %d results of %d, %d known", missing, pages, len(seen), r.Done, r.Total)
	}
	if most > crawlMemory {
		t.Errorf("the server had up to %d MB", most>>20)
	}
	t.Logf("%d addresses in %v with %d kills, at most %d MB, the last answer %d bytes: %v", r.Done, took.Round(time.Millisecond), kills, most>>20, len(text), r.Outcomes)
	if text := jobsSay(t, exit.OK, "list", "--state-dir", dir); !strings.Contains(text, id) || !strings.Contains(text, srv.URL) {
		t.Errorf("list says %q", text)
	}
	jobsSay(t, exit.OK, "cancel", id, "--state-dir", dir) // one that has ended stays as it is
	if r := look(); r.State != "done" {
		t.Errorf("%s", r.State)
	}
}

func TestJobsMistakes(t *testing.T) {
	t.Parallel()
	if text := jobsSay(t, exit.Usage, "wrok"); !strings.Contains(text, `did you mean "work"`) {
		t.Errorf("jobs wrok says %q", text)
	}
	for _, tc := range []struct{ line, want string }{
		{"show", "takes the id"},
		{"cancel a b", "takes the id"},
		{"work --slots 0", "--slots is 1 to 1000"},
		{"list --database-url mysql://u:hidden@h/d", "postgres://"},
		{"work --cdp-endpoint http://127.0.0.1:1,", "an address is missing"},
	} {
		text := jobsSay(t, exit.Usage, append(strings.Fields(tc.line), "--state-dir="+t.TempDir())...)
		if !strings.Contains(text, tc.want) || strings.Contains(text, "hidden") {
			t.Errorf("jobs %s says %q", tc.line, text)
		}
	}
}
