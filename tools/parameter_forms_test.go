package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// serveForm serves a page with a form, a list that scrolls, and a place to drop things on.
func serveForm(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><title>Form</title><style>#list{height:50px;overflow:auto} .box{width:60px;height:60px}</style>
<label>Name <input id=name></label> <label>Age <input id=age></label>
<div id=list><p style="height:900px">long</p></div>
<div id=from class=box>from</div><div id=to class=box>to</div><p id=out role=status></p>
<script>
document.getElementById('from').onmousedown = () => { document.getElementById('to').onmouseup = () => { out.textContent = 'dropped'; }; };
</script>`)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// Parameters that no list shows do what they say.
func TestUnlistedParametersOfActions(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": serveForm(t)})
	c.Expect("fill_form", tooltest.Args{"fields": tooltest.Args{"Name": "Ada", "Age": 36}}, "set 2 of 2 fields")
	c.ExpectScript("document.getElementById('name').value + document.getElementById('age').value", "Ada36")
	c.ExpectRefusal("NOT_FOUND", "fill_form", tooltest.Args{"fields": tooltest.Args{"Shoe size": "44"}, "waitForMs": 0}, "Shoe size")
	c.Call("drag_drop", tooltest.Args{"sourceSelector": "#from", "targetSelector": "#to"})
	c.ExpectScript("document.getElementById('out').textContent", "dropped")
	c.Call("navigate", tooltest.Args{"url": serveForm(t)})
	c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"sourceSelector": "#from", "targetX": 1}, "two coordinates")
	at := c.Call("javascript_tool", tooltest.Args{"code": "['from', 'to'].map(id => { const b = document.getElementById(id).getBoundingClientRect(); return b.y + 30; }).join(' ')"})
	var from, to float64
	if _, err := fmt.Sscan(at, &from, &to); err != nil {
		t.Fatalf("%q: %v", at, err)
	}
	c.Call("drag_drop", tooltest.Args{"sourceX": 40, "sourceY": from, "targetX": 40, "targetY": to})
	c.ExpectScript("document.getElementById('out').textContent", "dropped")
	c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"sourceSelector": "#from", "ref": "e1", "targetSelector": "#to"}, "exactly one of")
	c.ExpectRefusal("NOT_FOUND", "drag_drop", tooltest.Args{"sourceSelector": "#nothing", "targetSelector": "#to"}, "#nothing")
	c.Call("lightweight_scroll", tooltest.Args{"direction": "down", "amount": 100, "selector": "#list p"})
	c.ExpectScript("document.getElementById('list').scrollTop", "100")
	c.ExpectRefusal("TIMEOUT", "act", tooltest.Args{"steps": []any{tooltest.Args{"action": "wait", "value": "20000"}}, "timeout": 1000}, "1000 ms")

	full, interactive := c.Call("read_page", nil), c.Call("read_page", tooltest.Args{"filter": "interactive"})
	if !strings.Contains(full, "dropped") || strings.Contains(interactive, "dropped") || !strings.Contains(interactive, "Name") {
		t.Errorf("all: %s\ninteractive: %s", full, interactive)
	}
	if delta := c.Call("read_page", tooltest.Args{"compression": "delta"}); strings.Contains(delta, "dropped") {
		t.Errorf("nothing has changed, and the answer is %s", delta)
	}
}

// Cookies take their attributes one by one, and as in a header.
func TestCookieAttributeParameters(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": serveForm(t)})
	c.Call("cookies", tooltest.Args{"action": "set", "name": "a", "value": "1", "path": "/x", "httpOnly": true, "sameSite": "Strict", "expires": 4102444800})
	c.Call("navigate", tooltest.Args{"url": serveForm(t) + "/x/y"})
	c.Expect("cookies", tooltest.Args{"action": "get", "name": "a"}, "a=1", "Path=/x", "HttpOnly", "SameSite=Strict", "Expires=20") // the browser keeps a cookie for 400 days at most
	c.ExpectRefusal("INVALID_ARGUMENTS", "cookies", tooltest.Args{"action": "set", "name": "a", "value": "1", "sameSite": "Loose"}, "/sameSite")
}

// Older names and objects of tools of every kind answer as the present ones do.
func TestFormsOfParameters(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	tab := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": serveForm(t)}))
	c.Expect("oc_assert", tooltest.Args{"contract": tooltest.Args{"dom_text": "from"}}, "pass")
	c.Call("oc_checkpoint", tooltest.Args{"action": "save", "taskDescription": "a task", "extractedData": tooltest.Args{"found": 3}})
	c.Expect("oc_checkpoint", tooltest.Args{"action": "load"}, "found", "3")
	c.Expect("emulate_device", tooltest.Args{"width": 300, "height": 400, "deviceScaleFactor": 2, "isMobile": true, "hasTouch": true}, "300")
	c.Call("emulate_device", tooltest.Args{"preset": "iphone-14", "userAgent": "Mozilla/5.0 (Test) Phone/1"})
	c.ExpectScript("navigator.userAgent", "Mozilla/5.0 (Test) Phone/1")
	c.Call("request_intercept", tooltest.Args{"action": "add", "do": "block", "pattern": "*/x"})
	c.ExpectRefusal("NOT_FOUND", "request_intercept", tooltest.Args{"action": "remove", "ruleId": "r99"}, "r99")
	c.ExpectRefusal("INVALID_ARGUMENTS", "request_intercept", tooltest.Args{"action": "add", "rule": tooltest.Args{"pattern": "*"}}, `"/rule"`, "pattern, do")
	c.Call("performance_metrics", tooltest.Args{"includeResources": true})
	c.ExpectRefusal("FAILED", "oc_devtools_url", tooltest.Args{"targetId": tab}, "tab "+tab)
	c.Call("network_capture_full", tooltest.Args{"action": "get", "limit": 1})
	c.Call("worker", tooltest.Args{"action": "create", "id": "second"})
	c.Call("worker", tooltest.Args{"action": "delete", "workerId": "second"})
	c.ExpectRefusal("INVALID_ARGUMENTS", "worker", tooltest.Args{"action": "create", "id": "a", "name": "b"}, "give one")
	c.ExpectRefusal("INVALID_ARGUMENTS", "batch_execute", tooltest.Args{"tasks": []any{tooltest.Args{"script": "1", "workerId": "w"}}}, `"/tasks/0/workerId"`, "tabs_context")
}
