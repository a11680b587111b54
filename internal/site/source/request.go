package source

import (
	"encoding/json"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/engine/network"
)

// Request is the one step of a tool that sends a request with the cookies of the session. Everything but
// the method has placeholders. A member of Query, Headers, Body and Form that mentions a parameter
// without a value is left out.
type Request struct {
	Pos    diag.Pos
	Method string          // GET, POST, PUT, PATCH or DELETE
	Path   spec.Text       // path without a query, or an address at one of the site's origins
	Query  json.RawMessage // object of texts, numbers and lists of them; nil for none
	// Headers is an object of texts; nil for none. Body is sent as JSON, Form as a form; one of the two is
	// nil.
	Headers, Body, Form json.RawMessage

	methodPos                  diag.Pos
	query, headers, body, form *yamltree.Node // nil where there are none
}

// Reads reports whether the request changes nothing by what HTTP says of its method.
func (q *Request) Reads() bool { return q.Method == http.MethodGet }

// Request returns the request that is the tool's one step, or nil.
func (t *Tool) Request() *Request {
	for i := range t.Steps {
		if q := t.Steps[i].Request; q != nil {
			return q
		}
	}
	return nil
}

// Reads reports whether the tool changes nothing: it opens an address, or sends a request that reads.
func (t *Tool) Reads() bool {
	q := t.Request()
	return len(t.Steps) == 0 || len(t.Steps) == 1 && q != nil && q.Reads()
}

// requestStep reads a step with request.
func (r *reader) requestStep(n *yamltree.Node) []Step {
	s := Step{Pos: n.Pos, ToolPos: n.Pos}
	if !r.Fields(n, "a step with request", map[string]key{"request": r.request(&s.Request), "note": r.string(&s.Note)}) || s.Request == nil {
		return nil
	}
	return []Step{s}
}

// request reads a request.
func (r *reader) request(dst **Request) key {
	return func(k spec.Text, n *yamltree.Node) {
		q := &Request{Pos: n.Pos, Method: http.MethodGet, methodPos: k.Pos}
		var method spec.Text
		object := func(raw *json.RawMessage, node **yamltree.Node) key {
			return func(k spec.Text, n *yamltree.Node) {
				if n.Kind != yamltree.MappingNode {
					r.Wrong(k, n, "a mapping")
					return
				}
				*raw, *node = r.json(n), n
			}
		}
		if !r.Fields(n, "a request", map[string]key{
			"method": r.text(&method), "path": r.text(&q.Path), "query": object(&q.Query, &q.query), "headers": object(&q.Headers, &q.headers),
			"form": object(&q.Form, &q.form), "body": func(_ spec.Text, n *yamltree.Node) { q.Body, q.body = r.json(n), n },
		}) {
			return
		}
		if method.Set() {
			q.Method, q.methodPos = method.Value, method.Pos
		}
		if !q.Path.Set() && n.Member("path") == nil {
			r.Errorf(n.Pos, ruleRequest, "the request has no path").Hint = "add path: /api/…"
		}
		*dst = q
	}
}

// mentionsOf lists the texts of a request that may hold placeholders.
func (q *Request) mentionsOf(text func(spec.Text, bool), node func(*yamltree.Node, bool)) {
	if q == nil {
		return
	}
	text(q.Path, true)
	for _, n := range []*yamltree.Node{q.query, q.headers, q.body, q.form} {
		node(n, false)
	}
}

func checkRequests(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		q := t.Request()
		if q == nil {
			continue
		}
		if len(t.Steps) > 1 {
			report(q.Pos, "tool %q has a request beside other steps", t.Entry.Name.Value).Hint = "a request is the one step of its tool; write two tools"
		}
		methods := []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}
		if !slices.Contains(methods, q.Method) {
			report(q.methodPos, "the method cannot be %q", q.Method).Hint = "one of " + strings.Join(methods, ", ")
		}
		if q.Body != nil && q.Form != nil {
			report(q.Pos, "the request has both body and form").Hint = "body is sent as JSON, form as a form: delete one of the two"
		}
		if q.Reads() && (q.Body != nil || q.Form != nil) {
			report(q.Pos, "a request with method GET has no body").Hint = "write query, or another method"
		}
		if slices.ContainsFunc(Placeholders(q.Path.Value), func(p Placeholder) bool { return p.Secret }) {
			report(q.Path.Pos, "the path has a secret, and servers log paths").Hint = "write it under headers or body"
		}
		if strings.ContainsAny(q.Path.Value, "?#") {
			report(q.Path.Pos, "the path %q has a query or a fragment", q.Path.Value).Hint = "write query: {name: value}"
		}
		if e := t.Entry.Effects; e.ReadOnly.Value && !q.Reads() {
			report(e.ReadOnly.Pos, "tool %q is read_only, and sends a request with method %s", t.Entry.Name.Value, q.Method).Hint = "write read_only: false; only GET reads by what HTTP says"
		}
		checkHeaders(q, report)
		checkPlain(q, report)
		for _, n := range []*yamltree.Node{q.query, q.body, q.form} {
			checkSecretMembers(n, report)
		}
	}
}

