// Package mcpclient makes one tool call over a connection that speaks MCP in lines, and waits for
// its answer.
//
// It speaks the stateless revision of the protocol, so that a call is one line each way and names
// the session it is for. It must not know who answers, nor the tools.
package mcpclient

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Call is one call.
type Call struct {
	Tool     string
	Args     json.RawMessage
	Session  string
	Client   string // the caller's name and version, for the server's log
	Version  string
	Progress func(Progress) // nil: none is requested
}

// Progress is a progress notification of a call. A Total of 0 is unknown.
type Progress struct {
	Done    float64 `json:"progress"`
	Total   float64 `json:"total"`
	Message string  `json:"message"`
}

// Result is the answer to a call. The raw members are as they were sent.
type Result struct {
	Content    []Content       `json:"content"`
	RawContent json.RawMessage `json:"-"`
	Structured json.RawMessage `json:"structuredContent"`
	Refused    bool            `json:"isError"`
}

// Content is one item: text, data of a MIME type, or the address of a resource.
type Content struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Data []byte `json:"data"`
	MIME string `json:"mimeType"`
	URI  string `json:"uri"`
}

// Error is a JSON-RPC error, such as that of an unknown tool.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *Error) Error() string { return e.Message }

const protocolVersion = "2026-07-28"

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

// CallTool makes the call. When ctx ends first, it sends a cancellation, and the error is that of
// ctx.
func CallTool(ctx context.Context, conn io.ReadWriter, c Call) (Result, error) {
	line, err := encodeCall(c)
	if err != nil {
		return Result{}, err
	}
	if _, err := conn.Write(line); err != nil {
		return Result{}, fmt.Errorf("send the call: %w", err)
	}
	type answer struct {
		res Result
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		res, err := readResult(conn, c.Progress)
		answers <- answer{res, err}
	}()
	select {
	case a := <-answers:
		return a.res, a.err
	case <-ctx.Done():
		_, _ = io.WriteString(conn, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"interrupted"}}`+"\n")
		return Result{}, ctx.Err()
	}
}

// encodeCall is the line of a call.
func encodeCall(c Call) ([]byte, error) {
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    protocolVersion,
		"io.modelcontextprotocol/clientCapabilities": struct{}{},
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": c.Client, "version": c.Version},
		"callsheet/session":                          c.Session,
	}
	if c.Progress != nil {
		meta["progressToken"] = "1"
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line too
	enc.SetEscapeHTML(false)
	err := enc.Encode(map[string]any{
		"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": c.Tool, "arguments": c.Args, "_meta": meta},
	})
	if err != nil {
		return nil, fmt.Errorf("write the call: %w", err)
	}
	return b.Bytes(), nil
}

// readResult reads lines up to the answer.
func readResult(conn io.Reader, progress func(Progress)) (Result, error) {
	in := bufio.NewReaderSize(conn, 64<<10)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return Result{}, fmt.Errorf("wait for the answer: %w", err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return Result{}, fmt.Errorf("read the answer: %w", err)
		}
		switch {
		case m.Error != nil:
			return Result{}, m.Error
		case m.Result != nil:
			return decodeResult(m.Result)
		case m.Method == "notifications/progress" && progress != nil:
			var p Progress
			if json.Unmarshal(m.Params, &p) == nil { // a malformed notification is dropped
				progress(p)
			}
		}
	}
}

func decodeResult(raw json.RawMessage) (Result, error) {
	var res Result
	var parts struct {
		Content json.RawMessage `json:"content"`
	}
	err := errors.Join(json.Unmarshal(raw, &res), json.Unmarshal(raw, &parts))
	if err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	res.RawContent = parts.Content
	return res, nil
}
