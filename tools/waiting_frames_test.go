package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// framedSite is a page with a frame of another process, in which things come and go, some of them in a closed shadow tree.
func framedSite(t *testing.T) string {
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

func TestWaitsAndInspectionsReachIntoFramesAndClosedTrees(t *testing.T) {
	t.Parallel()
	home, c := framedSite(t), connect(t, toolkit.Options{AllTools: true})
	c.call("navigate", args{"url": home})
	for _, in := range []args{
		{"type": "text", "value": "Inner trouble"}, {"type": "selector", "value": "#deep", "visible": true}, {"type": "text", "value": "Later words"},
		{"type": "selector", "value": "#later"}, {"type": "text_gone", "value": "Going away"}, {"type": "text_gone", "value": "Closed words"},
		{"type": "selector_hidden", "value": "#going"},
	} {
		in["timeout"] = 20000
		c.says("wait_for", in, " after ")
	}
	c.refused("TIMEOUT", "wait_for", args{"type": "text_gone", "value": "Later words", "timeout": 700}, "still there")
	c.refused("TIMEOUT", "wait_for", args{"type": "selector_hidden", "value": "#deep", "timeout": 700}, "1 matching")
	c.says("inspect", args{"query": "headings, fields, errors and buttons"}, `1 "Outside"`, `2 "Inside"`, `3 "Deep heading"`, `"Inner field"`, "Inner trouble", `"Top"`, `"Inner button"`, `"Deep button"`)
	c.says("interact", args{"ref": refOf(t, c.call("inspect", args{"query": "buttons"}), `"Deep button"`)}, "Deep button")
}
