// Package relay makes a browser that is reached through the extension look like one with a debugging
// port: it answers the commands that address the browser, such as those about targets, and passes
// those of a page on to the extension.
//
// It knows the protocol's targets and sessions, and must not know tabs of sessions, nor how the
// extension decides which tabs it offers.
package relay

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/chromedp/chromedp"
)

// The sizes of native messages in bytes that a browser takes and sends.
const (
	maxToBrowser   = 1 << 20
	maxFromBrowser = 256 << 20
)

// ErrNoExtension is the error of Dial while no extension is connected.
var ErrNoExtension = errors.New("no browser is connected through the extension: press the Callsheet button in its toolbar, " +
	"then \"Let agents open tabs here\"; callsheet extension install says how to add it")

// Hub keeps the connection of the extension that connected last. The zero value is ready for use.
type Hub struct {
	mu   sync.Mutex
	link *link
}

// Serve carries native messages until the connection ends. A new connection ends the one before.
func (h *Hub) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	l := &link{conn: conn, pending: make(map[int64]func(json.RawMessage, error))}
	h.mu.Lock()
	old := h.link
	h.link = l
	h.mu.Unlock()
	if old != nil {
		_ = old.conn.Close()
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	err := l.read()
	h.mu.Lock()
	if h.link == l {
		h.link = nil
	}
	h.mu.Unlock()
	l.end()
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return nil
	}
	return err
}

// Dial returns a connection to the browser of the extension, which offers the tabs that a mode of
// browser.TabAccess names. The error is ErrNoExtension.
func (h *Hub) Dial(ctx context.Context, tabs string) (chromedp.Transport, error) {
	h.mu.Lock()
	l := h.link
	h.mu.Unlock()
	if l == nil {
		return nil, ErrNoExtension
	}
	return newTransport(ctx, l, tabs)
}

// link is the connection to one extension: requests with their answers, and events.
type link struct {
	conn io.ReadWriteCloser

	writeMu sync.Mutex

	mu      sync.Mutex
	next    int64
	pending map[int64]func(json.RawMessage, error)
	user    *transport // receives the events
	ended   bool
}

// incoming is a message of the extension.
type incoming struct {
	ID     int64           `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`

	Event   string          `json:"event"`
	Tab     int             `json:"tab"`
	Target  string          `json:"target"`
	URL     string          `json:"url"`
	Title   string          `json:"title"`
	Opener  string          `json:"opener"`
	Session string          `json:"session"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

func (l *link) read() error {
	for {
		var size uint32
		if err := binary.Read(l.conn, binary.NativeEndian, &size); err != nil {
			return err
		}
		if size > maxFromBrowser {
			return fmt.Errorf("a message of the extension has %d bytes", size)
		}
		text := make([]byte, size)
		if _, err := io.ReadFull(l.conn, text); err != nil {
			return err
		}
		var m incoming
		if err := json.Unmarshal(text, &m); err != nil {
			return fmt.Errorf("read a message of the extension: %w", err)
		}
		l.dispatch(&m)
	}
}

func (l *link) dispatch(m *incoming) {
	l.mu.Lock()
	done, user := l.pending[m.ID], l.user
	delete(l.pending, m.ID)
	l.mu.Unlock()
	switch {
	case m.Event != "" && user != nil:
		user.onEvent(m)
	case done != nil && m.Error != "":
		done(nil, errors.New(m.Error))
	case done != nil:
		done(m.Result, nil)
	}
}

// request sends a request; done is called with the answer, or with the end of the connection. It
// must not wait.
func (l *link) request(name string, params any, done func(json.RawMessage, error)) {
	l.mu.Lock()
	if l.ended {
		l.mu.Unlock()
		done(nil, io.EOF)
		return
	}
	l.next++
	id := l.next
	l.pending[id] = done
	l.mu.Unlock()
	if err := l.write(map[string]any{"id": id, "request": name, "params": params}); err != nil {
		l.mu.Lock()
		_, waits := l.pending[id]
		delete(l.pending, id)
		l.mu.Unlock()
		if waits {
			done(nil, err)
		}
	}
}

func (l *link) write(m any) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(text) > maxToBrowser {
		return fmt.Errorf("a command of %d bytes is too large for the extension, which takes %d", len(text), maxToBrowser)
	}
	l.writeMu.Lock()
	defer l.writeMu.Unlock()
	frame := binary.NativeEndian.AppendUint32(make([]byte, 0, len(text)+4), uint32(len(text)))
	_, err = l.conn.Write(append(frame, text...))
	return err
}

// end fails what waits for an answer.
func (l *link) end() {
	l.mu.Lock()
	l.ended = true
	pending, user := l.pending, l.user
	l.pending = make(map[int64]func(json.RawMessage, error))
	l.mu.Unlock()
	for _, done := range pending {
		done(nil, io.EOF)
	}
	if user != nil {
		user.end()
	}
}

// setUser makes a transport receive the events; the one before ends.
func (l *link) setUser(t *transport) {
	l.mu.Lock()
	old := l.user
	l.user = t
	l.mu.Unlock()
	if old != nil && old != t {
		old.end()
	}
}
