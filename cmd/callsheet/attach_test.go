package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/cli/exit"
	"github.com/callsheet/callsheet/internal/proctest"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// personPage notes every event that an agent in another tab could cause in this one.
const personPage = `<!doctype html><title>Tax return</title><h1>private</h1><p style="height: 3000px">long</p><script>
	document.cookie = "person=1; path=/"
	identity = Math.random(); seen = []
	for (const name of ["focus", "blur", "resize", "scroll", "pageshow", "pagehide", "visibilitychange", "freeze", "click", "keydown"])
		addEventListener(name, () => seen.push(name))
	new MutationObserver(all => seen.push("mutation")).observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
	</script>`

const personState = `JSON.stringify([identity, document.title, location.href, scrollX, scrollY, innerWidth, innerHeight, devicePixelRatio,
	navigator.userAgent, document.visibilityState, document.documentElement.outerHTML.length, seen])`

// personSite is the site that the person and the agents open.
func personSite(t *testing.T) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/private", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, personPage) })
	mux.HandleFunc("/agent", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `<!doctype html><title>Agent %s</title><h1>work</h1><p>%s</p>
			<button onclick="document.title = 'pressed'">Press</button>`, r.URL.Query().Get("n"), r.Header.Get("Cookie"))
	})
	srv := httptest.NewServer(mux)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// agent is an MCP client of the daemon.
type agent struct {
	t  *testing.T
	cs *mcp.ClientSession
}

func (s shell) agent(session string) agent {
	t := s.t
	t.Helper()
	return agent{t, tooltest.Dial(t, &mcp.CommandTransport{Command: s.command("serve", "--session", session)}, "").ClientSession}
}

// call calls a tool and returns its text; a refusal begins with "refused: ".
func (a agent) call(tool string, args map[string]any) string {
	a.t.Helper()
	res, err := a.cs.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		a.t.Fatalf("%s: %v", tool, err)
	}
	var text strings.Builder
	if res.IsError {
		text.WriteString("refused: ")
	}
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text.WriteString(c.Text)
		}
	}
	return text.String()
}

// works does an agent's work in a tab of its own, and checks that it sees nothing of the person.
func (a agent) works(site, name string) {
	a.t.Helper()
	saw := a.call("navigate", map[string]any{"url": site + "/agent?n=" + name})
	for _, step := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"tabs_create", map[string]any{"url": site + "/agent?n=" + name + "-second"}, name + "-second"},
		{"read_page", nil, "person=1"}, // the person's login
		{"interact", map[string]any{"query": "Press", "action": "click"}, ""},
		{"javascript_tool", map[string]any{"code": "document.title"}, "pressed"},
		{"computer", map[string]any{"action": "screenshot"}, ""},
		{"list_targets", nil, "pressed"},
		{"tabs_context", nil, "pressed"},
		{"network", map[string]any{"action": "list"}, ""},
		{"get_console_logs", nil, ""},
	} {
		text := a.call(step.tool, step.args)
		if step.want != "" && !strings.Contains(text, step.want) {
			a.t.Errorf("%s: %s says %q, which lacks %q", name, step.tool, text, step.want)
		}
		saw += text
	}
	for _, secret := range []string{"Tax return", "/private"} {
		if strings.Contains(saw, secret) {
			a.t.Errorf("%s saw %q of the person in\n%s", name, secret, saw)
		}
	}
}

// TestAttachedDaemon has two clients of one daemon work in a browser that a person started, at the
// same time, and kills the daemon.
func TestAttachedDaemon(t *testing.T) {
	t.Parallel()
	site, s := personSite(t), newShell(t)
	person := startPerson(t, site+"/private", site+"/private?second")
	s.env = append(s.env, "HOME="+t.TempDir(), "XDG_CONFIG_HOME="+t.TempDir(), "GORACE=atexit_sleep_ms=0")
	s.fails(exit.Transport, "attach", "no Chrome or Chromium of this user was found", "chrome://inspect/#remote-debugging", "which --user-data-dir names")
	s.does("attach --list --user-data-dir "+person.dir, "allowed", person.dir)
	if runtime.GOOS == "linux" {
		home := s
		home.env = append(home.env, "HOME="+os.Getenv("HOME"))
		home.does("attach --list", person.dir) // its command line names the profile
	}
	s.fails(exit.Transport, "attach --tabs pinned --user-data-dir "+person.dir, "callsheet extension install")
	before := person.state()
	s.does("attach --user-data-dir "+person.dir, "2 open tabs are neither listed nor touched")

	s.twoWork(person, site, before)
	if n := person.connections(s.state().PID); n != 1 {
		t.Errorf("%d connections to the browser", n)
	}
	s.killUnder(person, before)
}

