package traffic

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/internal/site/har"
)

// Open reads a HAR file, and returns what answers a browser from it. redact takes the values of secrets out
// of a text: what a page sends is compared without them.
func Open(file string, redact func(string) string) (*Replay, error) {
	records, err := har.Open(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(records) == 0 {
		return nil, fmt.Errorf("%s has no entries; record one with --record", file)
	}
	if redact == nil {
		redact = func(s string) string { return s }
	}
	out := &Replay{redact: redact, answers: map[string]*answers{}}
	without := 0
	for i := range records {
		e := &records[i]
		if e.Response.Content.Lacks() { // the request is missing then
			without++
			continue
		}
		answer, err := answerOf(&e.Response, filepath.Dir(file))
		if err != nil {
			return nil, fmt.Errorf("read the recording: entry %d of %s: %w", i+1, file, err)
		}
		out.add(out.key(e.Request.Method, e.Request.URL, textOf(e.Request.PostData)), recorded{at: i, response: answer})
	}
	if without == len(records) {
		return nil, fmt.Errorf("%s has no bodies; export it with contents, or record one with --record", file)
	}
	return out, nil
}

// textOf returns the body of a request; "" for none.
func textOf(p *har.PostData) string {
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

// answerOf returns the response as a browser takes it: the body of an archive is decoded already, so that headers
// about its encoding are left out.
func answerOf(r *har.Response, dir string) (intercept.Response, error) {
	out := intercept.Response{Status: max(0, r.Status), StatusText: r.StatusText}
	var location, kind bool
	for _, h := range r.Headers {
		name := strings.ToLower(h.Name)
		if strings.HasPrefix(name, ":") || slices.Contains([]string{"content-encoding", "content-length", "transfer-encoding", "connection", "keep-alive"}, name) {
			continue
		}
		location, kind = location || name == "location", kind || name == "content-type"
		for line := range strings.SplitSeq(h.Value, "\n") { // several cookies in one line
			out.Headers = append(out.Headers, intercept.Header{Name: h.Name, Value: line})
		}
	}
	if r.RedirectURL != "" && !location {
		out.Headers = append(out.Headers, intercept.Header{Name: "Location", Value: r.RedirectURL})
	}
	if r.Content.MIME != "" && r.Content.MIME != "x-unknown" && !kind {
		out.Headers = append(out.Headers, intercept.Header{Name: "Content-Type", Value: r.Content.MIME})
	}
	var err error
	out.Body, err = bodyOf(&r.Content, dir)
	if out.Status == http.StatusNotModified && len(out.Body) > 0 { // DevTools adds the body that its browser had
		out.Status, out.StatusText = http.StatusOK, ""
	}
	return out, err
}

// bodyOf returns a body, which Playwright may have put into a file beside the archive.
func bodyOf(c *har.Content, dir string) ([]byte, error) {
	if c.File == "" {
		return c.Decode()
	}
	if !filepath.IsLocal(c.File) {
		return nil, errors.New("the file of a body must be beside the archive")
	}
	return os.ReadFile(filepath.Join(dir, c.File))
}
