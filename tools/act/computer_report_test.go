package act_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// openHTML shows a page and returns its reading.
func openHTML(t *testing.T, html string) (tooltest.Client, string) {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, html)
	}))
	t.Cleanup(srv.Close)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": srv.URL})
	return c, c.Call("read_page", nil)
}

const reportPage = `<!doctype html><title>Report</title><label>Name <input></label><button>Save</button>
<div contenteditable aria-label=Note style="width:300px;height:60px;border:1px solid"></div>
<div id=box tabindex=0 style="width:200px;height:80px;overflow:auto"><p style="height:300px">Inner</p></div>
<div id=held style="width:200px;height:80px;overflow:auto" onwheel="event.preventDefault()"><p style="height:300px">Held</p></div>`

// TestComputerReportsWhatHappened has no word about what did not happen.
func TestComputerReportsWhatHappened(t *testing.T) {
	t.Parallel()
	c, reading := openHTML(t, reportPage)
	name, save, note := tooltest.Ref(t, reading, `"Name"`), tooltest.Ref(t, reading, `"Save"`), tooltest.Ref(t, reading, `"Note"`)
	is := func(want string, args tooltest.Args) {
		t.Helper()
		if got := c.Call("computer", args); got != want {
			t.Errorf("computer %v says %q, want %q", args, got, want)
		}
	}
	is(`clicked textbox "Name" [`+name+`]`, tooltest.Args{"action": "left_click", "ref": name})
	is(`typed in textbox "Name" [`+name+`] = "Ada"`, tooltest.Args{"action": "type", "text": "Ada"})
	is(`pressed Control+a Delete in textbox "Name" [`+name+`]`, tooltest.Args{"action": "key", "text": "Control+a Delete"})
	is(`clicked button "Save" [`+save+`]`, tooltest.Args{"action": "left_click", "ref": save})
	c.Call("computer", tooltest.Args{"action": "left_click", "ref": note})
	if got := c.Call("computer", tooltest.Args{"action": "type", "text": "Hello"}); strings.Count(got, "Hello") != 1 || strings.Count(got, "\n") != 0 {
		t.Errorf("typing into an editor says %q", got)
	}
	is("nothing scrolled up", tooltest.Args{"action": "scroll", "scroll_direction": "up"})
	box := tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": "#box"}), "[e")
	if got := c.Call("computer", tooltest.Args{"action": "scroll", "ref": box, "scroll_amount": 5}); !strings.HasPrefix(got, "scrolled ") {
		t.Errorf("an inner scroll says %q", got)
	}
	if got := c.Call("computer", tooltest.Args{"action": "scroll", "ref": box, "scroll_amount": 5}); !strings.HasPrefix(got, "nothing scrolled down in ") {
		t.Errorf("a scroll at the end says %q", got)
	}
	held := tooltest.Ref(t, c.Call("query_dom", tooltest.Args{"method": "css", "selector": "#held"}), "[e")
	if got := c.Call("computer", tooltest.Args{"action": "scroll", "ref": held}); !strings.HasPrefix(got, "nothing scrolled down in ") {
		t.Errorf("a wheel that the page keeps says %q", got)
	}
	if got := c.Call("computer", tooltest.Args{"action": "scroll_to", "ref": save}); !strings.HasPrefix(got, "in view already: button") {
		t.Errorf("scrolling to what is in view says %q", got)
	}
}

// TestComputerRefusesPointsOutsideTheViewport names the call that brings them into view.
func TestComputerRefusesPointsOutsideTheViewport(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<!doctype html><body onclick="document.title = 'clicked'" style="height:5000px">Tall`)
	for point, next := range map[[2]int]string{
		{10, 4000}: `computer {\"action\":\"scroll\",\"scroll_direction\":\"down\"}`, {-5, 10}: `computer {\"action\":\"scroll\",\"scroll_direction\":\"left\"}`,
	} {
		for _, action := range []string{"left_click", "hover", "scroll"} {
			c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": action, "coordinate": point}, "outside the viewport", next)
		}
		c.ExpectRefusal("INVALID_ARGUMENTS", "drag_drop", tooltest.Args{"start": point, "end": []int{50, 50}}, "outside the viewport", next)
	}
	c.Expect("javascript_tool", tooltest.Args{"code": "document.title + scrollY"}, "0")
}

// A scroll says how far it went, where that is and how much there is, of what moved: the page, a container, a frame.
func TestScrollSaysWhereItIs(t *testing.T) {
	t.Parallel()
	c, _ := openHTML(t, `<!doctype html><body style="margin:0"><div style="height:1500000px">
<div id=box style="width:200px;height:80px;overflow:auto"><p style="margin:0;height:900px;width:3000px">Inner</p></div><canvas id=map style="display:block;width:300px;height:100px"></canvas>
<iframe srcdoc="<body style='margin:0'><p style='margin:0;height:4000px'>Framed" style="display:block;border:0;width:300px;height:150px"></iframe></div>`)
	canvas := `document.getElementById('map').addEventListener('wheel', e => { e.preventDefault(); document.title = 'zoomed' }, {passive: false}); 1`
	c.Call("javascript_tool", tooltest.Args{"code": canvas})
	for _, step := range []struct {
		args tooltest.Args
		want string
	}{
		{tooltest.Args{"coordinate": []int{600, 400}, "scroll_amount": 5}, "scrolled 500 px down, now 500 of 1,500,000 px"},
		{tooltest.Args{"coordinate": []int{600, 400}, "scroll_amount": 2, "scroll_direction": "up"}, "scrolled 200 px up, now 300 of 1,500,000 px"},
		{tooltest.Args{"coordinate": []int{600, 400}, "scroll_amount": 100, "scroll_direction": "up"}, "scrolled 300 px up, now 0 of 1,500,000 px"},
		{tooltest.Args{"coordinate": []int{600, 400}, "scroll_direction": "up"}, "nothing scrolled up"},
		{tooltest.Args{"coordinate": []int{100, 40}, "scroll_amount": 1}, "scrolled 100 px down, now 100 of 900 px"},
		{tooltest.Args{"coordinate": []int{100, 40}, "scroll_amount": 2, "scroll_direction": "right"}, "scrolled 200 px right, now 200 of 3,000 px"},
		{tooltest.Args{"coordinate": []int{100, 240}, "scroll_amount": 1}, "scrolled 100 px down, now 100 of 4,000 px"},
		{tooltest.Args{"coordinate": []int{100, 120}, "scroll_amount": 1}, "wheel sent"},
	} {
		step.args["action"] = "scroll"
		if got := c.Call("computer", step.args); !strings.HasPrefix(got, step.want) || strings.Contains(got, "scrolled to ") {
			t.Errorf("computer %v says %q, want %q", step.args, got, step.want)
		}
	}
	c.Expect("act", tooltest.Args{"steps": []tooltest.Args{{"action": "scroll", "value": "down"}, {"action": "scroll", "value": "up"}, {"action": "scroll", "value": "up"}}},
		"1. scrolled 600 px down, now 600 of 1,500,000 px", "2. scrolled 600 px up, now 0 of 1,500,000 px", "3. nothing scrolled up")
	c.Expect("lightweight_scroll", tooltest.Args{"direction": "down", "amount": 250}, "at 0,250 of", "scrolled 250 px down, now 250 of 1,500,000 px")
}
