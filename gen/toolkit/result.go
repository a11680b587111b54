package toolkit

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Result is the result that a handler returns. It has no structured content: the handler of a tool that declares
// an output returns the type that is generated from it instead.
type Result struct {
	Content []Content
	Links   []Link // sent after the content
}

// CallResult is the result of a call, as clients get it.
type CallResult struct {
	Result
	Structured []byte // one JSON object, or nil: the value of the declared output, or the envelope of a refusal
	Refused    bool   // sent as isError
	Ask        *Ask   // a question instead of a result; only in a revision in which the call is repeated with the answer
	// Raw is a whole result that another server sent, as one JSON object. It is sent as it is, instead of
	// Content, Links and Structured; Refused says whether it is an error.
	Raw []byte

	code Code // why it was refused
}

// Content is one item of a result: text, data of a MIME type (a picture or a sound), or with URI an
// embedded resource, which is text or data.
type Content struct {
	Text string
	Data []byte // not nil for binary content
	MIME string // of Data, and of an embedded resource
	URI  string // not "" for an embedded resource: the content is that of this address
}

// Link points to something that a client can read as a resource, because it is too large for an
// answer or is a file.
type Link struct {
	URI         string
	Name        string
	MIME        string
	Size        int64 // bytes; 0 is unknown
	Description string
}

// Text makes a result of one text.
func Text(text string) Result { return Result{Content: []Content{{Text: text}}} }

// Textf makes a result of one formatted text.
func Textf(format string, args ...any) Result { return Text(fmt.Sprintf(format, args...)) }

// Image makes a result of a picture and, when it is not empty, a text before it.
func Image(text string, data []byte, mime string) Result {
	var r Result
	if text != "" {
		r.Content = append(r.Content, Content{Text: text})
	}
	r.Content = append(r.Content, Content{Data: data, MIME: mime})
	return r
}

// Unstructured is the result of a call of a tool that declares no output. Generated code passes it what a
// handler returned.
func Unstructured(r Result, err error) (CallResult, error) {
	if err != nil {
		return CallResult{}, err
	}
	return CallResult{Result: r}, nil
}

// Declared is the result of a call of a tool that declares an output: v as structured content, and what the
// handler has given to Call.SetContent as content. Without it the content is the JSON of v, because the
// protocol asks for that. Generated code passes it what a handler returned.
func Declared(call *Call, v any, err error) (CallResult, error) {
	if err != nil {
		return CallResult{}, err
	}
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		return CallResult{}, fmt.Errorf("encode result: %w", err)
	}
	out := CallResult{Result: call.content, Structured: data}
	if out.Content == nil {
		out.Content = []Content{{Text: string(data)}}
	}
	return out, nil
}

// Opt is a value that may be absent. It tells "left out" from zero, which plain Go types cannot.
type Opt[T any] struct {
	Value T
	Set   bool
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{Value: v, Set: true} }

// NonZero is v, or absent where v is the zero value of its type.
func NonZero[T comparable](v T) Opt[T] {
	var zero T
	return Opt[T]{Value: v, Set: v != zero}
}

// Or returns the value, or def when it is absent.
func (o Opt[T]) Or(def T) T {
	if o.Set {
		return o.Value
	}
	return def
}

// IsZero reports absence; encoders leave such a member out.
func (o Opt[T]) IsZero() bool { return !o.Set }

// MarshalJSONTo writes the value, or null when it is absent.
func (o Opt[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if !o.Set {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, o.Value)
}

// UnmarshalJSONFrom reads a value and marks it present.
func (o *Opt[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	o.Set = true
	return json.UnmarshalDecode(dec, &o.Value)
}

// Null is a value that may be null. The zero value is null.
type Null[T any] struct {
	Value T
	Valid bool // false: null
}

// NotNull is a value that is not null.
func NotNull[T any](v T) Null[T] { return Null[T]{Value: v, Valid: true} }

// MarshalJSONTo writes the value, or null.
func (n Null[T]) MarshalJSONTo(enc *jsontext.Encoder) error {
	if !n.Valid {
		return enc.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(enc, n.Value)
}

// Encode writes a value, for generated code.
func Encode(enc *jsontext.Encoder, v any) error { return json.MarshalEncode(enc, v) }
