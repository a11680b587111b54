package imports

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/openapi"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
	"github.com/callsheet/callsheet/internal/engine/network"
)

// openAPI makes a tool of each operation of a document.
func (r *Result) openAPI(o Options) error {
	doc, err := openapi.Read(o.Data, openapi.Options{Location: o.Origins[0] + "/"})
	if err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	for _, d := range doc.Decisions {
		if d.Kind == importer.Dropped && d.Tool != "" && strings.HasPrefix(d.What, "the operation") {
			r.leave(d.Tool, d.Why)
		}
	}
	for i := range doc.List.Tools {
		t := &doc.List.Tools[i]
		op, err := newOperation(t, doc.Server)
		if err != nil {
			return err
		}
		if why := op.build(t, o.Origins); why != "" {
			r.leave(op.tool.From, why)
			continue
		}
		r.Drafts = append(r.Drafts, op.tool)
	}
	return nil
}

// operation is an operation on its way to a tool.
type operation struct {
	httpclient.Operation

	tool     *Tool
	server   *url.URL
	schemas  map[string]any // of the arguments
	required []string
	resolver *resolver
	names    map[string]bool
	query    yaml.MapSlice
	headers  yaml.MapSlice
	path     string   // of the server
	filled   []string // {name} of the document, and the placeholder for it, in turn
}

func newOperation(t *upstream.Tool, server string) (*operation, error) {
	op := &operation{tool: &Tool{Name: snake(t.Name)}, names: map[string]bool{}}
	if err := json.Unmarshal(t.Operation, &op.Operation); err != nil {
		return nil, fmt.Errorf("read the operation %s: %w", t.Name, err)
	}
	var in struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
		Defs       map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(t.InputSchema, &in); err != nil {
		return nil, fmt.Errorf("read the arguments of %s: %w", t.Name, err)
	}
	op.schemas, op.required, op.resolver = in.Properties, in.Required, &resolver{defs: in.Defs}
	op.tool.From = op.Method + " " + op.Path
	var err error
	if op.server, err = url.Parse(cmp.Or(op.Server, server)); err != nil {
		return nil, fmt.Errorf("read the server of %s: %w", t.Name, err)
	}
	return op, nil
}

// build makes the tool, or returns why there is none.
func (op *operation) build(t *upstream.Tool, origins []string) string {
	origin := originOf(op.server)
	switch {
	case !covers(origins, origin):
		return fmt.Sprintf("its server %s is none of the site's origins; add it to site.yaml where the site's pages call it", origin)
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, op.Method):
		return "its method is no call"
	case !strings.HasPrefix(op.Path, "/"):
		return "its path does not begin with /"
	}
	op.path = strings.TrimSuffix(op.server.EscapedPath(), "/")
	for _, p := range op.Parameters {
		if why := op.parameter(p); why != "" {
			return why
		}
	}
	body, why := op.body()
	if why != "" {
		return why
	}
	var parts yaml.MapSlice
	for _, part := range []yaml.MapItem{{Key: "query", Value: op.query}, {Key: "headers", Value: op.headers}} {
		if members, _ := part.Value.(yaml.MapSlice); len(members) > 0 {
			parts = append(parts, part)
		}
	}
	op.tool.request(op.Method, pathAt(origins, origin, op.path+strings.NewReplacer(op.filled...).Replace(op.Path)), append(parts, body...))
	text := cmp.Or(t.Description, t.Title, sentence(op.tool.Name))
	op.tool.Description = describe(strings.TrimRight(oneLine(text), ".") + " (" + op.Method + " " + op.Path + ").")
	op.noteSecurity()
	return op.output(t.OutputSchema)
}

// argument declares an argument, and returns its placeholder; "" where the manifest cannot say its type,
// which why explains for one that is required.
func (op *operation) argument(name string) (placeholder, why string) {
	required := slices.Contains(op.required, name)
	as := name
	if !isProperty(as) || as[0] < 'a' {
		as = snake(as)
	}
	as = unique(as, op.names)
	item, err := op.resolver.property(as, op.schemas[name], required)
	if err != nil && required {
		return "", fmt.Sprintf("its argument %s cannot be declared: %v", name, err)
	}
	if err != nil {
		op.tool.note("the argument %s is left out, for it cannot be declared: %v", name, err)
		return "", ""
	}
	op.tool.Input = append(op.tool.Input, item)
	return "{" + as + "}", ""
}

