package main

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/proxy"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
	"github.com/callsheet/callsheet/gen/upstream/mcpclient"
)

// connectTimeout bounds the start of an upstream: a program may be fetched first.
const connectTimeout = 2 * time.Minute

// connection is an upstream that calls can be passed to.
type connection interface {
	proxy.Upstream
	SessionEnded(session string)
	Close()
}

// connect reaches the upstream that the manifest in root names, and asks what it offers now.
func (a *app) connect(ctx context.Context, root string, u *model.Upstream, recorded upstream.List) (connection, upstream.List, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if u.OpenAPI != "" {
		return a.connectInterface(ctx, root, u, recorded)
	}
	opt := mcpclient.Options{Command: u.Command, URL: u.URL, Stderr: a.stderr}
	for _, name := range u.Environment {
		if value := a.env(name); value != "" {
			opt.Environment = append(opt.Environment, name+"="+value)
		}
	}
	var err error
	if opt.Headers, _, err = a.headers(u.Headers); err != nil {
		return nil, upstream.List{}, err
	}
	server, list, err := proxy.Connect(ctx, opt)
	if err != nil {
		return nil, list, err
	}
	return server, list, nil
}

// connectInterface reads the document of an HTTP interface again, and makes a client of what was recorded.
func (a *app) connectInterface(ctx context.Context, root string, u *model.Upstream, recorded upstream.List) (connection, upstream.List, error) {
	now, err := readOpenAPI(ctx, root, u.OpenAPI, u.Overlay)
	if err != nil {
		return nil, upstream.List{}, err
	}
	opt := httpclient.Options{Server: u.Server, Secrets: map[string]httpclient.Secret{}}
	if opt.Headers, opt.Hidden, err = a.headers(u.Headers); err != nil {
		return nil, upstream.List{}, err
	}
	for _, s := range u.Secrets {
		opt.Secrets[s.Name] = httpclient.Secret{Variable: s.Value, Value: a.env(s.Value)}
	}
	server, err := proxy.NewInterface(recorded, opt)
	if err != nil {
		return nil, upstream.List{}, err
	}
	return server, now.List, nil
}

// headers are the headers of requests, and the values in them that came from the environment.
func (a *app) headers(rows []model.Header) (headers map[string]string, secrets []string, err error) {
	headers = map[string]string{}
	for _, h := range rows {
		value, from, err := a.expand(h.Value)
		if err != nil {
			return nil, nil, fmt.Errorf("header %s: %w", h.Name, err)
		}
		headers[h.Name] = value
		secrets = append(secrets, from...)
	}
	return headers, secrets, nil
}

// expand puts environment variables in the place of ${NAME}, and returns their values too. One that is not
// set is an error: a request without its token says less clearly what is missing.
func (a *app) expand(text string) (expanded string, values []string, err error) {
	var missing []string
	out := regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`).ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value := a.env(name)
		if value == "" {
			missing = append(missing, name)
		}
		values = append(values, value)
		return value
	})
	if len(missing) > 0 {
		return "", nil, fmt.Errorf("the environment lacks %s", strings.Join(missing, ", "))
	}
	return out, values, nil
}
