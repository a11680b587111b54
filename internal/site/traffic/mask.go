package traffic

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/login/secret"
)

// tokenLength is the least length of a value that is taken for a token. Shorter ones under the name of a
// secret are mostly words for people, which pages are found by.
const tokenLength = 16

// tokens replace the values of cookies and tokens by words that stay the same in one recording, so that a
// token that a page got is the one that it sends.
type tokens struct {
	words map[string]string // by each encoding of a token
	count int
}

// add adds a token as it is written in a header, an address or a JSON text. Each encoding of it gets the same word.
func (t *tokens) add(written string) {
	if t.words[written] != "" {
		return
	}
	value := written
	if plain, err := url.PathUnescape(written); err == nil {
		value = plain
	}
	if plain := ""; json.Unmarshal([]byte(`"`+value+`"`), &plain) == nil {
		value = plain
	}
	if len(value) < tokenLength || strings.ContainsAny(value, " \t\n<>") || strings.HasPrefix(value, network.Redacted) {
		return
	}
	word := t.words[value]
	if word == "" {
		t.count++
		word = fmt.Sprintf("%s-%d", network.Redacted, t.count)
	}
	for _, form := range append(secret.Encodings(value), written) {
		if t.words[form] == "" {
			t.words[form] = word
		}
	}
}

func (t *tokens) replacer() *strings.Replacer {
	values := slices.SortedFunc(maps.Keys(t.words), func(a, b string) int { // of two that begin alike, the longer one wins
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
		e.Body = []byte(clean(string(e.Body))) // also of a page in another encoding than UTF-8
		out[i] = e
	}
	return out
}

// fieldPattern matches a field of a multipart form.
var fieldPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`; name="([^"]+)"\r\n\r\n([^\r\n]+)\r\n`) })

// isAddress reports whether the value of a header is an address.
func isAddress(name string) bool {
	return slices.Contains([]string{"location", "content-location", "referer"}, name)
}

func collect(t *tokens, e *network.Entry) {
	multipart := url.Values{}
	for _, field := range fieldPattern().FindAllStringSubmatch(e.PostData, -1) {
		multipart.Add(field[1], field[2])
	}
	addresses := []string{e.URL, "?" + e.PostData, "?" + multipart.Encode()}
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
		case network.IsSecretHeader(name):
			t.add(h.Value)
		case isAddress(name):
			addresses = append(addresses, h.Value)
		}
	}
	for _, address := range addresses {
		for _, value := range network.SecretsIn(address) {
			t.add(value)
		}
	}
	for _, value := range network.SecretsInJSON(e.PostData) {
		t.add(value)
	}
	if strings.Contains(e.MIME, "json") {
		for _, value := range network.SecretsInJSON(string(e.Body)) {
			t.add(value)
		}
	}
}

// maskHeaders leaves the names and attributes of cookies, which scripts of pages look at. Addresses have the words of
// their tokens, because a browser follows redirects to them.
func maskHeaders(in []network.Header, clean func(string) string) []network.Header {
	out := make([]network.Header, 0, len(in))
	for _, h := range in {
		if !strings.EqualFold(h.Name, "set-cookie") {
			if network.IsSecretHeader(h.Name) {
				h.Value = network.Redacted
			}
			out = append(out, network.Header{Name: h.Name, Value: clean(h.Value)})
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
