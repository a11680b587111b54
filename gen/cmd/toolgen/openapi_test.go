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
)

// described is an HTTP interface whose document is public, with calls in testdata/openapi/NAME.calls.
type described struct {
	name string
	// documents returns the document that is imported, and the one that the mock server is made of.
	documents func(t *testing.T) (imported string, served []byte)
	overlay   string
	first     [2]string // an entry's name, and the name that a person gives it
}

func interfaces() []described {
	return []described{
		{name: "petstore", documents: petstore},
		{name: "github", documents: github, overlay: "github.overlay.yaml", first: [2]string{"name: repos_get", "name: get_repository"}},
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
	if os.Getenv("TOOLGEN_PEERS") == "" {
		t.Skip("runs where TOOLGEN_PEERS is set: make proxy-peers")
	}
	program := programPath(t)
	for _, d := range interfaces() {
		t.Run(d.name, func(t *testing.T) {
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
