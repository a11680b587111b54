package batch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveBatchPages serves pages that answer late, and series of pages of every kind.
func serveBatchPages(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	page := func(title, body string) string {
		return "<!doctype html><link rel=icon href=data:,><title>" + title + "</title><body>" + body
	}
	mux.HandleFunc("/late", func(w http.ResponseWriter, r *http.Request) {
		ms, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		select {
		case <-time.After(time.Duration(ms) * time.Millisecond):
		case <-r.Context().Done():
		}
		fmt.Fprint(w, page("late "+r.URL.Query().Get("n"), "<h1>Late "+r.URL.Query().Get("n")+"</h1>"))
	})
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) {
		n := r.URL.Query().Get("n")
		fmt.Fprint(w, page("long "+n, strings.Repeat("<p>line of page "+n+" with some words in it", 2000)))
	})
	mux.HandleFunc("/list", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		if o := r.URL.Query().Get("offset"); o != "" {
			at, _ := strconv.Atoi(o)
			n = at/25 + 1
		}
		if n > 4 {
			http.Error(w, "no such page", http.StatusNotFound)
			return
		}
		fmt.Fprint(w, page("list", fmt.Sprintf("<h1>Page %d</h1><p>item %d", n, n*10)))
	})
	mux.HandleFunc("/same", func(w http.ResponseWriter, r *http.Request) {
		n, _ := strconv.Atoi(r.URL.Query().Get("page"))
		fmt.Fprint(w, page("same", fmt.Sprintf("<p>item %d", min(n, 3))))
	})
	fixture := func(path, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, page(path[1:], body)) })
	}
	fixture("/clicks", `<p id=at>item 1</p><button id=next onclick="go()">Next</button><script>let n=1;
		function go(){ setTimeout(() => { at.textContent = 'item ' + ++n; if (n === 3) next.disabled = true }, 400) }</script>`)
	fixture("/vanish", `<p id=at>item 1</p><a id=next href="#" onclick="n++; at.textContent='item '+n; if (n===2) this.remove(); return false">Next</a><script>let n=1</script>`)
	fixture("/aria", `<p id=at>item 1</p><button id=next onclick="if(n<2){n++; at.textContent='item '+n} this.setAttribute('aria-disabled','true')">Next</button><script>let n=1</script>`)
	fixture("/stuck", `<p>item 1</p><button id=next>Next</button>`)
	fixture("/round", `<p id=at>item 1</p><button id=next onclick="n=n%3+1; at.textContent='item '+n">Next</button><script>let n=1</script>`)
	fixture("/keys", `<p id=at>item 1</p><script>let n=1; addEventListener('keydown', e => { if (e.key==='ArrowRight' && n<4) at.textContent='item '+ ++n })</script>`)
	fixture("/drawn", `<canvas id=c width=300 height=100></canvas><script>let n=1; const g=c.getContext('2d');
		const draw=()=>{ g.fillStyle='white'; g.fillRect(0,0,300,100); g.fillStyle='black'; g.fillRect(0,0,n*40,100) }; draw();
		addEventListener('keydown', e => { if (e.key==='ArrowRight' && n<3) { n++; draw() } })</script>`)
	fixture("/endless", `<div id=list></div><script>let n=0; const more=()=>{ if(n>=3) return; n++;
		for(let i=0;i<12;i++){const p=document.createElement('p'); p.style.height='100px'; p.textContent='part '+n+' row '+i; list.append(p)} }; more();
		addEventListener('scroll', () => { if (innerHeight + scrollY >= document.body.scrollHeight - 5) setTimeout(more, 300) })</script>`)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// taskRow is the row of one task in the overview of a batch.
type taskRow struct {
	Task       int    `json:"task"`
	TabID      string `json:"tabId"`
	Tool       string `json:"tool"`
	Status     string `json:"status"`
	Code       string `json:"code"`
	Bytes      int    `json:"bytes"`
	Shown      int    `json:"shown"`
	Whole      string `json:"whole"`
	DurationMs int64  `json:"durationMs"`
}

type overview struct {
	Total, Succeeded, Failed, NotRun int
	Stopped                          string
	DurationMs, WorkMs               int64
	Concurrency                      int
	Results                          []taskRow
}