// parameter adds a parameter that is not in the body.
func (op *operation) parameter(p httpclient.Parameter) string {
	required := slices.Contains(op.required, p.Argument)
	list, object := mayBe(op.schemas[p.Argument], "array"), mayBe(op.schemas[p.Argument], "object")
	plain := (p.Style == "simple" && (p.In != "path" || !list) || p.Style == "form" && (p.Explode || !list)) && !object
	switch {
	case p.In == "cookie":
		op.tool.note("the cookie %s is that of the session", p.Name)
		return ""
	case p.In == "header" && network.IsSecretHeader(p.Name):
		op.tool.note("the header %s is left out, for it holds a secret; where the cookies of the session are not enough, write {secret:NAME}", p.Name)
		return ""
	case p.In == "query" && network.IsSecretMember(p.Name) && !isPaging(p.Name):
		op.query = append(op.query, yaml.MapItem{Key: p.Name, Value: op.tool.secret(p.Name)})
		return ""
	case !plain && required:
		return fmt.Sprintf("its parameter %s is written in the style %s, and a request has texts, numbers and lists of them", p.Name, p.Style)
	case !plain:
		op.tool.note("the parameter %s is left out, for it is written in the style %s", p.Name, p.Style)
		return ""
	}
	placeholder, why := op.argument(p.Argument)
	if placeholder == "" {
		return why
	}
	switch p.In {
	case "path":
		op.filled = append(op.filled, "{"+p.Name+"}", placeholder)
	case "header":
		op.headers = append(op.headers, yaml.MapItem{Key: p.Name, Value: placeholder})
	default:
		op.query = append(op.query, yaml.MapItem{Key: p.Name, Value: placeholder})
	}
	return ""
}

// mayBe reports whether a schema says that values may be of a type, itself or in one of its alternatives.
func mayBe(schema any, kind string) bool {
	s, _ := schema.(map[string]any)
	if kinds, ok := s["type"].([]any); s["type"] == kind || ok && slices.Contains(kinds, any(kind)) {
		return true
	}
	for _, word := range []string{"allOf", "anyOf", "oneOf"} {
		parts, _ := s[word].([]any)
		if slices.ContainsFunc(parts, func(part any) bool { return mayBe(part, kind) }) {
			return true
		}
	}
	return false
}

func member(v any, name string) any {
	m, _ := v.(map[string]any)
	return m[name]
}

// body returns the body of the request: none, or one item.
func (op *operation) body() (yaml.MapSlice, string) {
	b := op.Body
	if b == nil {
		return nil, ""
	}
	key := "body"
	kind, _, _ := strings.Cut(b.Type, ";")
	kind = strings.ToLower(strings.TrimSpace(kind))
	isForm := kind == httpclient.URLEncoded
	switch {
	case isForm && b.Argument != "":
		return nil, "its form is one argument, and a request has fields"
	case isForm:
		key = "form"
	case strings.HasSuffix(kind, "+json"):
		op.tool.note("the document says that the body is %s, and the request sends it as %s, which the server may refuse", kind, httpclient.JSON)
	case kind != httpclient.JSON:
		return nil, "its body is " + kind + ", and a request has JSON or a form"
	}
	if b.Argument != "" {
		placeholder, why := op.argument(b.Argument)
		if placeholder == "" {
			return nil, why
		}
		return yaml.MapSlice{{Key: key, Value: placeholder}}, ""
	}
	members := yaml.MapSlice{}
	for _, m := range b.Members {
		argument := cmp.Or(m.Argument, m.Name)
		if network.IsSecretMember(m.Name) && !isPaging(m.Name) && textOf(member(op.schemas[argument], "type")) == "string" {
			members = append(members, yaml.MapItem{Key: m.Name, Value: op.tool.secret(m.Name)})
			continue
		}
		placeholder, why := op.argument(argument)
		if why != "" {
			return nil, why
		}
		if placeholder != "" {
			members = append(members, yaml.MapItem{Key: m.Name, Value: placeholder})
		}
	}
	return yaml.MapSlice{{Key: key, Value: members}}, ""
}

func (op *operation) noteSecurity() {
	for _, alternative := range op.Security {
		for _, s := range alternative {
			if s.In != "cookie" {
				op.tool.note("the document asks for credentials (%s); the request has the cookies of the session alone", s.Name)
			}
		}
	}
}

// output declares the output by the schema of results.
func (op *operation) output(raw json.RawMessage) string {
	if raw == nil {
		op.tool.note("the document describes no result in JSON, so the tool has no output")
		return ""
	}
	var doc map[string]any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return "its result cannot be read: " + err.Error()
	}
	defs, _ := doc["$defs"].(map[string]any)
	r := &resolver{defs: defs}
	of := any(doc)
	if op.Wrapped {
		of = member(doc["properties"], "result")
	}
	op.tool.answers(r.answer(of, 0))
	return ""
}
