package format_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/format"
)

func TestValid(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string]struct{ good, bad []string }{
		"date":      {[]string{"2026-02-28", "2024-02-29"}, []string{"2026-02-30", "2026-2-3", "26-02-03", "2026-02-28T00:00:00Z", ""}},
		"time":      {[]string{"15:04:05Z", "15:04:05.25+02:00"}, []string{"15:04", "15:04:05", "25:00:00Z", "5:04:05Z"}},
		"date-time": {[]string{"2026-01-31T15:04:05Z", "2026-01-31T15:04:05.123-07:00"}, []string{"2026-01-31", "2026-01-31 15:04:05Z", "2026-01-31T15:04:05", "2026-13-01T00:00:00Z"}},
		"duration":  {[]string{"P1D", "PT5M", "P1Y2M3DT4H5M6S", "P2W"}, []string{"P", "PT", "P1DT", "1D", "P-1D", "5m"}},
		"email":     {[]string{"a@b.example", "first.last+tag@sub.example.com"}, []string{"a", "a@", "A <a@b.example>", "<a@b.example>", "a b@c.example", "a@b.example "}},
		"hostname":  {[]string{"example.com", "localhost", "a-b.c"}, []string{"", "-a.com", "a_b.com", "a..b", "a.com/x"}},
		"uri":       {[]string{"https://example.com/a?b=c#d", "mailto:a@b.example", "urn:x:y"}, []string{"/a", "example.com", "https://", "https://a b", "https://é.example"}},
		"ipv4":      {[]string{"192.0.2.1"}, []string{"192.0.2", "192.0.2.256", "::1", "192.0.2.01"}},
		"ipv6":      {[]string{"::1", "2001:db8::1"}, []string{"192.0.2.1", "fe80::1%eth0", "2001:db8::g"}},
		"uuid":      {[]string{"123e4567-e89b-12d3-a456-426614174000"}, []string{"123e4567e89b12d3a456426614174000", "{123e4567-e89b-12d3-a456-426614174000}"}},
	} {
		for _, s := range append(texts.good, format.Example(name)) {
			if !format.Valid(name, s) {
				t.Errorf("%q is refused as %s", s, name)
			}
		}
		for _, s := range texts.bad {
			if format.Valid(name, s) {
				t.Errorf("%q passes as %s", s, name)
			}
		}
	}
	if format.Valid("zip", "12345") {
		t.Error("a text has a format that does not exist")
	}
}

func TestNamesAreTheFormats(t *testing.T) {
	t.Parallel()
	for _, name := range format.Names() {
		if format.Example(name) == "" {
			t.Errorf("%s has no example", name)
		}
	}
	if len(format.Names()) != 10 {
		t.Errorf("%d formats", len(format.Names()))
	}
}
