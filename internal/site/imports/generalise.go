package imports

import (
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/site/source"
)

// maxExamples bounds the arguments that are kept as examples, and maxExample a text of one.
const (
	maxExamples = 3
	maxExample  = 200
)

// place is the kind of values at one part of requests.
type place struct {
	texts    bool // an address or a form, where every value is a text
	optional bool // a value of a single request is a default, not an argument that every caller gives
}

// requests generalises requests of one form: what differs between them is a parameter.
type requests struct {
	tool     *Tool
	all      []exchange // no two alike
	names    map[string]bool
	examples []yaml.MapSlice // by request
	secret   []bool          // by request: an example would hold a secret
}

// toolOfRequests makes a tool of requests of one form.
func toolOfRequests(all []exchange, origins []string) *Tool {
	var distinct []exchange
	seen := map[string]bool{}
	for _, a := range all {
		if what := compact([]any{a.path, a.query, a.body, a.form}); !seen[what] {
			seen[what] = true
			distinct = append(distinct, a)
		}
	}
	first := distinct[0]
	g := &requests{tool: &Tool{}, all: distinct, names: map[string]bool{}, examples: make([]yaml.MapSlice, len(distinct)), secret: make([]bool, len(distinct))}
	path, words := g.path()
	parts := yaml.MapSlice{}
	add := func(key string, value any) {
		if m, ok := value.(yaml.MapSlice); value != nil && (!ok || len(m) > 0) {
			parts = append(parts, yaml.MapItem{Key: key, Value: value})
		}
	}
	add("query", g.object("", g.values(func(a *exchange) any { return a.query }), place{texts: true, optional: first.method == "GET"}))
	add("headers", g.headers())
	switch {
	case first.form != nil:
		add("form", g.object("", g.values(func(a *exchange) any { return a.form }), place{texts: true}))
	case first.body != nil:
		parts = append(parts, yaml.MapItem{Key: "body", Value: g.value("", "body", g.values(func(a *exchange) any { return a.body }), place{})})
	}
	g.tool.Name = nameOf(first.method, words)
	if operation := first.operation(); operation != "" {
		g.tool.Name = snake(operation)
	}
	g.tool.From = first.method + " " + path
	g.tool.request(first.method, pathAt(origins, first.origin, path), parts)
	g.tool.Description = describe(sentence(g.tool.Name) + " (" + first.method + " " + path + ").")
	g.answers(all)
	g.keepExamples()
	if len(distinct) == 1 && len(parts) > 0 {
		g.tool.note("the archive has one such request: which of its values callers choose is a guess")
	}
	return g.tool
}

// values returns a part of each request.
func (g *requests) values(of func(*exchange) any) []any {
	out := make([]any, len(g.all))
	for i := range g.all {
		out[i] = of(&g.all[i])
	}
	return out
}

// answers declares the output by all answers, also those of the same request.
func (g *requests) answers(all []exchange) {
	var answers []any
	for _, a := range all {
		if !a.empty {
			answers = append(answers, a.answer)
		}
	}
	if len(answers) > 0 {
		g.tool.answers(inferred(answers))
	}
}

// path returns the path with parameters, and the words of a name for it.
func (g *requests) path() (path string, words []string) {
	var parts []string
	previous := ""
	for i, segment := range g.all[0].path {
		if !isID(segment) {
			parts = append(parts, url.PathEscape(segment))
			words = append(words, strings.TrimSuffix(segment, ".json"))
			previous = segment
			continue
		}
		label := "id"
		if previous != "" {
			label = singular(snake(previous)) + "_id"
			words[len(words)-1] = singular(words[len(words)-1])
		}
		values := g.values(func(a *exchange) any { return a.path[i] })
		parts = append(parts, g.parameter(label, values, place{texts: true}))
	}
	return "/" + strings.Join(parts, "/"), words
}

