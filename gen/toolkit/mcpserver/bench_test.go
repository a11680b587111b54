package mcpserver_test

import (
	"context"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

// TestNothingIsLeftRunning serves a few clients of every kind and counts goroutines.
func TestNothingIsLeftRunning(t *testing.T) { //nolint:paralleltest // it counts goroutines
	before := runtime.NumGoroutine()
	b := newBench()
	t.Run("clients", func(t *testing.T) {
		s, _ := b.serve(t, mcpserver.Options{}, 0)
		url := listen(t, s, mcpserver.HTTPOptions{})
		w := dial(t, s)
		w.initialize()
		w.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		w.send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"wait"}}`)
		<-b.running
		cs := connect(t, url, nil, false)
		listed(t, cs)
		do(t, http.MethodPost, url, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bare)
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
		if err := w.closeInput(); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	http.DefaultClient.CloseIdleConnections()
	waitFor(t, func() bool { return runtime.NumGoroutine() <= before })
}

// loop asks the same over a raw connection.
func loop(b *testing.B, w *wire, line string) {
	b.Helper()
	w.ask(line)
	b.ReportAllocs()
	for b.Loop() {
		w.ask(line)
	}
}

func BenchmarkStdioList80(b *testing.B) {
	s, _ := newBench().serve(b, mcpserver.Options{}, 80)
	w := dial(b, s)
	w.initialize()
	loop(b, w, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
}

func BenchmarkStdioCall(b *testing.B) {
	s, _ := newBench().serve(b, mcpserver.Options{}, 0)
	w := dial(b, s)
	w.initialize()
	loop(b, w, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"}}}`)
}

func BenchmarkStdioPicture1MiB(b *testing.B) {
	s, _ := newBench().serve(b, mcpserver.Options{}, 0)
	w := dial(b, s)
	w.initialize()
	b.SetBytes(1 << 20)
	loop(b, w, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"picture","arguments":{"bytes":1048576}}}`)
}

func benchmarkHTTP(b *testing.B, body string, h headers, extra int) {
	b.Helper()
	s, _ := newBench().serve(b, mcpserver.Options{}, extra)
	url := listen(b, s, mcpserver.HTTPOptions{})
	b.ReportAllocs()
	for b.Loop() {
		req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		for k, v := range h {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, res.Body)
		_ = res.Body.Close()
	}
}

func BenchmarkHTTPBareList80(b *testing.B) {
	benchmarkHTTP(b, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, bare, 80)
}

func BenchmarkHTTPModernList80(b *testing.B) {
	benchmarkHTTP(b, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+`}}`,
		with(streaming, headers{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list"}), 80)
}

func BenchmarkHTTPPicture1MiB(b *testing.B) {
	benchmarkHTTP(b, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"picture","arguments":{"bytes":1048576}}}`, bare, 0)
}
