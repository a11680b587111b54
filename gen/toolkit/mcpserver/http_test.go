package mcpserver_test

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// listen serves the sample over HTTP.
func listen(t testing.TB, s *mcpserver.Server, opt mcpserver.HTTPOptions) string {
	t.Helper()
	h := httptest.NewServer(s.HTTPHandler(opt))
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h.URL
}

type headers map[string]string

var streaming = headers{"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}

func with(base headers, more headers) headers {
	out := headers{}
	for _, h := range []headers{base, more} {
		for k, v := range h {
			out[k] = v
		}
	}
	return out
}

// do sends one request and reads the whole answer.
func do(t testing.TB, method, url, body string, h headers) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range h {
		if k == "Host" {
			req.Host = v
		}
		req.Header.Set(k, v)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(text)
}

var bare = headers{"Content-Type": "application/json", "Accept": "*/*"} // as curl sends it

// TestBarePost sends requests as scripts do: with any Accept, without a session and without initialize.
func TestBarePost(t *testing.T) {
	t.Parallel()
	s, surface := newBench().serve(t, mcpserver.Options{}, 20)
	url := listen(t, s, mcpserver.HTTPOptions{})
	list := string(surface.NewStaticSession("").List())
	tests := map[string]struct {
		body   string
		header headers
		status int
		want   string
	}{
		"list": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bare, 200,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":` + list + `}}`},
		"list without accept": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, headers{"Content-Type": "application/json; charset=utf-8"}, 200,
			`{"jsonrpc":"2.0","id":1,"result":{"tools":` + list + `}}`},
		"list with a proper accept": {`{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}`, streaming, 200,
			`{"jsonrpc":"2.0","id":"x","result":{"tools":` + list + `}}`},
		"call": {`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`, bare, 200,
			`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"a"}]}}`},
		"unknown tool": {`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ecko"}}`, bare, 200,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"unknown tool \"ecko\", did you mean \"echo\"?"}}`},
		"undeclared feature": {`{"jsonrpc":"2.0","id":3,"method":"prompts/list"}`, bare, 200,
			`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: \"prompts/list\""}}`},
		"not json": {`{"jsonrpc":`, bare, 400,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the body is not one JSON value"}}`},
		"too large": {`"` + strings.Repeat("x", 5<<20) + `"`, bare, 413,
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the request's body is too large"}}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, got := do(t, http.MethodPost, url, test.body, test.header)
			if res.StatusCode != test.status || !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") {
				t.Errorf("%s %s", res.Status, res.Header.Get("Content-Type"))
			}
			if diff := cmp.Diff(test.want, withoutHandle(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBareExpansionNeverChangesTheList(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	_, before := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bare)
	_, expanded := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"expand"}}`, bare)
	if !strings.Contains(expanded, `rare`) {
		t.Error(expanded)
	}
	_, after := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bare)
	if diff := cmp.Diff(before, after); diff != "" {
		t.Error(diff)
	}
}

func TestModernOverHTTP(t *testing.T) {
	t.Parallel()
	s, surface := newBench().serve(t, mcpserver.Options{}, 20)
	url := listen(t, s, mcpserver.HTTPOptions{})
	modern := with(streaming, headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"})
	res, got := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, modern)
	want := "event: message\ndata: " + `{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":` + string(surface.NewStaticSession("").List()) +
		`,"ttlMs":60000,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"sample","version":"1.2.3"}}}}` + "\n\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if res.Header.Get("X-Accel-Buffering") != "no" {
		t.Error("no X-Accel-Buffering")
	}
	res, got = do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"prompts/list","params":{`+modernMeta+`}}`, with(modern, headers{"Mcp-Method": "prompts/list"}))
	if res.StatusCode != 404 || !strings.Contains(got, "-32601") {
		t.Errorf("%s %s", res.Status, got)
	}
	res, got = do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`, streaming)
	if res.StatusCode != 400 || !strings.Contains(got, "-32020") {
		t.Errorf("without its header: %s %s", res.Status, got)
	}
}

func TestClientOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			exercise(t, &mcp.StreamableClientTransport{Endpoint: url}, version)
		})
	}
}

// connect opens a session over HTTP with the SDK's client.
func connect(t *testing.T, url string, opt *mcp.ClientOptions, quiet bool) *mcp.ClientSession {
	t.Helper()
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, opt).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url, DisableStandaloneSSE: quiet}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	return cs
}

func listed(t *testing.T, cs *mcp.ClientSession) []string {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(list.Tools))
	for i, tool := range list.Tools {
		names[i] = tool.Name
	}
	return names
}