// twoWork has two clients of the daemon work at the same time, beside two tabs of a person.
func (s shell) twoWork(person *person, site, before string) {
	s.t.Helper()
	one, two := s.agent("one"), s.agent("two")
	var both sync.WaitGroup
	both.Go(func() { one.works(site, "one") })
	both.Go(func() { two.works(site, "two") })
	both.Wait()
	if text := one.call("list_targets", nil); strings.Contains(text, "Agent two") {
		s.t.Errorf("one client sees the other's tabs: %s", text)
	}
	if got := person.state(); got != before {
		s.t.Errorf("the person's tabs changed from\n%s\nto\n%s", before, got)
	}
	if n := len(person.pages()); n != 6 {
		s.t.Errorf("%d pages are open: two of the person, four of agents", n)
	}
}

// killUnder kills the daemon, which leaves the two tabs of a person as they were.
func (s shell) killUnder(person *person, before string) {
	s.t.Helper()
	if err := proctest.Kill(s.state().PID); err != nil {
		s.t.Fatal(err)
	}
	eventually(s.t, "the agents' tabs close", func() bool { return len(person.pages()) == 2 })
	if got := person.state(); got != before {
		s.t.Errorf("after the kill, the person's tabs changed from\n%s\nto\n%s", before, got)
	}
}

// TestDetach lets go of a browser and leaves the person's tabs.
func TestDetach(t *testing.T) {
	t.Parallel()
	site, s := personSite(t), newShell(t)
	person := startPerson(t, site+"/private")
	s.does("detach", "nothing was attached")
	s.does("attach --user-data-dir " + person.dir)
	s.does("navigate "+site+"/agent?n=one", "Agent one")
	if !person.marked("/agent?n=one") || person.marked("/private") {
		t.Error("the mark is not on the agent's tab alone")
	}
	s.does("connections", "the server's own, at", person.dir)
	s.does("detach", "let go")
	eventually(t, "the agent's tab closes", func() bool { return len(person.pages()) == 1 })
	s.does("tabs", "tabCount: 0")
	s.does("navigate "+site+"/agent?n=own", "Agent own") // in the daemon's own browser
	if n := len(person.pages()); n != 1 {
		t.Errorf("%d pages", n)
	}
}

// TestAttachFlag serves the person's browser, and finds it again after it has started anew.
func TestAttachFlag(t *testing.T) {
	t.Parallel()
	site := personSite(t)
	person := startPerson(t, site+"/private")
	serve := command(t, "serve", "--attach", person.dir, "--state-dir", t.TempDir())
	a := agent{t, tooltest.Dial(t, &mcp.CommandTransport{Command: serve}, "").ClientSession}
	if text := a.call("navigate", map[string]any{"url": site + "/agent?n=first"}); !strings.Contains(text, "Agent first") {
		t.Fatal(text)
	}
	if text := a.call("emulate_environment", map[string]any{"permissions": []string{"geolocation=granted"}}); !strings.Contains(text, "every tab of the person") {
		t.Errorf("a permission: %s", text)
	}
	person.restart(site + "/private")
	eventually(t, "the browser is found again", func() bool {
		return strings.Contains(a.call("navigate", map[string]any{"url": site + "/agent?n=again"}), "Agent again")
	})
	if out, err := command(t, "serve", "--attach", "any", "--tabs", "group").CombinedOutput(); err == nil || !strings.Contains(string(out), "extension install") {
		t.Errorf("%s", out)
	}
}
