package mcpserver_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// whoami is a bare call whose answer is its principal and the ID of its session.
const whoami = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"principal"}}`

// modernWhoami is the same of a stateless client with this name.
func modernWhoami(name string) (body string, header headers) {
	meta := strings.Replace(modernMeta, `"name":"t"`, `"name":"`+name+`"`, 1)
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"principal",` + meta + `}}`,
		with(streaming, headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "principal"})
}

// principalAndSession cuts an answer of the tool principal.
func principalAndSession(t *testing.T, answer string) (principal, session string) {
	t.Helper()
	_, rest, ok := strings.Cut(answer, `"text":"<`)
	principal, rest, _ = strings.Cut(rest, "> ")
	session, _, _ = strings.Cut(rest, `"`)
	if !ok || session == "" {
		t.Fatalf("no session in %s", answer)
	}
	return principal, session
}

// TestBareCallersShareNothing makes bare calls without a handle, with that of a response, and with
// guesses.
func TestBareCallersShareNothing(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	res, text := do(t, http.MethodPost, url, whoami, bare)
	principal, first := principalAndSession(t, text)
	handle := res.Header.Get(mcpserver.StateName)
	if principal != "handle" || len(handle) < 20 || strings.Contains(first, handle) {
		t.Errorf("principal %q, handle %q, session %q", principal, handle, first)
	}
	_, text = do(t, http.MethodPost, url, whoami, bare)
	if _, second := principalAndSession(t, text); second == first {
		t.Error("two callers without a handle have one session")
	}
	res, text = do(t, http.MethodPost, url, whoami, with(bare, headers{mcpserver.StateName: handle}))
	if _, again := principalAndSession(t, text); again != first || res.Header.Get(mcpserver.StateName) != "" {
		t.Errorf("the handle leads to %q, not %q", again, first)
	}
	for _, guess := range []string{"default", "stdio", first, "mine"} {
		meta := strings.Replace(whoami, `"principal"`, `"principal","_meta":{"Mcp-State":"`+guess+`"}`, 1)
		_, byMeta := do(t, http.MethodPost, url, meta, bare)
		_, byHeader := do(t, http.MethodPost, url, whoami, with(bare, headers{mcpserver.StateName: guess}))
		for _, got := range []string{byMeta, byHeader} {
			if !strings.Contains(got, "-32602") || !strings.Contains(got, "no session has this handle") {
				t.Errorf("the guess %q gives %s", guess, got)
			}
		}
	}
}

// TestTokenIsThePrincipal has callers with the token meet in one session, and name more of them.
func TestTokenIsThePrincipal(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{AuthToken: "the token"})
	authorized := with(bare, headers{"Authorization": "Bearer the token"})
	_, text := do(t, http.MethodPost, url, whoami, authorized)
	principal, first := principalAndSession(t, text)
	_, text = do(t, http.MethodPost, url, whoami, authorized)
	if _, second := principalAndSession(t, text); second != first || !strings.HasPrefix(principal, "token:") || strings.Contains(principal, "the token") {
		t.Errorf("principal %q, sessions %q and %q", principal, first, second)
	}
	_, text = do(t, http.MethodPost, url, whoami, with(authorized, headers{mcpserver.StateName: "work"}))
	if _, work := principalAndSession(t, text); work == first {
		t.Error("a named session is the unnamed one")
	}
}

// TestSharingIsTheAuthorsChoice has stateless clients share a session by what Options.SessionOf says.
func TestSharingIsTheAuthorsChoice(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(mcpserver.Caller) string{
		"":           nil,
		"by name":    func(c mcpserver.Caller) string { return c.Name },
		"everything": func(mcpserver.Caller) string { return "all" },
	} {
		s, _ := newBench().serve(t, mcpserver.Options{SessionOf: of}, 0)
		url := listen(t, s, mcpserver.HTTPOptions{})
		session := func(client string) string {
			body, header := modernWhoami(client)
			_, text := do(t, http.MethodPost, url, body, header)
			_, id := principalAndSession(t, text)
			return id
		}
		ada, again, bob := session("ada"), session("ada"), session("bob")
		if (ada == again) != (name != "") || (ada == bob) != (name == "everything") {
			t.Errorf("%s: ada has %q and %q, bob %q", name, ada, again, bob)
		}
	}
}

// TestSessionsHaveACap opens one session more than there may be, and another after one has ended.
func TestSessionsHaveACap(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{MaxSessions: 2}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	const open = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	first, _ := do(t, http.MethodPost, url, open, streaming)
	_, _ = do(t, http.MethodPost, url, whoami, bare)
	for body, header := range map[string]headers{open: streaming, whoami: bare} {
		if _, text := do(t, http.MethodPost, url, body, header); !strings.Contains(text, "2 sessions are open") || !strings.Contains(text, `"error"`) {
			t.Errorf("one more gets %s", text)
		}
	}
	do(t, http.MethodDelete, url, "", headers{"Mcp-Session-Id": first.Header.Get("Mcp-Session-Id")})
	waitFor(t, func() bool {
		_, text := do(t, http.MethodPost, url, whoami, bare)
		return strings.Contains(text, `"result"`)
	})
}
