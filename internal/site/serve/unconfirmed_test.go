package serve_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/site/serve"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestUnconfirmedToolsAreNotServed has tools of an imported document beside others, one of which names a secret.
func TestUnconfirmedToolsAreNotServed(t *testing.T) {
	t.Parallel()
	dir := source(t)
	root := filepath.Join(dir, "site.yaml")
	text, err := os.ReadFile(root)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		root: string(text) + "secrets: [GITHUB_TOKEN]\n",
		filepath.Join(dir, "tools", "send.yaml"): "name: send\ndescription: Send.\nconfirmed: false\nsteps:\n" +
			"  - request: {method: POST, path: /in, body: {github_token: \"{secret:GITHUB_TOKEN}\"}}\n",
		filepath.Join(dir, "tools", "look.yaml"): "name: look\ndescription: Look.\nconfirmed: false\nstart: /\n",
	}
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := connect(t, "", serve.Options{Dir: dir, Origin: club(t)})
	if got := names(t, c); !slices.Equal(got, []string{"enter", "list_members"}) {
		t.Errorf("the list is %v", got)
	}
	for _, tool := range []string{"send", "look"} {
		if _, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool}); err == nil || !strings.Contains(err.Error(), "unknown tool") {
			t.Errorf("%s is called: %v", tool, err)
		}
	}
	confirmed := filepath.Join(dir, "tools", "look.yaml")
	if err := os.WriteFile(confirmed, []byte("name: look\ndescription: Look.\nstart: /\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := names(t, connect(t, tooltest.SessionRevision, serve.Options{Dir: dir, Origin: club(t)})); !slices.Contains(got, "look") {
		t.Errorf("the list has no tool that a person has read: %v", got)
	}
}
