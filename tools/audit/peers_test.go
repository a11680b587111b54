package audit_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/chromium"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// The peer whose audit is measured beside this one.
const (
	peersVariable = "CALLSHEET_AUDIT_PEERS"
	peer          = "chrome-devtools-mcp"
	peerVersion   = "1.11.0"
)

// measured is one audit of one page.
type measured struct {
	bytes int
	took  time.Duration
	found []string
	text  string
}

// TestAuditPeers measures audit beside lighthouse_audit of chrome-devtools-mcp on the same pages, and writes
// the rows of the table in docs/how-to/diagnose.md.
func TestAuditPeers(t *testing.T) {
	if os.Getenv(peersVariable) == "" {
		t.Skip("installs a peer from npm and measures for minutes: make audit-peers")
	}
	pages := peerPages(t)
	theirs := startPeer(t)
	ours := tooltest.Connect(t, toolkit.Options{AllTools: true})
	var rows []string
	row := func(page, tool string, m measured) {
		rows = append(rows, fmt.Sprintf("| %s | %s | %d | %.1f | %d | %s |", page, tool, m.bytes, m.took.Seconds(), len(m.found), strings.Join(m.found, ", ")))
	}
	for _, p := range pages {
		ours.Call("navigate", tooltest.Args{"url": p.url})
		row(p.name, "`audit`", ourAudit(t, ours, tooltest.Args{}))
		row(p.name, "`audit`, `reload`", ourAudit(t, ours, tooltest.Args{"reload": true}))
		for _, mode := range []string{"snapshot", "navigation"} {
			theirs.call(t, "navigate_page", tooltest.Args{"type": "url", "url": p.url})
			row(p.name, "`lighthouse_audit` "+mode, theirs.audit(t, mode))
		}
	}
	t.Logf("%s %s\n| page | tool | bytes | s | fail | which |\n|---|---|---:|---:|---:|---|\n%s", peer, peerVersion, strings.Join(rows, "\n"))
}

type peerPage struct{ name, url string }

// peerPages are the fixtures, and pages of component libraries where those are installed.
func peerPages(t *testing.T) []peerPage {
	t.Helper()
	home := serveSite(t)
	out := []peerPage{{"35 defects", home + "/broken"}, {"no defect", home + "/clean"}}
	dir := filepath.Join("..", "..", "bench", "widgets", "testdata")
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		t.Logf("without pages of component libraries (%v); make widgets-install installs them", err)
		return out
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(dir, "pages"))))
	mux.Handle("/npm/", http.StripPrefix("/npm/", http.FileServer(http.Dir(filepath.Join(dir, "node_modules")))))
	mux.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir(filepath.Join(dir, "dist")))))
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	for _, name := range []string{"antd", "jquery-ui"} {
		out = append(out, peerPage{name, srv.URL + "/" + name + ".html"})
	}
	return out
}

func ourAudit(t *testing.T, c tooltest.Client, args tooltest.Args) measured {
	t.Helper()
	began := time.Now()
	text := c.Call("audit", args)
	m := measured{bytes: len(text), took: time.Since(began), text: text}
	for _, f := range report(t, c, text).Findings {
		m.found = append(m.found, f.ID)
	}
	slices.Sort(m.found)
	return m
}

// peerClient is a client of the peer.
type peerClient struct {
	*mcp.ClientSession
	dir string
}

// startPeer installs the peer and starts it with the browser of the tests.
func startPeer(t *testing.T) peerClient {
	t.Helper()
	dir := t.TempDir()
	install := exec.Command("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", peer+"@"+peerVersion)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install %s: %v\n%s", peer, err, out)
	}
	program, err := chromium.FindExecutable("")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command("node", filepath.Join(dir, "node_modules", peer, "build", "src", "bin", peer+".js"),
		"--no-page-id-routing", "--headless", "--isolated", "--executablePath", program, "--chromeArg=--no-sandbox", "--no-usage-statistics", "--no-performance-crux", "--viewport", "1280x720")
	client := tooltest.CheckOutputs(t, mcp.NewClient(&mcp.Implementation{Name: "audit-peers"}, nil))
	session, err := client.Connect(t.Context(), &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return peerClient{session, dir}
}

func (c peerClient) call(t *testing.T, tool string, args tooltest.Args) string {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatal(err)
	}
	text := tooltest.Text(res)
	if res.IsError {
		t.Fatalf("%s %v: %s", tool, args, text)
	}
	return text
}

// audit runs the peer's audit and reads the checks that fail out of the report that it writes.
func (c peerClient) audit(t *testing.T, mode string) measured {
	t.Helper()
	out := filepath.Join(t.TempDir(), "report")
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	text := c.call(t, "lighthouse_audit", tooltest.Args{"mode": mode, "device": "desktop", "outputDirPath": out})
	m := measured{bytes: len(text), took: time.Since(began), text: text}
	t.Logf("%s:\n%s", mode, text)
	raw, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Audits map[string]struct {
			Score *float64
			Mode  string `json:"scoreDisplayMode"`
		}
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	for id, a := range r.Audits {
		if a.Score != nil && *a.Score < 1 && (a.Mode == "binary" || a.Mode == "numeric" || a.Mode == "metricSavings") {
			m.found = append(m.found, id)
		}
	}
	slices.Sort(m.found)
	return m
}
