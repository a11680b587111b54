package acceptance_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// Rewrite changes the body of an answer. path is the request's, kind the media type.
type Rewrite func(path, kind, body string) string

// Proxy is a reverse proxy with a rewrite that can be exchanged.
type Proxy struct {
	URL     string // its origin, without a slash at the end
	rewrite atomic.Pointer[Rewrite]
	posts   atomic.Int64
	applied atomic.Int64
}

// StartProxy starts a proxy in front of an origin. It changes nothing until Use.
func StartProxy(t testing.TB, origin string) *Proxy {
	t.Helper()
	target, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host // links and checks of the origin are about the proxy
			r.Out.Header.Del("Accept-Encoding")
			r.Out.Header.Del("If-Modified-Since")
			r.Out.Header.Del("If-None-Match")
		},
		ModifyResponse: p.modify,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			p.posts.Add(1)
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.URL = server.URL
	return p
}

// Use exchanges the rewrite; nil changes nothing. It counts writes and changed answers from zero.
func (p *Proxy) Use(r Rewrite) {
	p.posts.Store(0)
	p.applied.Store(0)
	if r == nil {
		p.rewrite.Store(nil)
		return
	}
	p.rewrite.Store(&r)
}

// Writes returns how many requests since Use were neither GET nor HEAD.
func (p *Proxy) Writes() int { return int(p.posts.Load()) }

// Changed returns how many answers since Use were changed. A rewrite that changes none tests nothing.
func (p *Proxy) Changed() int { return int(p.applied.Load()) }

// modify rewrites texts. What a browser may keep is not kept, because the next rewrite is another.
func (p *Proxy) modify(res *http.Response) error {
	res.Header.Set("Cache-Control", "no-store")
	res.Header.Del("ETag")
	res.Header.Del("Last-Modified")
	rewrite := p.rewrite.Load()
	kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";")
	if rewrite == nil || !strings.HasPrefix(kind, "text/") && !strings.HasSuffix(kind, "javascript") && !strings.HasSuffix(kind, "json") {
		return nil
	}
	body, err := readBody(res)
	if err != nil {
		return fmt.Errorf("read the answer of %s: %w", res.Request.URL.Path, err)
	}
	changed := (*rewrite)(res.Request.URL.Path, kind, body)
	if changed != body {
		p.applied.Add(1)
	}
	res.Body = io.NopCloser(strings.NewReader(changed))
	res.ContentLength = int64(len(changed))
	res.Header.Set("Content-Length", strconv.Itoa(len(changed)))
	res.Header.Del("Content-Encoding")
	return nil
}

func readBody(res *http.Response) (string, error) {
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil || res.Header.Get("Content-Encoding") != "gzip" {
		return string(raw), err
	}
	plain, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	out, err := io.ReadAll(plain)
	return string(out), err
}
