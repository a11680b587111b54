package tools_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// loginSite serves a login page under two origins, and remembers what was typed there.
type loginSite struct {
	bank, evil string

	mu    sync.Mutex
	typed map[string]string // the last value of a field, by host and name
}

func serveLogins(t *testing.T) *loginSite {
	t.Helper()
	s := &loginSite{typed: map[string]string{}}
	srv := httptest.NewServer(s)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s.bank, s.evil = srv.URL, strings.Replace(srv.URL, "127.0.0.1", "localhost", 1)
	return s
}

func (s *loginSite) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const form = `<label>Password <input id=pw autocomplete=off></label><script>
		pw.addEventListener('input', () => { const x = new XMLHttpRequest(); x.open('POST', '/typed?name=pw&v=' + encodeURIComponent(pw.value), false); x.send(); });</script>`
	page := func(body string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, "<!doctype html><title>Login</title><link rel=icon href=data:,>"+body)
	}
	bank, evil := "http://"+strings.Replace(r.Host, "localhost", "127.0.0.1", 1), "http://"+strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
	switch r.URL.Path {
	case "/typed":
		s.mu.Lock()
		s.typed[strings.Split(r.Host, ":")[0]] = r.URL.Query().Get("v")
		s.mu.Unlock()
	case "/redirect":
		http.Redirect(w, r, evil+"/", http.StatusFound)
	case "/frame-of-evil":
		page(`<iframe title=ad src="` + evil + `/"></iframe>`)
	case "/frame-of-bank":
		page(`<iframe title=bank src="` + bank + `/"></iframe>`)
	case "/sandbox":
		page(`<iframe title=box sandbox="allow-scripts" src="/"></iframe>`)
	case "/opener":
		page(`<button onclick="window.w = window.open('/')">Open</button>`)
	case "/auth":
		if _, password, ok := r.BasicAuth(); ok {
			s.mu.Lock()
			s.typed["auth:"+strings.Split(r.Host, ":")[0]] = password
			s.mu.Unlock()
			page("in")
			return
		}
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	case "/digits":
		page(`<div id=code role=group aria-label=Code></div><script>for (let i = 0; i < 6; i++) {
			const box = document.createElement('input'); box.maxLength = 1; box.setAttribute('aria-label', 'Digit ' + (i + 1));
			box.oninput = () => { if (box.value && box.nextSibling) box.nextSibling.focus(); document.title = [...code.children].map((b) => b.value.length).join(''); };
			code.append(box);
		}</script>`)
	default:
		page(form)
	}
}

func (s *loginSite) got(host string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.typed[host]
}

// connectWithBound starts a server with the secret PASSWORD, which is bound to the bank.
func connectWithBound(t *testing.T, site *loginSite, change func(*app.Config)) tooltest.Client {
	t.Helper()
	vault, err := secret.New(map[string]string{"PASSWORD@" + site.bank: tooltest.Password})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cfg := app.Config{StateDir: dir, OutputDir: filepath.Join(dir, "output"), Vault: vault, Surface: toolkit.Options{AllTools: true}}
	if change != nil {
		change(&cfg)
	}
	return tooltest.NewServer(t, cfg).Connect(t.Name(), "", nil)
}

