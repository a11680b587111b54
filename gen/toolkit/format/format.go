// Package format says whether texts have the forms that JSON Schema names: date, email, uri and others.
//
// Generated decoders and the compiler of manifests ask it, so that a default which the compiler takes is one that calls
// may give. It is as strict as the standards: 2026-02-30 is no date. It must not know what a tool or an argument is.
package format

import (
	"net/mail"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"
)

// checks are the formats with what makes a text one and how such a text looks.
var checks = map[string]struct {
	valid   func(string) bool
	example string
}{
	"date":      {isDate, "2026-01-31"},
	"time":      {isTime, "15:04:05Z"},
	"date-time": {isDateTime, "2026-01-31T15:04:05Z"},
	"duration":  {isDuration, "P1DT12H"},
	"email":     {isEmail, "ada@example.com"},
	"hostname":  {isHostname, "www.example.com"},
	"uri":       {isURI, "https://example.com/a"},
	"ipv4":      {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }, "192.0.2.1"},
	"ipv6":      {func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is6() && a.Zone() == "" }, "2001:db8::1"},
	"uuid":      {isUUID, "123e4567-e89b-12d3-a456-426614174000"},
}

// Names lists the formats in the order of documents.
func Names() []string {
	return []string{"date", "time", "date-time", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"}
}

// Valid reports whether a text has the format. No text has an unknown one.
func Valid(name, text string) bool {
	c, ok := checks[name]
	return ok && c.valid(text)
}

// Example is a text that has the format; "" for an unknown one.
func Example(name string) string { return checks[name].example }

var (
	uuid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)
	})
	label = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z]([0-9A-Za-z-]*[0-9A-Za-z])?$`) })
	// Package time is lenient about hours of one digit, decimal commas and offsets of days.
	dateTime = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)
	})
	span = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^P(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(\d+H)?(\d+M)?(\d+S)?)?)$`)
	})
)

func isUUID(s string) bool { return uuid().MatchString(s) }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDateTime holds a text against RFC 3339, whose T and Z are capital letters here.
func isDateTime(s string) bool {
	return dateTime().MatchString(s) && new(time.Time).UnmarshalText([]byte(s)) == nil
}

// isTime holds a text against the full-time of RFC 3339, which has an offset.
func isTime(s string) bool { return isDateTime("2000-01-01T" + s) }

func isDuration(s string) bool {
	return span().MatchString(s) && s != "P" && !strings.HasSuffix(s, "T")
}

// isEmail takes an address without a name or angle brackets.
func isEmail(s string) bool {
	a, err := mail.ParseAddress(s)
	return err == nil && a.Address == s && a.Name == "" && !strings.ContainsAny(s, " <>")
}

func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 253 {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if len(part) > 63 || !label().MatchString(part) {
			return false
		}
	}
	return true
}

// isURI takes an absolute address, without the characters that RFC 3986 has escaped.
func isURI(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Scheme == "" || u.Opaque == "" && u.Host == "" && u.Path == "" {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"<>\^`+"`{|}", r) })
}