// headers returns the headers that every request has and that neither the browser sends nor a secret is.
func (g *requests) headers() yaml.MapSlice {
	var out yaml.MapSlice
	for _, h := range g.all[0].headers {
		name := strings.ToLower(h.Name)
		switch {
		case name == "authorization", strings.HasPrefix(name, "x-") && (isSecretHeader(name) || hasSecret("", h.Value)):
			g.tool.note("the header %s is left out, for it holds a secret; where the cookies of the session are not enough, write {secret:NAME}", h.Name)
		case !strings.HasPrefix(name, "x-"), strings.HasPrefix(name, "x-forwarded"), hasPlaceholder(h.Value):
		case slices.ContainsFunc(g.all, func(a exchange) bool { return !slices.Contains(a.headers, h) }):
			g.tool.note("the header %s is left out, for it differs between requests", h.Name)
		default:
			out = append(out, yaml.MapItem{Key: h.Name, Value: h.Value})
		}
	}
	return out
}

// isSecretHeader reports whether a header of a site, whose name is in small letters, may hold a secret.
func isSecretHeader(name string) bool {
	return network.IsSecretHeader(name) || network.IsSecretMember(strings.TrimPrefix(name, "x-")) ||
		slices.ContainsFunc([]string{"auth", "session", "key"}, func(part string) bool { return strings.Contains(name, part) })
}

// object returns an object with what differs between requests as parameters. values are by request, and nil
// where it is absent.
func (g *requests) object(parent string, values []any, at place) yaml.MapSlice {
	members := map[string]bool{}
	for _, v := range values {
		m, _ := v.(map[string]any)
		for name := range m {
			members[name] = true
		}
	}
	var out yaml.MapSlice
	for _, name := range slices.Sorted(maps.Keys(members)) {
		of := make([]any, len(values))
		for i, v := range values {
			if m, ok := v.(map[string]any); ok {
				of[i] = m[name]
			}
		}
		if isCacheBuster(name, of) {
			g.tool.note("%s is left out, for it only keeps answers from being cached", name)
			continue
		}
		out = append(out, yaml.MapItem{Key: name, Value: g.value(parent, name, of, at)})
	}
	return out
}

// isCacheBuster reports whether a member is the time, so that no answer is taken from a cache.
func isCacheBuster(name string, values []any) bool {
	return slices.Contains([]string{"_", "t", "ts", "cb", "nocache", "timestamp"}, name) && !slices.ContainsFunc(values, func(v any) bool {
		text, ok := v.(string)
		return v != nil && (!ok || len(text) != 13 || strings.Trim(text, "0123456789") != "")
	})
}

// value returns the JSON at one place of a request: a value, a placeholder, or an object with both.
func (g *requests) value(parent, name string, values []any, at place) any {
	var present []any
	objects := true
	for _, v := range values {
		if v != nil {
			present = append(present, v)
			_, isObject := v.(map[string]any)
			objects = objects && isObject
		}
	}
	switch {
	case len(present) == 0:
		return nil
	case slices.ContainsFunc(present, func(v any) bool { return isSecret(name, v) }):
		if low := strings.ToLower(name); strings.Contains(low, "csrf") || strings.Contains(low, "xsrf") {
			g.tool.note("%s is a value that the site makes for each session: a vault has none, and the site may refuse the request", name)
		}
		return g.tool.secret(name)
	case objects && (parent == "" || len(present) == len(values)):
		return g.object(name, values, at)
	}
	if text, ok := present[0].(string); ok && name == "query" && g.all[0].operation() != "" && !hasSecret(name, text) {
		return strings.ReplaceAll(text, "{", "{ ") // GraphQL, in which {name} would be read as a placeholder
	}
	constant := len(present) == len(values) && !slices.ContainsFunc(present, func(v any) bool { return !reflect.DeepEqual(v, present[0]) })
	if constant && (len(values) > 1 || name == "operationName") && !hasPlaceholder(present[0]) && !hasSecret(name, present[0]) {
		return plain(present[0])
	}
	label := name
	if g.names[snake(name)] && parent != "" {
		label = parent + "_" + name
	}
	return g.parameter(label, values, at)
}

