package evaluate_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/browser/browsertest"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/powertest"
)

var site *browsertest.Site

func TestMain(m *testing.M) {
	browsertest.Main(m, &site, map[string]string{
		"/a":    `<!doctype html><title>A</title><h1 id=top>a</h1><a id=blank target=_blank href=/b>b</a><button>ask</button>`,
		"/b":    `<!doctype html><title>B</title>b`,
		"/json": `{"a":1}`,
	})
}

// js evaluates code and fails the test if that fails.
func js(t testing.TB, tab evaluate.Tab, code string) evaluate.Value {
	t.Helper()
	v, err := evaluate.Run(browsertest.Deadline(t, time.Minute), tab, powertest.Script, code)
	if err != nil {
		t.Fatalf("evaluate %s: %v", code, err)
	}
	return v
}

func TestEvaluate(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	tests := []struct{ code, kind, want string }{
		{`1+1`, "number", `2`},
		{`"a\n" + 'b'`, "string", `"a\nb"`},
		{`undefined`, "undefined", `null`},
		{`null`, "null", `null`},
		{`NaN`, "number", `"NaN"`},
		{`-Infinity`, "number", `"-Infinity"`},
		{`-0`, "number", `0`},
		{`10n ** 20n`, "bigint", `"100000000000000000000n"`},
		{`Symbol('x')`, "symbol", `"Symbol(x)"`},
		{`document.getElementById('top')`, "node", `"<h1 id=top>"`},
		{`document.querySelectorAll('h1, a')`, "array", `["<h1 id=top>","<a id=blank target=_blank href=/b>"]`},
		{`(function f() {})`, "function", `"[Function: f]"`},
		{`x => x`, "function", `"[Function: anonymous]"`},
		{`{a: 1, b: undefined, c: [undefined, NaN, 1n, () => 1]}`, "object", `{"a":1,"c":[null,"NaN","1n","[Function: anonymous]"]}`},
		{`{let y = 3; y}`, "number", `3`},
		{`new Map([['a', 1], ['b', new Set([1, 2])]])`, "map", `{"a":1,"b":[1,2]}`},
		{`new Map([[1, 2]])`, "map", `[[1,2]]`},
		{`const o = {n: 1}; o.self = o; o`, "object", `{"n":1,"self":"[Circular]"}`},
		{`const o = [{}]; o[1] = o[0]; o`, "array", `[{},{}]`},
		{`new Date(0)`, "date", `"1970-01-01T00:00:00.000Z"`},
		{`/x/g`, "regexp", `"/x/g"`},
		{`new TypeError('t')`, "error", `"TypeError: t"`},
		{`new Uint8Array([1, 2])`, "typedarray", `[1,2]`},
		{`({get bad() { throw new Error('no') }, ok: 1})`, "object", `{"bad":"[Threw: Error: no]","ok":1}`},
		{`new DOMRect(1, 2, 3, 4)`, "object", `{"x":1,"y":2,"width":3,"height":4,"top":2,"right":4,"bottom":6,"left":1}`},
		{`({w: window, d: document})`, "object", `{"w":"[Window ` + site.URL + `/a]","d":"#document ` + site.URL + `/a"}`},
		{`({__proto__: null, ['__proto__']: 1})`, "object", `{"__proto__":1}`},
		{`Promise.resolve({a: 1})`, "object", `{"a":1}`},
		{`fetch('/json').then(r => r.json())`, "object", `{"a":1}`},
		{`await Promise.resolve(7)`, "number", `7`},
		{`const r = await fetch('/json'); (await r.json()).a`, "number", `1`},
		{`return 3`, "number", `3`},
		{`const q = await 4; if (q) { return {q} }`, "object", `{"q":4}`},
		{`let z = 5; z`, "number", `5`},
		{`let z = 6; z`, "number", `6`},
		{``, "undefined", `null`},
		{`// only a comment`, "undefined", `null`},
	}
	for _, test := range tests {
		v, err := evaluate.Run(browsertest.Deadline(t, time.Minute), tab, powertest.Script, test.code)
		if err != nil {
			t.Errorf("%s: %v", test.code, err)
			continue
		}
		if diff := cmp.Diff([]string{test.kind, test.want}, []string{v.Type, string(v.JSON)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.code, diff)
		}
	}
}

// TestEvaluateHostilePage: a page that replaced the usual built-ins gets the same results.
func TestEvaluateHostilePage(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	js(t, tab, `JSON.stringify = () => 'no'; Array.prototype.toJSON = () => 'no'; Array.prototype.map = null; Array.prototype.push = null; 0`)
	if got := js(t, tab, `({a: [1, {b: 2}]})`).Text(); got != `{"a":[1,{"b":2}]}` {
		t.Errorf("got %s", got)
	}
}