// TestSecretIsTypedIntoItsOriginOnly has a bound secret typed into documents of several origins.
func TestSecretIsTypedIntoItsOriginOnly(t *testing.T) {
	t.Parallel()
	site := serveLogins(t)
	c := connectWithBound(t, site, nil)
	fill := func(address string) tooltest.Args {
		c.Call(toolset.ToolNavigate, tooltest.Args{"url": address})
		return tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"}
	}
	for _, address := range []string{site.evil + "/", site.bank + "/redirect", site.bank + "/frame-of-evil", site.bank + "/sandbox"} {
		c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, fill(address), "bound to "+site.bank)
		for _, call := range []struct {
			tool string
			args tooltest.Args
		}{
			{toolset.ToolAct, tooltest.Args{"steps": []any{tooltest.Args{"action": "type", "query": "Password", "value": "{secret:PASSWORD}"}}}},
			{toolset.ToolFillForm, tooltest.Args{"fields": []any{tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"}}}},
		} {
			c.ExpectRefusal("POLICY_DENIED", call.tool, call.args, "bound to "+site.bank)
		}
	}
	if got := site.got("localhost"); got != "" {
		t.Fatalf("the other origin was given %q", got)
	}
	for _, address := range []string{site.bank + "/", site.evil + "/frame-of-bank"} {
		c.Call(toolset.ToolFormInput, fill(address))
		if got := site.got("127.0.0.1"); got != tooltest.Password {
			t.Errorf("at %s the bank was given %q", address, got)
		}
		c.Call(toolset.ToolFormInput, tooltest.Args{"query": "Password", "value": ""})
		c.Call(toolset.ToolAct, tooltest.Args{"steps": []any{tooltest.Args{"action": "type", "query": "Password", "value": "a{secret:PASSWORD}"}}})
		if got := site.got("127.0.0.1"); got != "a"+tooltest.Password {
			t.Errorf("at %s the bank was given %q by keys", address, got)
		}
	}
}

// TestNoScriptOnFilledDocument runs scripts before and after a secret is typed.
func TestNoScriptOnFilledDocument(t *testing.T) {
	t.Parallel()
	site := serveLogins(t)
	c := connectWithBound(t, site, nil)
	fill := tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"}
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/"})
	c.Call(toolset.ToolFormInput, fill)
	const code = `[...pw.value].join('|')`
	refused := func() {
		t.Helper()
		c.ExpectRefusal("POLICY_DENIED", toolset.ToolJavascriptTool, tooltest.Args{"code": code}, "no script of yours")
		c.ExpectRefusal("POLICY_DENIED", toolset.ToolWaitFor, tooltest.Args{"type": "function", "value": "pw.value[0] === 'h'", "timeout": 20000}, "no script of yours")
		c.ExpectRefusal("POLICY_DENIED", toolset.ToolRequestIntercept, tooltest.Args{"action": "add", "do": "fulfill", "pattern": "*/x.js", "body": "1"}, "no script of yours")
	}
	refused()
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/#x"}) // the same document
	refused()
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/digits"})
	c.Expect(toolset.ToolJavascriptTool, tooltest.Args{"code": "1+1"}, "2")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, tooltest.Args{"query": "Digit 1", "value": "{secret:PASSWORD}"}, "has run on this document")
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/"})
	c.Call(toolset.ToolRequestIntercept, tooltest.Args{"action": "add", "do": "fulfill", "pattern": "*/x.js", "body": "1"})
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, fill, "rule r1 replaces")
	c.Call(toolset.ToolRequestIntercept, tooltest.Args{"action": "clear"})
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, fill, "has run on this document")
	c.Call(toolset.ToolPageReload, nil)
	c.Call(toolset.ToolFormInput, fill)
	c.Call(toolset.ToolDebuggerEnable, nil)
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolDebuggerWatch, tooltest.Args{"action": "add", "expression": code}, "no script of yours")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolDebuggerSetBreakpoint, tooltest.Args{"url": "/", "line_number": 1, "condition": code}, "no script of yours")
}

// TestNoScriptInOpenerOfFilledDocument types a secret into a popup, which its opener can read.
func TestNoScriptInOpenerOfFilledDocument(t *testing.T) {
	t.Parallel()
	site := serveLogins(t)
	c := connectWithBound(t, site, nil)
	opener := tooltest.TabID(c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/opener"}))
	c.Call(toolset.ToolInteract, tooltest.Args{"query": "Open"})
	popup := ""
	tooltest.Eventually(t, "the popup is listed", func() bool {
		for _, id := range regexp.MustCompile(`\bt\d+\b`).FindAllString(c.Call(toolset.ToolTabsContext, nil), -1) {
			if id != opener {
				popup = id
			}
		}
		return popup != ""
	})
	fill := tooltest.Args{"tabId": popup, "query": "Password", "value": "{secret:PASSWORD}"}
	c.Call(toolset.ToolFormInput, fill)
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolJavascriptTool, tooltest.Args{"tabId": opener, "code": "w.pw.value"}, "no script of yours")
	c.Call(toolset.ToolPageReload, tooltest.Args{"tabId": popup})
	c.Expect(toolset.ToolJavascriptTool, tooltest.Args{"tabId": opener, "code": "typeof w.pw"}, "object")
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, fill, "can reach it")
}

// TestOperatorAllowsScriptsAfterSecrets has the flag lift the rule, and not the origin.
func TestOperatorAllowsScriptsAfterSecrets(t *testing.T) {
	t.Parallel()
	site := serveLogins(t)
	c := connectWithBound(t, site, func(cfg *app.Config) { cfg.ScriptsAfterSecrets = true })
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/"})
	c.Call(toolset.ToolFormInput, tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"})
	c.Expect(toolset.ToolJavascriptTool, tooltest.Args{"code": "pw.value.length"}, "14")
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.evil + "/"})
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, tooltest.Args{"query": "Password", "value": "{secret:PASSWORD}"}, "bound to")
}

