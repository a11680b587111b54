package tools_test

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
	"github.com/callsheet/callsheet/internal/app/server"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/login/identity"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/login/totp"
	evidence "github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/journal"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/database"
	"github.com/callsheet/callsheet/internal/storage/files"
	"github.com/callsheet/callsheet/internal/storage/seal"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/tools"
)

const password = `hunter2&"ö"+/x`

// vaulted is a client of a server with a secret, which keeps everything in dir, and with capabilities that are off by
// themselves.
func vaulted(t *testing.T, dir string, optIn ...string) client {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	vault, err := secret.New(map[string]string{"PASSWORD": password})
	must(err)
	place, err := statedir.New(dir)
	must(err)
	output, err := files.NewDir(filepath.Join(dir, "output"))
	must(err)
	output = output.WithRedaction(vault.RedactReader)
	artifacts := artifact.New(place, 0).WithRedaction(vault.RedactReader)
	own := session.New(session.Config{Browser: browser.Config{
		Headless: true, Keeper: session.Keeper{Store: artifacts}, Conceal: vault.Values(),
	}})
	db := database.New(place)
	records := newRecorder(db, own.Set, artifacts, vault.Redact)
	work, crawler := crawlJobs(t, place)
	registry := tools.Registry(tools.Needs{
		Browser: own.Own(), Sessions: own.Set, Output: output, Artifacts: artifacts, Store: db, Jobs: work, Crawler: crawler, Codes: totp.New(nil),
		Contexts: identity.New(place, seal.New(func() (string, error) { return "the operator's own passphrase", nil })), Redact: vault.Redact,
		Exemplars: evidence.NewExemplars(place), Recorder: records,
	})
	surface, err := toolkit.NewSurface(registry, toolkit.Options{AllTools: true, OptIn: optIn}, journal.NewJournal(db, nil).Layer, records.Layer, vault.Middleware)
	must(err)
	mcpServer := mcpserver.New(surface, mcpserver.Options{Name: "callsheet", Version: "test", Resources: server.Resources{Store: artifacts}})
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- mcpServer.ServeStdio(context.Background(), fromClient, toClient) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).
		Connect(t.Context(), &mcp.IOTransport{Reader: fromServer, Writer: toServer}, &mcp.ClientSessionOptions{ProtocolVersion: sessions})
	must(err)
	t.Cleanup(func() {
		_, _ = session.Close(), toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("the server ended with %v", err)
		}
		if err := own.Close(context.Background()); err != nil {
			t.Errorf("close the browser: %v", err)
		}
		_ = db.Close()
	})
	return client{ClientSession: session, T: t, Output: output.Path()}
}