func TestEvaluateLimits(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	v := js(t, tab, `let deep = {}; for (let i = 0, d = deep; i < 100; i++) d = d.d = {}; deep`)
	if !v.Truncated || !strings.Contains(string(v.JSON), "[Object]") {
		t.Errorf("deep: %v %s", v.Truncated, v.JSON)
	}
	if v := js(t, tab, `Array(60000).fill(0)`); !v.Truncated || len(v.JSON) > 110_000 {
		t.Errorf("wide: %v, %d bytes", v.Truncated, len(v.JSON))
	}
	if v := js(t, tab, `({a: 1})`); v.Truncated {
		t.Error("small: truncated")
	}
}

func TestValueText(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "")
	for code, want := range map[string]string{`'a'`: "a", `[1]`: "[1]", `undefined`: "undefined", `null`: "null", `NaN`: "NaN"} {
		if got := js(t, tab, code).Text(); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
}

func TestScriptErrors(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	tests := []struct {
		code string
		want evaluate.ScriptError
	}{
		{"let i = 0;\nthrow new Error('boo')", evaluate.ScriptError{Text: "Error: boo", Line: 2, Column: 7}},
		{"function f() {\n  null.x\n}\n\nf()", evaluate.ScriptError{Text: "TypeError: Cannot read properties of null (reading 'x')", Line: 2, Column: 8}},
		{"if (true) {\n  return missing\n}", evaluate.ScriptError{Text: "ReferenceError: missing is not defined", Line: 2, Column: 3}},
		{"Promise.reject(new RangeError('far'))", evaluate.ScriptError{Text: "RangeError: far", Line: 1, Column: 16}},
		{"throw 5", evaluate.ScriptError{Text: "5", Line: 1, Column: 1}},
		{"throw {a: 1}", evaluate.ScriptError{Text: "Object", Line: 1, Column: 1}},
		{"Promise.reject('text')", evaluate.ScriptError{Text: "text", Line: 1, Column: 1}},
		{"1 +\n+ }", evaluate.ScriptError{Text: "SyntaxError: Unexpected token '}'", Line: 2, Column: 3}},
		{"JSON.parse('{')", evaluate.ScriptError{Text: "SyntaxError: Expected property name or '}' in JSON at position 1 (line 1 column 2)", Line: 1, Column: 6}},
		{"throw new Error('two\\nlines')", evaluate.ScriptError{Text: "Error: two\nlines", Line: 1, Column: 7}},
	}
	for _, test := range tests {
		_, err := evaluate.Run(browsertest.Deadline(t, time.Minute), tab, powertest.Script, test.code)
		var thrown *evaluate.ScriptError
		if !errors.As(err, &thrown) {
			t.Errorf("%s: %v", test.code, err)
			continue
		}
		got := *thrown
		got.Stack = ""
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.code, diff)
		}
	}
}

func TestEvaluateDeadline(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	for _, code := range []string{`for (;;) {}`, `new Promise(() => {})`} {
		_, err := evaluate.Run(browsertest.Deadline(t, 600*time.Millisecond), tab, powertest.Script, code)
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", code, err)
		}
		if got := js(t, tab, `2`).Text(); got != "2" {
			t.Errorf("%s: the page is not usable: %s", code, got)
		}
	}
	var button document.ElementInfo
	err := tab.Do(browsertest.Deadline(t, time.Minute), func(ctx context.Context, p *page.Page) (err error) {
		button, err = p.Locate.ElementAt(ctx, "button", 0)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate.RunOn(browsertest.Deadline(t, 600*time.Millisecond), tab, powertest.Script, `for (;;) {}`, []string{button.Ref}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("on an element: %v", err)
	}
	if got := js(t, tab, `2`).Text(); got != "2" {
		t.Errorf("on an element: the page is not usable: %s", got)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := evaluate.Run(cancelled, tab, powertest.Script, `1`); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled call: %v", err)
	}
}

func TestEvaluateNavigatesAway(t *testing.T) {
	t.Parallel()
	tab := site.Open(t, "/a")
	_, err := evaluate.Run(browsertest.Deadline(t, time.Minute), tab, powertest.Script, `location.href = '/b'; new Promise(() => {})`)
	if !errors.Is(err, evaluate.ErrNavigated) {
		t.Errorf("got %v", err)
	}
	for ctx := browsertest.Deadline(t, time.Minute); tab.URL() != site.URL+"/b"; {
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			t.Fatal("the page never arrives")
		}
	}
}
