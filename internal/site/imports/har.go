package imports

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/site/har"
)

// exchange is one request of an archive that can be sent without a page.
type exchange struct {
	method  string
	origin  string
	path    []string // segments, unescaped
	query   map[string]any
	body    any            // JSON; nil without
	form    map[string]any // nil without
	headers []har.Pair
	answer  any
	empty   bool // the answer has no body
}

// har makes a tool of each form of request that an archive has.
func (r *Result) har(o Options) error {
	entries, err := har.Read(o.Data)
	if err != nil {
		return err
	}
	groups := map[string][]exchange{}
	var order []string
	for i := range entries {
		e := &entries[i]
		a, why := callable(e, o.Origins)
		if why != "" {
			r.leave(whatOf(e, why), why)
			continue
		}
		key := a.key()
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], a)
	}
	for _, key := range order {
		r.Drafts = append(r.Drafts, toolOfRequests(groups[key], o.Origins))
	}
	return nil
}

const (
	leftOrigin = "it is of none of the site's origins"
	leftAsset  = "it is a part of a page"
)

// whatOf names an entry that is left out: parts of pages and other origins together.
func whatOf(e *har.Entry, why string) string {
	switch why {
	case leftOrigin:
		return originOf(e.URL)
	case leftAsset:
		return cmp.Or(e.Kind, e.Answer.Type, "asset")
	}
	segments := strings.Split(e.URL.Path, "/")
	for i, s := range segments {
		if looksSecret(s) {
			segments[i] = "…"
		}
	}
	return oneLine(e.Method + " " + strings.Join(segments, "/"))
}

// callable returns a request that can be sent without a page, or why the entry is none.
func callable(e *har.Entry, origins []string) (exchange, string) {
	a := exchange{method: e.Method, origin: originOf(e.URL), headers: e.Headers}
	switch {
	case e.Kind == "document":
		return a, "it is a page, which a step opens"
	case e.Kind == "websocket" || e.Kind == "eventsource" || e.Answer.Type == "text/event-stream":
		return a, "it is a stream of messages"
	case e.Kind != "" && e.Kind != "xhr" && e.Kind != "fetch" && e.Kind != "other":
		return a, leftAsset
	case !covers(origins, a.origin):
		return a, leftOrigin
	case !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, e.Method):
		return a, "its method is no call"
	case e.Status <= 0:
		return a, "it has no answer"
	case e.Status < 200 || e.Status > 299:
		return a, "it was answered " + cmp.Or(http.StatusText(e.Status), strconv.Itoa(e.Status)) + ", which shows no result"
	}
	if why := a.readAnswer(e); why != "" {
		return a, why
	}
	if e.Body != nil {
		if why := a.readBody(e.Body); why != "" {
			return a, why
		}
	}
	a.readAddress(e.URL)
	return a, ""
}

func (a *exchange) readAnswer(e *har.Entry) string {
	isJSON := e.Answer.Type == "application/json" || strings.HasSuffix(e.Answer.Type, "+json")
	a.empty = strings.TrimSpace(e.Answer.Text) == ""
	switch {
	case a.empty && e.Method != http.MethodGet && (e.Status == http.StatusNoContent || e.Answer.Type == "" || e.Answer.Type == "x-unknown"):
		return ""
	case !isJSON && (e.Kind == "" || e.Kind == "other") && e.Method == http.MethodGet:
		return leftAsset
	case !isJSON:
		return "it was answered " + cmp.Or(e.Answer.Type, "nothing") + ", which is no JSON"
	case a.empty:
		return "the archive has no answer of it; export it with contents"
	}
	var ok bool
	if a.answer, ok = decode(e.Answer.Text); !ok {
		return "its answer is no JSON, or not whole"
	}
	return ""
}

func (a *exchange) readBody(b *har.Body) string {
	switch {
	case b.Form != nil:
		a.form = map[string]any{}
		for _, p := range b.Form {
			addValue(a.form, p.Name, p.Value)
		}
	case b.Text == "":
		return "the archive does not have its body"
	case b.Type == "application/json" || strings.HasSuffix(b.Type, "+json") || b.Type == "text/plain" && strings.HasPrefix(b.Text, "{"):
		var ok bool
		if a.body, ok = decode(b.Text); !ok || a.body == nil {
			return "its body is no JSON"
		}
	default:
		return "its body is " + cmp.Or(b.Type, "of no known type") + ", and a request has JSON or a form"
	}
	return ""
}

// addValue adds a value of a name: a list where the name is repeated.
func addValue(to map[string]any, name, value string) {
	switch had := to[name].(type) {
	case nil:
		to[name] = value
	case []any:
		to[name] = append(had, value)
	default:
		to[name] = []any{had, value}
	}
}

