package acceptance_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/webmcpjs"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// page is a wiki whose owner has put the generated script into its page.
type page struct {
	tooltest.Client
	t     *testing.T
	proxy *Proxy
}

// openWiki starts a wiki with the script, and opens it in a browser with WebMCP. change, unless nil,
// changes the page beside.
func openWiki(t *testing.T, change Rewrite) *page {
	t.Helper()
	s, diags, err := source.Load("../../../examples/sites/wiki")
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	script, _, err := webmcpjs.Emit(s)
	if err != nil {
		t.Fatal(err)
	}
	proxy := StartProxy(t, StartWiki(t).URL)
	proxy.Use(func(path, kind, body string) string {
		if change != nil {
			body = change(path, kind, body)
		}
		return strings.Replace(body, "</body>", "<script>"+string(script)+"</script></body>", 1)
	})
	server := tooltest.NewOwnServer(t, app.Config{Browser: browser.Config{Args: []string{"--enable-features=WebMCP"}}})
	p := &page{server.Connect(t.Name(), "", nil), t, proxy}
	p.Call("navigate", tooltest.Args{"url": proxy.URL + "/"})
	tooltest.NeedWebMCP(t, p.Call("javascript_tool", tooltest.Args{"code": "typeof document.modelContext"}))
	return p
}

// find waits until the page offers a tool, or no longer does.
const find = `const find = async (name, wanted) => {
	for (;;) {
		const tool = (await document.modelContext.getTools()).find((t) => t.name === name);
		if (!!tool === wanted) return tool;
		await new Promise((resume) => document.modelContext.addEventListener('toolchange', resume, { once: true }));
	}
};`

// invoke calls a tool of the page as its own agent would, and returns the answer or the error.
func (p *page) invoke(name string, args map[string]any) string {
	p.t.Helper()
	given, err := json.Marshal(args)
	if err != nil {
		p.t.Fatal(err)
	}
	return p.Call("javascript_tool", tooltest.Args{"timeout": 30000, "code": fmt.Sprintf(`(async () => {
		%s
		const tool = await find(%q, true);
		try { return JSON.stringify(await document.modelContext.executeTool(tool, %s)); } catch (e) { return 'refused: ' + e.message; }
	})()`, find, name, given)})
}

// absent waits until the page no longer offers a tool.
func (p *page) absent(name string) {
	p.t.Helper()
	p.ExpectScript(fmt.Sprintf("(async () => { %s await find(%q, false); return 'absent' })()", find, name), "absent")
}

// expect calls a tool whose answer must hold a text.
func (p *page) expect(name string, args map[string]any, want string) {
	p.t.Helper()
	if got := p.invoke(name, args); !strings.Contains(got, want) {
		p.t.Errorf("%s %v gives %s, want %q", name, args, got, want)
	}
}

// TestScriptRunsTools calls the tools of a generated script in the page of the wiki: they read, write
// and search, follow the condition of each, and refuse what the page does not have.
func TestScriptRunsTools(t *testing.T) {
	t.Parallel()
	p := openWiki(t, nil)
	p.expect("read_note", map[string]any{"title": "Lamp"}, "shines with 25 candles")
	p.expect("search_notes", map[string]any{"words": "candles"}, "Lamp")
	p.absent("discard_draft")
	p.expect("begin_note", map[string]any{}, "done")
	p.absent("begin_note")
	p.expect("discard_draft", map[string]any{}, "done")
	p.expect("create_note", map[string]any{"title": "Toaster", "text": "The toaster browns."}, "done")
	p.expect("tag_note", map[string]any{"title": "Toaster", "tag": "Device"}, "done")
	p.expect("read_note", map[string]any{"title": "Toaster"}, "The toaster browns.")
	p.expect("read_note", map[string]any{"title": "Toaster"}, "Device")
}

// TestScriptMeetsChanges runs the script in a redesigned page, and in one whose button means something
// else: there it refuses and changes nothing.
func TestScriptMeetsChanges(t *testing.T) {
	if os.Getenv("CALLSHEET_SITES") == "" {
		t.Skip("make site-acceptance runs this")
	}
	t.Parallel()
	p := openWiki(t, RedesignWiki)
	p.expect("edit_note", map[string]any{"title": "Plan", "text": "Buy a lamp."}, "done")
	p.expect("read_note", map[string]any{"title": "Plan"}, "Buy a lamp.")

	p = openWiki(t, func(_, _, body string) string {
		return strings.ReplaceAll(body, "Confirm changes to this tiddler", "Publish this tiddler to everyone")
	})
	p.expect("edit_note", map[string]any{"title": "Plan", "text": "Sell the lamp."}, "refused")
	p.ExpectScript("fetch('/recipes/default/tiddlers/Plan').then((r) => r.json()).then((j) => j.text)", "Repair the flicker")
}
