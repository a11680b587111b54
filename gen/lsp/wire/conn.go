// Package wire reads and writes the messages of the Language Server Protocol, as far as the server of
// manifests needs them (https://microsoft.github.io/language-server-protocol/specifications/lsp/3.17/specification/).
//
// It frames messages, and has the types of their contents. It must not know what a manifest is.
package wire

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"sync"
)

// Codes of errors, of JSON-RPC and of the protocol.
const (
	ParseError           = -32700
	InvalidRequest       = -32600
	MethodNotFound       = -32601
	InvalidParams        = -32602
	InternalError        = -32603
	ServerNotInitialized = -32002
	RequestFailed        = -32803
)

// Message is a request, a notification or a response: a request has an id and a method, a notification a
// method, a response an id.
type Message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// Error is the reason why a request failed.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Errorf makes an error with a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// maxMessage is the most bytes of one message: a manifest of ten thousand tools is ten of them.
const maxMessage = 64 << 20

// Conn frames messages on two streams. Write is safe for concurrent use, Read is not.
type Conn struct {
	in  *bufio.Reader
	mu  sync.Mutex
	out io.Writer
}

// NewConn makes a connection that reads from in and writes to out.
func NewConn(in io.Reader, out io.Writer) *Conn {
	return &Conn{in: bufio.NewReaderSize(in, 1<<16), out: out}
}

// Read returns the next message. An *Error says that one message is malformed, and the next can be read;
// any other error ends the connection: io.EOF where the client closed it.
func (c *Conn) Read() (Message, error) {
	length, err := c.header()
	if err != nil {
		return Message{}, err
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return Message{}, fmt.Errorf("read a message of %d bytes: %w", length, err)
	}
	var m Message
	if err := json.Unmarshal(body, &m); err != nil {
		if !json.Valid(body) {
			return Message{}, Errorf(ParseError, "the message is not JSON: %v", err)
		}
		return Message{}, Errorf(InvalidRequest, "the message is not a request: %v", err)
	}
	if m.Version != "2.0" || m.Method == "" && m.ID == nil {
		return Message{ID: m.ID}, Errorf(InvalidRequest, "the message is not a request of JSON-RPC 2.0")
	}
	return m, nil
}

// header reads the header fields of a message and returns the length of its content.
func (c *Conn) header() (int, error) {
	fields, err := textproto.NewReader(c.in).ReadMIMEHeader()
	if errors.Is(err, io.EOF) && len(fields) == 0 {
		return 0, io.EOF
	}
	if err != nil {
		return 0, fmt.Errorf("read the header of a message: %w", err)
	}
	text := strings.TrimSpace(fields.Get("Content-Length"))
	length, err := strconv.Atoi(text)
	if err != nil || length < 0 || length > maxMessage {
		return 0, fmt.Errorf("read the header of a message: Content-Length is %q, and at most %d", text, maxMessage)
	}
	return length, nil
}

// Write sends a message.
func (c *Conn) Write(m Message) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err = c.out.Write(append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...))
	return err
}

// Notify sends a notification.
func (c *Conn) Notify(method string, params any) error {
	data, err := json.Marshal(params)
	if err != nil {
		return fmt.Errorf("encode the parameters of %s: %w", method, err)
	}
	return c.Write(Message{Method: method, Params: data})
}

// Reply answers a request with a result, or with an error where err is not nil. A nil result is null.
func (c *Conn) Reply(id json.RawMessage, result any, err error) error {
	m := Message{ID: id}
	if id == nil {
		m.ID = json.RawMessage("null")
	}
	if err == nil {
		m.Result, err = json.Marshal(result)
	}
	if err != nil {
		var coded *Error
		if !errors.As(err, &coded) {
			coded = Errorf(InternalError, "%v", err)
		}
		m.Result, m.Error = nil, coded
	}
	return c.Write(m)
}
