package tools_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
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
	"popup":   `<button onclick="window.open('/moving')">Save</button><a href="/frames" target=_blank>New</a>`,
	"blank":   `<button onclick="open('/cover')">Save</button>`, // open is the document's here, and empties it
	"unload":  `<input aria-label=Name><button>Save</button><script>onbeforeunload=(e)=>{e.preventDefault();return 1}</script>`,
	"closing": `<button onclick="close()">Save</button><input aria-label=Name>`,
}

// hostileNames are the names of the pages in a fixed order.
var hostileNames = slices.Sorted(maps.Keys(hostilePages))

func serveHostilePages(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>Hostile</title>", hostilePages[strings.Trim(r.URL.Path, "/")]) // the client may have left
	}))
	t.Cleanup(server.Close)
	return server.URL
}
