// Package address decides which addresses may be loaded, and completes what a person would type.
//
// It looks at texts alone, and must not know browsers, sessions or policies.
package address

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Error reports that an address was refused before anything was loaded.
type Error struct {
	Address string
	Reason  string
}

func (e *Error) Error() string { return fmt.Sprintf("address %q: %s", e.Address, e.Reason) }

// Code is fault.PolicyDenied.
func (*Error) Code() codes.Code { return codes.PolicyDenied }

// Fields returns the policy surface.
func (*Error) Fields() []fault.Field {
	return []fault.Field{{Name: "surface", Value: "navigation"}}
}

// Resolve turns what a person would type into a URL that may be loaded: http, https,
// about:blank, data:, and file: if allowFile. A bare host gets https://, or http:// if it is
// localhost or a loopback address. Any other address is an Error.
//
// White space around the address is dropped. Inside it, control characters and white space are
// refused, because browsers drop some of them silently and would load another URL than the checked
// one.
func Resolve(address string, allowFile bool) (string, error) {
	s := strings.TrimSpace(address)
	refuse := func(reason string) (string, error) {
		return "", &Error{Address: address, Reason: reason}
	}
	if s == "" {
		return refuse("is empty")
	}
	if path, ok := localPath(s); ok && path == "" && allowFile {
		return refuse("is a relative path; write the whole one, file:///…")
	} else if ok {
		s = "file://" + path
	}
	scheme, rest := splitScheme(s)
	invisible := func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) }
	if scheme != "data" && strings.ContainsFunc(s, invisible) {
		return refuse("contains white space or control characters; escape them")
	}
	switch scheme {
	case "about":
		if strings.EqualFold(rest, "blank") || strings.HasPrefix(rest, "blank#") {
			return s, nil
		}
		return refuse("of the about: pages only about:blank can be opened")
	case "data":
		return s, nil
	case "file":
		if !allowFile {
			return refuse("is a file of this machine, and the operator has not started the server with --allow-file-urls")
		}
		if !strings.HasPrefix(rest, "///") {
			return refuse("a file: address needs an absolute path, file:///…")
		}
		return s, nil
	case "http", "https":
		if !strings.HasPrefix(rest, "//") {
			return refuse("has no host; write " + scheme + "://host/path")
		}
	case "":
		s = defaultScheme(s) + "://" + s
	case "javascript":
		return refuse("javascript: addresses are not opened; evaluate the script instead")
	default:
		return refuse("the scheme " + scheme + ": cannot be opened")
	}
	if why := hostProblem(s); why != "" {
		return refuse(why)
	}
	return s, nil
}

// splitScheme returns the scheme in lower case. "host:port" has none, because a number follows the
// colon.
func splitScheme(s string) (scheme, rest string) {
	for i, r := range s {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z':
		case i > 0 && ('0' <= r && r <= '9' || r == '+' || r == '-' || r == '.'):
		case i > 0 && r == ':':
			scheme, rest = strings.ToLower(s[:i]), s[i+1:]
			if scheme != "javascript" && scheme != "data" && startsWithPort(rest) {
				return "", ""
			}
			return scheme, rest
		default:
			return "", ""
		}
	}
	return "", ""
}

// localFile matches a path, and a bare name that ends as the file of a page and as no top-level domain.
var localFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\.{0,2}|~)[/\\]|^[A-Za-z]:[/\\]|(?i)^[^/\\:?#]+\.(html?|xhtml|mhtml|pdf|svg|xml|txt|json|csv|png|jpe?g|gif|webp)([?#]|$)`)
})

// localPath reports whether an address is a path on this machine, and returns the path as that of
// a file: address has it; "" where it is relative.
func localPath(s string) (path string, ok bool) {
	if !localFile().MatchString(s) || strings.HasPrefix(s, "//") {
		return "", false
	}
	if s[0] == '/' {
		return (&url.URL{Path: s}).EscapedPath(), true
	}
	if len(s) > 1 && s[1] == ':' {
		return (&url.URL{Path: "/" + strings.ReplaceAll(s, `\`, "/")}).EscapedPath(), true
	}
	return "", true
}

func startsWithPort(s string) bool {
	end := strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(s)
	}
	return end > 0 && (end == len(s) || strings.ContainsRune("/?#", rune(s[end])))
}

// hostProblem describes what is wrong with the host of an http URL, or returns "".
func hostProblem(s string) string {
	if strings.Contains(s, `\`) {
		return "contains a backslash"
	}
	u, err := url.Parse(s)
	if err != nil {
		return "is not an address"
	}
	if u.Hostname() == "" {
		return "has no host"
	}
	return ""
}

// defaultScheme returns the scheme for a bare host. Servers on this machine rarely speak TLS.
func defaultScheme(s string) string {
	u, err := url.Parse("http://" + s)
	if err != nil {
		return "https"
	}
	host := strings.ToLower(u.Hostname())
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "http"
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return "http"
	}
	return "https"
}

// scriptKey is the context key of calls that may run no script of the caller.
type scriptKey struct{}

// ForbidScript returns a context of calls that may run no script of the caller, by an address either.
func ForbidScript(ctx context.Context) context.Context {
	return context.WithValue(ctx, scriptKey{}, true)
}

// ForbidsScript reports whether a context is one of ForbidScript.
func ForbidsScript(ctx context.Context) bool { return ctx.Value(scriptKey{}) != nil }

// RunsScript reports whether the page of an address could be script of who wrote the address: a
// data: address of any type but plain text and pictures that are no documents.
func RunsScript(address string) bool {
	rest, ok := strings.CutPrefix(strings.ToLower(address), "data:")
	if !ok {
		return false
	}
	kind := strings.TrimSpace(rest[:strings.IndexAny(rest+",", ";,")])
	return !slices.Contains([]string{"", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"}, kind)
}
