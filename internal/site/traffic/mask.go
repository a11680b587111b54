package traffic

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/internal/engine/network"
)

// tokenLength is the least length of a value that is taken for a token. Shorter ones under the name of a
// secret are mostly words for people, which pages are found by.
const tokenLength = 16

// tokens replace the values of cookies and tokens by words that stay the same in one recording, so that a
// token that a page got is the one that it sends.
type tokens struct{ words map[string]string }

func (t *tokens) add(value string) {
	if len(value) < tokenLength || strings.ContainsAny(value, " \t\n<>") || strings.HasPrefix(value, network.Redacted) || t.words[value] != "" {
		return
	}
	t.words[value] = fmt.Sprintf("%s-%d", network.Redacted, len(t.words)+1)
}

func (t *tokens) replacer() *strings.Replacer {
	values := make([]string, 0, len(t.words))
	for v := range t.words {
		values = append(values, v)
	}
	slices.SortFunc(values, func(a, b string) int { // of two that begin alike, the longer one wins
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	var pairs []string
	for _, v := range values {
		pairs = append(pairs, v, t.words[v])
	}
	return strings.NewReplacer(pairs...)
}

// mask returns entries without secrets: no value of a cookie or of an authorization, no token that a request or
// an answer names as one, and none of the values that redact takes out.
func mask(entries []network.Entry, redact func(string) string) []network.Entry {
	found := &tokens{words: map[string]string{}}
	for i := range entries {
		collect(found, &entries[i])
	}
	known := found.replacer()
	clean := func(s string) string {
		if redact != nil {
			s = redact(s)
		}
		return known.Replace(s)
	}
	out := make([]network.Entry, len(entries))
	for i, e := range entries {
		e.URL, e.RedirectURL, e.PostData = clean(e.URL), clean(e.RedirectURL), clean(e.PostData)
		e.RequestHeaders, e.ResponseHeader = maskHeaders(e.RequestHeaders, clean), maskHeaders(e.ResponseHeader, clean)
		if utf8.Valid(e.Body) {
			e.Body = []byte(clean(string(e.Body)))
		}
		out[i] = e
	}
	return out
}

func collect(t *tokens, e *network.Entry) {
	for _, h := range slices.Concat(e.RequestHeaders, e.ResponseHeader) {
		switch name := strings.ToLower(h.Name); {
		case name == "cookie":
			for part := range strings.SplitSeq(h.Value, ";") {
				_, value, _ := strings.Cut(part, "=")
				t.add(strings.TrimSpace(value))
			}
		case name == "set-cookie":
			for line := range strings.SplitSeq(h.Value, "\n") {
				_, value, _ := strings.Cut(line, "=")
				value, _, _ = strings.Cut(value, ";")
				t.add(strings.TrimSpace(value))
			}
		case strings.HasSuffix(name, "authorization"):
			_, value, _ := strings.Cut(h.Value, " ")
			t.add(value)
		case network.RedactHeader(name, "value") == network.Redacted:
			t.add(h.Value)
		}
	}
	for _, value := range slices.Concat(network.SecretsIn(e.URL), network.SecretsIn(e.RedirectURL), network.SecretsIn("?"+e.PostData), network.SecretsInJSON(e.PostData)) {
		t.add(value)
	}
	if strings.Contains(e.MIME, "json") {
		for _, value := range network.SecretsInJSON(string(e.Body)) {
			t.add(value)
		}
	}
}

// maskHeaders leaves the names and attributes of cookies, which scripts of pages look at.
func maskHeaders(in []network.Header, clean func(string) string) []network.Header {
	out := make([]network.Header, 0, len(in))
	for _, h := range in {
		if !strings.EqualFold(h.Name, "set-cookie") {
			out = append(out, network.Header{Name: h.Name, Value: clean(network.RedactHeader(h.Name, h.Value))})
			continue
		}
		for line := range strings.SplitSeq(h.Value, "\n") {
			name, rest, _ := strings.Cut(line, "=")
			value, attributes, _ := strings.Cut(rest, ";")
			if strings.TrimSpace(value) != "" {
				value = network.Redacted
			}
			if line = name + "=" + value; attributes != "" {
				line += ";" + attributes
			}
			out = append(out, network.Header{Name: h.Name, Value: clean(line)})
		}
	}
	return out
}