// parrot serves a page that repeats what is typed into it in every way that it can.
func parrot(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `<!doctype html><meta charset=utf-8><title>Parrot</title>
<body style="margin:0;background:white;color:black;font:16px sans-serif">
<input id=plain aria-label=Plain style="position:absolute;left:0;top:0;width:300px;height:30px;border:0;outline:0;color:black;transition:color 2s">
<input id=other aria-label=Other value="visible words" style="position:absolute;left:0;top:40px;width:300px;height:30px;border:0;color:black">
<div id=echo style="position:absolute;left:0;top:80px;width:300px;height:30px"></div>
<div id=host style="position:absolute;left:0;top:120px;width:300px;height:30px"></div>
<script>
  const root = host.attachShadow({mode: 'closed'});
  root.innerHTML = '<p style="margin:0"></p>';
  window.changes = 0;
  plain.addEventListener('input', () => {
    const v = plain.value;
    echo.textContent = v; root.querySelector('p').textContent = v; document.title = v;
    localStorage.setItem('pw', v); document.cookie = 'pw=' + encodeURIComponent(v);
    console.log('typed', v); console.error(JSON.stringify({v}));
    fetch('/echo?q=' + encodeURIComponent(v), {method: 'POST', body: v, headers: {'x-pw': btoa(unescape(encodeURIComponent('ann:' + v)))}});
    history.replaceState(null, '', '/?q=' + encodeURIComponent(v));
    window.typed = v;
  });
</script>`)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintf(w, "%s %s %s %s", body, r.URL.Query().Get("q"), hex.EncodeToString(body), strings.Repeat("long ", 2000))
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="report.txt"`)
		fmt.Fprintf(w, "your password is %s", r.URL.Query().Get("q"))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// leaked lists the forms of the password that a text holds.
func leaked(text string) (found []string) {
	quoted, _ := json.Marshal(password)
	twice, _ := json.Marshal(string(quoted[1 : len(quoted)-1]))
	for _, form := range []string{
		password, "hunter2", html.EscapeString(password), url.QueryEscape(password), url.PathEscape(password), string(quoted[1 : len(quoted)-1]),
		string(twice[1 : len(twice)-1]), hex.EncodeToString([]byte(password)), "aHVudGVyM", "h1bnRlcj", "odW50ZXIy",
	} {
		if strings.Contains(text, form) {
			found = append(found, form)
		}
	}
	return found
}

// TestASecretIsNowhere types a password into a page that repeats it, uses every tool that could give it back, and searches
// all that the client and the disk were given.
func TestASecretIsNowhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c, home := vaulted(t, dir), parrot(t)
	redacted := 0
	see := func(tool string, a args) string {
		t.Helper()
		res := c.raw(tool, a)
		whole, err := json.Marshal(res)
		if err != nil {
			t.Fatal(err)
		}
		text := string(whole)
		for _, link := range linksOf(res) {
			text += c.content(link.URI)
		}
		if found := leaked(text + textOf(res)); found != nil {
			t.Errorf("%s %v gives %q in %.2000s", tool, a, found, text)
		}
		if strings.Contains(text, "[secret:PASSWORD]") {
			redacted++
		}
		return textOf(res)
	}
	see("navigate", args{"url": home})
	see("network_capture_full", args{"action": "start"})
	ref := refOf(t, see("read_page", nil), "Plain")
	see("form_input", args{"ref": ref, "value": "{secret:PASSWORD}"})
	if got := see("javascript_tool", args{"code": "typed.length"}); got != "14" {
		t.Fatalf("the page was given %s characters", got)
	}
	parts, _ := c.bundle(nil)
	for name, text := range parts {
		if found := leaked(text); found != nil {
			t.Errorf("%s of the evidence gives %q", name, found)
		}
	}
	if len(parts) != 5 || !strings.Contains(parts["console.json"], "[secret:PASSWORD]") {
		t.Errorf("the evidence has %d parts, and says on the console %s", len(parts), parts["console.json"])
	}
	for _, mode := range []string{"compact", "full", "dom", "css", "markdown"} {
		see("read_page", args{"mode": mode, "values": true, "hidden": true})
	}
	verdict := c.raw("oc_assert", args{"contract": `{"value":{"selector":"#plain","matches":"^.unter2"}}`, "timeout_ms": 0})
	if got, _ := verdict.StructuredContent.(map[string]any); got["verdict"] != "fail" {
		t.Errorf("a contract reveals what the secret is: %+v", got)
	}
	for _, step := range []struct {
		tool string
		args args
	}{
		{"javascript_tool", args{"code": "[typed, encodeURIComponent(typed), btoa(unescape(encodeURIComponent(typed))), JSON.stringify(typed)]"}},
		{"javascript_tool", args{"code": "throw new Error(typed)"}},
		{"page_content", nil},
		{"find", args{"query": "Plain"}},
		{"query_dom", args{"method": "css", "selector": "#echo"}},
		{"inspect", args{"query": "form fields, tabs, errors", "scope": "all"}},
		{"oc_observe", nil},
		{"oc_assert", args{"contract": `{"dom_text":"hunter","url":"hunter","value":{"selector":"#plain","contains":"hunter"},"console":{"contains":"typed","max":0}}`, "timeout_ms": 0}},
		{"oc_assert", args{"contract": `{"or":[{"value":{"selector":"#plain","matches":"r2."}},{"network":{"contains":"echo","max":0}}]}`, "timeout_ms": 0, "screenshot": true}},
		{"vision_find", nil},
		{"extract_data", args{"schema": `{"title":"string"}`}},
		{"validate_page", nil},
		{"tabs_context", nil},
		{"list_targets", nil},
		{"query_elements", args{"selector": "input"}},
		{"storage", args{"storageType": "local", "action": "get"}},
		{"cookies", args{"action": "get"}},
		{"console_capture", nil},
		{"get_console_logs", nil},
		{"network_capture_full", args{"action": "get"}},
		{"network_capture_full", args{"action": "get", "number": 1}},
		{"network_capture_full", args{"action": "har"}},
		{"network_capture_full", args{"action": "har", "path": "all.har"}},
		{"oc_performance_insights", args{"ms": 100}},
		{"javascript_tool", args{"code": "location.href = '/file?q=' + encodeURIComponent(typed); 1"}},
		{"downloads", args{"action": "wait"}},
		{"page_screenshot", nil},
		{"page_pdf", nil},
		{"oc_checkpoint", args{"action": "save", "taskDescription": "log in with {secret:PASSWORD}"}},
		{"oc_checkpoint", args{"action": "load"}},
		{"memory", args{"action": "record", "domain": "127.0.0.1", "key": "tip:x", "value": "{secret:PASSWORD}"}},
		{"memory", args{"action": "query", "domain": "127.0.0.1"}},
		{"oc_session_snapshot", args{"objective": "x", "currentStep": "y", "nextActions": []string{"z"}}},
		{"oc_session_resume", nil},
		{"oc_context_export", nil},
		{"oc_journal", args{"action": "recent"}},
		{"page_reload", nil},
		{"oc_connection_health", nil},
	} {
		see(step.tool, step.args)
	}
	if redacted < 10 {
		t.Errorf("only %d results were redacted: the page does not repeat what was typed", redacted)
	}
	searchAll(t, dir)
}

// searchAll looks for the password in every file below a directory.
func searchAll(t *testing.T, dir string) {
	t.Helper()
	count := 0
	for _, file := range grep(t, dir, "") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count++
		if found := leaked(string(data)); found != nil {
			t.Errorf("%q is in %s", found, file)
		}
	}
	if count < 5 {
		t.Errorf("only %d files were written, so little was tested", count)
	}
}

// TestAPictureShowsNoSecret looks at the pixels of what holds a secret, and at what the page notices of that.
func TestAPictureShowsNoSecret(t *testing.T) {
	t.Parallel()
	c, home := vaulted(t, t.TempDir()), parrot(t)
	c.call("navigate", args{"url": home})
	ref := refOf(t, c.call("read_page", nil), "Plain")
	strip := func(top float64) int {
		return dark(picture(t, c.raw("page_screenshot", args{"clip": []float64{0, top, 300, 30}}), "image/png"))
	}
	c.call("form_input", args{"ref": ref, "value": "harmless words"})
	for _, top := range []float64{0, 40, 80, 120} {
		if strip(top) == 0 {
			t.Fatalf("harmless text at %v is not in the picture, so nothing is tested", top)
		}
	}
	c.call("form_input", args{"ref": ref, "value": "{secret:PASSWORD}"})
	c.call("javascript_tool", args{"code": `new MutationObserver((all) => { changes += all.length }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true}); 1`})
	for what, top := range map[string]float64{"the field": 0, "its echo": 80, "its echo in a shadow tree": 120} {
		if n := strip(top); n != 0 {
			t.Errorf("%s shows %d dark pixels", what, n)
		}
	}
	if strip(40) == 0 {
		t.Error("a field without a secret was hidden too")
	}
	if res := c.raw("vision_find", args{"showBoundingBoxes": false}); res.IsError {
		t.Error(textOf(res))
	}
	c.says("javascript_tool", args{"code": "[changes, document.adoptedStyleSheets.length, getComputedStyle(plain).webkitTextFillColor].join()"}, "0,0,rgb(0, 0, 0)")
}

// dark counts pixels that are text on white.
func dark(img image.Image) (n int) {
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y++ {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x++ {
			if r, g, b, _ := img.At(x, y).RGBA(); r+g+b < 3*0x8000 {
				n++
			}
		}
	}
	return n
}
