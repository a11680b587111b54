package acceptance_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/webmcpjs"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// framedTools are tools whose steps mean a button in the page, in frames, and in a frame of another origin; and one
// whose arguments stand in selectors and an address.
func framedTools() map[string]string {
	press := func(name, frame string) string {
		return "name: " + name + "\ntitle: Press\ndescription: Press the button.\nvisible: always\neffects: {read_only: false, destructive: false, idempotent: false, open_world: false}\n" +
			"steps:\n  - {tool: interact, target: {role: button, name: Press" + frame + "}}\n"
	}
	return map[string]string{
		"press_page": press("press_page", ""), "press_inner": press("press_inner", ", frame: /inner"), "press_moved": press("press_moved", ", frame: /old/inner"),
		"press_foreign": strings.Replace(press("press_foreign", ", frame: /foreign"), "Press,", "Foreign,", 1),
		"mark": `name: mark
title: Mark
description: Mark a product.
visible: on_start
effects: {read_only: false, destructive: false, idempotent: false, open_world: false}
input: {product: {type: string, required: true}, count: {type: integer, required: true}}
steps:
  - {tool: wait_for, args: {type: selector, value: "[data-product='{product}']"}}
  - {tool: interact, target: {role: button, name: "Mark {count}"}, when: {element: {css: "[data-product=\"{product}\"]"}, url: "/start/?q=*"}}
postcondition: {dom_text: {selector: "#out-{count}", equals: marked}}
`,
	}
}

// framedPage serves a page with the script of the tools, a frame of its own origin, and one of another.
func framedPage(t *testing.T) string {
	t.Helper()
	files := []spec.File{{Name: "shop/site.yaml", Data: []byte("version: 1\nname: shop\norigins: [https://shop.example]\nfacts:\n  on_start: {observe: {url: \"/st**?q=a\"}, event: true}\n")}}
	for name, text := range framedTools() {
		files = append(files, spec.File{Name: "shop/tools/" + name + ".yaml", Data: []byte(text)})
	}
	s, diags := source.Parse("shop", files)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	script, left, err := webmcpjs.Emit(s)
	if err != nil || len(left) > 0 {
		t.Fatal(err, left)
	}
	const button = `<button onclick="top.postMessage(location.pathname, '*')">%s</button>`
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/start/" {
			name := "Press"
			if r.URL.Path == "/foreign" {
				name = "Foreign"
			}
			_, _ = fmt.Fprintf(w, "<!doctype html><title>frame</title>"+button, name)
			return
		}
		_, port, _ := strings.Cut(r.Host, ":")
		_, _ = fmt.Fprintf(w, `<!doctype html><title>start</title><body>`+button+`<p data-product="it's &quot;7&quot;">product</p>
			<button onclick="document.getElementById('out-7').textContent = 'marked'">Mark 7</button><p id="out-7">none</p>
			<iframe src="/inner"></iframe><iframe src="http://localhost:%s/foreign"></iframe>
			<script>const pressed = []; addEventListener('message', (e) => pressed.push(e.data));</script><script>%s</script>`, "Press", port, script)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL + "/start/?q=a"
}

// TestScriptInFrames runs steps whose elements are in frames: each means the element of its frame, and a frame of
// another origin is refused. Values in selectors and addresses mean what they say.
func TestScriptInFrames(t *testing.T) {
	t.Parallel()
	server := tooltest.NewOwnServer(t, app.Config{Browser: browser.Config{Args: []string{"--enable-features=WebMCP"}}})
	p := &page{Client: server.Connect(t.Name(), "", nil), t: t}
	p.Call("navigate", tooltest.Args{"url": framedPage(t)})
	tooltest.NeedWebMCP(t, p.Call("javascript_tool", tooltest.Args{"code": "typeof document.modelContext"}))
	p.expect("press_page", map[string]any{}, "done")
	p.expect("press_inner", map[string]any{}, "done")
	p.expect("press_moved", map[string]any{}, "done")
	p.expect("press_foreign", map[string]any{}, "refused")
	p.ExpectScript("pressed.join()", "/start/,/inner,/inner")
	p.expect("mark", map[string]any{"product": `it's "7"`, "count": 7}, "done")
	p.ExpectScript("document.getElementById('out-7').textContent", "marked")
}
