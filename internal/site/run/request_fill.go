package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/page/fetch"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/argument"
)

// requestFilling fills the parameters and the secrets into a request. A value of a parameter is never read as a
// placeholder.
type requestFilling struct {
	*call

	context context.Context
	origin  string // that the request goes to
	secret  bool   // a secret was filled in
}

// request returns the request with its values.
func (f *requestFilling) request(q *Request) (fetch.Request, error) {
	out := fetch.Request{Method: q.Method, Headers: map[string]string{"Accept": "application/json"}}
	address, err := f.path(q.Path)
	if err != nil {
		return out, err
	}
	if f.origin = originOf(address); !f.Site.covers(address) {
		return out, fault.New(codes.Failed, fmt.Sprintf("%s sends no request to %s, which is no origin of the site", f.tool.Name, f.origin))
	}
	headers, err := f.pairs(q.Headers)
	if err != nil {
		return out, err
	}
	for name, values := range headers {
		out.Headers[textproto.CanonicalMIMEHeaderKey(name)] = strings.Join(values, ", ")
	}
	query, err := f.pairs(q.Query)
	if err != nil {
		return out, err
	}
	if out.URL = address; len(query) > 0 {
		out.URL += "?" + query.Encode()
	}
	switch {
	case len(q.Form) > 0:
		form, err := f.pairs(q.Form)
		if err != nil {
			return out, err
		}
		out.Headers["Content-Type"] = "application/x-www-form-urlencoded"
		out.Body = new(string)
		*out.Body = form.Encode()
	case len(q.Body) > 0:
		body, ok, err := f.decoded(q.Body)
		if err != nil || !ok {
			return out, err
		}
		out.Headers["Content-Type"] = "application/json"
		out.Body = new(string)
		*out.Body = compact(body)
	}
	return out, nil
}

// path returns the absolute address of a path. A value is one segment or a part of one.
func (f *requestFilling) path(path string) (string, error) {
	for _, m := range placeholderPattern().FindAllStringSubmatch(path, -1) {
		v, ok := f.values[m[1]]
		if !ok || v == nil {
			return "", fault.New(codes.InvalidArguments, fmt.Sprintf("%s has no value, and the path of the request needs one; give it", m[1]))
		}
		if text := textOf(v); text == "" || text == "." || text == ".." {
			return "", fault.New(codes.InvalidArguments, fmt.Sprintf("%s cannot be %q, for it is a part of a path", m[1], text))
		}
	}
	return f.Site.address(fillText(path, f.values, url.PathEscape)), nil
}

// pairs returns the members of an object as a form has them, several of one name for a list.
func (f *requestFilling) pairs(raw json.RawMessage) (url.Values, error) {
	out := url.Values{}
	if len(raw) == 0 {
		return out, nil
	}
	filled, _, err := f.decoded(raw)
	if err != nil {
		return nil, err
	}
	members, _ := filled.(map[string]any)
	for name, v := range members {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			if item != nil { // neither form nor header has null
				out[name] = append(out[name], textOf(item))
			}
		}
	}
	return out, nil
}

func (f *requestFilling) decoded(raw json.RawMessage) (any, bool, error) {
	v, err := decodeWhole(raw)
	if err != nil {
		return nil, false, fmt.Errorf("read the request of %s: %w", f.tool.Name, err)
	}
	return f.fill(v)
}

// fill returns a value with its placeholders filled in; false for one that mentions a parameter without a
// value.
func (f *requestFilling) fill(v any) (any, bool, error) {
	switch v := v.(type) {
	case string:
		return f.text(v)
	case []any:
		out := make([]any, 0, len(v))
		for _, item := range v {
			filled, ok, err := f.fill(item)
			if err != nil {
				return nil, false, err
			}
			if ok {
				out = append(out, filled)
			}
		}
		return out, true, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			filled, ok, err := f.fill(item)
			if err != nil {
				return nil, false, err
			}
			if ok {
				out[name] = filled
			}
		}
		return out, true, nil
	}
	return v, true, nil
}

// text fills a text in. One that is a single parameter becomes the value with its type.
func (f *requestFilling) text(text string) (any, bool, error) {
	if f.mentionsUnfilled(text) {
		return nil, false, nil
	}
	if m := placeholderPattern().FindStringSubmatch(text); m != nil && m[0] == text {
		if v, ok := f.values[m[1]]; ok {
			return v, true, nil
		}
	}
	var b strings.Builder
	from := 0
	for _, span := range secretPattern().FindAllStringIndex(text, -1) {
		b.WriteString(fillText(text[from:span[0]], f.values, same))
		value, err := secret.Fill(f.context, text[span[0]:span[1]], f.origin)
		if err != nil {
			return nil, false, err
		}
		if secret.NamedIn(value) {
			return nil, false, fault.New(codes.Failed, "no vault has the value of "+text[span[0]:span[1]]+": start the server with --secrets FILE")
		}
		f.secret = true
		b.WriteString(value)
		from = span[1]
	}
	b.WriteString(fillText(text[from:], f.values, same))
	return b.String(), true, nil
}

// decodeWhole reads a text that is one JSON value, with numbers as they are written.
func decodeWhole(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text after the value")
	}
	return v, nil
}

// at returns the value at a JSON pointer.
func at(v any, pointer string) (any, bool) {
	for _, token := range argument.Tokens(pointer) {
		switch in := v.(type) {
		case map[string]any:
			next, ok := in[token]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			v = in[i]
		default:
			return nil, false
		}
	}
	return v, true
}
