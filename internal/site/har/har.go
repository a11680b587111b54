// Package har reads HTTP Archives (HAR 1.1 and 1.2), as browsers and this server write them.
//
// It must not know sites, nor decide which requests are of use.
package har

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/url"
	"os"
	"strings"
)

// Bounds of an archive.
const (
	MaxSize    = 256 << 20 // bytes of a file
	MaxEntries = 50_000
)

// Pair is a header, a parameter of a query or a field of a form.
type Pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Entry is one request with its answer, in the order of the archive.
type Entry struct {
	Method  string
	URL     *url.URL // absolute
	Headers []Pair
	Body    *Body // nil for none
	Status  int   // 0 for a request without an answer
	Answer  Body
	// Kind is the browser's kind of resource, such as document, script, xhr or fetch; "" where the archive
	// does not say.
	Kind string
}

// Body is the body of a request or an answer.
type Body struct {
	Type string // media type without parameters, in small letters; "" is unknown
	Text string // "" where the archive has none
	Form []Pair // of a form; nil for another body
}

// Record is one request with its answer as the archive has them.
type Record struct {
	Kind     string   `json:"_resourceType"`
	Request  Request  `json:"request"`
	Response Response `json:"response"`
}

// Request is the request of a Record.
type Request struct {
	Method   string    `json:"method"`
	URL      string    `json:"url"`
	Headers  []Pair    `json:"headers"`
	PostData *PostData `json:"postData"`
}

// PostData is the body of a request: a text, the fields of a form, or both.
type PostData struct {
	MIME   string `json:"mimeType"`
	Text   string `json:"text"`
	Params []Pair `json:"params"`
}

// Response is the answer of a Record.
type Response struct {
	Status      int     `json:"status"` // 0 or less for a request without an answer
	StatusText  string  `json:"statusText"`
	Headers     []Pair  `json:"headers"`
	RedirectURL string  `json:"redirectURL"`
	Content     Content `json:"content"`
}

// Content is the body of a Response, without an encoding of the transport.
type Content struct {
	Size     int    `json:"size"` // in bytes; 0 or less also where it is unknown
	Comment  string `json:"comment"`
	MIME     string `json:"mimeType"`
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
	File     string `json:"_file"` // of Playwright: beside the archive
}

// Lacks reports whether the archive was written without the body: it says a size, or in a comment why there is none.
func (c *Content) Lacks() bool {
	return c.Text == "" && c.File == "" && (c.Size > 0 || c.Comment != "")
}

// Decode returns the text with its encoding undone.
func (c *Content) Decode() ([]byte, error) {
	if c.Encoding == "base64" {
		return base64.StdEncoding.DecodeString(c.Text)
	}
	return []byte(c.Text), nil
}

// Open reads the records of a file.
func Open(path string) ([]Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = f.Close() }() // it is only read
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return Records(data)
}

// Records reads the records of an archive.
func Records(data []byte) ([]Record, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the archive has more than %d MiB; export fewer requests", MaxSize>>20)
	}
	var document struct {
		Log *struct {
			Entries []Record `json:"entries"`
		} `json:"log"`
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &document); err != nil {
		return nil, fmt.Errorf("the archive is no HAR: %w", err)
	}
	if document.Log == nil {
		return nil, errors.New("the archive is no HAR: it has no member log")
	}
	if n := len(document.Log.Entries); n > MaxEntries {
		return nil, fmt.Errorf("the archive has %d requests, and at most %d are read; export fewer", n, MaxEntries)
	}
	return document.Log.Entries, nil
}

// Read reads an archive. An entry whose address cannot be read is left out, and a body that cannot be is empty:
// archives of extensions have such.
func Read(data []byte) ([]Entry, error) {
	records, err := Records(data)
	if err != nil {
		return nil, err
	}
	out := make([]Entry, 0, len(records))
	for i := range records {
		if e, ok := records[i].entry(); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

func (in *Record) entry() (Entry, bool) {
	u, err := url.Parse(in.Request.URL)
	if err != nil || u.Host == "" {
		return Entry{}, false
	}
	out := Entry{Method: strings.ToUpper(in.Request.Method), URL: u, Headers: in.Request.Headers, Status: in.Response.Status, Kind: strings.ToLower(in.Kind)}
	if p := in.Request.PostData; p != nil {
		out.Body = &Body{Type: mediaType(p.MIME), Text: p.Text}
		if out.Body.Type == "application/x-www-form-urlencoded" {
			out.Body.Form = formOf(p.Text, p.Params)
		}
	}
	out.Answer = Body{Type: mediaType(in.Response.Content.MIME)}
	if body, err := in.Response.Content.Decode(); err == nil {
		out.Answer.Text = string(body)
	}
	return out, true
}

// formOf returns the fields of a form. Archives have them as a list, as a text, or both.
func formOf(text string, params []Pair) []Pair {
	if text == "" {
		return append([]Pair{}, params...)
	}
	out := []Pair{}
	for part := range strings.SplitSeq(text, "&") {
		name, value, _ := strings.Cut(part, "=")
		if decoded, err := url.QueryUnescape(name); err == nil {
			name = decoded
		}
		if decoded, err := url.QueryUnescape(value); err == nil {
			value = decoded
		}
		if part != "" {
			out = append(out, Pair{name, value})
		}
	}
	return out
}

func mediaType(text string) string {
	kind, _, err := mime.ParseMediaType(text)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(text), ";")
	}
	return strings.TrimSpace(kind)
}
