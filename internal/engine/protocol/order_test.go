package protocol_test

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// writes is a transport that keeps the methods of what is written, and answers nothing.
type writes struct{ methods, closed chan string }

func (w writes) Read(context.Context, *cdproto.Message) error { <-w.closed; return io.EOF }
func (w writes) Write(_ context.Context, m *cdproto.Message) error {
	w.methods <- string(m.Method)
	return nil
}
func (w writes) Close() error { return nil }

// slowParams are encoded as long as another command may overtake them.
type slowParams struct{ encoding chan struct{} }

func (p slowParams) MarshalJSON() ([]byte, error) {
	close(p.encoding)
	<-time.After(50 * time.Millisecond)
	return []byte("{}"), nil
}

// A command that is sent once another is being encoded reaches the browser after it.
func TestCommandsAreSentInTheOrderOfTheirEncoding(t *testing.T) {
	w := writes{methods: make(chan string, 2), closed: make(chan string)}
	conn := protocol.Open(w, func(any) {}, func(*protocol.Session, *target.Info) {})
	t.Cleanup(func() { close(w.closed) })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	move := slowParams{encoding: make(chan struct{})}
	go func() { _ = conn.Call(ctx, "Test.move", move, nil) }()
	<-move.encoding
	go func() { _ = conn.Call(ctx, "Test.press", nil, nil) }()
	if first := <-w.methods; first != "Test.move" {
		t.Errorf("%s came first", first)
	}
	<-w.methods
}
