package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// body is the JSON of one result, ready for the wire: segments in their order.
type body []segment

// segment is text as it is sent, followed by data in base64. Binary content is encoded while it is
// written, so that a picture is neither copied nor scanned on its way.
type segment struct{ text, data []byte }

// base64Step is how much data is encoded at a time: a multiple of 3, so that no padding falls
// inside.
const base64Step = 12 << 10

// writeTo writes the body; errors stick to w and surface at its Flush.
func (b body) writeTo(w *bufio.Writer) {
	for _, s := range b {
		_, _ = w.Write(s.text)
		for data := s.data; len(data) > 0; {
			n := min(len(data), base64Step)
			if w.Available() < base64.StdEncoding.EncodedLen(n) {
				_ = w.Flush()
			}
			_, _ = w.Write(base64.StdEncoding.AppendEncode(w.AvailableBuffer(), data[:n]))
			data = data[n:]
		}
	}
}

// writeSize is the buffer of a writer of bodies; it holds one base64Step encoded.
const writeSize = 32 << 10

// envelope is the JSON around the members of every result of one protocol era. meta is the members of its _meta,
// which close has.
type envelope struct{ open, list, meta, close []byte }

// envelopes renders both. Stateless results name their server and their type and, where they may be
// cached, say for how long.
func envelopes(identity []byte) (session, stateless envelope) {
	session = envelope{open: []byte(`{`), list: nil, close: []byte(`}`)}
	stateless = envelope{
		open: []byte(`{"resultType":"complete",`),
		list: []byte(`,"ttlMs":` + strconv.Itoa(cacheMillis) + `,"cacheScope":"` + cacheScope + `"`),
	}
	stateless.meta = append([]byte(`"io.modelcontextprotocol/serverInfo":`), identity...)
	stateless.close = slices.Concat([]byte(`,"_meta":{`), stateless.meta, []byte(`}}`))
	return session, stateless
}

// listBody wraps a compiled array under its key; the array itself is shared and sent as it is.
func (e envelope) listBody(key string, list []byte) body {
	open := append(append(append(bytes.Clone(e.open), '"'), key...), `":`...)
	return body{{text: open}, {text: list}, {text: append(bytes.Clone(e.list), e.close...)}}
}

// with is the envelope of results whose _meta has one more member.
func (e envelope) with(name string, value []byte) envelope {
	member := appendLine(append(appendString(nil, name), ':'), value)
	if len(e.meta) > 0 {
		member = slices.Concat(e.meta, []byte(`,`), member)
	}
	e.meta, e.close = member, slices.Concat([]byte(`,"_meta":{`), member, []byte(`}}`))
	return e
}

// callBody renders a call's result. The envelope of a refusal is its structured content, or a member of _meta where the
// list has a schema for structured content, to which it does not conform.
func (e envelope) callBody(res toolkit.CallResult, hasSchema bool) body {
	if res.Raw != nil {
		return e.rawBody(res.Raw)
	}
	b := bodyBuilder{text: append(make([]byte, 0, 256+textSize(res)), e.open...)}
	b.text = append(b.text, `"content":[`...)
	for i, c := range res.Content {
		if i > 0 {
			b.text = append(b.text, ',')
		}
		b.content(c)
	}
	for i, l := range res.Links {
		if i > 0 || len(res.Content) > 0 {
			b.text = append(b.text, ',')
		}
		b.text = append(appendLink(append(b.text, `{"type":"resource_link",`...), "uri", l), '}')
	}
	b.text = append(b.text, ']')
	end := e.close
	switch {
	case len(res.Structured) == 0:
	case res.Refused && hasSchema:
		end = e.with(toolkit.MetaRefusal, res.Structured).close
	default:
		b.text = append(b.text, `,"structuredContent":`...)
		b.text = appendLine(b.text, res.Structured)
	}
	if res.Refused {
		b.text = append(b.text, `,"isError":true`...)
	}
	return b.end(end)
}

