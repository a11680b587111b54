package mcpserver_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/mcpserver"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

// wire is the client's end of a connection over lines.
type wire struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan string
	ended chan error
	stop  context.CancelFunc
}

func dial(t testing.TB, s *mcpserver.Server) *wire {
	t.Helper()
	clientIn, serverOut := io.Pipe()
	serverIn, clientOut := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	w := &wire{t: t, in: clientOut, lines: make(chan string, 256), ended: make(chan error, 1), stop: cancel}
	go func() {
		err := s.ServeStdio(ctx, serverIn, serverOut)
		_ = serverOut.Close()
		w.ended <- err
	}()
	go func() {
		defer close(w.lines)
		r := bufio.NewReader(clientIn)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			w.lines <- strings.TrimSuffix(line, "\n")
		}
	}()
	t.Cleanup(func() {
		_ = clientOut.Close()
		cancel()
		for range w.lines {
		}
	})
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// next is the next line within five seconds.
func (w *wire) next() string {
	w.t.Helper()
	select {
	case line, ok := <-w.lines:
		if !ok {
			w.t.Fatal("the server hung up")
		}
		return line
	case <-time.After(time.Minute):
		w.t.Fatal("no answer within a minute")
	}
	return ""
}

// silent checks that nothing comes for a while.
func (w *wire) silent(d time.Duration) {
	w.t.Helper()
	select {
	case line := <-w.lines:
		w.t.Errorf("unexpected line: %s", line)
	case <-time.After(d):
	}
}

func (w *wire) ask(line string) string {
	w.t.Helper()
	w.send(line)
	return w.next()
}

// initialize opens a session of a revision that has them.
func (w *wire) initialize() {
	w.t.Helper()
	w.ask(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

func (w *wire) closeInput() error {
	w.t.Helper()
	_ = w.in.Close()
	select {
	case err := <-w.ended:
		return err
	case <-time.After(time.Minute):
		w.t.Fatal("the server did not end within a minute")
	}
	return nil
}