// checkSecretMembers reports texts whose name says that they are secrets.
func checkSecretMembers(n *yamltree.Node, report diag.Report) {
	if n == nil {
		return
	}
	for _, m := range n.Members {
		if m.Value.Kind == spec.StringLiteral && m.Value.Text.Value != "" && len(Placeholders(m.Value.Text.Value)) == 0 && network.IsSecretMember(m.Key.Value) {
			report(m.Value.Pos, "%s has a secret in the source", m.Key.Value).Hint = "declare a secret in site.yaml, and write {secret:NAME}"
		}
		checkSecretMembers(m.Value, report)
	}
	for _, item := range n.Items {
		checkSecretMembers(item, report)
	}
}

// ownHeaders lists headers that scripts cannot set, and those that the request has for reasons of its own.
func ownHeaders() []string {
	return []string{"Cookie", "Host", "Origin", "Referer", "Content-Length", "Connection", "User-Agent", "Content-Type", "Accept-Charset", "Accept-Encoding",
		"Date", "Expect", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Via"}
}

// checkHeaders reports headers that a browser sends itself, that make another method of GET, or whose value must not
// stand in a source.
func checkHeaders(q *Request, report diag.Report) {
	if q.headers == nil {
		return
	}
	for _, m := range q.headers.Members {
		name := textproto.CanonicalMIMEHeaderKey(m.Key.Value)
		literal := m.Value.Kind == spec.StringLiteral && !slices.ContainsFunc(Placeholders(m.Value.Text.Value), func(p Placeholder) bool { return p.Secret })
		switch {
		case strings.HasPrefix(name, "Sec-") || strings.HasPrefix(name, "Proxy-") || slices.Contains(ownHeaders(), name):
			report(m.Key.Pos, "the browser sends the header %s itself", name).Hint = "delete it"
		case q.Reads() && slices.Contains([]string{"X-Http-Method", "X-Http-Method-Override", "X-Method-Override"}, name):
			report(m.Key.Pos, "the header %s gives a request with method GET another method", name).Hint = "delete it, and write the method under method"
		case m.Value.Kind != spec.StringLiteral:
			report(m.Value.Pos, "the header %s is no text", name).Hint = "write a text"
		case literal && network.IsSecretHeader(name):
			report(m.Value.Pos, "the header %s has a secret in the source", name).Hint = "declare a secret in site.yaml, and write {secret:NAME}"
		}
	}
}

// checkPlain reports values of a query, a header or a form that are objects.
func checkPlain(q *Request, report diag.Report) {
	for _, n := range []*yamltree.Node{q.query, q.form} {
		if n == nil {
			continue
		}
		for _, m := range n.Members {
			items := []*yamltree.Node{m.Value}
			if m.Value.Kind == yamltree.ListNode {
				items = m.Value.Items
			}
			for _, item := range items {
				if item.Kind == yamltree.MappingNode || item.Kind == yamltree.ListNode || item.IsNull() {
					report(item.Pos, "%s is no text, number or list of them", m.Key.Value).Hint = `write a value, or a placeholder in quotes: "{name}"`
				}
			}
		}
	}
}

// checkRequestOrigin reports a request to another origin than those of the site. check looks at one
// address.
func checkRequestOrigin(t *Tool, report diag.Report, check func(spec.Text, string)) {
	q := t.Request()
	if q == nil {
		return
	}
	check(q.Path, "the path")
	if u, err := url.Parse(q.Path.Value); err == nil && u.Host != "" && u.Path == "" && q.Path.Set() {
		report(q.Path.Pos, "the path %q is an origin", q.Path.Value).Hint = "write " + q.Path.Value + "/"
	}
}

// checkAnswers compares the sources of an output with how its tool works: the answer of a request, or a
// page.
func checkAnswers(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		for _, x := range t.Extract {
			switch fromAnswer := x.JSON != nil; {
			case fromAnswer && t.Request() == nil:
				report(x.Property.Pos, "property %q is taken from an answer, and tool %q sends no request", x.Property.Value, t.Entry.Name.Value).Hint = "add element, or a step with request"
			case !fromAnswer && t.Request() != nil:
				report(x.Property.Pos, "property %q is taken from a page, and tool %q sends a request", x.Property.Value, t.Entry.Name.Value).Hint = "write json: /pointer into the answer"
			case fromAnswer && *x.JSON != "" && !strings.HasPrefix(*x.JSON, "/"):
				report(x.Property.Pos, "%q is no JSON pointer", *x.JSON).Hint = `begin with /, or write "" for the whole answer`
			case fromAnswer && (x.Element != nil || x.List || x.Members != nil || x.Pattern != "" || x.Attribute != "" || x.Read != ""):
				report(x.Property.Pos, "the extraction of %q has json beside other keys", x.Property.Value).Hint = "the output says the type; delete the other keys"
			}
		}
	}
}

// pointer reads the JSON pointer of an extraction.
func (r *reader) pointer(dst **string) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != spec.StringLiteral {
			r.Wrong(k, n, "a JSON pointer such as /items")
			return
		}
		*dst = &n.Text.Value
	}
}