func (a *exchange) readAddress(u *url.URL) {
	for segment := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		if plain, err := url.PathUnescape(segment); err == nil {
			segment = plain
		}
		a.path = append(a.path, segment)
	}
	for name, values := range u.Query() {
		for _, value := range values {
			if a.query == nil {
				a.query = map[string]any{}
			}
			addValue(a.query, name, value)
		}
	}
}

// key returns the form of a request: requests of one form become one tool.
func (a *exchange) key() string {
	shape := make([]string, len(a.path))
	for i, segment := range a.path {
		if shape[i] = url.PathEscape(segment); isID(segment) {
			shape[i] = "{}"
		}
	}
	kind := "none"
	switch {
	case a.form != nil:
		kind = "form"
	case a.body != nil:
		kind = kindOf(a.body)
	}
	return strings.Join([]string{a.method, a.origin, strings.Join(shape, "/"), kind, a.operation()}, " ")
}

// operation returns the name of the operation of a GraphQL request; "" for another request.
func (a *exchange) operation() string {
	body, _ := a.body.(map[string]any)
	if _, ok := body["query"].(string); !ok {
		return ""
	}
	name, _ := body["operationName"].(string)
	return name
}

// isID reports whether a segment of a path is the id of a record, by its looks: digits, a UUID, or a long
// word with digits.
func isID(segment string) bool {
	if looksSecret(segment) {
		return true
	}
	digits, letters, others := 0, 0, 0
	for _, r := range segment {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			letters++
		default:
			others++
		}
	}
	dashes := strings.Count(segment, "-")
	switch {
	case digits > 0 && letters == 0 && others == 0:
		return true
	case len(segment) == 36 && dashes == 4 && others == 4:
		return true
	}
	return others == 0 && digits >= 2 && len(segment) >= 8
}

// isSecret reports whether a value is a secret, by the name of its field or its own looks. A recording has a word in
// place of each token.
func isSecret(name string, v any) bool {
	text, ok := v.(string)
	if !ok || text == "" {
		return false
	}
	named := network.IsSecretMember(name) || slices.Contains([]string{"session", "sid", "sig", "assertion"}, strings.ToLower(name))
	return named && !isPaging(name) || looksSecret(text) || strings.HasPrefix(text, network.Redacted)
}

// inlineArgument matches the name of an argument of GraphQL whose value is a text.
var inlineArgument = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([A-Za-z_][A-Za-z0-9_]*)\s*:\s*"[^"]`) })

// hasSecretArgument reports whether a text of GraphQL has a secret in place of a variable.
func hasSecretArgument(text string) bool {
	return slices.ContainsFunc(inlineArgument().FindAllStringSubmatch(text, -1), func(m []string) bool { return network.IsSecretMember(m[1]) })
}

// hasSecret reports whether a value, or a part of it, is a secret: also a number, and a part of a text that is JSON, an
// address or GraphQL.
func hasSecret(name string, v any) bool {
	switch v := v.(type) {
	case json.Number: // of tokens there are counts
		return network.IsSecretMember(name) && !strings.Contains(strings.ToLower(name), "token")
	case string:
		return isSecret(name, v) || namesSecret(v) || len(network.SecretsInJSON(v)) > 0 || len(network.SecretsIn(v)) > 0 || hasSecretArgument(v)
	case []any:
		return slices.ContainsFunc(v, func(item any) bool { return hasSecret(name, item) })
	case map[string]any:
		for member, of := range v {
			if hasSecret(member, of) {
				return true
			}
		}
	}
	return isSecret(name, v)
}

// isPaging reports whether a field with the word token in it is the place in a list.
func isPaging(name string) bool {
	name = strings.ToLower(name)
	return strings.Contains(name, "page") || strings.Contains(name, "cursor") || strings.Contains(name, "next") || strings.Contains(name, "continu")
}

// looksSecret reports whether a text is a signed token, or a long random word.
func looksSecret(text string) bool {
	if strings.HasPrefix(text, "Bearer ") || strings.HasPrefix(text, "Basic ") {
		return true
	}
	if parts := strings.Split(text, "."); len(parts) == 3 && strings.HasPrefix(text, "eyJ") && len(text) > 40 {
		return true
	}
	if len(text) < 32 || len(text) == 36 && strings.Count(text, "-") == 4 {
		return false
	}
	var small, large, digit bool
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z':
			small = true
		case r >= 'A' && r <= 'Z':
			large = true
		case r >= '0' && r <= '9':
			digit = true
		case !strings.ContainsRune("+/=_-", r):
			return false
		}
	}
	return digit && (small && large || small && len(text)%8 == 0 && isHex(text))
}

func isHex(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') })
}
