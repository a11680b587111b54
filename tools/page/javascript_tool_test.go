package page_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestScriptResults(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/"})
	c.Expect("javascript_tool", tooltest.Args{"code": "1+1"}, "2")
	c.Expect("javascript_tool", tooltest.Args{"code": "const r = await fetch('/second.html'); (await r.text()).includes('You made it')"}, "true")
	c.ExpectRefusal("SCRIPT_FAILED", "javascript_tool", tooltest.Args{"code": "nothing.here"}, "ReferenceError")
	c.ExpectRefusal("TIMEOUT", "javascript_tool", tooltest.Args{"code": "new Promise(() => {})", "timeout": 100}, "within 100 ms")
	long := c.Call("javascript_tool", tooltest.Args{"code": "'é'.repeat(40000)"})
	if len(long) > 50200 || !strings.Contains(long, "[cut:") {
		t.Errorf("a long answer has %d bytes and ends in %q", len(long), long[len(long)-80:])
	}
}

func TestScriptWithElements(t *testing.T) {
	t.Parallel()
	c, page := tooltest.OpenActingPage(t, toolkit.Options{})
	name, toggle := tooltest.Ref(t, page, `textbox "Name"`), tooltest.Ref(t, page, `"Toggle"`)
	c.Expect("javascript_tool", tooltest.Args{"code": "els.map(e => e.tagName).join()", "refs": []string{name, toggle}}, "INPUT,BUTTON")
	c.Expect("javascript_tool", tooltest.Args{"code": "els[0].value = 'set'; return await Promise.resolve(els[0] === form.elements.name)", "refs": []string{name}}, "true")
	c.ExpectRefusal("SCRIPT_FAILED", "javascript_tool", tooltest.Args{"code": "els[0].nothing()", "refs": []string{name}}, "not a function")
	c.ExpectRefusal("NOT_FOUND", "javascript_tool", tooltest.Args{"code": "1", "refs": []string{"e99999"}})
	if got := c.Call("javascript_tool", tooltest.Args{"code": "'x'.repeat(200000)"}); len(got) > 51000 {
		t.Errorf("an answer of %d bytes", len(got))
	}
	c.Call("javascript_tool", tooltest.Args{"code": "document.querySelector('#form input').remove()"})
	c.ExpectRefusal("STALE_REF", "javascript_tool", tooltest.Args{"code": "1", "refs": []string{name}})
}

func TestNoEvaluate(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{DisableSurfaces: []string{toolset.SurfaceEvaluate}})
	for tool, a := range map[string]tooltest.Args{"javascript_tool": {"code": "1"}, "debugger_evaluate_on_call_frame": {"expression": "1"}} {
		c.ExpectRefusal("TOOL_DISABLED", tool, a, "--no-evaluate")
	}
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if tool.Name == "javascript_tool" {
			t.Error("javascript_tool is listed")
		}
	}
	c.ExpectRefusal("POLICY_DENIED", "wait_for", tooltest.Args{"type": "function", "value": "true"}, "no-evaluate")
	c.Call("wait_for", tooltest.Args{"type": "text", "value": "Sticky head"})
}

func TestScriptTimeoutOfAStuckPage(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/stuck"})
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => { while (true); }, 0); 1"})
	for tool, a := range map[string]tooltest.Args{
		"javascript_tool": {"code": "1", "timeout": 700},
		"wait_for":        {"type": "text", "value": "Stuck", "timeout": 700},
	} {
		c.ExpectRefusal("TIMEOUT", tool, a)
	}
	c.Expect("navigate", tooltest.Args{"url": home + "/second"}, "Second", "200")
	c.Expect("read_page", nil, "Second")
	c.ExpectRefusal("TIMEOUT", "javascript_tool", tooltest.Args{"code": "while (true);", "timeout": 500}, "within 500 ms")
	c.Expect("javascript_tool", tooltest.Args{"code": "1+1"}, "2")
}
