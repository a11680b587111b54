package secret_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/login/secret"
)

// percentEncode escapes all bytes but those that are kept, as the URL standard says of each of its
// places.
func percentEncode(text string, kept func(c byte) bool) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; kept(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// escaping are the ways in which browsers write a text into an address or the body of a form, by
// the URL standard's sets and the functions of JavaScript.
var escaping = map[string]func(string) string{
	"body of a form": func(s string) string {
		kept := func(c byte) bool { return alphanumeric(c) || strings.IndexByte("*-._ ", c) >= 0 }
		return strings.ReplaceAll(percentEncode(s, kept), " ", "+")
	},
	"encodeURIComponent": func(s string) string {
		return percentEncode(s, func(c byte) bool { return alphanumeric(c) || strings.IndexByte("-_.!~*'()", c) >= 0 })
	},
	"encodeURI": func(s string) string {
		return percentEncode(s, func(c byte) bool { return alphanumeric(c) || strings.IndexByte("-_.!~*'();/?:@&=+$,#", c) >= 0 })
	},
	"query of an address": func(s string) string {
		return percentEncode(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>'", c) < 0 })
	},
	"query of another scheme": func(s string) string {
		return percentEncode(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>", c) < 0 })
	},
	"path of an address": func(s string) string {
		return percentEncode(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>?^`{}", c) < 0 })
	},
	"fragment of an address": func(s string) string {
		return percentEncode(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"<>`", c) < 0 })
	},
	"user of an address": func(s string) string {
		return percentEncode(s, func(c byte) bool { return c > ' ' && c < 0x7f && strings.IndexByte("\"#<>?^`{}/:;=@[\\]|", c) < 0 })
	},
}

func alphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// TestValuesInURLsAndForms uses characters that the percent-encodings treat differently.
func TestValuesInURLsAndForms(t *testing.T) {
	for _, value := range []string{"abc~def", "p*ss word!", "p@s!s s", `a"b&c`, "it's (all) fine^", "wörd{1}"} {
		v := vault(t, map[string]string{"PW": value})
		for name, escape := range escaping {
			text := "user=ann&password=" + escape(value) + "&x=1"
			for _, text := range []string{text, percentEncodings.ReplaceAllStringFunc(text, strings.ToLower)} {
				if got := v.Redact(text); got != "user=ann&password=[secret:PW]&x=1" {
					t.Errorf("%s of %q: %q comes back as %q", name, value, text, got)
				}
			}
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		value := rapid.StringMatching(`[ -~äöü]{8,30}`).Draw(r, "value")
		v, err := secret.New(map[string]string{"X": value})
		if err != nil {
			r.Fatal(err)
		}
		for name, escape := range escaping {
			if text := escape(value); strings.Contains(v.Redact(text), text) {
				r.Fatalf("%s of %q is left: %q", name, value, text)
			}
		}
	})
}
