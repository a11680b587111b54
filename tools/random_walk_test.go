package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdpdebugger "github.com/chromedp/cdproto/debugger"
	cdppage "github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// How far random walks go, and how long facts may take to be what the browser says.
const (
	shortWalks, shortSteps = 10, 40
	soakWalks, soakSteps   = 200, 100
	convergence            = 2 * time.Second
	slowest                = 20 * time.Second
)

// TestRandomWalks has clients call tools at random while pages pause, crash and close and browsers
// are killed. After each step the facts of every connection agree with its browser, and in the
// end nothing is left over.
func TestRandomWalks(t *testing.T) {
	proctest.Nightly(t)
	walks, steps := shortWalks, shortSteps
	if os.Getenv(tooltest.SoakVariable) != "" {
		walks, steps = soakWalks, soakSteps
	}
	home := tooltest.ServeSite(t)
	before := runtime.NumGoroutine()
	seen := map[int]bool{}
	server := tooltest.NewOwnServer(t, app.Config{Surface: toolkit.Options{AllTools: true}})
	b, surface := server.Connections, server.Surface
	registry := surface.Registry()
	started := time.Now()
	for n := range walks {
		id := fmt.Sprintf("walk-%d", n)
		v := &walker{
			t: t, home: home, set: b.Set(id), session: surface.NewSession(id, nil), processes: seen, registry: registry,
			random: rand.New(rand.NewPCG(2026, uint64(n))),
		}
		for range steps {
			if v.step(); t.Failed() {
				t.Fatalf("walk %d went\n%s", n, strings.Join(v.trace, "\n"))
			}
		}
		if err := b.End(context.Background(), id); err != nil {
			t.Fatalf("end of walk %d: %v", n, err)
		}
	}
	t.Logf("%d walks of %d steps in %v, %d browsers", walks, steps, time.Since(started).Round(time.Second), len(seen))
	if err := server.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	for pid := range seen {
		tooltest.Eventually(t, fmt.Sprintf("process %d ends", pid), func() bool { return !isAlive(pid) })
	}
	tooltest.Eventually(t, "goroutines end", func() bool {
		left := runtime.NumGoroutine() <= before+2 // keep-alive connections of the fixture site
		if !left && time.Since(started) > time.Hour {
			_ = pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		}
		return left
	})
}

func isAlive(pid int) bool { return proctest.IsRunning(pid) }

// walker is a client that does what it likes.
type walker struct {
	t         *testing.T
	home      string
	set       *session.Set
	session   *toolkit.Session
	registry  *toolkit.Registry
	random    *rand.Rand
	processes map[int]bool // of all browsers that were seen
	trace     []string
	dying     *browser.Tab // whose page the walk crashes, until it has crashed
}

// step does one thing and checks everything.
func (w *walker) step() {
	switch n := w.random.IntN(100); {
	case n < 90:
		w.call()
	case n < 93:
		w.crash()
	case n < 95:
		w.kill()
	default:
		w.run("setTimeout(() => { debugger }, 3)")
	}
	w.check()
}