// TestHTTPSessionsAreIsolated also covers how a session ends.
func TestHTTPSessionsAreIsolated(t *testing.T) {
	t.Parallel()
	for _, quiet := range []bool{false, true} {
		b := newBench()
		s, _ := b.serve(t, mcpserver.Options{}, 0)
		url := listen(t, s, mcpserver.HTTPOptions{})
		changed := [2]chan bool{make(chan bool, 8), make(chan bool, 8)}
		var sessions [2]*mcp.ClientSession
		for i := range sessions {
			sessions[i] = connect(t, url, &mcp.ClientOptions{
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed[i] <- true },
			}, quiet)
		}
		if _, err := sessions[0].CallTool(t.Context(), &mcp.CallToolParams{Name: "expand"}); err != nil {
			t.Fatal(err)
		}
		select {
		case <-changed[0]:
		case <-time.After(time.Minute):
			t.Errorf("no notification (without a stream: %v)", quiet)
		}
		if !slices.Contains(listed(t, sessions[0]), "rare") || slices.Contains(listed(t, sessions[1]), "rare") {
			t.Error("the sessions are not isolated")
		}
		time.Sleep(60 * time.Millisecond) // nothing more may come
		if len(changed[0]) > 0 || len(changed[1]) > 0 {
			t.Errorf("too many notifications: %d, and %d to the other", 1+len(changed[0]), len(changed[1]))
		}
		var want []string
		for _, i := range []int{1, 0} {
			want = append(want, sessions[i].ID())
			if err := sessions[i].Close(); err != nil {
				t.Error(err)
			}
			waitFor(t, func() bool { return slices.Equal(want, b.endedSessions()) })
		}
	}
}

// waitFor is for what has no event a test could see.
func waitFor(t testing.TB, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not happen within a minute")
		}
	}
}

func TestHTTPDeleteEndsCalls(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	cs := connect(t, url, nil, true)
	go func() { _, _ = cs.CallTool(context.Background(), &mcp.CallToolParams{Name: "wait"}) }()
	id := <-b.running
	start := time.Now()
	do(t, http.MethodDelete, url, "", headers{"Mcp-Session-Id": id})
	<-b.cancelled
	waitFor(t, func() bool { return slices.Equal([]string{id}, b.endedSessions()) })
	if took := time.Since(start); took > 4*time.Second { // less than the server waits for an answer of a client
		t.Errorf("the end took %v", took)
	}
}

func TestHTTPSessionTimeout(t *testing.T) {
	t.Parallel()
	b := newBench()
	s, _ := b.serve(t, mcpserver.Options{}, 0)
	cs := connect(t, listen(t, s, mcpserver.HTTPOptions{SessionTimeout: 3 * time.Second}), nil, true) // more than its beginning takes
	waitFor(t, func() bool { return slices.Equal([]string{cs.ID()}, b.endedSessions()) })
}

// TestHTTPCancellation has a client that goes away, in each of the ways it can.
func TestHTTPCancellation(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"`
	tests := map[string]struct {
		body   string
		header headers
	}{
		"bare":   {call + `}}`, bare},
		"modern": {call + `,` + modernMeta + `}}`, with(streaming, headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "wait"})},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench()
			s, _ := b.serve(t, mcpserver.Options{}, 0)
			url := listen(t, s, mcpserver.HTTPOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(test.body))
			if err != nil {
				t.Fatal(err)
			}
			for k, v := range test.header {
				req.Header.Set(k, v)
			}
			go func() {
				if res, err := http.DefaultClient.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			}()
			<-b.running
			cancel()
			select {
			case <-b.cancelled:
			case <-time.After(time.Minute):
				t.Error("the call goes on")
			}
		})
	}
	t.Run("session", func(t *testing.T) {
		t.Parallel()
		b := newBench()
		s, _ := b.serve(t, mcpserver.Options{}, 0)
		cs := connect(t, listen(t, s, mcpserver.HTTPOptions{}), nil, false)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-b.running; cancel() }()
		if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "wait"}); err == nil {
			t.Error("a cancelled call has a result")
		}
		<-b.cancelled
		_ = cs.Close()
	})
}

// TestTicketsCannotBeForged sends what looks like a ticket through everything that is echoed.
func TestTicketsCannotBeForged(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	const forged = `"result":{"ticket":"AAAAAAAAAAAAAAAAAAAAAAAAAA-1"}}`
	quoted := strings.ReplaceAll(forged, `"`, `\"`)
	_, got := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":"`+quoted+`","method":"tools/call","params":{"name":"echo","arguments":{"text":"`+quoted+`"}}}`, bare)
	want := `{"jsonrpc":"2.0","id":"` + quoted + `","result":{"content":[{"type":"text","text":"` + quoted + `"}]}}`
	if diff := cmp.Diff(want, withoutHandle(got)); diff != "" {
		t.Error(diff)
	}
}

// withoutHandle is an answer without the handle of the state that its call began.
func withoutHandle(answer string) string {
	return regexp.MustCompile(`,"_meta":\{"Mcp-State":"[A-Z0-9]+"\}`).ReplaceAllString(answer, "")
}

func TestPictureOverHTTP(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	for _, n := range []int{0, 1, 2, 3, 12<<10 - 1, 12 << 10, 12<<10 + 1, 1 << 20} {
		_, got := do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"picture","arguments":{"bytes":`+strconv.Itoa(n)+`}}}`, bare)
		want := `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a picture"},{"type":"image","mimeType":"image/png","data":"` +
			base64.StdEncoding.EncodeToString(pixels(n)) + `"}]}}`
		if withoutHandle(got) != want {
			t.Errorf("%d bytes arrive as another picture", n)
		}
	}
}

// TestManyCallsAtOnce is for the race detector.
func TestManyCallsAtOnce(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	cs := connect(t, listen(t, s, mcpserver.HTTPOptions{}), nil, false)
	errs := make(chan error, 64)
	for i := range cap(errs) {
		go func() {
			name := []string{"toggle", "echo", "expand", "count"}[i%4]
			_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: map[string]any{"times": 3}})
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if err := cs.Close(); err != nil {
		t.Error(err)
	}
}
