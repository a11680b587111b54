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
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// example starts the program with an example's workflows alone and connects a client to it.
func example(t *testing.T, dir string, env ...string) (*mcp.ClientSession, *strings.Builder) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "serve", "--workflows", dir, "--scope", "workflows", "--state-dir", t.TempDir(), "--log-level", "debug")
	cmd.Env = append(append(os.Environ(), asServer+"=1", "GORACE=atexit_sleep_ms=0"), env...)
	var logged strings.Builder
	cmd.Stderr = &logged
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	t.Cleanup(cancel)
	c, err := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)).
		Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &logged)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c, &logged
}

// planted is a page with a console error and a slow request.
func planted(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/slow", func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(1200 * time.Millisecond):
		case <-r.Context().Done():
		}
		_, _ = fmt.Fprint(w, "{}")
	})
	mux.Handle("/", http.FileServer(http.Dir("../../examples/frontend/site")))
	site := httptest.NewServer(mux)
	t.Cleanup(func() { site.CloseClientConnections(); site.Close() })
	return site.URL + "/"
}

func toolNames(t *testing.T, c *mcp.ClientSession) []string {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, tool := range list.Tools {
		out = append(out, tool.Name)
	}
	return out
}

// found calls a workflow and returns its text and how many pictures it gave.
func found(t *testing.T, c *mcp.ClientSession, name string, args map[string]any) (text string, pictures int) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range res.Content {
		switch item := item.(type) {
		case *mcp.TextContent:
			text += item.Text + "\n"
		case *mcp.ImageContent:
			pictures++
		}
	}
	if res.IsError {
		t.Fatalf("%s: %s", name, text)
	}
	return text, pictures
}

// The seed's workflows, with the real chrome-devtools-mcp, the real Chromium and a real catalogue
// of components.
func TestTheSeedsWorkflows(t *testing.T) {
	dir, err := filepath.Abs("../../examples/frontend")
	if err != nil {
		t.Fatal(err)
	}
	proctest.Need(t, "npm") // to install chrome-devtools-mcp with
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		install := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
		install.Dir = dir
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("npm ci: %v\n%s", err, out)
		}
	}
	var env []string
	if os.Geteuid() == 0 {
		env = append(env, "CHROME_ARG=--no-sandbox")
	}
	c, logged := example(t, dir, env...)
	if got := toolNames(t, c); !slices.Equal(got, []string{"frontend_debugger", "take_screenshot", "ui_components_maintenance"}) {
		t.Errorf("listed: %v", got)
	}
	for _, hidden := range []string{"chrome-devtools:take_screenshot", "components:search_items", "navigate", "navigate_page"} {
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: hidden}); err == nil {
			t.Errorf("%s is callable", hidden)
		}
	}
	url := planted(t)
	if text, pictures := found(t, c, "take_screenshot", map[string]any{"url": url, "wait_for": "ready"}); pictures != 1 {
		t.Errorf("%d pictures: %s", pictures, text)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "take_screenshot", Arguments: map[string]any{"url": "http://127.0.0.1:1/"}})
	if err != nil || !res.IsError || !strings.Contains(fmt.Sprint(res.Content[0].(*mcp.TextContent).Text), "net::ERR_") {
		t.Errorf("an address that does not answer: %v, %+v", err, res)
	}
	text, pictures := found(t, c, "frontend_debugger", map[string]any{"url": url, "settle": "ready"})
	if pictures != 1 || !strings.Contains(text, "planted: the cart is empty") || !strings.Contains(text, "/slow?ms=1200") || !strings.HasPrefix(text, "Summary:") {
		t.Errorf("%d pictures: %s\n%s", pictures, text, logged)
	}
	text, pictures = found(t, c, "ui_components_maintenance", map[string]any{"component": "dialog"})
	if pictures != 0 || !strings.Contains(text, "npx shadcn add dialog") || !strings.Contains(text, "overlay") {
		t.Errorf("%d pictures: %s", pictures, text)
	}
	if steps := regexp.MustCompile(`(?m)^\[\w+\] (\S+)$`).FindAllString(text, -1); !slices.Equal(steps,
		[]string{"[found] components:search_items", "[detail] components:view_item", "[command] components:get_add_command"}) {
		t.Errorf("the steps were %q", steps)
	}
}

