package httpclient

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"
)

// result is the result of a call in the protocol's form.
type result struct {
	Content    []any           `json:"content"`
	Structured json.RawMessage `json:"structuredContent,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
}

type textContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// Text is the result that is one text.
func Text(text string, isError bool) json.RawMessage {
	return marshal(result{Content: []any{textContent{"text", text}}, IsError: isError})
}

// mediaContent is an image or a sound.
type mediaContent struct {
	Type     string `json:"type"`
	Data     string `json:"data"`
	MIMEType string `json:"mimeType"`
}

type resourceContent struct {
	Type     string   `json:"type"`
	Resource resource `json:"resource"`
}

type resource struct {
	URI      string `json:"uri"`
	MIMEType string `json:"mimeType,omitempty"`
	Blob     string `json:"blob"`
}

// isJSON reports whether a media type is JSON or built on it.
func isJSON(kind string) bool {
	kind, _, _ = mime.ParseMediaType(kind)
	return kind == JSON || strings.HasSuffix(kind, "+json")
}

// result makes the result of an answer. The text of a body is its bytes.
func (c *Client) result(op *Operation, resp *http.Response, body []byte) json.RawMessage {
	tooLong := len(body) > MaxResult
	body = c.redact(body)
	status := fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch {
	case resp.StatusCode < 200 || resp.StatusCode > 299:
		return Text(status+quoted(body), true)
	case tooLong:
		return Text(fmt.Sprintf("%s, and the answer has more than %d bytes; ask for less", status, MaxResult), true)
	case len(body) == 0:
		if at := string(c.redact([]byte(resp.Header.Get("Location")))); at != "" {
			status += "\nLocation: " + at
		}
		return Text(status, false)
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	out := result{}
	switch {
	case isJSON(kind) && json.Valid(body):
		out.Content = []any{textContent{"text", string(body)}}
		out.Structured = structured(op, body)
	case strings.HasPrefix(kind, "image/"), strings.HasPrefix(kind, "audio/"):
		major, _, _ := strings.Cut(kind, "/")
		out.Content = []any{mediaContent{major, base64.StdEncoding.EncodeToString(body), kind}}
	case utf8.Valid(body):
		out.Content = []any{textContent{"text", string(body)}}
	default:
		at := *resp.Request.URL
		at.RawQuery, at.User, at.Fragment = "", nil, ""
		out.Content = []any{resourceContent{"resource", resource{at.String(), kind, base64.StdEncoding.EncodeToString(body)}}}
	}
	return marshal(out)
}

// structured is the value of a body, which is an object: any other value is its member "result".
func structured(op *Operation, body []byte) json.RawMessage {
	var compact bytes.Buffer
	if json.Compact(&compact, body) != nil {
		return nil
	}
	if !op.Wrapped && compact.Bytes()[0] == '{' {
		return compact.Bytes()
	}
	return append(append([]byte(`{"result":`), compact.Bytes()...), '}')
}

// quoted is the beginning of the body of an error.
func quoted(body []byte) string {
	switch {
	case len(body) == 0:
		return ""
	case !utf8.Valid(body):
		return fmt.Sprintf("\n(%d bytes that are no text)", len(body))
	case len(body) <= MaxError:
		return "\n" + string(body)
	}
	return "\n" + strings.ToValidUTF8(string(body[:MaxError]), "") + fmt.Sprintf("\n(the first %d bytes of the answer)", MaxError)
}

// hidden lists the forms in which requests have the secrets, the longest first: one may be a part of another.
func hidden(opt Options) []string {
	var out []string
	for _, s := range opt.Secrets {
		if s.Value != "" {
			inJSON := marshal(s.Value)
			out = append(out, s.Value, string(inJSON[1:len(inJSON)-1]), base64.StdEncoding.EncodeToString([]byte(s.Value)), escape(s.Value, ""))
		}
	}
	for _, text := range opt.Hidden {
		if text != "" {
			out = append(out, text)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(out)
}

// redact takes secrets out of what a server sends: some repeat the request.
func (c *Client) redact(body []byte) []byte {
	for _, secret := range c.hidden {
		body = bytes.ReplaceAll(body, []byte(secret), []byte("REDACTED"))
	}
	return body
}
