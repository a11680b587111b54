package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// described is an HTTP interface whose document is public, with calls in testdata/openapi/NAME.calls.
type described struct {
	name string
	long bool // only where TOOLGEN_PEERS is set
	// documents returns the document that is imported, and the one that the mock server is made of.
	documents func(t *testing.T) (imported string, served []byte)
	overlay   string
	first     [2]string // an entry's name, and the name that a person gives it
}

func interfaces() []described {
	return []described{
		{name: "petstore", documents: petstore},
		{name: "github", documents: github, overlay: "github.overlay.yaml", long: true, first: [2]string{"name: repos_get", "name: get_repository"}},
	}
}

// petstore is the document of the Swagger pet store, which the reader of documents has for its own tests.
func petstore(t *testing.T) (string, []byte) {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pb33f/libopenapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(out)), "test_specs", "petstorev3.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, data
}

// github is GitHub's document. The mock server gets the paths that calls use: it does not follow references of
// examples, and takes minutes for 1,223 operations.
func github(t *testing.T) (string, []byte) {
	t.Helper()
	file := filepath.Join(installPackages(t, "testdata/openapi/github"), "@octokit/openapi/generated/api.github.com.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	examples := doc["components"].(map[string]any)["examples"].(map[string]any)
	paths := map[string]any{}
	for _, c := range readExchanges(t, "testdata/openapi/github.calls") {
		for path, item := range doc["paths"].(map[string]any) {
			if matches(path, c.target) {
				paths[path] = withExamples(item, examples)
			}
		}
	}
	components := doc["components"].(map[string]any)
	delete(components, "examples")
	delete(doc, "x-webhooks")
	doc["paths"], doc["components"] = paths, withExamples(components, examples)
	served, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return file, served
}

// matches reports whether an address is one of a path with parameters.
func matches(path, target string) bool {
	target, _, _ = strings.Cut(target, "?")
	a, b := strings.Split(path, "/"), strings.Split(target, "/")
	for i := range a {
		if len(a) != len(b) || a[i] != b[i] && !strings.HasPrefix(a[i], "{") {
			return false
		}
	}
	return true
}

// withExamples puts examples in the place of references to them.
func withExamples(v any, examples map[string]any) any {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			if name, ok := strings.CutPrefix(ref, "#/components/examples/"); ok {
				return examples[name]
			}
		}
		for name, member := range v {
			v[name] = withExamples(member, examples)
		}
	case []any:
		for i, item := range v {
			v[i] = withExamples(item, examples)
		}
	}
	return v
}

// exchange is a call, and the request that a person would send instead.
type exchange struct {
	peerCall
	method, target, body string
}

func readExchanges(t *testing.T, file string) []exchange {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []exchange
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		call, request, ok := strings.Cut(strings.TrimSpace(line), " => ")
		if !ok {
			t.Fatalf("%s: %s", file, line)
		}
		e := exchange{}
		tool, args, _ := strings.Cut(call, " ")
		e.peerCall = peerCall{tool, json.RawMessage(args)}
		e.method, request, _ = strings.Cut(request, " ")
		e.target, e.body, _ = strings.Cut(request, " ")
		out = append(out, e)
	}
	return out
}

// startPrism starts Prism, which holds each request against a document and answers with its examples.
func startPrism(t *testing.T, document []byte) *url.URL {
	t.Helper()
	modules := installPackages(t, "testdata/openapi/prism")
	file := filepath.Join(t.TempDir(), "served.json")
	if err := os.WriteFile(file, document, 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", filepath.Join(modules, ".bin", "prism"), "mock", "-p", "0", "-h", "127.0.0.1", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if _, address, ok := strings.Cut(lines.Text(), "Prism is listening on "); ok {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			at, err := url.Parse(strings.TrimSpace(address))
			if err != nil {
				t.Fatal(err)
			}
			return at
		}
	}
	t.Fatal("Prism has ended")
	return nil
}

// recorder passes requests on and remembers the last one.
type recorder struct {
	*httptest.Server
	mu   sync.Mutex
	last *http.Request
	body []byte
}

