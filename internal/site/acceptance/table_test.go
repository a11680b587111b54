package acceptance_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/tools"
)

// writeVariable names the environment variable with which the table is written into the docs.
const writeVariable = "CALLSHEET_WRITE_SITES"

// row is the cost of one task.
type row struct {
	task         string
	calls, bytes int
}

// siteFlags compiles a copy of a site, and returns the flags that serve it for an application at an address.
func siteFlags(t *testing.T, dir, base string) []string {
	t.Helper()
	site := filepath.Join(t.TempDir(), dir)
	err := os.CopyFS(site, os.DirFS(filepath.Join("..", "..", "..", "examples", "sites", dir)))
	if err == nil {
		err = compile.Update(site, compile.Options{Builtin: tools.Registry(tools.Needs{})})
	}
	if err != nil {
		t.Fatal(err)
	}
	return []string{"--site", site, "--site-origin", base}
}

// TestGenericTasks completes every task with the generic tools, so that the scripts which a site is
// measured against are known to work.
func TestGenericTasks(t *testing.T) {
	needSites(t)
	for _, a := range applications() {
		t.Run(a.dir, func(t *testing.T) {
			total := 0
			for _, r := range performAll(t, a, nil, func(x task) []call { return x.generic }) {
				total += r.bytes
				t.Logf("%-50s %d calls %6d bytes", r.task, r.calls, r.bytes)
			}
			t.Logf("%s: %d bytes with the generic tools", a.name, total)
		})
	}
}

// performAll completes the tasks of an application in a new copy of it; flags are of callsheet.
func performAll(t *testing.T, a application, flags func(base string) []string, of func(task) []call) []row {
	t.Helper()
	base := StartProxy(t, a.start(t).URL).URL
	var extra []string
	if flags != nil {
		extra = flags(base)
	}
	var rows []row
	for _, x := range a.tasks {
		c := connect(t, base, extra...)
		n, bytes := c.perform(x.name, of(x), x.want)
		rows = append(rows, row{task: x.name, calls: n, bytes: bytes})
		_ = c.Close()
	}
	return rows
}

// TestSiteTasks completes every task with the tools of its site in at most three calls and with a
// fifth of the bytes of the generic tools. The table of the docs has its figures.
func TestSiteTasks(t *testing.T) {
	needSites(t)
	var doc strings.Builder
	doc.WriteString(tableHead)
	for _, a := range applications() {
		generic := performAll(t, a, nil, func(x task) []call { return x.generic })
		rows := performAll(t, a, func(base string) []string { return siteFlags(t, a.dir, base) }, func(x task) []call { return x.site })
		siteBytes, genericBytes := 0, 0
		fmt.Fprintf(&doc, "\n### %s (%s)\n\n| task | calls | bytes | generic calls | generic bytes | ratio |\n|---|---|---|---|---|---|\n", a.name, a.kind)
		for i, r := range rows {
			g := generic[i]
			if r.calls > 3 {
				t.Errorf("%s: %s takes %d calls", a.name, r.task, r.calls)
			}
			fmt.Fprintf(&doc, "| %s | %d | %d | %d | %d | %.1f |\n", r.task, r.calls, r.bytes, g.calls, g.bytes, float64(g.bytes)/float64(r.bytes))
			siteBytes, genericBytes = siteBytes+r.bytes, genericBytes+g.bytes
		}
		ratio := float64(genericBytes) / float64(siteBytes)
		fmt.Fprintf(&doc, "| **all five** | | %d | | %d | **%.1f** |\n", siteBytes, genericBytes, ratio)
		fmt.Fprintf(&doc, "\nThe list of tools has %d bytes, the default generic list %d.\n", connect(t, "", siteFlags(t, a.dir, "http://127.0.0.1:1")...).listBytes(), connect(t, "").listBytes())
		t.Logf("%s: %d bytes with the site, %d with the generic tools: %.1f times fewer", a.name, siteBytes, genericBytes, ratio)
		if ratio < 5 {
			t.Errorf("%s: %.1f times fewer bytes, want 5", a.name, ratio)
		}
	}
	if os.Getenv(writeVariable) != "" && !t.Failed() {
		writeSection(t, "../../../docs/internals/measurements.md", doc.String())
	}
}

// writeSection replaces what stands between the marks of the section about sites in a document.
func writeSection(t *testing.T, document, section string) {
	t.Helper()
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), sectionBegin)
	_, tail, ended := strings.Cut(rest, sectionEnd)
	if !found || !ended {
		t.Fatalf("%s lacks %q or %q", document, sectionBegin, sectionEnd)
	}
	if err := os.WriteFile(document, []byte(head+sectionBegin+section+sectionEnd+tail), 0o600); err != nil {
		t.Fatal(err)
	}
}

const (
	sectionBegin = "<!-- make site-acceptance CALLSHEET_WRITE_SITES=1 writes this section -->\n"
	sectionEnd   = "<!-- end of the section about sites -->\n"
)

const tableHead = `
Five tasks in each of three applications of others: with the tools of the site in [examples/sites](../../examples/sites), and
with the generic tools by a script that makes the fewest calls that a good agent needs. The script knows the address of the
application and nothing else, reads a page once, and asks for differences or single elements where these suffice. Bytes are
those of the arguments and the answers, as JSON. The bytes of the lists of tools are given beside, because a client pays for
them once per turn.
`

// needSites skips a test that takes minutes or a program without sites.
func needSites(t *testing.T) {
	t.Helper()
	if os.Getenv("CALLSHEET_SITES") == "" {
		t.Skip("make site-acceptance runs this")
	}
}
