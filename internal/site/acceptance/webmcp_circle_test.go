package acceptance_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/site/source"
	"github.com/callsheet/callsheet/internal/site/webmcpjs"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestCircle calls the tools of a generated script through this server's own client of WebMCP: a site
// becomes a script, the script tools of the page, and these tools of an agent.
func TestCircle(t *testing.T) {
	if os.Getenv("CALLSHEET_SITES") == "" {
		t.Skip("make site-acceptance runs this")
	}
	s, diags, err := source.Load("../../../examples/sites/wiki")
	if err != nil || diags.HasErrors() {
		t.Fatal(err, diags)
	}
	script, _, err := webmcpjs.Emit(s)
	if err != nil {
		t.Fatal(err)
	}
	proxy := StartProxy(t, StartWiki(t).URL)
	proxy.Use(func(_, _, body string) string {
		return strings.Replace(body, "</body>", "<script>"+string(script)+"</script></body>", 1)
	})
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(policy, []byte("version: 1\ndecisions:\n  - {power: webmcp, decision: allow}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := tooltest.NewOwnServer(t, app.Config{Policy: policy, Surface: toolkit.Options{OptIn: []string{"webmcp"}}}).Connect(t.Name(), "", nil)
	c.Call("navigate", tooltest.Args{"url": proxy.URL + "/"})
	handle := func(name string) string {
		found := ""
		tooltest.Eventually(t, "the page offers "+name, func() bool {
			for line := range strings.Lines(c.Call("page_tool", nil)) {
				if rest, ok := strings.CutPrefix(line, "handle "+name+"#"); ok {
					found = name + "#" + strings.Fields(rest)[0]
				}
			}
			return found != ""
		})
		return found
	}
	call := func(name string, args map[string]any) string {
		return tooltest.Text(c.Do("page_tool", tooltest.Args{"action": "call", "handle": handle(name), "arguments": args}))
	}
	for _, x := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"read_note", map[string]any{"title": "Lamp"}, "shines with 25 candles"},
		{"create_note", map[string]any{"title": "Toaster", "text": "The toaster browns."}, "done"},
		{"tag_note", map[string]any{"title": "Toaster", "tag": "Device"}, "done"},
		{"read_note", map[string]any{"title": "Toaster"}, "Device"},
	} {
		if got := call(x.tool, x.args); !strings.Contains(got, x.want) {
			t.Errorf("%s %v gives %s, want %q", x.tool, x.args, got, x.want)
		}
	}
}
