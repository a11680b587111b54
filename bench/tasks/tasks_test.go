package tasks

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/bench/stdio"
)

// The flags, after -args.
var (
	serverFlag = flag.String("server", "", "command line of the server; without it the test is skipped")
	onlyFlag   = flag.String("only", "", "only tasks whose name contains this")
	showFlag   = flag.Bool("show", false, "print every call with its answer")
)

// script is the tool that may judge a task and must not do one.
const script = "javascript_tool"

// The least that steps must save, in percent of all tasks together.
const (
	leastCalls = 40
	leastBytes = 30
)

// cost is the cost of one script: calls, bytes of their arguments and results, and those of the bytes that are pictures.
type cost struct{ calls, bytes, pictures int }

func (c cost) plus(d cost) cost {
	return cost{c.calls + d.calls, c.bytes + d.bytes, c.pictures + d.pictures}
}

// TestTasks does every task twice and prints the table of docs/internals/measurements.md.
func TestTasks(t *testing.T) {
	if *serverFlag == "" {
		t.Skip("make tasks runs this")
	}
	tasks := readTasks(t)
	site := serveSite(t)
	server, err := stdio.Start(t.Context(), *serverFlag, stdio.Options{Args: []string{"--state-dir", t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	var before, after cost
	var table strings.Builder
	for _, task := range tasks {
		if !strings.Contains(task.name, *onlyFlag) {
			continue
		}
		a := do(t, server, site, task, "before", task.before)
		b := do(t, server, site, task, "after", task.after)
		before, after = before.plus(a), after.plus(b)
		table.WriteString(row(task.page, task.asked, a, b))
	}
	table.WriteString(row("all", "", before, after))
	fmt.Print("| page | task | calls | bytes without pictures | bytes of pictures |\n|---|---|---:|---:|---:|\n" + table.String())
	calls, bytes := saved(before.calls, after.calls), saved(before.bytes, after.bytes)
	fmt.Printf("calls −%d %%, bytes −%d %% (without pictures −%d %%)\n", calls, bytes, saved(before.bytes-before.pictures, after.bytes-after.pictures))
	if *onlyFlag == "" && (calls < leastCalls || bytes < leastBytes) {
		t.Errorf("steps save %d %% of the calls and %d %% of the bytes, want %d and %d", calls, bytes, leastCalls, leastBytes)
	}
}

func readTasks(t *testing.T) (tasks []task) {
	t.Helper()
	paths, err := filepath.Glob("testdata/tasks/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d tasks: %v", len(paths), err)
	}
	for _, path := range paths {
		task, err := readTask(path, strings.TrimSuffix(filepath.Base(path), ".txt"))
		if err != nil {
			t.Fatal(err)
		}
		tasks = append(tasks, task)
	}
	return tasks
}

func row(page, asked string, a, b cost) string {
	return fmt.Sprintf("| %s | %s | %d → %d | %d → %d | %d → %d |\n", page, asked, a.calls, b.calls, a.bytes-a.pictures, b.bytes-b.pictures, a.pictures, b.pictures)
}

func saved(before, after int) int {
	if before == 0 {
		return 0
	}
	return 100 * (before - after) / before
}

// serveSite serves a page for each bundle at /NAME, and the bundles.
func serveSite(t *testing.T) string {
	t.Helper()
	if _, err := os.Stat("testdata/dist"); err != nil {
		t.Fatalf("the bundles are missing; run make tasks-install: %v", err)
	}
	mux := http.NewServeMux()
	mux.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir("testdata/dist"))))
	mux.HandleFunc("/media/", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/{page}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		style := ""
		if _, err := os.Stat(filepath.Join("testdata/dist", r.PathValue("page")+".css")); err == nil {
			style = "<link rel=stylesheet href=/dist/" + r.PathValue("page") + ".css>"
		}
		_, _ = fmt.Fprintf(w, `<!doctype html><html lang=en><meta charset=utf-8><title>%[1]s</title><link rel=icon href=data:,>%[2]s
<style>body{margin:16px;font:16px sans-serif}</style><div id=app></div><script defer src=/dist/%[1]s.js></script>`, r.PathValue("page"), style)
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site.URL
}

// do plays a script in a fresh page, and has the page judge the outcome.
func do(t *testing.T, server *stdio.Server, site string, task task, which string, steps []step) (c cost) {
	t.Helper()
	values := map[string]string{"url": site + "/" + task.page}
	for _, s := range steps {
		if s.tool == script {
			t.Errorf("%s, %s: no task is done by script", task.name, which)
			return c
		}
		args, err := s.arguments(values)
		if err != nil {
			t.Errorf("%s, %s: %v", task.name, which, err)
			return c
		}
		text, spent, refused := call(t, server, s.tool, args)
		c = c.plus(spent)
		if *showFlag {
			fmt.Printf("%s, %s: %s %v\n%s\n", task.name, which, s.tool, args, text)
		}
		if refused {
			t.Errorf("%s, %s: %s %v:\n%s", task.name, which, s.tool, args, text)
			return c
		}
		for name, expression := range s.keep {
			found := expression.FindStringSubmatch(text)
			if len(found) < 2 {
				t.Errorf("%s, %s: %s %v has no %s:\n%s", task.name, which, s.tool, args, expression, text)
				return c
			}
			values[name] = found[1]
		}
	}
	judge(t, server, task, which)
	return c
}

// judge waits for the expression of the task to be true: pages animate what they have done.
func judge(t *testing.T, server *stdio.Server, task task, which string) {
	t.Helper()
	waiting, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	for {
		text, _, _ := call(t, server, script, map[string]any{"code": "String(" + task.check + ")"})
		if strings.Contains(text, "true") {
			return
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-waiting.Done():
			seen, _, _ := call(t, server, script, map[string]any{"code": task.check[:strings.IndexAny(task.check+"=", "=<>")]})
			t.Errorf("%s, %s: not done: %s is %s; the page has %s", task.name, which, task.check, text, seen)
			return
		}
	}
}

// call calls a tool and returns the text of its result, and what the call cost.
func call(t *testing.T, server *stdio.Server, tool string, args map[string]any) (text string, spent cost, refused bool) {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	result, err := server.Session.CallTool(t.Context(), params)
	if err != nil {
		return err.Error(), spent, true
	}
	sent, err := json.Marshal(params)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	spent = cost{calls: 1, bytes: len(sent) + len(got)}
	var texts []string
	for _, content := range result.Content {
		switch c := content.(type) {
		case *mcp.TextContent:
			texts = append(texts, c.Text)
		case *mcp.ImageContent:
			spent.pictures += base64.StdEncoding.EncodedLen(len(c.Data))
		}
	}
	return strings.Join(texts, "\n"), spent, result.IsError
}
