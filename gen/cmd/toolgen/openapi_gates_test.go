package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The gates of a manifest hold for operations, secrets stay in the environment, and an interface that is gone is
// named.
func TestOpenAPIGates(t *testing.T) {
	dir, program := t.TempDir(), programPath(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodDelete && r.Header.Get("X-Key") == "" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"path": r.URL.Path, "key": r.Header.Get("X-Key"), "wrong": map[bool]any{true: "yes", false: false}[r.URL.Query().Get("wrong") != ""]})
	}))
	defer server.Close()
	document := filepath.Join(dir, "store.json")
	write := func(maximum int) {
		text := fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "Store", "version": "1"}, "servers": [{"url": "/v1"}], "security": [{"key": []}], "paths": {
"/orders": {"post": {"operationId": "makeOrder", "responses": {"200": {"content": {"application/json": {"schema": {"type": "object"}}}}}}},
"/orders/{id}": {"parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "maximum": %d}}],
  "get": {"operationId": "readOrder", "parameters": [{"name": "wrong", "in": "query", "schema": {"type": "string"}}],
    "responses": {"200": {"content": {"application/json": {"schema": {"type": "object", "properties": {"wrong": {"type": "boolean"}}}}}}}},
  "delete": {"operationId": "eraseOrder", "responses": {"200": {}}}}},
"components": {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Key"}}}}`, maximum)
		if err := os.WriteFile(document, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(99)
	if out, err := exec.Command(program, "import", "-C", dir, "--openapi", document, "--server", server.URL+"/v1", "--effects", "protocol", "--secret", "key=STORE_KEY").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	edit(t, filepath.Join(dir, "manifest/tools.yaml"), "\nscopes:\n", `
facts: {has_order: An order was made.}
scenarios: {empty: []}
surfaces: {erase: {description: Erases orders.}}
powers: {erase_orders: {description: Erase orders., surface: erase, changes: true}}
scopes:
`)
	root, area := filepath.Join(dir, "manifest/tools.yaml"), filepath.Join(dir, "manifest/tools/store.yaml")
	describe := func(name string) string { return "# ask: description\n    forward: " + name }
	edit(t, area, describe("eraseOrder"), "description: Erases.\n    forward: eraseOrder", "visible: always", "visible: always\n    changes: {clears: [has_order]}\n    surfaces: [erase]\n    powers: {erase_orders: always}",
		describe("makeOrder"), "description: Makes.\n    forward: makeOrder", "visible: always\n    input: {}", "visible: always\n    changes: {sets: [has_order]}\n    input: {}",
		describe("readOrder"), "description: Reads.\n    forward: readOrder")
	text, err := os.ReadFile(area)
	if err != nil {
		t.Fatal(err)
	}
	before, after, _ := strings.Cut(string(text), "name: read_order")
	if err := os.WriteFile(area, []byte(before+"name: read_order"+strings.Replace(after, "visible: always", "visible: has_order", 1)), 0o644); err != nil {
		t.Fatal(err)
	}

	c, _ := proxyOf(t, program, dir, []string{"STORE_KEY=secret-4711"})
	has(t, ask(t, c, "read_order", `{"id":1}`), "TOOL_NOT_VISIBLE", `"via":["make_order"]`)
	has(t, ask(t, c, "makeOrder", `{}`), `{"content":[{"type":"text","text":"{\"key\":\"REDACTED\",\"path\":\"/v1/orders\",\"wrong\":false}\n"}],"structuredContent":{"key":"REDACTED"`)
	has(t, ask(t, c, "read_order", `{"id":1}`), `"path":"/v1/orders/1"`)
	has(t, ask(t, c, "read_order", `{"id":100}`), "INVALID_ARGUMENTS", `"path":"/id"`)
	has(t, ask(t, c, "read_order", `{"id":1,"wrong":"y"}`), `"isError":true`, "the answer is not what the document describes: /wrong", `\"wrong\":\"yes\"`)
	has(t, ask(t, c, "erase_order", `{"id":1}`), `"path":"/v1/orders/1"`)

	narrow, _ := proxyOf(t, program, dir, []string{"STORE_KEY=secret-4711"}, "--disable-surfaces", "erase")
	has(t, ask(t, narrow, "erase_order", `{"id":1}`), "TOOL_DISABLED", "--disable-surfaces")
	without, _ := proxyOf(t, program, dir, nil)
	has(t, ask(t, without, "make_order", `{}`), "FAILED", "the environment lacks STORE_KEY")

	edit(t, root, "key: STORE_KEY", "other: STORE_KEY") // nothing adds the key then
	bare, _ := proxyOf(t, program, dir, nil)
	has(t, ask(t, bare, "erase_order", `{"id":1}`), `"isError":true`, "HTTP 401 Unauthorized")

	server.Close()
	has(t, ask(t, c, "make_order", `{}`), "FAILED", "the upstream did not answer") // the idle connection may end with the call, or before it
	write(9)
	out, err := exec.Command(program, "proxy", "-C", dir).CombinedOutput()
	if err == nil {
		t.Error("a changed document is served")
	}
	has(t, string(out), `tool "readOrder" has changed:`, `-        "maximum": 99`, `+        "maximum": 9`, "toolgen import --update")
}

// waitFor polls a condition that another process makes true.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !holds(); {
		if time.Now().After(end) {
			t.Fatal(what)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
