package crawl

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/nlnwa/whatwg-url/url"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// maxAddressBytes is the longest address that is followed. Longer ones are traps.
const maxAddressBytes = 2048

// Canonicalizer returns the canonical form of addresses: as browsers parse them, without fragment
// and user info, with sorted query parameters. It changes nothing else, since not every server
// treats ?a like ?a=.
type Canonicalizer struct {
	parser   url.Parser
	tracking bool // remove parameters of trackers
}

// NewCanonicalizer returns a Canonicalizer. With strip set it removes parameters of trackers.
func NewCanonicalizer(strip bool) Canonicalizer {
	return Canonicalizer{tracking: strip, parser: url.NewParser()}
}

// Address is a canonical address in its parts.
type Address struct {
	URL     string
	Host    string // with the port, if it is not the scheme's
	Origin  string
	pattern string
}

// Resolve returns the canonical form of a link on the page base; with base "" the link is absolute.
func (c Canonicalizer) Resolve(base, link string) (Address, error) {
	link = strings.TrimSpace(link)
	if len(link) > maxAddressBytes {
		return Address{}, fault.New(codes.Failed, fmt.Sprintf("address of %d bytes, more than %d", len(link), maxAddressBytes))
	}
	var u *url.Url
	var err error
	if base == "" {
		u, err = c.parser.Parse(link)
	} else {
		u, err = c.parser.ParseRef(base, link)
	}
	if err != nil {
		return Address{}, fmt.Errorf("read address %.200q: %w", link, err)
	}
	if s := u.Scheme(); s != "http" && s != "https" {
		return Address{}, fault.New(codes.Failed, fmt.Sprintf("address %.200q: only http and https are crawled", link))
	}
	path, query := upperEscapes(u.Pathname()), c.sortQuery(u.Query())
	out := Address{Host: u.Host(), Origin: u.Scheme() + "://" + u.Host()}
	if out.URL = out.Origin + path; query != "" {
		out.URL += "?" + query
	}
	if len(out.URL) > maxAddressBytes {
		return Address{}, fault.New(codes.Failed, fmt.Sprintf("address of %d bytes, more than %d", len(out.URL), maxAddressBytes))
	}
	out.pattern = out.Host + collapseDigits(path) + parameterNames(query)
	return out, nil
}

// Key identifies an address in the frontier: 128 bits of its hash, in hexadecimal.
func (a Address) Key() string {
	sum := sha256.Sum256([]byte(a.URL))
	return hex.EncodeToString(sum[:16])
}

// Pattern is the address with numbers replaced by 0 and without the values of parameters. Pages of
// one kind share it.
func (a Address) Pattern() string { return a.pattern }

// sortQuery returns a query with its parameters in order.
func (c Canonicalizer) sortQuery(raw string) string {
	parts := strings.Split(upperEscapes(raw), "&")
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" || c.tracking && isTracking(part) })
	slices.Sort(parts)
	return strings.Join(parts, "&")
}

// upperEscapes writes %2f as %2F, unescapes unreserved characters (RFC 3986, 6.2.2), and escapes a
// percent sign that escapes nothing.
func upperEscapes(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] != '%' {
			b.WriteByte(path[i])
			continue
		}
		raw, err := hex.DecodeString(path[i+1 : min(i+3, len(path))])
		switch {
		case err != nil || len(raw) == 0:
			b.WriteString("%25")
			continue
		case isUnreserved(raw[0]):
			b.WriteByte(raw[0])
		default:
			b.WriteString(strings.ToUpper(path[i : i+3]))
		}
		i += 2
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// trackers are parameters that name where a visitor came from and do not change the page. Those
// that begin with utm_ do too.
var trackers = []string{"fbclid", "gclid", "gclsrc", "dclid", "msclkid", "yclid", "twclid", "igshid", "mc_cid", "mc_eid", "_ga", "_gl", "_hsenc", "_hsmi"}

func isTracking(parameter string) bool {
	name, _, _ := strings.Cut(strings.ToLower(parameter), "=")
	return strings.HasPrefix(name, "utm_") || slices.Contains(trackers, name)
}

// collapseDigits returns a path with each run of digits as one 0.
func collapseDigits(path string) string {
	var b strings.Builder
	digits := false
	for i := range len(path) {
		if digit := '0' <= path[i] && path[i] <= '9'; !digit {
			b.WriteByte(path[i])
			digits = false
		} else if !digits {
			b.WriteByte('0')
			digits = true
		}
	}
	return b.String()
}

// parameterNames returns the sorted names of the parameters of a query as a query, each once.
func parameterNames(query string) string {
	var names []string
	for part := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(part, "="); name != "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if len(names) == 0 {
		return ""
	}
	return "?" + strings.Join(slices.Compact(names), "&")
}
