package configfile

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// keyProviders is the table of remote browsers.
const keyProviders = "providers"

// Provider is a remote browser with a DevTools endpoint. The texts may hold {env:NAME} and
// {secret:NAME}, which are replaced at each connection.
type Provider struct {
	Name      string
	URL       string // ws:// or wss://
	Headers   map[string]string
	KeepAlive time.Duration // between two pings; 0 for none
	Pos       diag.Pos
}

// FileValue is a flag whose value refers to a table of the file.
type FileValue interface {
	// ReadFile looks the value up; file is nil without one.
	ReadFile(file *File) error
}

// defaultKeepAlive is the time between two pings where a provider says nothing: gateways drop
// connections that are silent for a minute.
const defaultKeepAlive = 30 * time.Second

// providers reads the table of remote browsers.
func (r *reader) providers(n *yamltree.Node) {
	if n.Kind != yamltree.MappingNode {
		r.errorf(n.Pos, ruleValue, "providers must be a mapping of names to endpoints, not %s", n.Kind)
		return
	}
	for _, m := range n.Members {
		if m.Value.Kind != yamltree.MappingNode {
			r.errorf(m.Value.Pos, ruleValue, "provider %q must be a mapping, not %s", m.Key.Value, m.Value.Kind).Hint = "it has url, headers and keep-alive"
			continue
		}
		p := Provider{Name: m.Key.Value, Pos: m.Key.Pos, KeepAlive: defaultKeepAlive}
		for _, f := range m.Value.Members {
			r.providerField(&p, f)
		}
		if p.URL == "" && m.Value.Member("url") == nil {
			r.errorf(m.Key.Pos, ruleValue, "provider %q has no url", p.Name).Hint = "write url: wss://…"
		}
		if r.file.Providers == nil {
			r.file.Providers = map[string]Provider{}
		}
		r.file.Providers[p.Name] = p
	}
}

func (r *reader) providerField(p *Provider, f yamltree.Member) {
	switch f.Key.Value {
	case "url":
		if p.URL = r.template(f.Value, "url"); p.URL != "" && !strings.HasPrefix(p.URL, "ws://") && !strings.HasPrefix(p.URL, "wss://") {
			r.errorf(f.Value.Pos, ruleValue, "url must begin with ws:// or wss://").Hint = "it is the address of the browser's WebSocket"
		}
	case "headers":
		if f.Value.Kind != yamltree.MappingNode {
			r.errorf(f.Value.Pos, ruleValue, "headers must be a mapping of names to texts, not %s", f.Value.Kind)
			return
		}
		p.Headers = map[string]string{}
		for _, h := range f.Value.Members {
			p.Headers[h.Key.Value] = r.template(h.Value, h.Key.Value)
		}
	case "keep-alive":
		d, err := time.ParseDuration(r.template(f.Value, "keep-alive"))
		if err != nil || d < 0 {
			r.errorf(f.Value.Pos, ruleValue, "keep-alive must be a time").Hint = "write 30s, or 0s for none"
			return
		}
		p.KeepAlive = d
	default:
		fields := []string{"url", "headers", "keep-alive"}
		d := r.errorf(f.Key.Pos, ruleKey, "unknown key %q of a provider", f.Key.Value)
		if d.Hint = diag.DidYouMean(f.Key.Value, fields); d.Hint == "" {
			d.Hint = "a provider has " + strings.Join(fields, ", ")
		}
	}
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{[^{}]*\}`) })

// template reads a text and checks its placeholders. A credential must not stand in a file that
// others can read, but nothing tells it from other text; docs/reference/command-line.md says so.
func (r *reader) template(n *yamltree.Node, what string) string {
	if n.Kind == yamltree.MappingNode || n.Kind == yamltree.ListNode || n.Text.Value == "" {
		r.errorf(n.Pos, ruleValue, "%s must be a text, not %s", what, n.Kind).Hint = "put quotes around a text with braces"
		return ""
	}
	for _, p := range placeholder().FindAllString(n.Text.Value, -1) {
		kind, name, _ := strings.Cut(strings.Trim(p, "{}"), ":")
		if kind != "env" && kind != "secret" || name == "" {
			r.errorf(n.Pos, ruleValue, "%s is no placeholder", p).Hint = "write {env:NAME} or {secret:NAME}"
		}
	}
	return n.Text.Value
}

// Expand replaces the placeholders of a text.
func Expand(text string, env, secret func(name string) (string, error)) (string, error) {
	var failed error
	out := placeholder().ReplaceAllStringFunc(text, func(p string) string {
		kind, name, _ := strings.Cut(strings.Trim(p, "{}"), ":")
		look := env
		if kind == "secret" {
			look = secret
		}
		value, err := look(name)
		if err != nil {
			failed = err
		}
		return value
	})
	return out, failed
}

// Provider returns the provider of a name. A nil file has none.
func (f *File) Provider(name string) (Provider, error) {
	if f == nil {
		return Provider{}, fmt.Errorf("there is no configuration file, so no provider %q", name)
	}
	if p, ok := f.Providers[name]; ok {
		return p, nil
	}
	known := slices.Sorted(maps.Keys(f.Providers))
	hint := diag.DidYouMean(name, known)
	if hint == "" {
		hint = "known: " + strings.Join(known, ", ")
	}
	return Provider{}, fmt.Errorf("%s has no provider %q; %s", f.Path, name, hint)
}
