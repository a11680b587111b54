package debugger_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/debugger"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/powertest"
)

func TestClickIntoABreakpoint(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	b := w.line("app.js", 4)
	if len(b.Locations) != 1 || b.Locations[0].String() != "/js/app.js:4:15" {
		t.Errorf("resolved to %v", b.Locations)
	}
	err := w.click("#go")
	var paused *debugger.PausedError
	if !errors.As(err, &paused) {
		t.Fatalf("the click: %v", err)
	}
	has(t, err.Error(), "interrupted", "/js/app.js:4:15 in add", "breakpoint b1")
	if _, err := evaluate.Run(w.ctx, w.tab, powertest.Script, "1"); !errors.As(err, &paused) || strings.Contains(err.Error(), "interrupted") {
		t.Errorf("a call during the pause: %v", err)
	}
	p := w.paused()
	has(t, p.Text(10), "paused at /js/app.js:4:15 in add — breakpoint b1", ">    4 |   const sum = a + b;", "a = 0", "b = 3",
		"f0 add /js/app.js:4:15", "f1 twice /js/app.js:12:14", "f2 onGo /js/app.js:74:15")
	if err := w.Breakpoints.Remove(w.ctx, "b1"); err != nil {
		t.Fatal(err)
	}
	w.resume()
	w.title("went 6")
	if got := w.heard(); got != "on, paused: breakpoint, resumed" {
		t.Errorf("heard %s", got)
	}
}

func TestSteps(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 10)
	w.start("twice(5)")
	w.at(w.paused(), "twice /js/app.js:10")
	for _, line := range []string{"11:16", "11:21", "12:5"} { // a loop's head has several statements
		w.step(debugger.StepOver, "twice /js/app.js:"+line)
	}
	p := w.step(debugger.StepInto, "add /js/app.js:4")
	if len(p.Changes) != 0 {
		t.Errorf("another call's variables are compared: %v", p.Changes)
	}
	has(t, w.step(debugger.StepOver, "add /js/app.js:5").Text(10), "new: sum = 5")
	w.step(debugger.StepOut, "twice /js/app.js:11:27") // what the line had left to do is done
	has(t, w.step(debugger.StepOver, "twice /js/app.js:11:21").Text(10), "changed: i: 0 → 1")
	w.step(debugger.StepOver, "twice /js/app.js:12:5")
	has(t, w.step(debugger.StepOver, "twice /js/app.js:11:27").Text(10), "changed: result: 5 → 10")
	w.step(debugger.StepOver, "twice /js/app.js:11:21")
	w.step(debugger.StepOver, "twice /js/app.js:14:3")
	has(t, w.step(debugger.StepOver, "twice /js/app.js:14:17").Text(10), "returning: 10")
	if got := w.heard(); strings.Contains(got, "resumed") {
		t.Errorf("steps were heard as running: %s", got)
	}
	w.resume()
}

