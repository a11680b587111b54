package httpclient

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// ArgumentError says that a value cannot be sent where it belongs.
type ArgumentError struct{ Argument, Problem string }

func (e *ArgumentError) Error() string { return fmt.Sprintf("argument %q %s", e.Argument, e.Problem) }

// SecretError says that an operation needs a secret that the environment does not have.
type SecretError struct{ Variables []string }

func (e *SecretError) Error() string {
	return "the operation needs credentials, and the environment lacks " + strings.Join(e.Variables, ", ")
}

// parts are the places of a request that arguments and secrets go to.
type parts struct {
	path    string
	query   []pair
	header  http.Header
	cookies []string
	body    []byte // nil: none
	kind    string // media type of the body
}

// request makes the request of a call.
func (c *Client) request(ctx context.Context, op *Operation, args map[string]json.RawMessage) (*http.Request, error) {
	p := &parts{path: op.Path, header: http.Header{}}
	for name, value := range c.opt.Headers {
		p.header.Set(name, value)
	}
	for _, parameter := range op.Parameters {
		if err := p.add(parameter, args[parameter.Argument]); err != nil {
			return nil, err
		}
	}
	if op.Body != nil {
		if err := p.write(op.Body, args); err != nil {
			return nil, err
		}
	}
	if err := c.authorize(p, op.Security); err != nil {
		return nil, err
	}
	server := c.opt.Server
	if op.Server != "" {
		server = op.Server
	}
	address := strings.TrimRight(server, "/") + p.path
	for i, q := range p.query {
		address += map[bool]string{true: "?", false: "&"}[i == 0] + q.name + "=" + q.value
	}
	var body io.Reader
	if p.body != nil {
		body = bytes.NewReader(p.body)
		p.header.Set("Content-Type", p.kind)
	}
	req, err := http.NewRequestWithContext(ctx, op.Method, address, body)
	if err != nil {
		return nil, err
	}
	req.Header = p.header
	if op.Accept != "" {
		req.Header.Set("Accept", op.Accept)
	}
	if len(p.cookies) > 0 {
		req.Header.Set("Cookie", strings.Join(p.cookies, "; "))
	}
	return req, nil
}

// add puts a parameter in its place; nil raw is one that the call does not have.
func (p *parts) add(parameter Parameter, raw json.RawMessage) error {
	if raw == nil {
		return nil
	}
	v, err := decode(raw)
	if err != nil {
		return &ArgumentError{parameter.Argument, "is no JSON: " + err.Error()}
	}
	switch parameter.In {
	case "path":
		value := segment(parameter, v)
		if value == "" || value == "." || value == ".." {
			return &ArgumentError{parameter.Argument, fmt.Sprintf("is %q, which names another path than the operation's", text(v))}
		}
		p.path = strings.ReplaceAll(p.path, "{"+parameter.Name+"}", value)
	case "query":
		p.query = append(p.query, query(parameter, v)...)
	case "header":
		value := simple(v, parameter.Explode, func(s string) string { return s })
		if parameter.Style == JSONText {
			value = string(marshal(v))
		}
		if v == nil {
			return nil
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return &ArgumentError{parameter.Argument, "has control characters, which no header can have"}
		}
		p.header.Set(parameter.Name, value)
	case "cookie":
		for _, c := range query(parameter, v) {
			p.cookies = append(p.cookies, c.name+"="+c.value)
		}
	}
	return nil
}

// write makes the body.
func (p *parts) write(b *Body, args map[string]json.RawMessage) error {
	p.kind = b.Type
	if b.Argument == "" {
		return p.members(b, args)
	}
	raw, given := args[b.Argument]
	switch {
	case !given:
		return nil
	case isJSON(b.Type):
		p.body = raw
		return nil
	}
	v, err := decode(raw)
	if err != nil {
		return &ArgumentError{b.Argument, "is no JSON: " + err.Error()}
	}
	object, isObject := v.(map[string]any)
	if b.Type != URLEncoded || !isObject {
		p.body = []byte(text(v))
		return nil
	}
	_, names := flat(object, func(s string) string { return s })
	var out []pair
	for _, m := range names {
		style := Member{Name: m.name, Explode: true}
		if i := slices.IndexFunc(b.Styles, func(s Member) bool { return s.Name == m.name }); i >= 0 {
			style = b.Styles[i]
		}
		out = append(out, query(Parameter{Name: m.name, Style: style.Style, Explode: style.Explode}, object[m.name])...)
	}
	p.body = form(out)
	return nil
}

// members makes a body of several arguments.
func (p *parts) members(b *Body, args map[string]json.RawMessage) error {
	var object bytes.Buffer
	var pairs []pair
	given := 0
	for _, m := range b.Members {
		raw, ok := args[m.Argument]
		if !ok {
			continue
		}
		given++
		if b.Type == URLEncoded {
			v, err := decode(raw)
			if err != nil {
				return &ArgumentError{m.Argument, "is no JSON: " + err.Error()}
			}
			pairs = append(pairs, query(Parameter{Name: m.Name, Style: m.Style, Explode: m.Explode}, v)...)
			continue
		}
		object.WriteByte("{,"[min(given-1, 1)])
		object.Write(marshal(m.Name))
		object.WriteByte(':')
		object.Write(raw)
	}
	switch {
	case given == 0 && !b.Required:
	case b.Type == URLEncoded:
		p.body = form(pairs)
	case given == 0:
		p.body = []byte("{}")
	default:
		p.body = append(object.Bytes(), '}')
	}
	return nil
}

func form(pairs []pair) []byte {
	out := []byte{}
	for i, q := range pairs {
		if i > 0 {
			out = append(out, '&')
		}
		out = append(out, q.name+"="+q.value...)
	}
	return out
}

// authorize adds the secrets of the first alternative whose secrets are all there. A scheme that has no
// variable adds nothing: the manifest's headers may have it.
func (c *Client) authorize(p *parts, alternatives [][]Scheme) error {
	if len(alternatives) == 0 {
		return nil
	}
	var missing []string
	bare := false
	for _, schemes := range alternatives {
		var used []Scheme
		var lacks []string
		for _, s := range schemes {
			switch secret, named := c.opt.Secrets[s.Name]; {
			case named && secret.Value == "":
				lacks = append(lacks, secret.Variable)
			case named:
				used = append(used, s)
			}
		}
		switch {
		case len(lacks) > 0:
			missing = append(missing, lacks...)
		case len(used) > 0:
			for _, s := range used {
				p.authenticate(s, c.opt.Secrets[s.Name].Value)
			}
			return nil
		default:
			bare = true
		}
	}
	if bare {
		return nil
	}
	slices.Sort(missing)
	return &SecretError{slices.Compact(missing)}
}

func (p *parts) authenticate(s Scheme, secret string) {
	switch s.In {
	case Bearer:
		p.header.Set("Authorization", "Bearer "+secret)
	case Basic:
		p.header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(secret)))
	case "header":
		p.header.Set(s.Field, secret)
	case "query":
		p.query = append(p.query, pair{escape(s.Field, ""), escape(secret, "")})
	case "cookie":
		p.cookies = append(p.cookies, escape(s.Field, "")+"="+escape(secret, ""))
	}
}