// namesSecret reports whether a text has the beginning of a reference to a secret or to a one-time code, which a step
// of a site would fill in.
func namesSecret(text string) bool {
	return strings.Contains(text, "{secret:") || strings.Contains(text, "{totp:")
}

// hasPlaceholder reports whether a value has a text that a site would read as a placeholder.
func hasPlaceholder(v any) bool {
	switch v := v.(type) {
	case string:
		return len(source.Placeholders(v)) > 0 || namesSecret(v)
	case []any:
		return slices.ContainsFunc(v, hasPlaceholder)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasPlaceholder)
	}
	return false
}

// parameter declares a parameter, and returns its placeholder. The values are by request, and nil where it is
// absent. It is required where every request has it. One that is not and has one value has it as its default.
func (g *requests) parameter(label string, values []any, at place) string {
	name := unique(snake(label), g.names)
	var present []any
	var texts []string
	for _, v := range values {
		if v != nil {
			present = append(present, v)
		}
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	s := inferred(present)
	if at.texts && len(texts) == len(present) {
		s = typeOfTexts(texts)
	}
	if s.nullable = false; s.description == "" {
		s.description = sentence(label) + "."
	}
	secret := slices.ContainsFunc(present, func(v any) bool { return hasSecret(label, v) })
	required := len(present) == len(values) && (!at.optional || len(values) > 1 || secret)
	declared := s.declared(required)
	if scalar := s.kind != "array" && s.kind != "object" && s.kind != "any"; !required && len(values) == 1 && scalar {
		declared = append(declared, yaml.MapItem{Key: "default", Value: plainTyped(present[0], s.kind)})
	}
	g.tool.Input = append(g.tool.Input, yaml.MapItem{Key: name, Value: declared})
	for i, v := range values {
		if g.secret[i] = g.secret[i] || secret; v != nil {
			g.examples[i] = append(g.examples[i], yaml.MapItem{Key: name, Value: plainTyped(v, s.kind)})
		}
	}
	return "{" + name + "}"
}

func plainTyped(v any, kind string) any {
	if text, ok := v.(string); ok {
		return typed(text, kind)
	}
	return plain(v)
}

// keepExamples keeps the arguments of the first requests.
func (g *requests) keepExamples() {
	if len(g.tool.Input) == 0 {
		return
	}
	for i, e := range g.examples {
		long := slices.ContainsFunc(e, func(m yaml.MapItem) bool { return len(fmt.Sprint(m.Value)) > maxExample })
		if len(e) > 0 && !long && !g.secret[i] && len(g.tool.Examples) < maxExamples {
			g.tool.Examples = append(g.tool.Examples, e)
		}
	}
}

// nameOf returns the name of a tool that sends a request.
func nameOf(method string, words []string) string {
	var kept []string
	for _, w := range words {
		w = snake(w)
		version := len(w) > 1 && w[0] == 'v' && strings.Trim(w[1:], "0123456789_") == ""
		if !version && !slices.Contains([]string{"api", "rest", "ajax", "value", ""}, w) {
			kept = append(kept, w)
		}
	}
	if len(kept) == 0 {
		kept = []string{"data"}
	}
	name := strings.ToLower(method) + "_" + strings.Join(kept, "_")
	return strings.TrimRight(name[:min(len(name), maxName)], "_")
}

// singular returns a word for one of what the word names.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		return strings.TrimSuffix(word, "ies") + "y"
	case strings.HasSuffix(word, "ses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"):
		return strings.TrimSuffix(word, "es")
	case strings.HasSuffix(word, "ss"), strings.HasSuffix(word, "us"), strings.HasSuffix(word, "is"):
		return word
	}
	return strings.TrimSuffix(word, "s")
}

// sentence returns a name as words that begin a sentence.
func sentence(name string) string {
	words := strings.ReplaceAll(snake(name), "_", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}
