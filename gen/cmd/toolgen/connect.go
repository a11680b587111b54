package main

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/proxy"
	"github.com/callsheet/callsheet/gen/remote"
	"github.com/callsheet/callsheet/gen/upstream"
)

// connectTimeout bounds the start of an upstream: a program may be fetched first.
const connectTimeout = 2 * time.Minute

// connect reaches the upstream of a manifest, and asks what it offers now.
func (a *app) connect(ctx context.Context, u *model.Upstream) (*proxy.Server, upstream.List, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	opt := remote.Options{Stderr: a.stderr, Header: http.Header{}, Env: remote.SystemEnvironment()}
	for _, name := range u.Environment {
		if value := a.env(name); value != "" {
			opt.Env = append(opt.Env, name+"="+value)
		}
	}
	for _, h := range u.Headers {
		value, err := a.expand(h.Value)
		if err != nil {
			return nil, upstream.List{}, fmt.Errorf("header %s: %w", h.Name, err)
		}
		opt.Header.Set(h.Name, value)
	}
	return proxy.Connect(ctx, remote.Source{Command: u.Command, URL: u.URL}, opt)
}

// expand puts environment variables in the place of ${NAME}. One that is not set is an error: a request
// without its token says less clearly what is missing.
func (a *app) expand(text string) (string, error) {
	var missing []string
	out := regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`).ReplaceAllStringFunc(text, func(found string) string {
		name := found[2 : len(found)-1]
		value := a.env(name)
		if value == "" {
			missing = append(missing, name)
		}
		return value
	})
	if len(missing) > 0 {
		return "", fmt.Errorf("the environment lacks %s", strings.Join(missing, ", "))
	}
	return out, nil
}
