package tools_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How many calls TestRandomCallsAnswer makes, with how many clients at a time, and how long after
// its deadline an answer may come on a busy machine.
const (
	shortCalls, soakCalls = 120, 10_000
	randomClients         = 4
	answerSlack           = 10 * time.Second
)

// hostilePages are pages that rebuild, trap, block or replace themselves.
var hostilePages = map[string]string{
	"rebuild": `<div id=r></div><script>setInterval(()=>{r.innerHTML='<button>Save</button><input aria-label=Name><ul>'+'<li>x</li>'.repeat(200)+'</ul>'},7)</script>`,
	"replace": `<p>one</p><button>Go</button><script>setInterval(()=>{const d=document.documentElement;d.remove();setTimeout(()=>document.append(d),5)},30)</script>`,
	"write":   `<button>Go</button><script>setTimeout(()=>{document.open();document.write('<p>written</p><button>Again</button>');document.close()},40)</script>`,
	"reload":  `<button>Go</button><script>setTimeout(()=>location.reload(),120)</script>`,
	"busy":    `<button onclick="const t=Date.now();while(Date.now()-t<900);">Save</button><script>setInterval(()=>{const t=Date.now();while(Date.now()-t<150);},160)</script>`,
	"alert":   `<button onclick="alert('a')">Save</button><script>setTimeout(()=>confirm('b'),100)</script>`,
	"frames":  `<iframe srcdoc="<button>Inner</button>"></iframe><script>setInterval(()=>{const f=document.createElement('iframe');f.srcdoc='<input aria-label=Name>';document.querySelector('iframe').replaceWith(f)},90)</script>`,
	"cover":   `<button>Save</button><div style="position:fixed;inset:0;background:#fff8"></div>`,
	"moving":  `<style>@keyframes m{to{transform:translateX(300px)}}button{animation:m .4s infinite alternate}</style><button>Save</button><input aria-label=Name>`,
	"popup":   `<button onclick="open('/cover')">Save</button><a href="/frames" target=_blank>New</a>`,
	"unload":  `<input aria-label=Name><button>Save</button><script>onbeforeunload=(e)=>{e.preventDefault();return 1}</script>`,
	"closing": `<button onclick="close()">Save</button><input aria-label=Name>`,
}

func serveHostilePages(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>Hostile</title>", hostilePages[strings.Trim(r.URL.Path, "/")]) // the client may have left
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestRandomCallsAnswer has clients call the tools of the default list at random on hostile pages.
// Each call has an answer by its deadline, and none fails in the page script.
func TestRandomCallsAnswer(t *testing.T) {
	t.Parallel()
	calls := shortCalls
	if os.Getenv(tooltest.SoakVariable) != "" {
		calls = soakCalls
	}
	base := serveHostilePages(t)
	server := tooltest.NewOwnServer(t, app.Config{})
	deadlines := map[string]time.Duration{}
	for _, tool := range server.Surface.Registry().Tools {
		deadlines[tool.Name] = tool.Timeout
	}
	var wg sync.WaitGroup
	callers := make([]*randomCaller, randomClients)
	for i := range callers {
		callers[i] = &randomCaller{
			client: server.Connect(fmt.Sprintf("random-%d", i), "", nil), base: base, deadlines: deadlines,
			random: rand.New(rand.NewPCG(2026, uint64(i))), codes: map[string]int{},
		}
		wg.Go(func() { callers[i].run(t.Context(), calls/randomClients) })
	}
	wg.Wait()
	for i, c := range callers {
		t.Logf("client %d: %d calls, refusals %v, longest %v by %s", i, c.made, c.codes, c.longest.Round(time.Millisecond), c.longestCall)
		for _, failure := range c.failures {
			t.Error(failure)
		}
	}
}

// randomCaller is a client with a page of its own.
type randomCaller struct {
	client    tooltest.Client
	base      string
	deadlines map[string]time.Duration
	random    *rand.Rand
	refs      []string // of the latest reading

	made        int
	codes       map[string]int
	failures    []string
	longest     time.Duration
	longestCall string
}

func (c *randomCaller) run(ctx context.Context, calls int) {
	for c.made < calls && ctx.Err() == nil && len(c.failures) < 5 {
		if c.made%12 == 0 {
			c.call(ctx, "navigate", tooltest.Args{"url": c.base + "/" + c.anyPage()})
		}
		c.step(ctx)
	}
}

func (c *randomCaller) anyPage() string {
	n := c.random.IntN(len(hostilePages))
	for name := range hostilePages { // in no order, but any page will do
		if n--; n < 0 {
			return name
		}
	}
	return ""
}

func (c *randomCaller) step(ctx context.Context) {
	ref := "e1"
	if len(c.refs) > 0 {
		ref = c.refs[c.random.IntN(len(c.refs))]
	}
	switch c.random.IntN(14) {
	case 0, 1, 2:
		c.refs = refInText.FindAllString(c.call(ctx, "read_page", tooltest.Args{}), 20)
	case 3:
		c.call(ctx, "read_page", tooltest.Args{"mode": "full", "diff": true})
	case 4, 5:
		c.call(ctx, "interact", tooltest.Args{"query": "Save"})
	case 6:
		c.call(ctx, "interact", tooltest.Args{"ref": ref})
	case 7:
		c.call(ctx, "form_input", tooltest.Args{"ref": ref, "value": "Ada"})
	case 8:
		c.call(ctx, "fill_form", tooltest.Args{"fields": []tooltest.Args{{"query": "Name", "value": "Ada"}}})
	case 9:
		c.call(ctx, "find", tooltest.Args{"query": "Name"})
	case 10:
		c.call(ctx, "dialog", tooltest.Args{"accept": c.random.IntN(2) == 0})
	case 11:
		c.call(ctx, "page_reload", tooltest.Args{})
		c.call(ctx, "read_page", tooltest.Args{})
	case 12:
		c.call(ctx, "javascript_tool", tooltest.Args{"code": "document.title"})
	case 13:
		c.call(ctx, "page_screenshot", tooltest.Args{})
	}
}

var refInText = regexp.MustCompile(`\be\d+\b`)

// call calls a tool and judges the answer.
func (c *randomCaller) call(ctx context.Context, tool string, a tooltest.Args) string {
	c.made++
	limit := c.deadlines[tool] + answerSlack
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	res, err := c.client.CallTool(bounded, tooltest.Params(tool, a))
	took := time.Since(begun)
	if took > c.longest {
		c.longest, c.longestCall = took, fmt.Sprintf("%s %v", tool, a)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		c.failures = append(c.failures, fmt.Sprintf("%s %v has no answer within %v", tool, a, limit))
		return ""
	case err != nil:
		c.failures = append(c.failures, fmt.Sprintf("%s %v: %v", tool, a, err))
		return ""
	}
	text := tooltest.Text(res)
	// What the page's own scripts throw is reported as uncaught.
	if strings.Contains(text, "(failure ") || strings.Contains(strings.ReplaceAll(text, "Uncaught TypeError", ""), "TypeError") {
		c.failures = append(c.failures, fmt.Sprintf("%s %v failed in the page script: %s", tool, a, text))
	}
	if res.IsError {
		c.codes[refusalCode(res)]++
	}
	return text
}

func refusalCode(res *mcp.CallToolResult) string {
	if envelope, ok := res.StructuredContent.(map[string]any); ok {
		return fmt.Sprint(envelope["code"])
	}
	code, _, _ := strings.Cut(tooltest.Text(res), ":")
	return code
}
