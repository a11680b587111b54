package debugger_test

import (
	"errors"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/powertest"
)

// navigate loads a page that pauses while it loads.
func (w *bench) navigate(path string) {
	w.t.Helper()
	_, err := w.tab.Navigate(w.ctx, powertest.Navigation, site.URL+path, browser.NavigateOptions{})
	var paused *debugger.PausedError
	if !errors.As(err, &paused) {
		w.t.Fatalf("navigate into a breakpoint: %v", err)
	}
}

func TestSourceMaps(t *testing.T) {
	t.Parallel()
	for path, source := range map[string]string{"/mapped": "const tax = base / 5;", "/filed": "const tax = base / 5; return"} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w, dir := open(t, "/plain"), map[string]string{"/filed": "/js"}[path]
			if b := w.line("src/cart.ts", 3); len(b.Locations) != 0 {
				t.Errorf("resolved before it was loaded: %v", b)
			}
			w.navigate(path)
			p := w.paused()
			has(t, p.Text(10), "cart.ts:3:3 in price — breakpoint b1", "(generated: /js/", "base = 10", source,
				"f1 (anonymous)", "cart.ts:6:1")
			if path == "/mapped" {
				has(t, p.Text(10), ">    3 |   const tax = base / 5;")
			}
			step := w.step(debugger.StepOver, "price "+dir+"/src/cart.ts:4:3")
			has(t, step.Text(10), "new: tax = 2")
			w.resume()

			again := w.line("cart.ts", 4)
			if len(again.Locations) != 1 || again.Locations[0].Line != 4 {
				t.Fatalf("in a loaded original: %v", again)
			}
			w.start("again()")
			w.at(w.paused(), "price "+dir+"/src/cart.ts:3:3")
			out, err := w.Resume(w.ctx)
			if err != nil || out.Pause == nil || out.Pause.Location.Line != 4 {
				t.Fatalf("resume to the second breakpoint: %+v, %v", out, err)
			}
			for _, id := range []string{"b1", "b2"} {
				if err := w.Breakpoints.Remove(w.ctx, id); err != nil {
					t.Fatal(err)
				}
			}
			w.resume()
			w.start("again(); document.title = 'ran'")
			w.title("ran")
		})
	}
}

func TestBreakpointsSurviveNavigation(t *testing.T) {
	t.Parallel()
	w := open(t, "")
	if b := w.line("*/js/app.js", 4); len(b.Locations) != 0 {
		t.Errorf("resolved before it was loaded: %v", b)
	}
	w.line("/app\\.j.$/", 33)
	w.navigate("/app")
	w.at(w.paused(), " /js/app.js:33:14")
	w.resume()
	w.navigate("/app")
	w.paused()
	if b := w.Breakpoints.List()[1]; len(b.Locations) != 1 || b.Locations[0].Line != 33 {
		t.Errorf("after the second load: %v", b)
	}
	if _, err := w.tab.Navigate(w.ctx, powertest.Navigation, site.URL+"/plain", browser.NavigateOptions{}); err != nil {
		t.Fatalf("navigate while paused: %v", err)
	}
	if _, ok := w.Paused(); ok || w.tab.Calls.Blocked() != nil {
		t.Error("paused after a navigation")
	}
	w.title("plain")
	if err := w.Breakpoints.Remove(w.ctx, "b9"); err == nil || err.Error() != `unknown breakpoint "b9"; set are: b1, b2` {
		t.Errorf("remove what is not set: %v", err)
	}
}

// TestBreakpointWaitsForEvents sets a breakpoint in a script whose event is received and not handled
// yet, because the handling of an event before it takes long.
func TestBreakpointWaitsForEvents(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.pauses = make(chan debugger.Pause) // the handling of a pause ends when the test receives it
	w.start("debugger")
	for _, paused := w.Paused(); !paused; _, paused = w.Paused() {
		select {
		case <-w.ctx.Done():
			t.Fatal("the page did not pause")
		case <-time.After(time.Millisecond):
		}
	}
	if _, err := w.Evaluate(w.ctx, powertest.Script, "f0", `eval("function late() {\n  return 1;\n}\n//# sourceURL=late.js")`); err != nil {
		t.Fatal(err)
	}
	set := make(chan string, 1)
	go func() {
		b, err := w.Breakpoints.SetLine(w.ctx, powertest.Script, debugger.Line{Pattern: "late.js", Line: 2})
		if err != nil {
			t.Error(err)
		}
		set <- b.String()
	}()
	select {
	case early := <-set:
		t.Errorf("before the script is known: %s", early)
		set <- early
	case <-time.After(100 * time.Millisecond):
	}
	<-w.pauses
	has(t, <-set, "→ late.js:2:3")
}

// TestBreakpointIsHitWhileItsMapLoads: the pause is at the breakpoint, although SetLine has not
// returned when the page runs into it.
func TestBreakpointIsHitWhileItsMapLoads(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.start(`eval("function tick() {\n  return 1;\n}\n//# sourceURL=tick.js\n//# sourceMappingURL=" + location.origin + "/slow?delay=1s")
		setInterval(tick, 5); document.title = 'ticking'`)
	w.title("ticking")
	if b := w.line("tick.js", 2); len(b.Locations) != 1 {
		t.Errorf("resolved to %v", b)
	}
	has(t, w.paused().Text(10), "tick.js:2:3 in tick — breakpoint b1")
}

func TestScriptsInsideAPage(t *testing.T) {
	t.Parallel()
	w := open(t, "/page")
	b := w.line(site.URL+"/page", 6)
	if len(b.Locations) != 1 || b.Locations[0].Line != 6 {
		t.Fatalf("resolved to %v", b)
	}
	w.start("inPage()")
	has(t, w.paused().Text(10), ">    6 |   return x + 1;", "     5 | function inPage() {")
	w.resume()
}

func TestRequestsAndEvents(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	if _, err := w.Breakpoints.SetRequest(w.ctx, "/plain"); err != nil {
		t.Fatal(err)
	}
	w.start("load('/page').then(() => load('/plain?x'))")
	has(t, w.paused().Text(10), "load — request b1: "+site.URL+"/plain?x", "const response = await fetch(path)")
	if err := w.Breakpoints.Remove(w.ctx, "b1"); err != nil {
		t.Fatal(err)
	}
	w.resume()
	if _, err := w.Breakpoints.SetEvent(w.ctx, "click", ""); err != nil {
		t.Fatal(err)
	}
	if err := w.click("#go"); err == nil {
		t.Fatal("the click did not pause")
	}
	has(t, w.paused().Text(10), "onGo — event b2: click")
	if err := w.Breakpoints.Remove(w.ctx, "b2"); err != nil {
		t.Fatal(err)
	}
	w.resume()
	w.title("went 6")
	if err := w.click("#go"); err != nil {
		t.Errorf("after the breakpoint was removed: %v", err)
	}
}

func TestIgnoredScripts(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	if err := w.Ignore(w.ctx, []string{"app.js"}); err != nil {
		t.Fatal(err)
	}
	w.start("debugger;\ntwice(1);\n0;")
	p := w.paused()
	line := p.Location.Line
	for range 2 {
		out, err := w.Step(w.ctx, debugger.StepInto)
		if err != nil || out.Pause == nil || out.Pause.Location.URL != "" {
			t.Fatalf("stepped into an ignored script: %+v, %v", out, err)
		}
		line = out.Pause.Location.Line
	}
	if line != p.Location.Line+2 {
		t.Errorf("at line %d from %d", line, p.Location.Line)
	}
	if err := w.Ignore(w.ctx, nil); err != nil {
		t.Fatal(err)
	}
	w.resume()
}
