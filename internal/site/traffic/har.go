package traffic

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/browser"
)

// archive is what a replay reads of an HTTP Archive 1.2.
type archive struct {
	Log *struct {
		Entries []archived `json:"entries"`
	} `json:"log"`
}

type (
	archived struct {
		Request struct {
			Method   string        `json:"method"`
			URL      string        `json:"url"`
			PostData *archivedPost `json:"postData"`
		} `json:"request"`
		Response struct {
			Status      int             `json:"status"`
			StatusText  string          `json:"statusText"`
			Headers     []pair          `json:"headers"`
			RedirectURL string          `json:"redirectURL"`
			Content     archivedContent `json:"content"`
		} `json:"response"`
	}
	archivedPost struct {
		MIME   string `json:"mimeType"`
		Text   string `json:"text"`
		Params []pair `json:"params"`
	}
	archivedContent struct {
		MIME     string `json:"mimeType"`
		Text     string `json:"text"`
		Encoding string `json:"encoding"`
		File     string `json:"_file"` // of Playwright: beside the archive
	}
	pair struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
)

// Open reads a HAR file, and returns what answers a browser from it. redact takes the values of secrets out
// of a text: what a page sends is compared without them.
func Open(file string, redact func(string) string) (*Replay, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the recording: %w", err)
	}
	var in archive
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, fmt.Errorf("read the recording: %s is no HAR file: %w", file, err)
	}
	if in.Log == nil || len(in.Log.Entries) == 0 {
		return nil, fmt.Errorf("read the recording: %s has no entries; record one with --record", file)
	}
	if redact == nil {
		redact = func(s string) string { return s }
	}
	out := &Replay{redact: redact, answers: map[string]*answers{}}
	for i, e := range in.Log.Entries {
		answer, err := e.answer(filepath.Dir(file))
		if err != nil {
			return nil, fmt.Errorf("read the recording: entry %d of %s: %w", i+1, file, err)
		}
		out.add(out.key(e.Request.Method, e.Request.URL, e.Request.PostData.text()), recorded{at: i, response: answer})
	}
	return out, nil
}

func (p *archivedPost) text() string {
	if p == nil {
		return ""
	}
	if p.Text != "" || !strings.Contains(p.MIME, "x-www-form-urlencoded") {
		return p.Text
	}
	parts := make([]string, len(p.Params))
	for i, field := range p.Params {
		parts[i] = url.QueryEscape(field.Name) + "=" + url.QueryEscape(field.Value)
	}
	return strings.Join(parts, "&")
}

// answer returns the response as a browser takes it: the body of an archive is decoded already, so that headers
// about its encoding are left out.
func (e *archived) answer(dir string) (browser.HTTPResponse, error) {
	r := &e.Response
	out := browser.HTTPResponse{Status: max(0, r.Status), StatusText: r.StatusText}
	var location, kind bool
	for _, h := range r.Headers {
		name := strings.ToLower(h.Name)
		if strings.HasPrefix(name, ":") || slices.Contains([]string{"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}, name) {
			continue
		}
		location, kind = location || name == "location", kind || name == "content-type"
		for line := range strings.SplitSeq(h.Value, "\n") { // several cookies in one line
			out.Headers = append(out.Headers, browser.HTTPHeader{Name: h.Name, Value: line})
		}
	}
	if r.RedirectURL != "" && !location {
		out.Headers = append(out.Headers, browser.HTTPHeader{Name: "Location", Value: r.RedirectURL})
	}
	if r.Content.MIME != "" && r.Content.MIME != "x-unknown" && !kind {
		out.Headers = append(out.Headers, browser.HTTPHeader{Name: "Content-Type", Value: r.Content.MIME})
	}
	var err error
	out.Body, err = r.Content.body(dir)
	return out, err
}

func (c *archivedContent) body(dir string) ([]byte, error) {
	switch {
	case c.File != "":
		if !filepath.IsLocal(c.File) {
			return nil, errors.New("the file of a body must be beside the archive")
		}
		return os.ReadFile(filepath.Join(dir, c.File))
	case c.Encoding == "base64":
		return base64.StdEncoding.DecodeString(c.Text)
	}
	return []byte(c.Text), nil
}