// TestSecretIsRefusedElsewhere names a secret in arguments that are no text to type.
func TestSecretIsRefusedElsewhere(t *testing.T) {
	t.Parallel()
	site := serveLogins(t)
	c := connectWithBound(t, site, nil)
	tab := tooltest.TabID(c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/"}))
	const ref = "{secret:PASSWORD}"
	for _, call := range []struct {
		code, tool string
		args       tooltest.Args
	}{
		{"POLICY_DENIED", toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/?" + ref}},
		{"POLICY_DENIED", toolset.ToolJavascriptTool, tooltest.Args{"code": ref}},
		{"POLICY_DENIED", toolset.ToolFind, tooltest.Args{"query": ref}},
		{"POLICY_DENIED", toolset.ToolCookies, tooltest.Args{"action": "set", "name": "a", "value": ref}},
		{"POLICY_DENIED", toolset.ToolStorage, tooltest.Args{"storageType": "local", "action": "set", "key": "a", "value": ref}},
		{"POLICY_DENIED", toolset.ToolRequestIntercept, tooltest.Args{"action": "add", "do": "fulfill", "pattern": "*", "body": ref}},
		{"POLICY_DENIED", toolset.ToolRequestIntercept, tooltest.Args{"action": "add", "do": "modify_request", "pattern": "*", "headers": []string{"X-A: " + ref}}},
		{"POLICY_DENIED", toolset.ToolHTTPAuth, tooltest.Args{"action": "set", "username": ref, "password": "x", "origin": site.bank}},
		{"INVALID_ARGUMENTS", toolset.ToolHTTPAuth, tooltest.Args{"action": "set", "username": "ann", "password": ref}},
		{"POLICY_DENIED", toolset.ToolHTTPAuth, tooltest.Args{"action": "set", "username": "ann", "password": ref, "origin": site.evil}},
		{"INVALID_ARGUMENTS", toolset.ToolComputer, tooltest.Args{"action": "key", "text": ref}},
		{"INVALID_ARGUMENTS", toolset.ToolAct, tooltest.Args{"steps": []any{tooltest.Args{"action": "navigate", "value": site.evil + "/?" + ref}}}},
		{"INVALID_ARGUMENTS", toolset.ToolAct, tooltest.Args{"steps": []any{tooltest.Args{"action": "expect", "value": ref}}}},
	} {
		c.ExpectRefusal(call.code, call.tool, call.args, "secret")
	}
	res := tooltest.Text(c.Do(toolset.ToolBatchExecute, tooltest.Args{"tasks": []any{
		tooltest.Args{"tabId": tab, "tool": toolset.ToolNavigate, "args": tooltest.Args{"url": site.evil + "/?" + ref}},
		tooltest.Args{"tabId": tab, "script": "'" + ref + "'"},
	}}))
	if strings.Count(res, "takes no secret") != 2 {
		t.Errorf("a batch passes secrets on: %s", res)
	}
	c.Call(toolset.ToolHTTPAuth, tooltest.Args{"action": "set", "username": "ann", "password": ref, "origin": site.bank})
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/auth"})
	if got := site.got("auth:127.0.0.1"); got != tooltest.Password {
		t.Errorf("the bank was sent %q", got)
	}
}

// TestCodeIsTypedAndNotReturned types a one-time code into its origin.
func TestCodeIsTypedAndNotReturned(t *testing.T) {
	t.Setenv("CALLSHEET_TOTP_127_0_0_1", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
	site := serveLogins(t)
	c := connectWithBound(t, site, nil)
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolOcTotpGenerate, tooltest.Args{"domain": "127.0.0.1"}, "{totp:127.0.0.1}", "--code-digits")
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.evil + "/digits"})
	c.ExpectRefusal("POLICY_DENIED", toolset.ToolFormInput, tooltest.Args{"query": "Digit 1", "value": "{totp:127.0.0.1}"}, "bound to 127.0.0.1")
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/"})
	c.Call(toolset.ToolFormInput, tooltest.Args{"query": "Password", "value": "{totp:127.0.0.1}"})
	code := site.got("127.0.0.1")
	if !regexp.MustCompile(`^\d{6}$`).MatchString(code) {
		t.Fatalf("the page was given %q", code)
	}
	if reading := c.Call(toolset.ToolReadPage, tooltest.Args{"values": true}); strings.Contains(reading, code) {
		t.Errorf("a reading tells the code: %s", reading)
	}
	c.Call(toolset.ToolNavigate, tooltest.Args{"url": site.bank + "/digits"})
	c.Call(toolset.ToolAct, tooltest.Args{"steps": []any{tooltest.Args{"action": "type", "query": "Digit 1", "value": "{totp:127.0.0.1}"}}})
	c.Expect(toolset.ToolTabsContext, nil, "111111")
}
