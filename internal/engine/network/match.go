package network

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/spelling"
	"github.com/callsheet/callsheet/internal/fault"

	cdpnetwork "github.com/chromedp/cdproto/network"
	urlpattern "github.com/dunglas/go-urlpattern"
)

// patternLimit bounds a pattern, in bytes.
const patternLimit = 2000

// glob matches a whole text. * matches any text. Other characters match themselves, including "?",
// which begins queries.
type glob string

func (g glob) match(text string) bool {
	parts := strings.Split(string(g), "*")
	first, last := parts[0], parts[len(parts)-1]
	if len(parts) == 1 {
		return text == first
	}
	if !strings.HasPrefix(text, first) {
		return false
	}
	text = text[len(first):]
	for _, part := range parts[1 : len(parts)-1] {
		_, rest, ok := strings.Cut(text, part)
		if !ok {
			return false
		}
		text = rest
	}
	return strings.HasSuffix(text, last)
}

// cdpPattern returns the glob as a URL pattern of CDP, in which "?" is any character unless a
// backslash precedes it.
func (g glob) cdpPattern() string {
	return strings.NewReplacer(`\`, `\\`, "?", `\?`).Replace(string(g))
}

// matcher matches URLs. pattern is a URL pattern of CDP that matches at least the same URLs.
type matcher struct {
	match   func(address string) bool
	pattern string
}

func newMatcher(pattern string, syntax Syntax) (matcher, error) {
	if pattern == "" || len(pattern) > patternLimit {
		return matcher{}, fault.Invalid("a pattern has 1 to %d bytes", patternLimit)
	}
	if syntax == URLPattern {
		p, err := urlpattern.New(pattern, "", nil)
		if err != nil {
			return matcher{}, fault.Invalid(
				"%q is no URLPattern: %v; write one such as https://example.com/users/:id, or *://*/users/:id for every host",
				pattern, err)
		}
		return matcher{match: func(address string) bool { return p.Test(address, "") }, pattern: "*"}, nil
	}
	g := glob(pattern)
	if !strings.Contains(pattern, "*") && !strings.Contains(pattern, ":") {
		return matcher{}, fault.Invalid(
			"the glob %q matches no address: it must match the whole of it, as */%s* does",
			pattern, strings.TrimPrefix(pattern, "/"))
	}
	return matcher{match: g.match, pattern: g.cdpPattern()}, nil
}

// ResourceTypes returns CDP's resource types in lower case, as rules and filters name them.
func ResourceTypes() []string {
	return []string{
		"document", "stylesheet", "image", "media", "font", "script", "xhr", "fetch", "websocket", "eventsource", "manifest",
		"ping", "prefetch", "preflight", "texttrack", "other",
	}
}

// checkTypes returns an error for the first unknown resource type.
func checkTypes(types []string) error {
	for _, t := range types {
		if slices.Contains(ResourceTypes(), t) {
			continue
		}
		message := fmt.Sprintf("unknown resource type %q", t)
		if nearest := spelling.Nearest(t, ResourceTypes()); nearest != "" {
			message += fmt.Sprintf(", did you mean %q?", nearest)
		}
		return fault.Invalid("%s; there are %s", message, strings.Join(ResourceTypes(), ", "))
	}
	return nil
}

func resourceTypeName(t cdpnetwork.ResourceType) string { return strings.ToLower(string(t)) }

// isHTTP reports whether an address is an http or https URL with a host.
func isHTTP(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// originOf returns the origin of an address, without the port that its scheme has by default; "" for an address
// without a host.
func originOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	host := u.Host
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return strings.ToLower(u.Scheme + "://" + host)
}