// rawBody renders a result that another server sent, to the byte but for ends of lines outside of
// texts. A stateless result gets the members that one of a session has not.
func (e envelope) rawBody(raw []byte) body {
	raw = bytes.TrimSpace(raw)
	if bytes.ContainsAny(raw, "\n\r") {
		raw = bytes.Map(func(r rune) rune {
			if r == '\n' || r == '\r' { // in texts they are escaped
				return ' '
			}
			return r
		}, raw)
	}
	if len(e.open) == 1 {
		return body{{text: raw}}
	}
	var has struct {
		Meta json.RawMessage `json:"_meta"`
		Type string          `json:"resultType"`
	}
	if json.Unmarshal(raw, &has) != nil || has.Type != "" {
		return body{{text: raw}}
	}
	inner := bytes.TrimSpace(raw[1 : len(raw)-1])
	open, end := e.open, e.close
	if has.Meta != nil {
		end = []byte(`}`)
	}
	if len(inner) == 0 {
		open = bytes.TrimSuffix(open, []byte(`,`))
	}
	return body{{text: slices.Concat(open, inner, end)}}
}

// bodyBuilder collects the segments of a body; text is that of the segment that is not complete.
type bodyBuilder struct {
	done body
	text []byte
}

// end appends the last text and returns the body.
func (b *bodyBuilder) end(text []byte) body {
	return append(b.done, segment{text: append(b.text, text...)})
}

// data appends binary content, in base64.
func (b *bodyBuilder) data(data []byte) {
	b.done = append(b.done, segment{text: b.text, data: data})
	b.text = make([]byte, 0, 256)
}

// content appends one item of content.
func (b *bodyBuilder) content(c toolkit.Content) {
	switch {
	case c.URI != "":
		b.text = append(b.text, `{"type":"resource","resource":`...)
		b.contents(toolkit.Contents{URI: c.URI, MIME: c.MIME, Text: c.Text, Data: c.Data})
		b.text = append(b.text, '}')
	case c.Data == nil:
		b.text = appendString(append(b.text, `{"type":"text","text":`...), c.Text)
		b.text = append(b.text, '}')
	default:
		b.text = append(b.text, `{"type":`...)
		b.text = appendString(b.text, mediaKind(c.MIME))
		b.text = appendString(append(b.text, `,"mimeType":`...), c.MIME)
		b.text = append(b.text, `,"data":"`...)
		b.data(c.Data)
		b.text = append(b.text, `"}`...)
	}
}

// contents appends the contents of a resource.
func (b *bodyBuilder) contents(c toolkit.Contents) {
	b.text = appendString(append(b.text, `{"uri":`...), c.URI)
	if c.MIME != "" {
		b.text = appendString(append(b.text, `,"mimeType":`...), c.MIME)
	}
	if c.Data == nil {
		b.text = append(appendString(append(b.text, `,"text":`...), c.Text), '}')
		return
	}
	b.text = append(b.text, `,"blob":"`...)
	b.data(c.Data)
	b.text = append(b.text, `"}`...)
}

// mediaKind is the protocol's content type for a MIME type.
func mediaKind(mime string) string {
	if len(mime) > 6 && mime[:6] == "audio/" {
		return "audio"
	}
	return "image"
}

// textSize estimates the JSON of a result without its binary content.
func textSize(res toolkit.CallResult) int {
	n := len(res.Structured)
	for _, c := range res.Content {
		n += len(c.Text) + len(c.Text)/16 + 64
	}
	return n
}

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD; nothing is escaped for
// HTML, because page source would grow sixfold.
func appendString(dst []byte, s string) []byte {
	start := len(dst)
	dst, _ = jsontext.AppendQuote(dst, s)
	return escapeSeparators(dst, start)
}

// appendLine appends JSON that a handler made. Raw line ends, which JSON has only as white space,
// become spaces: over standard output a message ends at the first one.
func appendLine(dst, value []byte) []byte {
	start := len(dst)
	dst = append(dst, value...)
	for _, end := range []byte("\n\r") {
		for at := start; ; at++ {
			next := bytes.IndexByte(dst[at:], end)
			if next < 0 {
				break
			}
			at += next
			dst[at] = ' '
		}
	}
	return escapeSeparators(dst, start)
}

// escapeSeparators escapes U+2028 and U+2029, which occur only in strings and at which some line
// readers split.
func escapeSeparators(dst []byte, start int) []byte {
	if !bytes.Contains(dst[start:], []byte("\u2028")) && !bytes.Contains(dst[start:], []byte("\u2029")) {
		return dst
	}
	tail := bytes.ReplaceAll(dst[start:], []byte("\u2028"), []byte(`\u2028`))
	return append(dst[:start], bytes.ReplaceAll(tail, []byte("\u2029"), []byte(`\u2029`))...)
}