// call calls a tool at random, as likely as not one that is hidden now, on the active connection or
// another.
func (w *walker) call() {
	names := []string{
		"chrome_launch", "chrome_switch_connection", "chrome_disconnect", "navigate", "navigate", "tabs_create", "tabs_close",
		"switch_target", "list_targets", "chrome_list_connections", "query_elements", "click_element", "click_element", "fill_element",
		"inspect_element", "get_console_logs", "read_page", "debugger_enable", "debugger_enable", "debugger_enable", "debugger_pause",
		"debugger_pause", "debugger_resume", "debugger_step_over", "debugger_step_into", "debugger_step_out", "debugger_disable",
		"debugger_get_call_stack", "debugger_set_breakpoint", "debugger_set_breakpoint", "debugger_evaluate_on_call_frame",
	}
	tool := names[w.random.IntN(len(names))]
	for range w.random.IntN(8) { // mostly one that is listed: to be refused is less to learn from
		if i, ok := w.registry.Lookup(tool); ok && w.session.Visible().Has(i) {
			break
		}
		tool = names[w.random.IntN(len(names))]
	}
	connections := w.set.List(w.t.Context())
	if tool == "chrome_launch" && len(connections)+w.random.IntN(2) > 2 { // it takes the longest by far
		tool = "chrome_list_connections"
	}
	a := validArgs(tool, w.home)
	if a == nil {
		a = tooltest.Args{}
	}
	chosen := connections[w.random.IntN(len(connections))]
	switch tool {
	case "chrome_switch_connection", "chrome_disconnect":
		a["connection_id"] = chosen.ID
	case "navigate", "tabs_create":
		a["url"] = w.home + []string{"/walk.html", "/second.html", "/form.html"}[w.random.IntN(3)]
	case "tabs_close":
		if len(chosen.Tabs) == 0 {
			return
		}
		a["tabId"] = chosen.Tabs[w.random.IntN(len(chosen.Tabs))].ID
	case "switch_target":
		a["index"] = w.random.IntN(3)
	case "click_element":
		a["selector"] = "#go"
		fallthrough
	default:
		if !strings.HasPrefix(tool, "chrome_") && tool != "read_page" && w.random.IntN(4) == 0 {
			a["connection_id"] = chosen.ID
		}
	}
	w.dispatch(tool, a)
}

