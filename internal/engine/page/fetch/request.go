package fetch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
)

// Client sends requests of the origin of one tab's document.
type Client struct {
	doc   *document.Document
	guard *secret.Guard
}

// New makes the client of a document.
func New(d *document.Document, g *secret.Guard) *Client { return &Client{doc: d, guard: g} }

// maxAnswer bounds the body of an answer, in bytes.
const maxAnswer = 4 << 20

// maxRequestTime bounds a request whose context has no deadline.
const maxRequestTime = 2 * time.Minute

// Request is a request of the origin of a document.
type Request struct {
	Method  string
	URL     string // absolute, of the document's origin
	Headers map[string]string
	Body    *string // nil for none
	// Secret says that the request holds a secret of the operator, filled in for the origin.
	Secret bool
}

// Answer is the response of the server, after redirects within its origin.
type Answer struct {
	Status int    `json:"status"`
	URL    string `json:"url"`
	Type   string `json:"type"` // the header Content-Type; "" without
	Text   string `json:"text"`
	Cut    bool   `json:"cut"` // the body has more than 4 MiB, and Text is a part of it
}

// Error says why a request has no answer.
type Error struct {
	Method, URL string // the address is without its query, which may hold secrets
	Reason      string // a clause
	// Sent reports that the server may have got the request.
	Sent bool
}

func (e *Error) Error() string {
	text := fmt.Sprintf("%s %s has no answer: %s", e.Method, e.URL, e.Reason)
	if e.Sent && e.Method != "GET" {
		text += "; the server may have done what was asked"
	}
	return text
}

// Code is FAILED.
func (*Error) Code() codes.Code { return codes.Failed }

// Do sends a request as the top document would, with its cookies, and returns the answer. The
// script that sends it is out of reach of the page's own. It is never repeated. The browser follows no
// redirect to another origin. The error of a request without an answer is a *RequestError.
func (c *Client) Do(ctx context.Context, n power.Network, r Request) (Answer, error) {
	var out Answer
	if err := n.Check(); err != nil {
		return out, err
	}
	if r.Secret {
		if err := c.guard.BeginFilling(ctx); err != nil {
			return out, err
		}
	}
	err := c.doc.Evaluate(ctx, "request", map[string]any{
		"method": r.Method, "url": r.URL, "headers": r.Headers, "body": r.Body, "limit": maxAnswer, "ms": document.Remaining(ctx, maxRequestTime),
	}, &out)
	return out, c.requestError(ctx, r, err)
}

func (c *Client) requestError(ctx context.Context, r Request, err error) error {
	address, _, _ := strings.Cut(r.URL, "?")
	failed := &Error{Method: r.Method, URL: address, Sent: true}
	engine, ok := errors.AsType[*document.EngineError](err)
	if errors.Is(err, document.ErrReplaced) {
		failed.Reason = "the page was replaced meanwhile"
		return failed
	}
	if !ok {
		return err
	}
	var d struct {
		Reason string `json:"reason"`
	}
	_ = json.Unmarshal(engine.Data, &d) // without a reason the kind says enough
	switch engine.Kind {
	case "requestTimeout":
		failed.Reason = "the time is over"
	case "requestFailed":
		failed.Reason = "the browser refused it or lost the server (" + d.Reason + "): the server does not answer, redirects to another origin, " +
			"or the page's policy forbids the request"
	case "otherOrigin":
		failed.Sent, failed.Reason = false, "the page is of "+d.Reason
	default:
		return c.doc.Translate(ctx, "", err)
	}
	return failed
}
