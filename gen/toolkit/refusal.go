package toolkit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// Code is why a call was refused. The codes below are those of the toolkit; a manifest declares the
// others, and its generated package codes has all of them.
type Code = code.Code

// The codes of the toolkit.
const (
	InvalidArguments   = code.InvalidArguments
	CapabilityDisabled = code.CapabilityDisabled
	ToolDisabled       = code.ToolDisabled
	ToolNotVisible     = code.ToolNotVisible
	ToolDeferred       = code.ToolDeferred
	UnknownTool        = code.UnknownTool
	UnknownCapability  = code.UnknownCapability
	PolicyDenied       = code.PolicyDenied
	BudgetExceeded     = code.BudgetExceeded
	Timeout            = code.Timeout
	Failed             = code.Failed
	Internal           = code.Internal
	StillRunning       = code.StillRunning
)

// Refusal is a call that was answered with a reason instead of a result. It is an error for
// handlers and an envelope for clients: code first, then tool, the fields in order, and the message
// last.
type Refusal struct {
	Code    Code
	Tool    string // filled in by dispatch
	Message string // what is wrong and what to do instead, one or two sentences
	Fields  []Field

	envelope string // in place of all that: the record of a deferred tool
}

// Field is one more member of a refusal's envelope.
type Field struct {
	Name  string
	Value any
}

// Refuse makes a refusal.
func Refuse(code Code, message string, fields ...Field) *Refusal {
	return &Refusal{Code: code, Message: message, Fields: fields}
}

// MetaRefusal is the member of _meta that has the envelope of a refusal where the client knows the schema of the tool's
// structured content: clients validate that content against the schema, also where isError says that it is no result.
const MetaRefusal = "refusal"

// Error gives the message.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Message }

// Envelope is the refusal as a JSON object, for programs.
func (r *Refusal) Envelope() []byte { return r.result().Structured }

// result renders the refusal: one text line for the model, the object for programs.
func (r *Refusal) result() CallResult {
	if r.envelope != "" {
		return CallResult{Result: Text(r.envelope), Structured: []byte(r.envelope), Refused: true}
	}
	b := []byte("{")
	member := func(name string, value any, most int) bool {
		text := encodeField(value)
		if len(b)+len(text) > most {
			return false
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, name)
		b = append(append(b, ':'), text...)
		return true
	}
	member("code", string(r.Code), maxMessage)
	if r.Tool != "" {
		member("tool", r.Tool, maxMessage)
	}
	for _, f := range r.Fields { // one that does not fit is left out
		member(f.Name, f.Value, maxRefusal-noteRoom-len(r.Message))
	}
	for m := r.Message; !member("message", m, maxRefusal-noteRoom); { // escapes make it longer than maxMessage
		m = clipBytes(m, len(m)/2)
	}
	return CallResult{Result: Text(r.Error()), Structured: append(b, '}'), Refused: true, code: r.Code}
}

// encodeField writes the value of a field as JSON, with null for what has none. encoding/json does it, which every server
// links; the library that writes declared results would be a twentieth of the smallest one.
func encodeField(value any) []byte {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Slice:
		if v.IsNil() {
			return []byte("[]")
		}
	case reflect.Map:
		if v.IsNil() {
			return []byte("{}")
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return []byte("null")
	}
	return bytes.TrimSpace(b.Bytes())
}

// opaque is the refusal of an error that was not made for clients: its text may name paths, addresses
// and whatever a library repeats of its input. The client gets an id, under which log has the text.
func opaque(tool string, err error, log *slog.Logger) *Refusal {
	id := ErrorID()
	if log != nil {
		log.Error("a call failed", "tool", tool, "error_id", id, "error", err)
	}
	return Refuse(Internal, fmt.Sprintf("internal error, id %s; the server's log has the details", id), Field{"error_id", id})
}

// coded is the refusal that a sentinel error stands for. Another error stays as it is.
func (r *Registry) coded(err error) error {
	var made *Refusal
	if s := code.Match(r.Sentinels, err); s != nil && !errors.As(err, &made) {
		return Refuse(s.Code, s.Message)
	}
	return err
}

// ErrorID returns a new id under which a log has an error that its client is not told.
func ErrorID() string { return strings.ToLower(rand.Text()[:12]) }

// Opaque returns err as the client of the call may see it: an error that is not made for clients
// becomes one with an id, and is logged. A handler that renders errors into a result passes them
// through it. Refusals, violations and ends of a context stay as they are; nil stays nil.
func (c *Call) Opaque(err error) error {
	var r *Refusal
	var v Violations
	if err == nil || errors.As(err, &r) || errors.As(err, &v) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if s := c.Session.surface.table().reg.coded(err); errors.As(s, &r) {
		return s
	}
	return opaque(c.Tool.Name, err, c.logger)
}