func (w *walker) dispatch(tool string, a tooltest.Args) {
	raw, err := json.Marshal(a)
	if err != nil {
		w.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(w.t.Context(), slowest)
	defer cancel()
	if w.dying != nil && w.dying.CrashError() != nil {
		w.dying = nil
	}
	res, err := w.session.Dispatch(ctx, toolkit.Request{Tool: tool, Args: raw})
	text := ""
	for _, c := range res.Content {
		text += c.Text + " "
	}
	head, _, _ := strings.Cut(text, "\n")
	w.trace = append(w.trace, fmt.Sprintf("%s %s → %.140s", tool, raw, head))
	if strings.HasPrefix(text, "TIMEOUT") && w.diesLate() {
		return
	}
	if err != nil || ctx.Err() != nil || strings.HasPrefix(text, "INTERNAL") || strings.HasPrefix(text, "TIMEOUT") {
		w.t.Errorf("%s %s: %v: %s", tool, raw, err, text)
	}
}

// tab is the current tab of a connection at random, or nil.
func (w *walker) tab() *browser.Tab {
	list := w.set.List(w.t.Context())
	c, err := w.set.Get(list[w.random.IntN(len(list))].ID)
	if err != nil {
		return nil
	}
	tab, err := c.Session().Tab(w.t.Context(), "")
	if err != nil {
		return nil
	}
	return tab
}

// run runs a script in a page outside of any call.
func (w *walker) run(script string) {
	if tab := w.tab(); tab != nil && tab.CrashError() == nil {
		w.trace = append(w.trace, "in "+tab.ID()+": "+script)
		w.protocol(tab, func(ctx context.Context, s cdp.Session) {
			_, _ = cdp.Call(ctx, s, cdpruntime.Evaluate, cdpruntime.EvaluateParams{Expression: script})
		})
	}
}

func (w *walker) crash() {
	if tab := w.tab(); tab != nil {
		w.trace = append(w.trace, "crash "+tab.ID())
		w.dying = tab
		w.protocol(tab, func(ctx context.Context, s cdp.Session) { _, _ = cdp.Call(ctx, s, cdppage.Crash, cdp.Empty{}) })
	}
}

// diesLate reports that the page which was told to crash does so now: on a busy machine that can take
// longer than a call may.
func (w *walker) diesLate() bool {
	for limit := time.Now().Add(slowest); w.dying != nil && time.Now().Before(limit); runtime.Gosched() {
		if w.dying.CrashError() != nil {
			return true
		}
	}
	return false
}

// protocol speaks to a page past everything under test.
func (w *walker) protocol(tab *browser.Tab, fn func(context.Context, cdp.Session)) {
	ctx, cancel := context.WithTimeout(w.t.Context(), 200*time.Millisecond)
	defer cancel()
	if s, err := tab.Protocol(ctx); err == nil {
		fn(ctx, s)
	}
}

func (w *walker) kill() {
	for _, c := range w.set.List(w.t.Context()) {
		if c.Kind == session.Launched && c.PID > 0 {
			w.trace = append(w.trace, "kill "+c.ID)
			_ = proctest.Kill(c.PID)
			return
		}
	}
}

// check waits until the facts agree with the browsers. What is in flight may take a moment; what
// is wrong stays.
func (w *walker) check() {
	w.t.Helper()
	var differences []string
	for limit := time.Now().Add(convergence); time.Now().Before(limit) && w.t.Context().Err() == nil; {
		if differences = w.compare(); len(differences) == 0 {
			return
		}
		runtime.Gosched()
	}
	w.t.Errorf("after %v: %s", convergence, strings.Join(differences, "; "))
}

func (w *walker) compare() (differences []string) {
	list := w.set.List(w.t.Context())
	truth := make([]toolkit.Facts, len(list))
	connected := 0
	for i, c := range list {
		if c.PID > 0 {
			w.processes[c.PID] = true
		}
		truth[i] = w.probe(c)
		if truth[i].Has(toolset.FactConnected) {
			connected++
		}
	}
	for i, c := range list {
		truth[i] |= toolset.FactMultipleConnections.If(connected > 1 && truth[i].Has(toolset.FactConnected))
		facts, _ := w.set.Facts(c.ID)
		if facts != truth[i] {
			differences = append(differences, fmt.Sprintf("%s: facts %04b, but it is %04b", c.ID, facts, truth[i]))
		}
		if c.Active && w.session.Facts() != facts {
			differences = append(differences, fmt.Sprintf("the session's facts are %04b, those of %s %04b", w.session.Facts(), c.ID, facts))
		}
		if broken := facts.Has(toolset.FactPaused) && !facts.Has(toolset.FactDebuggerEnabled) || facts != 0 && !facts.Has(toolset.FactConnected); broken {
			w.t.Errorf("%s: facts %04b break an invariant", c.ID, facts)
		}
	}
	return differences
}

// probe asks the process and the page itself. V8 answers a question about a call frame that cannot
// exist differently when it is paused, when it runs and when no debugger is attached.
func (w *walker) probe(c session.Info) toolkit.Facts {
	if !c.Connected || !isAlive(c.PID) {
		return 0
	}
	facts := toolset.FactConnected
	found, err := w.set.Get(c.ID)
	if err != nil {
		return facts
	}
	tab, err := found.Session().Tab(w.t.Context(), "")
	if err != nil || tab.CrashError() != nil { // a crashed page cannot be queried
		return facts
	}
	w.protocol(tab, func(ctx context.Context, s cdp.Session) {
		_, err = cdp.Call(ctx, s, cdpdebugger.SetVariableValue, cdpdebugger.SetVariableValueParams{
			VariableName: "x", NewValue: &cdpruntime.CallArgument{Value: []byte("1")}, CallFrameID: "0.0.99",
		})
	})
	switch {
	case err == nil, strings.Contains(err.Error(), "not enabled"), isContextEnded(err):
		return facts
	case strings.Contains(err.Error(), "while paused"):
		return facts | toolset.FactDebuggerEnabled
	}
	w.note("probe: " + err.Error())
	return facts | toolset.FactDebuggerEnabled | toolset.FactPaused
}

func isContextEnded(err error) bool {
	return strings.Contains(err.Error(), "deadline") || strings.Contains(err.Error(), "detached")
}

// note keeps a line of the trace, once in a row.
func (w *walker) note(line string) {
	if n := len(w.trace); n == 0 || w.trace[n-1] != line {
		w.trace = append(w.trace, line)
	}
}
