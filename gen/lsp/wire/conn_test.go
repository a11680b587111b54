package wire_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/lsp/wire"
)

func frame(body string) string {
	var b bytes.Buffer
	b.WriteString("Content-Length: ")
	for _, digit := range []byte{byte('0' + len(body)/100), byte('0' + len(body)/10%10), byte('0' + len(body)%10)} {
		b.WriteByte(digit)
	}
	return b.String() + "\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" + body
}

func TestMalformedMessagesAreSkipped(t *testing.T) {
	t.Parallel()
	good := frame(`{"jsonrpc":"2.0","id":7,"method":"m","params":{}}`)
	for body, code := range map[string]int{
		`{"jsonrpc":`:            wire.ParseError,
		"\xff":                   wire.ParseError,
		`[{"jsonrpc":"2.0"}]`:    wire.InvalidRequest,
		`{"method":"m","id":1}`:  wire.InvalidRequest,
		`{"jsonrpc":"2.0"}`:      wire.InvalidRequest,
		`{"jsonrpc":2,"id":"a"}`: wire.InvalidRequest,
	} {
		c := wire.NewConn(strings.NewReader(frame(body)+good), io.Discard)
		_, err := c.Read()
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != code {
			t.Errorf("%q: %v", body, err)
		}
		if m, err := c.Read(); err != nil || m.Method != "m" || string(m.ID) != "7" {
			t.Errorf("the message after %q: %+v, %v", body, m, err)
		}
		if _, err := c.Read(); !errors.Is(err, io.EOF) {
			t.Errorf("the end after %q: %v", body, err)
		}
	}
}

func TestBrokenFramesEndTheConnection(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Content-Length: x\r\n\r\n{}", "Content-Length: -1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "hello\r\n\r\n", "Content-Length: 10\r\n\r\n{}", "\r\n"} {
		_, err := wire.NewConn(strings.NewReader(text), io.Discard).Read()
		var e *wire.Error
		if err == nil || errors.As(err, &e) || err == io.EOF {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	for want, reply := range map[string]func(*wire.Conn) error{
		`{"jsonrpc":"2.0","id":1,"result":null}`:                                    func(c *wire.Conn) error { return c.Reply([]byte("1"), nil, nil) },
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`:        func(c *wire.Conn) error { return c.Reply(nil, nil, wire.Errorf(wire.ParseError, "no")) },
		`{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"disk is full"}}`: func(c *wire.Conn) error { return c.Reply([]byte("2"), nil, errors.New("disk is full")) },
	} {
		var out bytes.Buffer
		if err := reply(wire.NewConn(nil, &out)); err != nil {
			t.Error(err)
		}
		if _, body, _ := strings.Cut(out.String(), "\r\n\r\n"); body != want {
			t.Errorf("%s, want %s", body, want)
		}
	}
}