// plannedSteps are the steps of the seed's workflows with their arguments, in order, as the real servers' schemas take them.
// Steps after the first of ui_components_maintenance depend on results; TestTheSeedsWorkflows runs them.
var plannedSteps = map[string][]string{
	`frontend_debugger {"url":"http://127.0.0.1:1/","settle":"ready"}`: {
		`chrome-devtools:navigate_page {"ignoreCache":false,"type":"url","url":"http://127.0.0.1:1/"}`,
		`chrome-devtools:performance_start_trace {"autoStop":false,"reload":true}`,
		`chrome-devtools:wait_for {"text":["ready"],"timeout":10000}`,
		`chrome-devtools:list_network_requests {"includePreservedRequests":false}`,
		`chrome-devtools:list_console_messages {"includePreservedMessages":false,"includeStackTraces":false}`,
		`chrome-devtools:performance_stop_trace {}`,
		`chrome-devtools:take_screenshot {"format":"png","fullPage":true}`,
	},
	`take_screenshot {"url":"http://127.0.0.1:1/","full_page":false,"format":"webp"}`: {
		`chrome-devtools:navigate_page {"ignoreCache":false,"type":"url","url":"http://127.0.0.1:1/"}`,
		`chrome-devtools:wait_for skipped`,
		`chrome-devtools:take_screenshot {"format":"webp","fullPage":false}`,
	},
	`ui_components_maintenance {"component":"dialog"}`: {
		`components:search_items {"query":"dialog"}`,
		`components:view_item failed`,
	},
}

func TestPlannedSteps(t *testing.T) {
	t.Parallel()
	proctest.Need(t, "npm")
	for run, want := range plannedSteps {
		name, args, _ := strings.Cut(run, " ")
		cmd := command(t, "workflow", "run", name, "--workflows", "../../examples/frontend", "--dry-run", "--args", args, "--state-dir", t.TempDir())
		out, _ := cmd.Output() // it fails where a step depends on a result
		var planned struct {
			Steps []struct {
				Call, Status string
				Args         json.RawMessage
			}
		}
		if err := json.Unmarshal(out, &planned); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		var got []string
		for _, s := range planned.Steps {
			if s.Status != "ok" {
				s.Args = json.RawMessage(s.Status)
			}
			got = append(got, s.Call+" "+string(s.Args))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", run, diff)
		}
	}
}

func TestWorkflowsOfOwnTools(t *testing.T) {
	c, _ := example(t, "../../examples/callsheet")
	if got := toolNames(t, c); !slices.Equal(got, []string{"open_all", "page_report", "page_title"}) {
		t.Errorf("listed: %v", got)
	}
	url := planted(t)
	text, pictures := found(t, c, "page_report", map[string]any{"url": url, "wait_for": "ready"})
	if pictures != 1 || !strings.Contains(text, "A page with problems") || !strings.Contains(text, "planted: the cart is empty") {
		t.Errorf("%d pictures: %s", pictures, text)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "page_title", Arguments: map[string]any{"url": url}})
	if err != nil || fmt.Sprint(res.StructuredContent) != "map[title:Planted]" {
		t.Errorf("%v %+v", err, res)
	}
	if text, _ := found(t, c, "open_all", map[string]any{"urls": []string{url, url + "?2"}}); strings.Count(text, url) < 2 {
		t.Error(text)
	}
}

func TestWorkflowVerbs(t *testing.T) {
	dir := t.TempDir()
	run := func(want int, args ...string) string {
		t.Helper()
		cmd := command(t, append([]string{"workflow"}, append(args, "--state-dir", dir)...)...)
		out, err := cmd.CombinedOutput()
		code := 0
		if cmd.ProcessState != nil {
			code = cmd.ProcessState.ExitCode()
		}
		if code != want {
			t.Errorf("%v: exit %d (%v)\n%s", args, code, err, out)
		}
		return string(out)
	}
	flows := filepath.Join(dir, "flows")
	run(0, "init", flows)
	run(2, "init", flows)
	if out := run(0, "validate", "--workflows", flows); !strings.Contains(out, "workflows: 1 offered, 0 not") {
		t.Error(out)
	}
	if out := run(0, "run", "page_title", "url=http://x/", "--dry-run", "--workflows", flows); !strings.Contains(out, `"url":"http://x/"`) {
		t.Error(out)
	}
	if out := run(0, "inspect", "callsheet:navigate", "--workflows", flows); !strings.Contains(out, `"url"`) {
		t.Error(out)
	}
	run(2, "run", "page_titel", "--workflows", flows)
	run(1, "run", "page_title", "--workflows", flows, "--json")
	if err := os.WriteFile(filepath.Join(flows, "more.yaml"), []byte("bad: { steps: [{ call: callsheet:navigat }] }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := run(1, "validate", "--workflows", flows); !strings.Contains(out, `did you mean "navigate"?`) || !strings.Contains(out, "more.yaml:1:24") {
		t.Error(out)
	}
	if out := run(1, "validate", "--json", "--workflows", flows); !strings.Contains(out, `"rule": "unknown-tool"`) {
		t.Error(out)
	}
}