func TestClosureThisAndConditions(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	if _, err := w.Breakpoints.SetLine(w.ctx, powertest.Script, debugger.Line{Pattern: "app.js", Line: 20, Condition: "by > 2"}); err != nil {
		t.Fatal(err)
	}
	w.start("for (const by of [1, 2, 3]) counter(by)")
	p := w.paused()
	has(t, p.Text(10), "by = 3", "closure of makeCounter", "count = 13")
	w.eval("", "count + by", "16")
	w.eval("f0", "count = 100", "100")
	w.eval("", "({n: 1, list: [1, {a: null}], f: add, big: 'text'})", `{n: 1, list: [1, {…}], f: ƒ add(a, b), big: "text"}`)
	if _, err := w.Evaluate(w.ctx, powertest.Script, "f0", "missing + 1"); err == nil || err.Error() != "the expression threw: ReferenceError: missing is not defined" {
		t.Errorf("an error: %v", err)
	}
	if _, err := w.Evaluate(w.ctx, powertest.Script, "f99", "1"); err == nil || !strings.HasPrefix(err.Error(), `unknown call frame "f99"; this pause has f0 to f`) {
		t.Errorf("an unknown frame: %v", err)
	}
	w.step(debugger.StepOver, "increment /js/app.js:21")
	w.eval("", "count", "103")
	w.resume()

	for _, bad := range []debugger.Line{
		{Pattern: "app.js", Line: 20, Condition: "by >"}, {Pattern: "", Line: 1}, {Pattern: "/(/", Line: 1}, {Pattern: "x", Line: 0},
	} {
		if _, err := w.Breakpoints.SetLine(w.ctx, powertest.Script, bad); err == nil {
			t.Errorf("%+v is accepted", bad)
		} else if coded, ok := errors.AsType[fault.Coded](err); !ok || coded.Code() != codes.InvalidArguments {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	w.line("app.js", 28)
	w.start("cart.put('apple')")
	has(t, w.paused().Text(10), "this: Cart {items: ", `item = "apple"`)
	w.resume()
	if again := w.line("app.js", 28); again.ID != "b2" || len(w.Breakpoints.List()) != 2 {
		t.Errorf("setting it again: %v of %v", again, w.Breakpoints.List())
	}
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	if err := w.PauseOnExceptions(w.ctx, debugger.ExceptionsUncaught); err != nil {
		t.Fatal(err)
	}
	w.start("careful(); fail('end')")
	p := w.paused()
	has(t, p.Text(10), "fail — exception: TypeError: bad end", `why = {kind: "end"}`)
	w.resume()
	if err := w.PauseOnExceptions(w.ctx, debugger.ExceptionsAll); err != nil {
		t.Fatal(err)
	}
	w.start("careful()")
	has(t, w.paused().Text(10), "TypeError: bad thing", "careful /js/app.js:")
	w.resume()
	// Reading the page throws and catches much inside our own script.
	if err := w.click("#down"); err != nil {
		t.Errorf("our own script is debugged: %v", err)
	}
	if err := w.PauseOnExceptions(w.ctx, debugger.ExceptionsNone); err != nil {
		t.Fatal(err)
	}
	w.start("try { fail('x') } catch {}; document.title = 'done'")
	w.title("done")
}

func TestStatementAndBudget(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.start("many()")
	text := w.paused().Text(10)
	has(t, text, "many — debugger statement", "list = [{…}, {…}", " more", "a0 = \"xxx")
	if len(text) > 6000 {
		t.Errorf("%d bytes", len(text))
	}
	w.eval("", "c0", `Map(2) {1 → {a: 1}, "k" → [2]}`)
	w.eval("", "[c1, c2, c3, c4, c5, c6]", `[Set(2) {1, "two"}, null, undefined, 10n, Symbol(s), NaN]`)
	r, err := w.Evaluate(w.ctx, powertest.Script, "", "list")
	if err != nil || len(r.Text) > 4000 || r.Type != "array" {
		t.Errorf("a long list: %d bytes of %s, %v", len(r.Text), r.Type, err)
	}
	w.resume()
	w.start("deep(200)")
	p := w.paused()
	if text := p.Text(100); len(text) > 6000 || !strings.Contains(text, "f99 deep") && !strings.Contains(text, "more") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	w.eval("f99", "n", "99")
	w.resume()
}

func TestWatches(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	for _, expression := range []string{"a * 10", "total", "total = 99", "nothing.at.all"} {
		if err := w.Watch(w.ctx, powertest.Script, expression); err != nil {
			t.Fatal(err)
		}
	}
	w.line("app.js", 5)
	w.start("add(2, 3); add(4, 5)")
	has(t, w.paused().Text(10), "watch: a * 10 = 20", "watch: total = 0", "watch: total = 99 ✗ not evaluated",
		"watch: nothing.at.all ✗ ReferenceError: nothing is not defined")
	if err := w.Unwatch("total = 99"); err != nil {
		t.Fatal(err)
	}
	out, err := w.Resume(w.ctx)
	if err != nil || out.Pause == nil {
		t.Fatalf("the second call: %+v, %v", out, err)
	}
	has(t, out.Pause.Text(10), "watch: a * 10 = 40", "watch: total = 5")
	if strings.Contains(out.Pause.Text(10), "99") {
		t.Error("an expression that was removed is shown")
	}
	if err := w.Unwatch("b"); err == nil || len(w.Watches()) != 3 {
		t.Errorf("removing what is not watched: %v, %v", err, w.Watches())
	}
	w.resume()
}

func TestAsynchronousCode(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 36)
	w.start("load('/plain')")
	w.at(w.paused(), "load /js/app.js:36")
	w.step(debugger.StepOver, "load /js/app.js:37")
	has(t, w.step(debugger.StepOver, "load /js/app.js:38").Text(10), "new: text = ")
	w.resume()
	w.line("app.js", 52)
	w.start("later()")
	has(t, w.paused().Text(10), "f0 tick /js/app.js:52", "— setTimeout —", "later /js/app.js:51")
	w.resume()
	w.title("ticked")
}

// TestStepOverRequest checks that a step over an await of a slow request ends when it is answered,
// also while other script runs, and a step over a slow call when that returns.
func TestStepOverRequest(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 36)
	w.start("globalThis.ticks = 0; setInterval(function tick() { ticks++ }, 10); load('/slow?delay=600ms')")
	w.paused()
	w.step(debugger.StepOver, "load /js/app.js:37")
	w.resume()
	w.start("globalThis.spin = () => { for (const end = Date.now() + 600; Date.now() < end;); };\n" +
		"(function busy() {\n  debugger;\n  spin();\n  document.title = 'spun' })()")
	w.paused()
	w.step(debugger.StepOver, "busy (code without an address):4")
	w.step(debugger.StepOver, "busy (code without an address):5")
	w.resume()
}

