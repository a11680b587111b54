package mcpserver_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// malformed are messages with the id and the code of their answer. Both transports give it.
var malformed = []struct {
	message, id string
	code        int
}{
	{`{"jsonrpc":"2.0","id":1,`, `null`, -32700},
	{`{"jsonrpc":"2.0","id":1,"method":"ping"} {}`, `null`, -32700},
	{`"ping"`, `null`, -32600},
	{`12`, `null`, -32600},
	{`{}`, `null`, -32600},
	{`{"jsonrpc":"2.0","id":5}`, `5`, -32600},
	{`{"jsonrpc":"1.0","id":5,"method":"ping"}`, `5`, -32600},
	{`{"id":"x","method":"ping"}`, `"x"`, -32600},
	{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, -32600},
	{`{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `null`, -32600},
	{`{"jsonrpc":"2.0","id":true,"method":"ping"}`, `null`, -32600},
	{`{"jsonrpc":"2.0","id":6,"method":7}`, `6`, -32600},
	{`[]`, `null`, -32600},
	{`{"jsonrpc":"2.0","id":7,"method":"no/such"}`, `7`, -32601},
	{`{"jsonrpc":"2.0","id":"no","method":"prompts/list"}`, `"no"`, -32601},
	{`{"jsonrpc":"2.0","id":8,"method":"tools/call"}`, `8`, -32600},
	{`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{}}`, `9`, -32602},
}

// keptIDs are ids that come back as they were sent.
var keptIDs = []string{
	`1`, `-7`, `0`, `1.5`, `1.0`, `1e3`, `-0.25`, `9007199254740993`, `123456789012345678901234567890`,
	`-123456789012345678901234567890`, `""`, `"1"`, `"1.5"`, `"\u00e9\n\"x\""`,
}

type response struct {
	ID     json.RawMessage `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// readResponse reads the first response of a body, which may be an event stream.
func readResponse(t *testing.T, text string) (r response) {
	t.Helper()
	if _, data, ok := strings.Cut(text, "data: "); ok {
		text, _, _ = strings.Cut(data, "\n")
	}
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%q is no response: %v", text, err)
	}
	return r
}

func (r response) check(t *testing.T, sent, id string, code int) {
	t.Helper()
	var want, got string
	_, _ = json.Unmarshal([]byte(id), &want), json.Unmarshal(r.ID, &got)
	isText := strings.HasPrefix(id, `"`)
	if isText && want != got || !isText && string(r.ID) != id {
		t.Errorf("%s: the id is %s, want %s", sent, r.ID, id)
	}
	switch {
	case code == 0 && (r.Error != nil || r.Result == nil), code != 0 && (r.Error == nil || r.Error.Code != code):
		t.Errorf("%s: the answer is %s %+v, want code %d", sent, r.Result, r.Error, code)
	}
}

// openHTTPSession returns the headers of requests in a new session.
func openHTTPSession(t *testing.T, url string) headers {
	t.Helper()
	res, text := do(t, http.MethodPost, url, initialize, streaming)
	id := res.Header.Get("Mcp-Session-Id")
	if id == "" {
		t.Fatalf("no session: %s %s", res.Status, text)
	}
	h := with(streaming, headers{"Mcp-Session-Id": id, "Mcp-Protocol-Version": "2025-11-25"})
	do(t, http.MethodPost, url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, h)
	return h
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func TestHTTPAnswersMalformedMessages(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	url := listen(t, s, mcpserver.HTTPOptions{})
	for name, h := range map[string]headers{"bare": bare, "session": openHTTPSession(t, url)} {
		for _, m := range malformed {
			res, text := do(t, http.MethodPost, url, m.message, h)
			if !strings.HasPrefix(res.Header.Get("Content-Type"), "application/json") && !strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream") {
				t.Errorf("%s %s: %s, %s", name, m.message, res.Status, res.Header.Get("Content-Type"))
			}
			if wrong := m.code == -32700 || m.code == -32600; wrong != (res.StatusCode == http.StatusBadRequest) {
				t.Errorf("%s %s: %s", name, m.message, res.Status)
			}
			readResponse(t, text).check(t, name+" "+m.message, m.id, m.code)
		}
		for _, id := range keptIDs {
			ping := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
			_, text := do(t, http.MethodPost, url, ping, h)
			readResponse(t, text).check(t, name+" "+ping, id, 0)
			list := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/list"}`
			_, text = do(t, http.MethodPost, url, list, h)
			readResponse(t, text).check(t, name+" "+list, id, 0)
		}
	}
	h := openHTTPSession(t, url)
	_, text := do(t, http.MethodPost, url, initialize, h)
	readResponse(t, text).check(t, "a second initialize", "1", -32600)
	_, text = do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":9,"method":"ping"}`, with(h, headers{"Mcp-Session-Id": "gone"}))
	readResponse(t, text).check(t, "a session that has ended", "9", -32600)
}

func TestStdioAnswersMalformedMessages(t *testing.T) {
	t.Parallel()
	s, _ := newBench().serve(t, mcpserver.Options{}, 0)
	w := dial(t, s)
	w.initialize()
	for _, m := range malformed {
		readResponse(t, w.ask(m.message)).check(t, m.message, m.id, m.code)
	}
	for _, id := range keptIDs {
		for _, method := range []string{"ping", "tools/list"} {
			message := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
			readResponse(t, w.ask(message)).check(t, message, id, 0)
		}
	}
	readResponse(t, w.ask(initialize)).check(t, "a second initialize", "1", -32600)
}

// TestCallsWithOneIDAreRefused makes a call while another one with its id runs: the later ones are
// refused, and the first one can be cancelled by that id.
func TestCallsWithOneIDAreRefused(t *testing.T) {
	t.Parallel()
	const call = `{"jsonrpc":"2.0","id":1.5,"method":"tools/call","params":{"name":"wait"}}`
	const cancel = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.5}}`
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		b := newBench()
		s, _ := b.serve(t, mcpserver.Options{}, 0)
		w := dial(t, s)
		w.initialize()
		w.send(call)
		<-b.running
		for range 2 {
			readResponse(t, w.ask(call)).check(t, "a call with the id of another", "1.5", -32600)
		}
		w.send(cancel)
		<-b.cancelled
	})
	t.Run("HTTP", func(t *testing.T) {
		t.Parallel()
		b := newBench()
		s, _ := b.serve(t, mcpserver.Options{}, 0)
		url := listen(t, s, mcpserver.HTTPOptions{})
		h := openHTTPSession(t, url)
		first := make(chan struct{})
		go func() {
			defer close(first)
			do(t, http.MethodPost, url, call, h)
		}()
		<-b.running
		for range 2 {
			_, text := do(t, http.MethodPost, url, call, h)
			readResponse(t, text).check(t, "a call with the id of another", "1.5", -32600)
		}
		do(t, http.MethodPost, url, cancel, h)
		<-b.cancelled
		<-first
	})
}
