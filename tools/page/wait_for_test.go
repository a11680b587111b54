package page_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestWaitForConditions(t *testing.T) {
	t.Parallel()
	home, c := tooltest.ServeSite(t), tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/late.html"})
	c.Expect("interact", tooltest.Args{"query": "Load"}, "loaded")
	c.Expect("wait_for", tooltest.Args{"type": "selector", "value": "#later"}, "selector after")
	c.Expect("wait_for", tooltest.Args{"type": "text", "value": "arrived"}, "text after")
	c.Expect("wait_for", tooltest.Args{"type": "url_match", "value": "late.html"}, "url_match after")
	c.Expect("wait_for", tooltest.Args{"type": "function", "value": "document.title === 'Late'"}, "function after")
	c.Expect("wait_for", tooltest.Args{"type": "timeout", "value": "20"}, "timeout after")
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "navigation", "timeout": 200}, "there was none")
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "text_gone", "value": "arrived", "timeout": 100}, "arrived")
}

func TestWaitForTraffic(t *testing.T) {
	t.Parallel()
	c, _ := tooltest.OpenActingPage(t, toolkit.Options{})
	c.Expect("wait_for", tooltest.Args{"type": "navigation"}, "navigation after") // the page itself
	c.Expect("wait_for", tooltest.Args{"type": "network_idle"}, "network_idle after")
	c.Call("javascript_tool", tooltest.Args{"code": "fetch('/slow?ms=700').then(() => window.answered = true); 1"})
	c.Call("wait_for", tooltest.Args{"type": "network_idle"})
	c.Expect("javascript_tool", tooltest.Args{"code": "window.answered"}, "true")
	c.Call("interact", tooltest.Args{"query": "Toggle"})
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "navigation", "timeout": 600}, "there was none")
	c.Call("interact", tooltest.Args{"query": "Hover menu"}) // moves within the document
	c.Call("wait_for", tooltest.Args{"type": "navigation", "timeout": 30000})
	c.Call("interact", tooltest.Args{"query": "Toggle"})
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => location.href = '/second.html', 300); 1"})
	c.Call("wait_for", tooltest.Args{"type": "navigation", "timeout": 20000})
	if got := c.Call("javascript_tool", tooltest.Args{"code": "location.pathname"}); !strings.HasSuffix(got, "second.html") {
		t.Errorf("a navigation was waited for, and the page is %s", got)
	}
	c.Call("wait_for", tooltest.Args{"type": "navigation", "timeout": 30000}) // it has happened already
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "navigation", "value": "/nowhere", "timeout": 500})
}

// serveFramedSite is a page with a frame of another process, in which things come and go, some of
// them in a closed shadow tree.
func serveFramedSite(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/":
			_, port, _ := strings.Cut(r.Host, ":")
			fmt.Fprintf(w, `<!doctype html><title>Outside</title><link rel=icon href=data:,><h1>Outside</h1><button>Top</button><iframe src="http://localhost:%s/inner" width=600 height=300></iframe>`, port)
		case "/inner":
			fmt.Fprint(w, `<!doctype html><title>Inside</title><h2>Inside</h2><p id=going>Going away</p><button>Inner button</button>
<label>Inner field <input></label><p role=alert>Inner trouble</p><div id=host></div><script>
const root = host.attachShadow({mode: 'closed'});
root.innerHTML = '<p>Closed words</p><button id=deep>Deep button</button><h3>Deep heading</h3>';
setTimeout(() => { going.remove(); root.querySelector('p').textContent = 'Later words'; root.append(Object.assign(document.createElement('em'), {id: 'later', textContent: 'x'})); }, 1500);
</script>`)
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func TestWaitForInFramesAndClosedShadowRoots(t *testing.T) {
	t.Parallel()
	home, c := serveFramedSite(t), tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": home})
	for _, in := range []tooltest.Args{
		{"type": "text", "value": "Inner trouble"}, {"type": "selector", "value": "#deep", "visible": true}, {"type": "text", "value": "Later words"},
		{"type": "selector", "value": "#later"}, {"type": "text_gone", "value": "Going away"}, {"type": "text_gone", "value": "Closed words"},
		{"type": "selector_hidden", "value": "#going"},
	} {
		in["timeout"] = 20000
		c.Expect("wait_for", in, " after ")
	}
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "text_gone", "value": "Later words", "timeout": 2000}, "still there")
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "selector_hidden", "value": "#deep", "timeout": 2000}, "1 matching")
	c.Expect("inspect", tooltest.Args{"query": "headings, fields, errors and buttons"}, `1 "Outside"`, `2 "Inside"`, `3 "Deep heading"`, `"Inner field"`, "Inner trouble", `"Top"`, `"Inner button"`, `"Deep button"`)
	c.Expect("interact", tooltest.Args{"ref": tooltest.Ref(t, c.Call("inspect", tooltest.Args{"query": "buttons"}), `"Deep button"`)}, "Deep button")
}

// A short text is waited for as whole words, not as letters within them.
func TestWaitForShortWords(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html;charset=utf-8,<p>Small, Medium; Street: 120 × 3</p><b>XL</b><p>Stock (ok)</p>"})
	for _, value := range []string{"M", "tree", "12", "ed", "Sma", "o"} {
		c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "ref_or_text", "value": value, "timeout": 300}, "for the text")
	}
	for _, value := range []string{"xl", "120", "×", "ok", "3"} {
		c.Expect("wait_for", tooltest.Args{"type": "ref_or_text", "value": value}, "text after")
	}
	c.Expect("wait_for", tooltest.Args{"type": "text", "value": "M"}, "text after")
	c.Expect("wait_for", tooltest.Args{"type": "ref_or_text", "value": "Street: 1"}, "text after")
}

// Words that no text of the page has are waited for as the element that they name elsewhere.
func TestWaitForWordsThatNameAnElement(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": "data:text/html,<article><h3>Ann</h3><button>Delete</button></article><div id=o></div><script>" +
		"setTimeout(()=>{o.innerHTML='<article><h3>Bob</h3><button>Delete</button><button aria-label=Close>x</button></article>'},300)</script>"})
	for _, in := range [][2]string{ // the first has to wait: a text that comes between two looks at the page may be found as an element
		{"Delete for Bob", "element"}, {"Bob > Delete", "element"}, {"Close button", "element"}, {"Bob", "text"}, {"Delete", "text"},
	} {
		c.Expect("wait_for", tooltest.Args{"type": "ref_or_text", "value": in[0]}, in[1]+" after")
	}
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "ref_or_text", "value": "Delete for Carl", "timeout": 400}, "the text is not there")
	c.ExpectRefusal("TIMEOUT", "wait_for", tooltest.Args{"type": "ref_or_text", "value": "× button", "timeout": 400}, "the text is not there")
}