// TestStepBesideRequest checks that a request that is never answered does not keep a step.
func TestStepBesideRequest(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.start("debugger; fetch('/slow?delay=1h')")
	w.paused()
	if _, err := w.stepUntilRunning(time.Minute); err != nil {
		t.Error(err)
	}
}

// TestStepIsOverSoon checks that a step beside an open request does not wait for its full 5 s where no
// pause can follow: other script runs, the document is replaced, or a dialog is open.
func TestStepIsOverSoon(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]string{
		"script":   "setTimeout(function other() {}, 1000)",
		"document": "location = '/plain'",
		"dialog":   "alert('?')",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var functions string
			var err error
			for range 4 { // on a busy machine a step may take as long, or the timer fire before the step waits
				w := open(t, "/app")
				w.start("debugger; fetch('/slow?delay=1h'); " + code)
				w.paused()
				functions, err = w.stepUntilRunning(4 * time.Second)
				if err == nil && !strings.Contains(functions, "other") {
					return
				}
			}
			t.Errorf("paused in %q, %v", functions, err)
		})
	}
}

// stepUntilRunning steps over the rest of the script, with a limit for each step, and returns the
// functions in which the steps ended.
func (w *bench) stepUntilRunning(limit time.Duration) (functions string, err error) {
	for {
		ctx, cancel := context.WithTimeout(w.ctx, limit)
		out, err := w.Step(ctx, debugger.StepOver)
		cancel()
		if err != nil || out.Pause == nil {
			return functions, err
		}
		functions += out.Pause.Function + " "
	}
}

// TestStepOverDialog checks that a step over a call that opens a dialog leaves the dialog to be
// answered, and pauses after it.
func TestStepOverDialog(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.start("(function ask() { debugger; alert('?'); document.title = 'asked' })()")
	w.paused()
	w.step(debugger.StepOver, "ask (code without an address):1")
	if out, err := w.Step(w.ctx, debugger.StepOver); err != nil || out.Pause != nil {
		t.Fatalf("to the dialog: %+v, %v", out, err)
	}
	if err := w.tab.Dialogs.Handle(w.ctx, true, ""); err != nil {
		t.Fatal(err)
	}
	has(t, w.paused().Text(10), "in ask — step", "document.title = 'asked'")
	w.resume()
}

// TestStepOverLastStatement checks that a step over the last statement ends when the page is idle,
// and a step over a long wait does not.
func TestStepOverLastStatement(t *testing.T) {
	t.Parallel()
	w := open(t, "/app")
	w.line("app.js", 75)
	if err := w.click("#go"); err == nil {
		t.Fatal("the click did not pause")
	}
	w.paused()
	w.step(debugger.StepOver, "onGo /js/app.js:76")
	out, err := w.Step(w.ctx, debugger.StepOver)
	if err != nil || out.Pause != nil {
		t.Fatalf("off the end: %+v, %v", out, err)
	}
	if err := w.click("#down"); err != nil {
		t.Errorf("the next click: %v", err)
	}
	w.start("(async function slow() {\n  debugger;\n  await new Promise(r => setTimeout(r, 700));\n  document.title = 'late';\n})()")
	w.paused()
	if out, err = w.Step(w.ctx, debugger.StepOver); err != nil || out.Pause == nil {
		t.Fatalf("to the wait: %+v, %v", out, err)
	}
	for out.Pause != nil {
		if out, err = w.Step(w.ctx, debugger.StepOver); err != nil {
			t.Fatal(err)
		}
	}
	p := w.paused()
	has(t, p.Text(10), "in slow — step", "document.title = 'late'")
	w.resume()
}

func BenchmarkPauseReport(b *testing.B) {
	w := open(b, "/app")
	w.line("app.js", 5)
	w.start("(function again() { add(2, 3); setTimeout(again, 0); })()")
	w.paused()
	for b.Loop() {
		out, err := w.Resume(w.ctx)
		if err != nil || out.Pause == nil {
			b.Fatalf("resume: %+v, %v", out, err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	w := open(b, "/app")
	w.start("debugger; for (let i = 0; ; i++) { total += i; }")
	w.paused()
	for b.Loop() {
		out, err := w.Step(w.ctx, debugger.StepOver)
		if err != nil || out.Pause == nil {
			b.Fatalf("step: %+v, %v", out, err)
		}
	}
	b.StopTimer()
	_ = w.Disable(w.ctx)
}