// parseBatch reads a batch's answer: the overview and the text of each task.
func parseBatch(t *testing.T, res *mcp.CallToolResult) (o overview, texts []string) {
	t.Helper()
	if res.IsError {
		t.Fatalf("refused: %s", tooltest.Text(res))
	}
	for i, c := range res.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			if i == 0 {
				if err := json.Unmarshal([]byte(c.Text), &o); err != nil {
					t.Fatalf("%v in %s", err, c.Text)
				}
				continue
			}
			texts = append(texts, c.Text)
		case *mcp.ResourceLink:
		default:
			t.Errorf("content %T in a batch", c)
		}
	}
	return o, texts
}

// openTabs opens tabs.
func openTabs(c tooltest.Client, n int, address string) []string {
	tabs := make([]string, n)
	for i := range tabs {
		tabs[i] = tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": address}))
	}
	return tabs
}

func TestBatchRunsAnyTool(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	tabs := openTabs(c, 2, "about:blank")
	o, texts := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": []any{
		tooltest.Args{"tabId": tabs[0], "tool": "navigate", "args": tooltest.Args{"url": home + "/late?ms=1&n=a"}},
		tooltest.Args{"tabId": tabs[1], "tool": "navigate", "args": tooltest.Args{"url": home + "/late?ms=1&n=b"}},
		tooltest.Args{"tabId": tabs[0], "tool": "read_page"}, // after the navigation of its tab, whatever the order of the others
		tooltest.Args{"tabId": tabs[1], "script": "document.title"},
		tooltest.Args{"tool": "tabs_context"},
		tooltest.Args{"tabId": tabs[0], "tool": "page_screenshot"},
		tooltest.Args{"tabId": "t99999", "tool": "read_page"},
		tooltest.Args{"tool": "read_pge"},
		tooltest.Args{"tabId": tabs[0], "tool": "read_page", "args": tooltest.Args{"mode": "upside-down"}},
	}}))
	if o.Total != 9 || o.Succeeded != 6 || o.Failed != 3 || o.NotRun != 0 || o.Stopped != "" || len(texts) != 9 {
		t.Fatalf("%+v with %d texts", o, len(texts))
	}
	for i, want := range []string{"Late a", "Late b", "Late a", "late b", `"tabCount":2`, "callsheet://artifact/", "t99999", "read_page", "upside-down"} {
		if head := fmt.Sprintf("[%d] ", i+1); !strings.HasPrefix(texts[i], head) || !strings.Contains(strings.ToLower(texts[i]), strings.ToLower(want)) {
			t.Errorf("task %d says %q, which lacks %q", i+1, texts[i], want)
		}
	}
	for i, code := range map[int]string{6: "NO_TAB", 7: "UNKNOWN_TOOL", 8: "INVALID_ARGUMENTS"} {
		if r := o.Results[i]; r.Status != "failed" || r.Code != code {
			t.Errorf("task %d: %+v, want %s", i+1, r, code)
		}
	}
	c.Expect("oc_journal", tooltest.Args{"action": "recent"}, "batch_execute", "read_page", "NO_TAB") // calls inside are written down too
}

func TestBatchInvalidArguments(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	one := func(task tooltest.Args) tooltest.Args { return tooltest.Args{"tasks": []any{task}} }
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", tooltest.Args{"tasks": []any{}}, "at least 1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{}), "/tasks/0", "exactly one of")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{"tool": "read_page", "script": "1"}), "exactly one of")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{"script": "1", "args": tooltest.Args{}}), "/tasks/0/args")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{"tool": "batch_execute", "args": one(tooltest.Args{"script": "1"})}), "does not contain another")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{"tool": "read_page", "tabId": "t1", "args": tooltest.Args{"tabId": "t2"}}), "another tab")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", tooltest.Args{"tasks": []any{tooltest.Args{"script": "1"}}, "concurrency": 21}, "20")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", one(tooltest.Args{"script": "1", "args": "{}"}), "expected an object")
	many := make([]any, 101)
	for i := range many {
		many[i] = tooltest.Args{"script": "1"}
	}
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", tooltest.Args{"tasks": many}, "at most 100")
	o, _ := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": many[:100], "concurrency": 20})) // without a tab each task fails alone
	if o.Total != 100 || o.Failed != 100 {
		t.Errorf("%+v", o)
	}
}

