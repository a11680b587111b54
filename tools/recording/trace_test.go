package recording_test

import (
	"archive/zip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// exportTrace returns the trace of the session's latest recording.
func exportTrace(c tooltest.Client) string {
	c.T.Helper()
	res := c.Do("oc_recording_export", tooltest.Args{"format": "trace"})
	links := tooltest.Links(res)
	if said := tooltest.Text(res); !strings.Contains(said, "open it with npx playwright show-trace ") {
		c.T.Errorf("the export of a trace says %s", said)
	}
	if len(links) != 1 || links[0].MIMEType != "application/zip" || !strings.HasSuffix(links[0].Name, ".trace.zip") {
		c.T.Fatalf("the export of a trace links %+v", links)
	}
	return c.ReadArtifact(links[0].URI)
}

// unzip returns the names and the contents of an archive as one text.
func unzip(t *testing.T, data string) string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		_, _ = b.WriteString(f.Name + "\n")
		if _, err := io.Copy(&b, r); err != nil {
			t.Fatal(err)
		}
		_ = r.Close()
	}
	return b.String()
}

// installViewers installs the pinned releases of Playwright, without browsers, and returns the
// directories of their trace viewers.
func installViewers(t *testing.T) map[string]string {
	t.Helper()
	proctest.Need(t, "npm")
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/viewer")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatalf("npm cannot install the trace viewers, and CI must: %v\n%s", err, out)
		}
		t.Skipf("npm cannot install the trace viewers: %v\n%s", err, out)
	}
	viewers := map[string]string{}
	for _, name := range []string{"playwright-core", "playwright-core-1-60"} {
		viewers[name] = filepath.Join(dir, "node_modules", name, "lib", "vite", "traceViewer")
	}
	return viewers
}

// serveViewer serves a trace viewer with a trace beside it, and returns the address that opens it.
func serveViewer(t *testing.T, viewer, trace string) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(viewer)))
	mux.HandleFunc("/recorded.zip", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, trace) })
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL + "/index.html?trace=" + s.URL + "/recorded.zip"
}

// orderTitles begin the titles of recordOrder's actions, in order.
var orderTitles = []string{
	"Go to 127.0.0.1", "Read page", "Set textbox “Customer” to “Ann Example”", "Set textbox “Password” to “[masked]”",
	"Click button “Sign in”", "Interact: e", "Click Order a lamp", "Wait for",
}

// TestTraceOpensInPlaywrightsViewer records a visit and opens its trace in the trace viewers of two
// releases: each lists the actions, shows the picture of a step, its requests and messages, and the
// error of a refused step.
func TestTraceOpensInPlaywrightsViewer(t *testing.T) {
	t.Parallel()
	viewers := installViewers(t)
	c, home := tooltest.Connect(t, toolkit.Options{AllTools: true}), serveShop(t)
	id := recordOrder(t, c, home)
	trace, steps := exportTrace(c), exportRecording(c, id).Steps
	for name, viewer := range viewers {
		c.Call("tabs_create", tooltest.Args{"url": serveViewer(t, viewer, trace)})
		const titles = `Array.from(document.querySelectorAll('.action-title-method'), e => e.textContent)`
		c.WaitScript(fmt.Sprintf(`%s.length === %d`, titles, len(orderTitles)))
		var got []string
		if err := json.Unmarshal([]byte(c.Call("javascript_tool", tooltest.Args{"code": "JSON.stringify(" + titles + ")"})), &got); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, orderTitles, strings.HasPrefix) {
			t.Errorf("%s lists %q", name, got)
		}
		for _, i := range []int{0, 6} { // the visit and the order
			picture := base64.StdEncoding.EncodeToString([]byte(c.ReadArtifact(artifact.Scheme + steps[i].Screenshot)))
			selectAction(c, i)
			c.WaitScript(fmt.Sprintf(`(() => { const image = document.querySelector('iframe.snapshot-visible')?.contentDocument?.images[0];
				return !!image && image.complete && image.naturalWidth > 100 && image.src.endsWith(%q) })()`, ","+picture))
		}
		expectPanel(c, "Call", "query", "Order a lamp")
		expectPanel(c, "Log", "tool interact")
		expectPanel(c, "Console", "order failed with 409")
		expectPanel(c, "Network", "order", "409")
		selectAction(c, 5)
		expectPanel(c, "Errors", "STALE_REF")
		c.WaitScript(`document.querySelectorAll('.film-strip-frame').length > 0`)
	}
}

// TestTraceOfHostileTextsOpens opens the trace of a recording whose texts are markup in the viewers:
// each shows them as text.
func TestTraceOfHostileTextsOpens(t *testing.T) {
	proctest.Nightly(t)
	t.Parallel()
	viewers := installViewers(t)
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	format, _ := export.Find("trace")
	data, err := format.Write(hostileSource())
	if err != nil {
		t.Fatal(err)
	}
	for _, viewer := range viewers {
		c.Call("tabs_create", tooltest.Args{"url": serveViewer(t, viewer, string(data))})
		c.WaitScript("document.querySelectorAll('.action-title-method').length === 2")
		selectAction(c, 1)
		expectPanel(c, "Errors", "<script>alert(1)</script>")
		expectPanel(c, "Call", "javascript:alert(1)")
		expectPanel(c, "Log", "<script>alert(1)</script>")
		expectPanel(c, "Console", "<script>alert(1)</script>")
		expectPanel(c, "Network", "<script>alert(1)</script>")
	}
}

// selectAction clicks an action in the viewer's list.
func selectAction(c tooltest.Client, i int) {
	c.T.Helper()
	c.Call("javascript_tool", tooltest.Args{"code": fmt.Sprintf(`document.querySelectorAll('.action-title-method')[%d].click(); 1`, i)})
}

// expectPanel opens a panel of the viewer and waits until it shows each of want.
func expectPanel(c tooltest.Client, tab string, want ...string) {
	c.T.Helper()
	c.Call("javascript_tool", tooltest.Args{"code": fmt.Sprintf(`document.querySelector('[role=tab][title=%q]').click(); 1`, tab)})
	for _, text := range want {
		c.WaitScript(fmt.Sprintf(`Array.from(document.querySelectorAll('[role=tabpanel]')).some(p => p.innerText.includes(%q))`, text))
	}
}
