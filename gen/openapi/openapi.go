package openapi

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/importer"
	"github.com/callsheet/callsheet/gen/upstream"
	"github.com/callsheet/callsheet/gen/upstream/httpclient"
)

// Overlay changes a document before it is read, and returns a warning for what it did not do.
type Overlay func(document []byte) (changed []byte, warnings []string, err error)

// Options say what is read beside the document.
type Options struct {
	Overlay  Overlay // nil: none
	Location string  // address that the document came from, for a relative address of its server; "" of a file
}

// Result is what a document describes.
type Result struct {
	List      upstream.List
	Server    string   // address of the interface; "" when the document does not say it
	Schemes   []string // security schemes that operations use, sorted
	Decisions []importer.Decision
}

// Read describes each operation of a document as a tool.
func Read(data []byte, opt Options) (Result, error) {
	doc, warnings, err := parse(data, opt.Overlay)
	if err != nil {
		return Result{}, err
	}
	r := &reader{doc: doc, numbered: opt.Overlay == nil, tools: map[string]string{}, schemes: map[string]bool{}}
	top := doc.top()
	info := top.get("info")
	r.result.List = upstream.List{Name: info.get("title").text(), Version: info.get("version").text()}
	for _, w := range warnings {
		r.decide(value{at: ""}, importer.Dropped, reason{"an action of the overlay did nothing: " + w, "its target matches nothing in the document", "correct the target"})
	}
	r.server(top, opt.Location)
	r.whole(top)
	r.security = r.requirements(top.get("security"))
	for _, item := range top.get("paths").members() {
		r.path(item)
	}
	r.groups(top)
	slices.SortStableFunc(r.result.List.Tools, func(a, b upstream.Tool) int { return strings.Compare(a.Name, b.Name) })
	for name := range r.schemes {
		r.result.Schemes = append(r.result.Schemes, name)
	}
	slices.Sort(r.result.Schemes)
	return r.result, nil
}

// reader gathers the tools of a document.
type reader struct {
	doc      *document
	numbered bool // lines are those of the file: no overlay has moved them
	result   Result
	tool     string            // whose decisions are made; "" of the whole document
	tools    map[string]string // names → pointers of their operations
	schemes  map[string]bool
	security [][]httpclient.Scheme // of operations that state none
}

// reason says what a decision is, why it was made and what a person can do about it.
type reason struct{ what, why, todo string }

func (r *reader) decide(v value, kind importer.Kind, why reason) {
	d := importer.Decision{Tool: r.tool, Path: v.at, Kind: kind, What: why.what, Why: why.why, Do: why.todo}
	if r.numbered && v.node != nil {
		d.Line = v.node.Line
	}
	r.result.Decisions = append(r.result.Decisions, d)
}

// whole reports what of the document has no place in a list of tools.
func (r *reader) whole(top value) {
	if hooks := top.get("webhooks"); hooks.exists() {
		r.decide(hooks, importer.Dropped, reason{"webhooks are not served", "they are requests that the server makes", "nothing"})
	}
	r.decide(top.get("paths"), importer.Dropped, reason{"descriptions of errors, headers of responses, links, examples and documentation elsewhere are not passed on",
		"a tool has no place for them", "say in a description what a model must know"})
	r.decide(top.get("paths"), importer.Changed, reason{"schemas of results have names and types, and neither required, enum nor limits", "servers send what documents rule out, and clients refuse such a result as a whole", "nothing"})
}

// server finds the address of the interface.
func (r *reader) server(top value, location string) {
	servers := top.get("servers").items()
	if len(servers) == 0 {
		if location == "" {
			return
		}
		r.result.Server = absolute("/", location)
		return
	}
	r.result.Server = absolute(r.address(servers[0]), location)
	if len(servers) > 1 {
		var others []string
		for _, s := range servers[1:] {
			others = append(others, s.get("url").text())
		}
		r.decide(top.get("servers"), importer.Dropped, reason{"these servers are not called: " + strings.Join(others, ", "), "a manifest names one, and the document names this one first: " + r.result.Server,
			"write another address at upstream.server"})
	}
}

// address is the address of a server with the defaults of its variables.
func (r *reader) address(server value) string {
	out := server.get("url").text()
	for _, variable := range server.get("variables").members() {
		was := out
		out = strings.ReplaceAll(out, "{"+variable.name+"}", variable.get("default").text())
		if out != was {
			r.decide(variable.value, importer.Changed, reason{fmt.Sprintf("the variable %s of the server is %q", variable.name, variable.get("default").text()), "a manifest names one address, and this is the default",
				"write another address at upstream.server"})
		}
	}
	return out
}

// absolute is an address seen from the place of the document; "" when it has no host.
func absolute(address, location string) string {
	base, err := url.Parse(location)
	if err != nil {
		return ""
	}
	at, err := base.Parse(address)
	if err != nil || at.Host == "" {
		return ""
	}
	return strings.TrimRight(at.String(), "/")
}

// groups lists the tags that tools are in.
func (r *reader) groups(top value) {
	described := map[string]string{}
	for _, tag := range top.get("tags").items() {
		described[tag.get("name").text()] = tag.get("description").text()
	}
	for _, t := range r.result.List.Tools {
		if t.Group != "" && !slices.ContainsFunc(r.result.List.Groups, func(g upstream.Group) bool { return g.Name == t.Group }) {
			r.result.List.Groups = append(r.result.List.Groups, upstream.Group{Name: t.Group, Description: described[t.Group]})
		}
	}
	slices.SortFunc(r.result.List.Groups, func(a, b upstream.Group) int { return strings.Compare(a.Name, b.Name) })
}
