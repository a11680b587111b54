package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/tooltest"
)

// TestProfileKeepsNoFormHistory sends forms from a profile that stays, and looks for what was typed in its database of
// forms: the browser would offer it to fields of the same name on other sites.
func TestProfileKeepsNoFormHistory(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, `<title>Form</title><form method=post><label>Search <input name=q></label><label>Mail <input name=email autocomplete=email></label>
<label>User <input name=user autocomplete=username></label><label>Password <input name=pw type=password></label><button>Send</button></form>`)
	}))
	t.Cleanup(site.Close)
	profile := filepath.Join(t.TempDir(), "profile")
	cs := tooltest.Dial(t, &mcp.CommandTransport{Command: command(t, "--state-dir", t.TempDir(), "--user-data-dir", profile)}, "2025-11-25")
	cs.Do(t, "navigate", map[string]any{"url": site.URL})
	for range 2 {
		res := cs.Do(t, "fill_form", map[string]any{"fields": []any{
			map[string]any{"query": "Search", "value": "typed-Zebra"}, map[string]any{"query": "Mail", "value": "typed-Zebra@example.com"},
			map[string]any{"query": "User", "value": "typed-Zebra"}, map[string]any{"query": "Password", "value": "typed-Zebra"}}, "submit": "Send"})
		if res.IsError {
			t.Fatal(res.Text)
		}
	}
	if err := cs.Close(); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"Web Data", "Web Data-journal", "Web Data-wal", "Login Data", "Login Data For Account"} {
		data, err := os.ReadFile(filepath.Join(profile, "Default", name))
		if err != nil && (name == "Web Data" || !os.IsNotExist(err)) {
			t.Error(err)
		}
		if strings.Contains(string(data), "Zebra") {
			t.Errorf("%s has what was typed", name)
		}
	}
}
