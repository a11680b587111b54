//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// asBrowserHost has the address on which the test program serves a browser instead of testing.
const asBrowserHost = "CALLSHEET_TEST_AS_BROWSER_HOST"

// TestBrowserHostProcess is a browser host of TestCutOffBrowserHost: a Chromium, which listens on
// loopback only, behind a proxy that other machines reach. It ends with its standard input.
func TestBrowserHostProcess(t *testing.T) {
	address := os.Getenv(asBrowserHost)
	if address == "" {
		t.Skip("it is a process of TestCutOffBrowserHost")
	}
	const port = 9333
	b := browser.New(browser.Config{Headless: true, DebugPort: port})
	defer func() { _ = b.Close(context.Background()) }()
	if _, err := b.Session("host").OpenBlank(t.Context(), powertest.Window); err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: "127.0.0.1:" + strconv.Itoa(port)})
		r.Out.Host = r.In.Host // Chromium repeats it in the address of its websocket
	}}
	go func() { _ = http.Serve(ln, proxy) }()
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// namespaces are the network namespaces that scripts/test-netns has made.
type namespaces struct {
	t         *testing.T
	gate, tag string
}

// browserHost runs a browser in a namespace and returns its address.
func (n namespaces) browserHost(i int) string {
	n.t.Helper()
	exe, err := os.Executable()
	if err != nil {
		n.t.Fatal(err)
	}
	address := fmt.Sprintf("10.213.0.1%d:9222", i)
	cmd := exec.Command("ip", "netns", "exec", n.tag+"-"+strconv.Itoa(i), exe, "-test.run", "^TestBrowserHostProcess$")
	cmd.Env = append(os.Environ(), asBrowserHost+"="+address)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		n.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() { _ = in.Close(); _ = cmd.Wait() })
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		res, err := http.Get("http://" + address + "/json/version")
		if err == nil {
			_ = res.Body.Close()
			return "http://" + address
		}
		if time.Now().After(end) {
			n.t.Fatal(err)
		}
	}
}

func (n namespaces) link(i int, state string) {
	n.t.Helper()
	if out, err := exec.Command("ip", "link", "set", n.tag+strconv.Itoa(i), state).CombinedOutput(); err != nil {
		n.t.Fatalf("%v: %s", err, out)
	}
}

// netnsClient is a session of the server over HTTP.
type netnsClient struct {
	*mcp.ClientSession
	host string // of the browser that its page was asked from
}

// call calls a tool and returns its text.
func (c *netnsClient) call(t *testing.T, tool string, args map[string]any) (string, bool) {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var b strings.Builder
	for _, content := range res.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			b.WriteString(text.Text)
		}
	}
	return b.String(), res.IsError
}

// open navigates to the page that says from which host it was asked.
func (c *netnsClient) open(t *testing.T, site string) {
	t.Helper()
	if text, refused := c.call(t, "navigate", map[string]any{"url": site}); refused {
		t.Fatal(text)
	}
	text, _ := c.call(t, "read_page", map[string]any{})
	_, after, _ := strings.Cut(text, "asked from ")
	c.host = strings.Fields(after + " ?")[0]
}

// TestCutOffBrowserHost serves six clients with browsers in three network namespaces, which
// scripts/test-netns makes, and cuts one of them off.
func TestCutOffBrowserHost(t *testing.T) {
	n := namespaces{t, os.Getenv("CALLSHEET_NETNS_GATE"), os.Getenv("CALLSHEET_NETNS_TAG")}
	if n.gate == "" {
		t.Skip("needs root and network namespaces: make test-netns")
	}
	ln, err := net.Listen("tcp", n.gate+":0")
	if err != nil {
		t.Fatal(err)
	}
	site := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.RemoteAddr)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>t</title><p>asked from %s</p>", host)
	})}
	go func() { _ = site.Serve(ln) }()
	t.Cleanup(func() { _ = site.Close() })
	home := "http://" + ln.Addr().String()
	endpoint := serveHosts(t, n)
	join := func() *netnsClient {
		c := tooltest.Dial(t, &mcp.StreamableClientTransport{Endpoint: endpoint}, tooltest.SessionRevision)
		return &netnsClient{ClientSession: c.ClientSession}
	}
	all, at := []*netnsClient{}, map[string]int{}
	for range 6 {
		c := join()
		c.open(t, home)
		all, at[c.host] = append(all, c), at[c.host]+1
	}
	if at["10.213.0.11"] != 2 || at["10.213.0.12"] != 2 || at["10.213.0.13"] != 2 {
		t.Fatalf("clients of each host: %v", at)
	}

	n.link(2, "down")
	cutAt := time.Now()
	for _, c := range all {
		text, refused := c.call(t, "read_page", map[string]any{})
		if c.host != "10.213.0.12" {
			if refused || !strings.Contains(text, "asked from "+c.host) {
				t.Errorf("a client of %s: %s", c.host, text)
			}
			continue
		}
		if !refused || !strings.Contains(text, "10.213.0.12:9222 is lost, and with it tabs (t") {
			t.Errorf("a client that was cut off hears %s", text)
		}
		c.open(t, home)
		if c.host == "10.213.0.12" || c.host == "?" {
			t.Errorf("a client that was cut off goes on at %s", c.host)
		}
		t.Logf("went on at %s %v after the cut", c.host, time.Since(cutAt).Round(time.Millisecond))
	}

	n.link(2, "up")
	for end := time.Now().Add(2 * time.Minute); ; {
		c := join()
		if c.open(t, home); c.host == "10.213.0.12" {
			t.Logf("used again %v after the cut", time.Since(cutAt).Round(time.Millisecond))
			return
		}
		if time.Now().After(end) {
			t.Fatal("the host that is back is not used")
		}
		_ = c.Close()
	}
}

// serveHosts starts three browser hosts and a server that has them, and returns its endpoint.
func serveHosts(t *testing.T, n namespaces) string {
	t.Helper()
	var hosts []string
	for i := 1; i <= 3; i++ {
		hosts = append(hosts, n.browserHost(i))
	}
	address := proctest.FreeAddress(t)
	program := filepath.Join(os.Getenv("CALLSHEET_NETNS_DIR"), "callsheet")
	cmd := exec.Command(program, "--http", address, "--state-dir", t.TempDir(), "--cdp-endpoint", strings.Join(hosts, ","))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		res, err := http.Get("http://" + address + "/healthz")
		if err == nil {
			_ = res.Body.Close()
			return "http://" + address + "/mcp"
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}
