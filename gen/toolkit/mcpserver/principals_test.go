package mcpserver_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// listenForTwo serves the sample to two principals. The token of each is its name in capitals.
func listenForTwo(t *testing.T) (url string) {
	t.Helper()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	return listen(t, s, mcpserver.HTTPOptions{Authenticate: func(_ context.Context, token string) (string, error) {
		if token == "OLD" {
			return "ada", mcpserver.ErrExpired
		}
		return map[string]string{"ADA": "ada", "BOB": "bob"}[token], nil
	}})
}

// TestPrincipalsOfStatelessCallers has two principals call by the same session name, without one, and by
// one that looks like a key of the other's.
func TestPrincipalsOfStatelessCallers(t *testing.T) {
	t.Parallel()
	url := listenForTwo(t)
	sessions := map[string]string{}
	for _, named := range []string{"", "work"} {
		for token, want := range map[string]string{"ADA": "ada", "BOB": "bob"} {
			header := with(bare, headers{"Authorization": "Bearer " + token})
			if named != "" {
				header[mcpserver.StateName] = named
			}
			_, text := do(t, http.MethodPost, url, whoami, header)
			principal, session := principalAndSession(t, text)
			if principal != want {
				t.Errorf("the token of %s is principal %q", want, principal)
			}
			if other, taken := sessions[session]; taken {
				t.Errorf("%s %q works in the session of %s", want, named, other)
			}
			sessions[session] = want + " " + named
		}
	}
	for _, guess := range []string{"../ada/", "ada/work", "principal/ada/"} {
		_, text := do(t, http.MethodPost, url, whoami, with(bare, headers{"Authorization": "Bearer BOB", mcpserver.StateName: guess}))
		if !strings.Contains(text, "-32602") {
			t.Errorf("the name %q is taken: %s", guess, text)
		}
	}
	if _, text := do(t, http.MethodPost, url, whoami, with(bare, headers{"Authorization": "Bearer OLD"})); !strings.Contains(text, "has expired") {
		t.Errorf("a token whose time is over gets %s", text)
	}
	for _, token := range []string{"", "EVE", "ada", "OLD"} {
		if res, _ := do(t, http.MethodPost, url, whoami, with(bare, headers{"Authorization": "Bearer " + token})); res.StatusCode != http.StatusUnauthorized {
			t.Errorf("the token %q gets %s", token, res.Status)
		}
	}
}

// TestSessionsServeTheirPrincipal has one principal use the id of another's session in every method.
func TestSessionsServeTheirPrincipal(t *testing.T) {
	t.Parallel()
	url := listenForTwo(t)
	const open = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	ada := with(streaming, headers{"Authorization": "Bearer ADA"})
	res, _ := do(t, http.MethodPost, url, open, ada)
	id := headers{"Mcp-Session-Id": res.Header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version": "2025-11-25"}
	do(t, http.MethodPost, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, with(ada, id))
	bob := with(with(streaming, id), headers{"Authorization": "Bearer BOB"})
	for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
		if res, text := do(t, method, url, whoami, bob); res.StatusCode != http.StatusNotFound || !strings.Contains(text, "session not found") {
			t.Errorf("%s with the id of another's session: %s %s", method, res.Status, text)
		}
	}
	_, text := do(t, http.MethodPost, url, whoami, with(ada, id))
	if principal, _ := principalAndSession(t, text); principal != "ada" {
		t.Errorf("principal %q", principal)
	}
}
