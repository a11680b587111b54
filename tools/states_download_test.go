package tools_test

import (
	"context"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// content reads a resource over MCP.
func (c client) content(uri string) string {
	c.T.Helper()
	res, err := c.ReadResource(c.T.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil || len(res.Contents) != 1 {
		c.T.Fatalf("read %s: %v, %v", uri, res, err)
	}
	return res.Contents[0].Text + string(res.Contents[0].Blob)
}

func linksOf(res *mcp.CallToolResult) (links []*mcp.ResourceLink) {
	for _, content := range res.Content {
		if l, ok := content.(*mcp.ResourceLink); ok {
			links = append(links, l)
		}
	}
	return links
}

func TestDownloadsAreToldKeptAndRead(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	c := connect(t, toolkit.Options{})
	c.says("navigate", args{"url": home + "/downloads"}, "200")
	c.says("downloads", nil, "no download")
	for i, test := range []struct{ link, name, content string }{
		{"Report", "report.csv", "a,b\n1,2\n"},
		{"Named", "report.csv", "a,b\n1,2\n"},
		{"Blob", "blob.txt", "from a blob"},
		{"Evil", "_.._etc_passwd", "a,b\n1,2\n"},
		{"Window", "report.csv", "a,b\n1,2\n"},
	} {
		said := c.call("interact", args{"query": test.link})
		id := "d" + string(rune('1'+i))
		if (test.link == "Report" || test.link == "Evil") && !strings.Contains(said, "download "+id) {
			t.Errorf("%s: %s", test.link, said)
		}
		eventually(t, "the download of "+test.link+" is known", func() bool { return strings.Contains(c.call("downloads", nil), id+" ") })
		res := c.raw("downloads", args{"action": "wait", "id": id})
		links := linksOf(res)
		if len(links) != 1 || links[0].Name != test.name || *links[0].Size != int64(len(test.content)) || c.content(links[0].URI) != test.content {
			t.Errorf("%s: %s, links %+v", test.link, textOf(res), links)
		}
	}
	c.says("navigate", args{"url": home + "/report"}, "the address is a download", "download d6", "/downloads")
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) < 5 {
		t.Errorf("resources %v, %v", list, err)
	}
	c.refused("NOT_FOUND", "downloads", args{"action": "wait", "id": "d99"}, "d1")
	c.refused("INVALID_ARGUMENTS", "downloads", args{"action": "cancel"}, "id")
}

func TestDownloadsThatTakeTimeFailOrAreCancelled(t *testing.T) {
	t.Parallel()
	home, _ := stateSite(t)
	var heard atomic.Int32
	c := connectAs(t, toolkit.Options{}, sessions, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { heard.Add(1) },
	})
	c.call("navigate", args{"url": home + "/downloads"})
	c.says("interact", args{"query": "Slow"}, `download d1 "slow.bin" running`, "downloads waits for it")
	c.refused("TIMEOUT", "downloads", args{"action": "wait", "timeout": 200}, `slow.bin`, "running")
	p := params("downloads", args{"action": "wait"})
	p.SetProgressToken("p")
	res, err := c.CallTool(t.Context(), p)
	if err != nil || res.IsError || !strings.Contains(textOf(res), `"slow.bin" done, 400000 bytes`) {
		t.Errorf("%v, %v", textOf(res), err)
	}
	if heard.Load() == 0 {
		t.Error("no progress was heard")
	}
	c.call("interact", args{"query": "Slow"})
	c.says("downloads", args{"action": "cancel", "id": "d2"}, `d2 "slow.bin" canceled`)
	c.call("interact", args{"query": "Broken"})
	broken := c.call("downloads", args{"action": "wait", "id": "d3"})
	if !regexp.MustCompile(`d3 "broken.bin" (canceled|failed)`).MatchString(broken) {
		t.Errorf("a download that breaks off: %s", broken)
	}
}
