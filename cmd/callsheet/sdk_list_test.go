package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/proctest"
)

const listOncePage = `<!doctype html><title>First</title>
	<label>Name <input id=name></label> <label>Picture <input type=file></label>
	<button onclick="out.value = ++n">Count</button> <output id=out>0</output>
	<button onclick="out.value = confirm('Sure?') ? 'yes' : 'no'">Ask</button>
	<a href="/report" download>Report</a><script>let n = 0</script>`

// TestAClientThatListsOnceDoesItsWork has the TypeScript SDK fetch the list before the first call, and never again, as
// clients do that ignore notifications.
func TestAClientThatListsOnceDoesItsWork(t *testing.T) {
	t.Parallel()
	dir := installSDK(t)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/report":
			w.Header().Set("Content-Disposition", "attachment; filename=report.txt")
			_, _ = w.Write([]byte("the report"))
		case "/second":
			_, _ = w.Write([]byte("<!doctype html><title>Second</title><h1>Second page</h1>"))
		default:
			_, _ = w.Write([]byte(listOncePage))
		}
	}))
	t.Cleanup(site.Close)
	output := t.TempDir()
	picture := filepath.Join(output, "picture.png")
	if err := os.WriteFile(picture, []byte("png"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range proctest.Rows([][]string{nil}, []string{"--visibility", "static"}) {
		program := command(t, append([]string{"--output-dir", output, "--state-dir", t.TempDir()}, flags...)...)
		node := exec.CommandContext(t.Context(), "node", append([]string{"listonce.mjs", site.URL, picture}, program.Args...)...)
		node.Dir, node.Env = dir, program.Env
		out, err := node.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var got struct {
			Names     []string
			Announced int
			Said      map[string]string
		}
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for step, want := range map[string]string{
			"open": "First", "fill": "Ada", "upload": "picture.png", "click": "Count", "dialog opens": "Sure?", "read in the dialog": "dialog",
			"dialog": "yes", "download opens": "Report", "download": "report.txt", "second tab": "Second", "first tab": "First",
			"script": "yes:picture.png", "expand": `"inputSchema"`, "debugger": "First",
		} {
			if !strings.Contains(got.Said[step], want) {
				t.Errorf("%v: %s says %q, which lacks %q", flags, step, got.Said[step], want)
			}
		}
	}
}

// installSDK installs the official TypeScript SDK beside the scripts of the tests.
func installSDK(t *testing.T) (dir string) {
	t.Helper()
	proctest.Need(t, "npm")
	dir = t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/sdk")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return dir
}