// TestBatchObeysVisibility holds what is in a batch against the same gates as calls of the client's
// own.
func TestBatchObeysVisibility(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{DisableTools: []string{"storage"}, DisableSurfaces: []string{toolset.SurfaceEvaluate}})
	o, _ := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": []any{
		tooltest.Args{"tool": "cookies", "args": tooltest.Args{"action": "list"}}, tooltest.Args{"script": "1"}, tooltest.Args{"tool": "debugger_resume"},
	}}))
	for i, code := range []string{"CAPABILITY_DISABLED", "TOOL_DISABLED", "TOOL_NOT_VISIBLE"} {
		if o.Results[i].Code != code {
			t.Errorf("task %d: %+v, want %s", i+1, o.Results[i], code)
		}
	}
}

func TestBatchFailFast(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	tabs := openTabs(c, 2, "about:blank")
	tasks := []any{
		tooltest.Args{"tabId": tabs[0], "script": "throw new Error('no')"},
		tooltest.Args{"tabId": tabs[0], "script": "1 + 1"},
		tooltest.Args{"tabId": tabs[1], "tool": "navigate", "args": tooltest.Args{"url": home + "/late?ms=60000"}},
	}
	o, _ := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": tasks, "failFast": true}))
	if o.Results[0].Code != "SCRIPT_FAILED" || o.Results[1].Status != "not_run" || o.Results[2].Status != "cancelled" || !strings.Contains(o.Stopped, "failFast") {
		t.Errorf("%+v", o)
	}
	if o, texts := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": tasks[2:], "timeout": 1500})); o.Results[0].Code != "TIMEOUT" {
		t.Errorf("%+v\n%s", o, texts)
	}
	tasks[2].(tooltest.Args)["timeout"] = 700
	o, texts := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": tasks}))
	if o.Results[0].Status != "failed" || o.Results[1].Status != "ok" || o.Results[2].Code != "TIMEOUT" || o.Stopped != "" || !strings.Contains(texts[1], "2") {
		t.Errorf("%+v\n%s", o, texts)
	}
}

// TestBatchSharesItsBudget has one short text beside long ones: the short one stays whole, and of
// the others the whole can be fetched.
func TestBatchSharesItsBudget(t *testing.T) {
	t.Parallel()
	home, c := serveBatchPages(t), tooltest.Connect(t, toolkit.Options{})
	tab := openTabs(c, 1, home+"/long?n=7")[0]
	tasks := []any{tooltest.Args{"tabId": tab, "script": "'short'"}}
	for range 3 {
		tasks = append(tasks, tooltest.Args{"tabId": tab, "tool": "read_page", "args": tooltest.Args{"mode": "markdown", "max_bytes": 45000}})
	}
	res := c.Do("batch_execute", tooltest.Args{"tasks": tasks})
	o, texts := parseBatch(t, res)
	if n := len(tooltest.Text(res)); n > 38000 || n < 32000 {
		t.Errorf("the answer has %d bytes of 38000", n)
	}
	if o.Results[0].Whole != "" || !strings.Contains(texts[0], "short") {
		t.Errorf("the short one was cut: %+v", o.Results[0])
	}
	for i, r := range o.Results[1:] {
		if r.Whole == "" || r.Shown >= r.Bytes || !strings.Contains(texts[i+1], "[cut: ") {
			t.Fatalf("%+v %.80s", r, texts[i+1])
		}
		whole, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.Whole})
		if err != nil {
			t.Fatal(err)
		}
		if got := whole.Contents[0].Text; len(got) != r.Bytes {
			t.Errorf("the whole has %d bytes, want %d", len(got), r.Bytes)
		}
	}
}

