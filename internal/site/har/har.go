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
	// Kind is what the browser loaded, such as document, script, xhr or fetch; "" where the archive does
	// not say.
	Kind string
}

// Body is the body of a request or an answer.
type Body struct {
	Type string // media type without parameters, in small letters; "" is unknown
	Text string // "" where the archive has none
	Form []Pair // of a form; nil for another body
}

// Header returns the value of a header; "" without one.
func (e *Entry) Header(name string) string {
	for _, h := range e.Headers {
		if strings.EqualFold(h.Name, name) {
			return h.Value
		}
	}
	return ""
}

// document is the parts of the format that are read.
type document struct {
	Log *struct {
		Entries []entry `json:"entries"`
	} `json:"log"`
}

type entry struct {
	Kind    string `json:"_resourceType"`
	Request struct {
		Method   string `json:"method"`
		URL      string `json:"url"`
		Headers  []Pair `json:"headers"`
		PostData *struct {
			MIME   string `json:"mimeType"`
			Params []Pair `json:"params"`
			Text   string `json:"text"`
		} `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int `json:"status"`
		Content struct {
			MIME     string `json:"mimeType"`
			Text     string `json:"text"`
			Encoding string `json:"encoding"`
		} `json:"content"`
	} `json:"response"`
}

// ReadFile is Read of a file.
func ReadFile(path string) ([]Entry, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	defer func() { _ = f.Close() }() // it is only read
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	return Read(data)
}

// Read reads an archive. An entry whose address or body cannot be read is left out of the answer, or
// without its body: archives of extensions have such.
func Read(data []byte) ([]Entry, error) {
	if len(data) > MaxSize {
		return nil, fmt.Errorf("the archive has more than %d MiB; export fewer requests", MaxSize>>20)
	}
	var doc document
	if err := json.Unmarshal([]byte(strings.TrimPrefix(string(data), "\ufeff")), &doc); err != nil {
		return nil, fmt.Errorf("the archive is no HAR: %w", err)
	}
	if doc.Log == nil {
		return nil, errors.New("the archive is no HAR: it has no member log")
	}
	if len(doc.Log.Entries) > MaxEntries {
		return nil, fmt.Errorf("the archive has %d requests, and at most %d are read; export fewer", len(doc.Log.Entries), MaxEntries)
	}
	out := make([]Entry, 0, len(doc.Log.Entries))
	for i := range doc.Log.Entries {
		if e, ok := doc.Log.Entries[i].read(); ok {
			out = append(out, e)
		}
	}
	return out, nil
}

func (in *entry) read() (Entry, bool) {
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
	out.Answer = Body{Type: mediaType(in.Response.Content.MIME), Text: in.Response.Content.Text}
	if in.Response.Content.Encoding == "base64" {
		text, err := base64.StdEncoding.DecodeString(out.Answer.Text)
		if err != nil {
			text = nil
		}
		out.Answer.Text = string(text)
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