func recordTo(t *testing.T, at *url.URL) *recorder {
	t.Helper()
	r := &recorder{}
	forward := httputil.NewSingleHostReverseProxy(at)
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			t.Error(err)
		}
		req.Body = io.NopCloser(bytes.NewReader(body))
		r.mu.Lock()
		r.last, r.body = req.Clone(t.Context()), body
		r.mu.Unlock()
		forward.ServeHTTP(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) request() (line string, header http.Header) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(r.last.Method + " " + r.last.RequestURI + " " + string(r.body)), r.last.Header
}

// Each call becomes the request that a person would send, and its result is what that request is answered with.
func TestOpenAPIPeers(t *testing.T) {
	program := buildProgram(t)
	for _, d := range interfaces() {
		t.Run(d.name, func(t *testing.T) {
			if d.long && os.Getenv("TOOLGEN_PEERS") == "" {
				t.Skip("runs where TOOLGEN_PEERS is set: make proxy-peers")
			}
			document, served := d.documents(t)
			prism := startPrism(t, served)
			front := recordTo(t, prism)
			dir := t.TempDir()
			args := []string{"import", "-C", dir, "--openapi", document, "--server", front.URL, "--effects", "protocol", "--secret", "petstore_auth=PET_TOKEN", "--secret", "api_key=PET_KEY"}
			if d.overlay != "" {
				args = append(args, "--overlay", filepath.Join("testdata/openapi", d.overlay))
			}
			for _, a := range [][]string{args, {"lint", "-C", dir}} {
				if out, err := exec.Command(program, a...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", a, err, out)
				}
			}
			if d.first[0] != "" {
				edit(t, filepath.Join(dir, "manifest/tools/repos.yaml"), d.first[0]+"\n", d.first[1]+"\n")
			}
			c, _ := proxyOf(t, program, dir, []string{"PET_TOKEN=token-of-the-store", "PET_KEY=key-of-the-store"})
			calls := readExchanges(t, "testdata/openapi/"+d.name+".calls")
			equal := 0
			for _, e := range calls {
				got := ask(t, c, e.tool, string(e.args))
				line, header := front.request()
				if want := strings.TrimSpace(e.method + " " + e.target + " " + e.body); line != want {
					t.Errorf("%s %s sends\n%s, and not\n%s", e.tool, e.args, line, want)
					continue
				}
				if want := direct(t, prism, e, header.Get("Accept")); got != want {
					t.Errorf("%s %s\n%s", e.tool, e.args, apart(got, want))
					continue
				}
				equal++
			}
			t.Logf("%s: %d of %d requests and results are equal to the byte", d.name, equal, len(calls))
			if len(calls) < 30 {
				t.Errorf("%d calls; 30 are promised", len(calls))
			}
		})
	}
}

// apart shows where two texts begin to differ.
func apart(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	from := max(0, i-40)
	return fmt.Sprintf("proxy:  …%.200s\nserver: …%.200s", got[from:], want[from:])
}

// direct sends the request without the proxy, and writes the answer as a result.
func direct(t *testing.T, at *url.URL, e exchange, accept string) string {
	t.Helper()
	req, err := http.NewRequest(e.method, at.String()+e.target, strings.NewReader(e.body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer token-of-the-store")
	req.Header.Set("Api_key", "key-of-the-store")
	req.Header.Set("Accept", accept)
	if e.body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	status := fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	text, more := string(body), ""
	switch {
	case resp.StatusCode > 299:
		text, more = strings.TrimSuffix(status+"\n"+text, "\n"), `,"isError":true`
	case text == "":
		text = status
	case json.Valid(body) && strings.HasPrefix(resp.Header.Get("Content-Type"), "application/json"):
		more = `,"structuredContent":` + text
		if !strings.HasPrefix(text, "{") {
			more = `,"structuredContent":{"result":` + text + `}`
		}
	}
	var quoted bytes.Buffer
	enc := json.NewEncoder(&quoted)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		t.Fatal(err)
	}
	return `{"content":[{"type":"text","text":` + strings.TrimSpace(quoted.String()) + `}]` + more + `}`
}

// The gates of a manifest hold for operations, secrets stay in the environment, and an interface that is gone is
// named.
func TestOpenAPIGates(t *testing.T) {
	dir, program := t.TempDir(), buildProgram(t)
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
	has(t, ask(t, c, "make_order", `{}`), "FAILED", "the upstream did not answer", "connection refused")
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
