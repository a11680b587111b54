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
	// Ask takes a question of the server to the person, and the call is repeated with the reply. The
	// error ends the call. Without it, the call declares that no person can be asked.
	Ask func(context.Context, Question) (Reply, error)
}

// Question asks the person behind the client. Schema is that of an object.
type Question struct {
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// Reply is a person's reaction to a question: accept with the content, decline or cancel.
type Reply struct {
	Action  string         `json:"action"`
	Content map[string]any `json:"content,omitempty"`
}

// maxQuestions bounds the questions of one call.
const maxQuestions = 8

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

// Code returns the code of a refusal, or "".
func (r *Result) Code() string {
	var envelope struct {
		Code string `json:"code"`
	}
	if !r.Refused || json.Unmarshal(r.Structured, &envelope) != nil {
		return ""
	}
	return envelope.Code
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

// CallTool makes the call, and repeats it with the replies to the questions of the server. When ctx
// ends first, it sends a cancellation, and the error is that of ctx.
func CallTool(ctx context.Context, conn io.ReadWriter, c Call) (Result, error) {
	x := exchange{w: conn, in: bufio.NewReaderSize(conn, 64<<10), progress: c.Progress}
	var replies map[string]Reply
	state := ""
	for id := 1; ; id++ {
		line, err := encodeCall(c, id, replies, state)
		if err != nil {
			return Result{}, err
		}
		res, err := x.send(ctx, id, line)
		if err != nil || res.questions == nil {
			return res.Result, err
		}
		if c.Ask == nil || id > maxQuestions {
			return Result{}, errors.New("the server asks a question that this call does not expect")
		}
		replies, state = make(map[string]Reply), res.state
		for key, q := range res.questions {
			if replies[key], err = c.Ask(ctx, q); err != nil {
				return Result{}, err
			}
		}
	}
}

// response is a result, or the questions that have to be answered first.
type response struct {
	Result

	questions map[string]Question
	state     string
}

// exchange is a connection with what is read of it.
type exchange struct {
	w        io.Writer
	in       *bufio.Reader
	progress func(Progress)
}

// send sends one request and waits for its response.
func (e exchange) send(ctx context.Context, id int, line []byte) (response, error) {
	if _, err := e.w.Write(line); err != nil {
		return response{}, fmt.Errorf("send the call: %w", err)
	}
	type answer struct {
		res response
		err error
	}
	answers := make(chan answer, 1)
	go func() {
		res, err := readResult(e.in, e.progress)
		answers <- answer{res, err}
	}()
	select {
	case a := <-answers:
		return a.res, a.err
	case <-ctx.Done():
		_, _ = fmt.Fprintf(e.w, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d,"reason":"interrupted"}}`+"\n", id)
		return response{}, ctx.Err()
	}
}

// encodeCall is the line of a call, with the replies to the questions of the response before.
func encodeCall(c Call, id int, replies map[string]Reply, state string) ([]byte, error) {
	capabilities := map[string]any{}
	if c.Ask != nil {
		capabilities["elicitation"] = map[string]any{"form": struct{}{}}
	}
	meta := map[string]any{
		"io.modelcontextprotocol/protocolVersion":    protocolVersion,
		"io.modelcontextprotocol/clientCapabilities": capabilities,
		"io.modelcontextprotocol/clientInfo":         map[string]string{"name": c.Client, "version": c.Version},
		"callsheet/session":                          c.Session,
	}
	if c.Progress != nil {
		meta["progressToken"] = "1"
	}
	params := map[string]any{"name": c.Tool, "arguments": c.Args, "_meta": meta}
	if replies != nil {
		params["inputResponses"], params["requestState"] = replies, state
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b) // ends the line too
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}); err != nil {
		return nil, fmt.Errorf("write the call: %w", err)
	}
	return b.Bytes(), nil
}

// readResult reads lines up to the response.
func readResult(in *bufio.Reader, progress func(Progress)) (response, error) {
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return response{}, fmt.Errorf("wait for the answer: %w", err)
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return response{}, fmt.Errorf("read the answer: %w", err)
		}
		switch {
		case m.Error != nil:
			return response{}, m.Error
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

// elicitation is the method of a question to the person.
const elicitation = "elicitation/create"

func decodeResult(raw json.RawMessage) (response, error) {
	var res response
	var parts struct {
		Content  json.RawMessage `json:"content"`
		State    string          `json:"requestState"`
		Requests map[string]struct {
			Method string   `json:"method"`
			Params Question `json:"params"`
		} `json:"inputRequests"`
	}
	err := errors.Join(json.Unmarshal(raw, &res.Result), json.Unmarshal(raw, &parts))
	if err != nil {
		return res, fmt.Errorf("read the result: %w", err)
	}
	res.RawContent, res.state = parts.Content, parts.State
	for key, r := range parts.Requests {
		if r.Method != elicitation {
			return res, fmt.Errorf("the server asks for %s, which this client does not offer", r.Method)
		}
		if res.questions == nil {
			res.questions = make(map[string]Question)
		}
		res.questions[key] = r.Params
	}
	return res, nil
}
