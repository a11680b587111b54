package httpserver_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit/httpserver"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":               "127.0.0.1:9876",
		"9876":           "127.0.0.1:9876",
		"0":              "127.0.0.1:0",
		":80":            "127.0.0.1:80",
		"localhost":      "localhost:9876",
		"localhost:1":    "localhost:1",
		"0.0.0.0:9876":   "0.0.0.0:9876",
		"[::1]:9876":     "[::1]:9876",
		"[::1]":          "[::1]:9876",
		"::1":            "[::1]:9876",
		"box.test:http":  "",
		"box.test:70000": "",
		"99999":          "",
	} {
		got, err := httpserver.Address(text, "127.0.0.1:9876")
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}

func TestListenGuards(t *testing.T) {
	t.Parallel()
	for address, guarded := range map[string]bool{"127.0.0.1:0": false, "localhost:0": false, "0.0.0.0:0": true} {
		ln, err := httpserver.Listen(t.Context(), address, guarded)
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		_ = ln.Close()
	}
	for _, address := range []string{"0.0.0.0:0", "[::]:0"} {
		if _, err := httpserver.Listen(t.Context(), address, false); err == nil || strings.HasPrefix(address, "0") && !errors.Is(err, httpserver.ErrUnguarded) {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// TestABodyThatNeverComes does not hold a connection for ever, and one that came does not end its
// request's answer.
func TestABodyThatNeverComes(t *testing.T) {
	t.Parallel()
	const limit = 200 * time.Millisecond
	streaming := make(chan bool)
	handler := httpserver.LimitBodyTime(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			streaming <- false
		case <-time.After(3 * limit):
			streaming <- true
		}
	}), limit)
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = http.Serve(ln, handler) }()
	defer func() { _ = ln.Close() }()
	send := func(body string) net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_, _ = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"+body)
		return conn
	}
	slow := send("01234")
	_ = slow.SetReadDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.ReadAll(slow); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the connection stays")
	}
	send("0123456789")
	if !<-streaming {
		t.Error("the answer was ended with the time for the body")
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	started := make(chan bool)
	handler, err := httpserver.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		started <- true
		<-r.Context().Done()
	}), "1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	ln, err := httpserver.Listen(t.Context(), "127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended, closed := make(chan error, 1), make(chan bool, 1)
	go func() {
		ended <- httpserver.Serve(ctx, ln, handler, slog.New(slog.DiscardHandler), func(context.Context) error {
			closed <- true
			return nil
		})
	}()
	if got, want := get(t, ln.Addr(), httpserver.HealthPath), "{\"status\":\"ok\",\"version\":\"1.2.3\"}\n"; got != want {
		t.Error(cmp.Diff(want, got))
	}
	go func() {
		if res, err := http.Get("http://" + ln.Addr().String() + httpserver.Path); err == nil {
			_ = res.Body.Close()
		}
	}()
	<-started
	cancel() // with a request that does not end
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("still serving")
	}
	<-closed
}

func get(t *testing.T, addr net.Addr, path string) string {
	t.Helper()
	res, err := http.Get("http://" + addr.String() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
