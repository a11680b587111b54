package download_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestDownloads(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	output := t.TempDir()
	c := tooltest.NewOwnServer(t, app.Config{StateDir: t.TempDir(), OutputDir: output}).Connect("downloads", "", nil)
	output = c.Output
	c.Expect("navigate", tooltest.Args{"url": home + "/downloads"}, "200")
	c.Expect("downloads", nil, "no download")
	for i, test := range []struct{ link, name, file, content string }{
		{"Report", "report.csv", "report.csv", "a,b\n1,2\n"},
		{"Named", "report.csv", "report (1).csv", "a,b\n1,2\n"},
		{"Blob", "blob.txt", "blob.txt", "from a blob"},
		{"Evil", "_.._etc_passwd", "_.._etc_passwd", "a,b\n1,2\n"},
		{"Window", "report.csv", "report (2).csv", "a,b\n1,2\n"},
	} {
		said := c.Call("interact", tooltest.Args{"query": test.link})
		id := "d" + string(rune('1'+i))
		if (test.link == "Report" || test.link == "Evil") && !strings.Contains(said, "download "+id) {
			t.Errorf("%s: %s", test.link, said)
		}
		tooltest.Eventually(t, "the download of "+test.link+" is known", func() bool { return strings.Contains(c.Call("downloads", nil), id+" ") })
		res := c.Do("downloads", tooltest.Args{"action": "wait", "id": id})
		links := tooltest.Links(res)
		if len(links) != 1 || links[0].Name != test.name || *links[0].Size != int64(len(test.content)) || c.ReadArtifact(links[0].URI) != test.content {
			t.Errorf("%s: %s, links %+v", test.link, tooltest.Text(res), links)
		}
		if said := tooltest.Text(res); !strings.Contains(said, ">\n"+strings.TrimSpace(test.content)+"\n</page ") {
			t.Errorf("%s: its text is not in %s", test.link, said)
		}
		path := filepath.Join(output, test.file)
		if data, err := os.ReadFile(path); string(data) != test.content || !strings.Contains(tooltest.Text(res), ", "+path+", ") {
			t.Errorf("%s: the file has %q, %v; %s", test.link, data, err, tooltest.Text(res))
		}
	}
	c.Expect("navigate", tooltest.Args{"url": home + "/report"}, "the address is a download", "download d6", "/downloads")
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) < 5 {
		t.Errorf("resources %v, %v", list, err)
	}
	c.ExpectRefusal("NOT_FOUND", "downloads", tooltest.Args{"action": "wait", "id": "d99"}, "d1")
	c.ExpectRefusal("INVALID_ARGUMENTS", "downloads", tooltest.Args{"action": "cancel"}, "id")
}

// A wait right after the click waits for a download whose response comes late.
func TestWaitForDownloadThatStartsLate(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	c := tooltest.Connect(t, toolkit.Options{})
	c.Call("navigate", tooltest.Args{"url": home + "/downloads"})
	c.Call("javascript_tool", tooltest.Args{"code": "setTimeout(() => document.querySelector('[href=\"/late-report\"]').click(), 300); 0"})
	c.Expect("downloads", tooltest.Args{"action": "wait"}, `"late.csv" done`)
}

func TestDownloadOutcomes(t *testing.T) {
	t.Parallel()
	home, _ := tooltest.ServeTabSite(t)
	var heard atomic.Int32
	c := tooltest.ConnectAs(t, toolkit.Options{}, tooltest.SessionRevision, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { heard.Add(1) },
	})
	c.Call("navigate", tooltest.Args{"url": home + "/downloads"})
	c.Expect("interact", tooltest.Args{"query": "Slow"}, `download d1 "slow.bin" running`, "downloads waits for it")
	c.ExpectRefusal("TIMEOUT", "downloads", tooltest.Args{"action": "wait", "timeout": 200}, `slow.bin`, "running")
	p := tooltest.Params("downloads", tooltest.Args{"action": "wait"})
	p.SetProgressToken("p")
	res, err := c.CallTool(t.Context(), p)
	if err != nil || res.IsError || !strings.Contains(tooltest.Text(res), `"slow.bin" done, 400000 bytes`) {
		t.Errorf("%v, %v", tooltest.Text(res), err)
	}
	if heard.Load() == 0 {
		t.Error("no progress was heard")
	}
	c.Call("interact", tooltest.Args{"query": "Slow"})
	c.Expect("downloads", tooltest.Args{"action": "cancel", "id": "d2"}, `d2 "slow.bin" canceled`)
	c.Call("interact", tooltest.Args{"query": "Broken"})
	broken := c.Call("downloads", tooltest.Args{"action": "wait", "id": "d3"})
	if !regexp.MustCompile(`d3 "broken.bin" (canceled|failed)`).MatchString(broken) {
		t.Errorf("a download that breaks off: %s", broken)
	}
}
