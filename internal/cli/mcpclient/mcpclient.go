// Package mcpclient makes one tool call over a connection that speaks MCP in lines, and waits for
// its answer.
//
// It speaks the stateless revision of the protocol, so that a call is one line each way and names
// the session it is for. It must not know who answers, nor the tools.
package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/rawclient"
)

// Call is one call.
type Call struct {
	Tool     string
	Args     json.RawMessage
	Session  string
	Client   string // the caller's name and version, for the server's log
	Version  string
	Progress rawclient.Progress // nil: none is requested
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

// newClient speaks over a connection, which the client closes.
func newClient(conn io.ReadWriteCloser, opts rawclient.Options) (*rawclient.Client, error) {
	lines, err := (&mcp.IOTransport{Reader: conn, Writer: conn, MaxLineLength: -1}).Connect(context.Background())
	if err != nil {
		return nil, err
	}
	opts.Explain = func(cause, _ error) error { return fmt.Errorf("wait for the answer: %w", cause) }
	return rawclient.New(lines, opts), nil
}

// CallTool makes the call, and repeats it with the replies to the questions of the server. When ctx
// ends first, it sends a cancellation, and the error is that of ctx. It closes the connection. An error
// of the protocol, such as that of an unknown tool, is a *jsonrpc.Error.
func CallTool(ctx context.Context, conn io.ReadWriteCloser, c Call) (Result, error) {
	client, err := newClient(conn, rawclient.Options{})
	if err != nil {
		return Result{}, err
	}
	defer func() { _ = client.Close() }() // the answer is read
	params := encodeCall(c)
	for asked := 0; ; {
		raw, err := client.Request(ctx, "tools/call", params, c.Progress)
		if err != nil {
			return Result{}, err
		}
		res, err := decodeResult(raw)
		if err == nil && res.Code() == string(toolkit.StillRunning) {
			continue // the call goes on
		}
		if err != nil || res.questions == nil {
			return res.Result, err
		}
		if c.Ask == nil || asked == maxQuestions {
			return Result{}, errors.New("the server asks a question that this call does not expect")
		}
		asked++
		replies := make(map[string]Reply)
		for key, q := range res.questions {
			if replies[key], err = c.Ask(ctx, q); err != nil {
				return Result{}, err
			}
		}
		params["inputResponses"], params["requestState"] = replies, res.state
	}
}

// response is a result, or the questions that have to be answered first.
type response struct {
	Result

	questions map[string]Question
	state     string
}

// encodeCall returns the parameters of a call.
func encodeCall(c Call) map[string]any {
	capabilities := map[string]any{}
	if c.Ask != nil {
		capabilities["elicitation"] = map[string]any{"form": struct{}{}}
	}
	return map[string]any{"name": c.Tool, "arguments": c.Args, "_meta": map[string]any{
		mcp.MetaKeyProtocolVersion:    rawclient.StatelessRevision,
		mcp.MetaKeyClientCapabilities: capabilities,
		mcp.MetaKeyClientInfo:         map[string]string{"name": c.Client, "version": c.Version},
		"callsheet/session":           c.Session,
	}}
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
