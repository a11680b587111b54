package crawl

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	// pageTimeout bounds one request with its body, headerTimeout the wait for its first byte.
	requestTimeout, headerTimeout = 60 * time.Second, 30 * time.Second
	// maxPageBytes is the limit of the read part of a page. maxSitemapBytes is the limit of the sitemap
	// protocol.
	maxPageBytes, maxSitemapBytes = 2 << 20, 50 << 20
	// maxRobotsBytes is the limit of the read part of a robots.txt (RFC 9309, 2.5: at least 500 KiB).
	maxRobotsBytes = 512 << 10
	// maxRetryAfter is the longest Retry-After that is obeyed. A longer one counts as a failure.
	maxRetryAfter = 5 * time.Minute
	// robotsAgent is the name that robots.txt knows this crawler by.
	robotsAgent = "callsheet"
	// userAgent is the User-Agent header.
	userAgent = "Mozilla/5.0 (compatible; " + robotsAgent + "/1; +https://github.com/callsheet/callsheet)"
)

// response has the parts of an HTTP response that the crawl uses.
type response struct {
	status      int
	mediaType   string // media type without parameters, lower case
	contentType string // Content-Type as sent
	size        int64  // of the body in bytes, as declared or as read; -1 if unknown
	body        []byte // nil if it was not read
	truncated   bool   // the body was cut
	location    string // of a redirect, as sent
	retryAfter  time.Duration
}

// newClient returns the HTTP client of a process. It follows no redirects: each target is an
// address of its own in the frontier.
func newClient() *http.Client {
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     newTransport(),
	}
}

func newTransport() *http.Transport {
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 16, MaxIdleConns: 64,
		DialContext:           (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ResponseHeaderTimeout: headerTimeout, TLSHandshakeTimeout: 10 * time.Second, IdleConnTimeout: 30 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
	}
}

// Guard makes the requests of the crawler go through what wrap makes of a transport. It is called
// before the first job.
func (c *Crawler) Guard(wrap func(*http.Transport) http.RoundTripper) {
	c.client.Transport = wrap(newTransport())
}

const (
	// acceptPages is the Accept header. acceptMarkdown asks a site that has Markdown of its pages for it.
	acceptPages    = "text/html,application/xhtml+xml,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
	acceptMarkdown = "text/markdown,text/html;q=0.95,application/xhtml+xml;q=0.95,application/xml;q=0.9,text/plain;q=0.8,*/*;q=0.5"
)

// question says what to fetch, and how much of it.
type question struct {
	address, accept string
	limit           int64 // bytes of the body that are read
	readable        func(kind string) bool
}

// fetch requests an address. It reads the body if its media type is readable.
func fetch(ctx context.Context, client *http.Client, q question) (response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, q.address, nil)
	if err != nil {
		return response{}, fmt.Errorf("ask for %s: %w", q.address, err)
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", q.accept)
	res, err := client.Do(req)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = res.Body.Close() }() // reading end: nothing is lost
	a := response{status: res.StatusCode, contentType: res.Header.Get("Content-Type"), size: res.ContentLength, retryAfter: retryAfter(res.Header.Get("Retry-After"))}
	body := bufio.NewReader(res.Body)
	a.mediaType = mediaType(a.contentType)
	if a.mediaType == "" {
		head, _ := body.Peek(512)
		a.contentType = http.DetectContentType(head)
		a.mediaType = mediaType(a.contentType)
	}
	if res.StatusCode >= 300 && res.StatusCode < 400 {
		a.location = res.Header.Get("Location")
		return a, nil
	}
	if !q.readable(a.mediaType) {
		return a, nil
	}
	a.body, err = io.ReadAll(io.LimitReader(body, q.limit+1))
	if a.truncated = int64(len(a.body)) > q.limit; a.truncated {
		a.body, err = a.body[:q.limit], nil
	}
	if a.size < int64(len(a.body)) {
		a.size = int64(len(a.body))
	}
	if err != nil && len(a.body) > 0 && errors.Is(err, io.ErrUnexpectedEOF) && a.status < 500 {
		err, a.truncated = nil, true // shorter than declared: the part that came counts
	}
	return a, err
}

func mediaType(header string) string {
	kind, _, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(header, ";")
	}
	return strings.ToLower(strings.TrimSpace(kind))
}

// anyKind accepts every media type.
func anyKind(string) bool { return true }

// isPage reports whether the content of a media type is stored.
func isPage(kind string) bool { return isHTML(kind) || isText(kind) }

func isHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

func isText(kind string) bool {
	return kind == "text/plain" || isMarkdown(kind) || kind == "application/json" || kind == "application/ld+json"
}

func isMarkdown(kind string) bool { return kind == "text/markdown" || kind == "text/x-markdown" }

// retryAfter parses the header of that name: seconds or a date. 0 means none.
func retryAfter(text string) time.Duration {
	if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && n >= 0 {
		return time.Duration(n) * time.Second
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(0, time.Until(t))
	}
	return 0
}

// isTransient reports whether a retry may give another status.
func isTransient(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusRequestTimeout || status == http.StatusTooEarly ||
		status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported
}

// describeError returns the text of an error without the address, which the result has too.
func describeError(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		if u.Timeout() {
			return "no answer in time"
		}
		err = u.Err
	}
	return validPrefix(err.Error(), 300)
}

// gunzip opens what is compressed, whatever it is called, up to limit bytes.
func gunzip(body []byte, limit int64) ([]byte, error) {
	if len(body) < 2 || body[0] != 0x1f || body[1] != 0x8b {
		return body, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("open a compressed file: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, limit))
	if err != nil && len(out) == 0 {
		return nil, fmt.Errorf("open a compressed file: %w", err)
	}
	return out, nil
}