// TestBatchKeepsResultsOfACancelledCall cancels a call: what was there is an artifact.
func TestBatchKeepsResultsOfACancelledCall(t *testing.T) {
	t.Parallel()
	home := serveBatchPages(t)
	told := make(chan struct{}, 10)
	c := tooltest.ConnectAs(t, toolkit.Options{}, tooltest.SessionRevision, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { told <- struct{}{} },
	})
	tabs := openTabs(c, 2, "about:blank")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p := tooltest.Params("batch_execute", tooltest.Args{"tasks": []any{
		tooltest.Args{"tabId": tabs[0], "script": "'kept ' + 'me'"},
		tooltest.Args{"tabId": tabs[1], "tool": "navigate", "args": tooltest.Args{"url": home + "/late?ms=60000"}},
	}})
	p.SetProgressToken("p")
	go func() {
		<-told
		cancel()
	}()
	if res, err := c.CallTool(ctx, p); err == nil {
		t.Fatalf("it was answered: %s", tooltest.Text(res))
	}
	tooltest.Eventually(t, "what was collected is an artifact", func() bool {
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.Resources {
			if whole, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: r.URI}); err == nil && strings.Contains(whole.Contents[0].Text, "kept me") {
				return true
			}
		}
		return false
	})
}

// TestBatchPassesSecretNames has a secret typed by a task, and none in what the batch tells.
func TestBatchPassesSecretNames(t *testing.T) {
	t.Parallel()
	const password = "correct-horse-battery"
	vault, err := secret.New(map[string]string{"PASSWORD": password})
	if err != nil {
		t.Fatal(err)
	}
	home := tooltest.ServeSite(t)
	c := tooltest.NewServer(t, app.Config{Vault: vault, ScriptsAfterSecrets: true}).Connect(t.Name(), "", nil)
	tab := tooltest.TabID(c.Call("navigate", tooltest.Args{"url": home + "/form.html"}))
	o, texts := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": []any{
		tooltest.Args{"tabId": tab, "tool": "javascript_tool", "args": tooltest.Args{"code": "document.body.innerHTML = '<label>Word <input id=w></label>'"}},
		tooltest.Args{"tabId": tab, "tool": "fill_form", "args": tooltest.Args{"fields": []any{tooltest.Args{"query": "Word", "value": "{secret:PASSWORD}"}}}},
		tooltest.Args{"tabId": tab, "script": "w.value.length + ' ' + w.value"},
		tooltest.Args{"tabId": tab, "script": "'{secret:PASSWORD}'"},
	}}))
	if o.Results[1].Status != "ok" || !strings.Contains(texts[2], strconv.Itoa(len(password))) {
		t.Errorf("%+v\n%s", o, texts)
	}
	if o.Results[3].Code != "POLICY_DENIED" {
		t.Errorf("a script got a secret: %+v %s", o.Results[3], texts[3])
	}
	if all := strings.Join(texts, "\n"); strings.Contains(all, password) {
		t.Errorf("the secret is in the answer: %s", all)
	}
}

// TestBatchConcurrency loads pages that answer only once as many of them are requested as tasks may
// run at once.
func TestBatchConcurrency(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	tabs := openTabs(c, 8, "about:blank")
	for _, concurrency := range []int{1, 4} {
		pages := newMeetingPages(t, concurrency)
		var tasks []any
		for _, tab := range tabs {
			tasks = append(tasks, tooltest.Args{"tabId": tab, "tool": "navigate", "args": tooltest.Args{"url": pages.url}})
		}
		o, _ := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": tasks, "concurrency": concurrency}))
		if o.Succeeded != len(tabs) {
			t.Fatalf("%d at once: %+v", concurrency, o)
		}
		if most := pages.most; most != concurrency {
			t.Errorf("%d requests were pending at once, want %d", most, concurrency)
		}
	}
}

// TestBatchesRunSideBySide runs several at once in one session.
func TestBatchesRunSideBySide(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	tabs := openTabs(c, 3, "about:blank")
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			var tasks []any
			for i := range 12 {
				tasks = append(tasks, tooltest.Args{"tabId": tabs[i%3], "script": fmt.Sprintf("'%d of %d'", i, n)})
			}
			o, texts := parseBatch(t, c.Do("batch_execute", tooltest.Args{"tasks": tasks}))
			for i := range texts {
				if want := fmt.Sprintf("%d of %d", i, n); o.Results[i].Status != "ok" || !strings.Contains(texts[i], want) {
					t.Errorf("%q lacks %q", texts[i], want)
				}
			}
		})
	}
	all.Wait()
}
