//go:build unix

package external

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCall(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", ""))
	if got := l.callText("a", "echo", `{"text": "hello <&> \u00e9"}`); got != "hello <&> é" {
		t.Errorf("echo said %q", got)
	}
	if got, _ := filepath.EvalSymlinks(l.dir); l.callText("a", "where", "") != got {
		t.Errorf("the working directory is not the file's: %s", l.callText("a", "where", ""))
	}
	if l.callText("a", "env", `{"name": "TOKEN"}`) != "s3cr3t-value" ||
		l.callText("a", "env", `{"name": "PATH"}`) == "" {
		t.Error("the environment is not inherited with the entry's on top")
	}
	if first, second := l.callText("a", "pid", ""), l.callText("a", "pid", ""); first != second {
		t.Errorf("two calls, two processes: %s, %s", first, second)
	}
	res, err := l.Call(withTimeout(t, 20*time.Second), "a", "everything", nil, nil)
	want := Result{IsError: true, Structured: json.RawMessage(`{"n":1.5,"s":"0123"}`), Content: []Content{
		{Type: "text", Text: "t"},
		{Type: "image", Data: []byte("png"), MIME: "image/png"},
		{Type: "audio", Data: []byte("wav"), MIME: "audio/wav"},
		{Type: "resource_link", URI: "file:///x", Name: "x", MIME: "text/plain"},
		{Type: "resource", URI: "mem://y", MIME: "text/html", Text: "<y>"},
	}}
	if diff := cmp.Diff(want, res); err != nil || diff != "" {
		t.Errorf("everything: %v (-want +got)\n%s", err, diff)
	}
	wantError(t, l.callFails(UnknownTool, "a", "ecoh", "{}"), `a:ecoh`, `"echo"`)
	wantError(t, l.callFails(Rejected, "a", "echo", "[1]"), "not a JSON object")
	_, err = l.Call(withTimeout(t, time.Second), "b", "echo", nil, nil)
	if ReasonOf(err) != UnknownServer {
		t.Errorf("an unknown alias: %v", err)
	}
}

func TestCatalog(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"a": `+stdioEntry("ok", `, "blockedTools": ["die"]`)+`, "b": `+
		stdioEntry("ok", `, "allowedTools": ["echo"]`))
	if errs := l.Discover(withTimeout(t, 30*time.Second)); len(errs) > 0 {
		t.Fatal(errs)
	}
	c, err := l.Catalog(withTimeout(t, 20*time.Second), "a")
	if err != nil || !c.Fresh || len(c.Tools) < 11 || !slices.IsSorted(c.Names()) || slices.Contains(c.Names(), "die") {
		t.Errorf("the catalog of all pages: %v, fresh %v, %v", c.Names(), c.Fresh, err)
	}
	tool, ok := c.Tool("echo")
	if !ok || tool.Description != "Does echo." || string(tool.InputSchema) != `{"type":"object"}` {
		t.Errorf("echo is %+v", tool)
	}
	wantError(t, l.callFails(UnknownTool, "b", "die", ""), "does not allow")
	again := l.open()
	c, err = again.Catalog(withTimeout(t, 20*time.Second), "b")
	if err != nil || c.Fresh || len(c.Tools) != 1 {
		t.Errorf("from the disk: %+v, %v", c, err)
	}
	if again.servers["b"].conn != nil {
		t.Error("a cached catalog started the server")
	}
}

func TestLegacyServers(t *testing.T) {
	t.Parallel()
	l := newFixture(t, `"dies": `+stdioEntry("dies-when-probed", "")+`, "silent": `+
		stdioEntry("silent-when-probed", `, "startupTimeoutMs": 4000`)+
		`, "told": `+stdioEntry("silent-when-probed", `, "protocolVersion": "legacy"`))
	for _, alias := range l.Aliases() {
		if got := l.callText(alias, "echo", ""); got != "old" {
			t.Errorf("%s said %q", alias, got)
		}
	}
}
