package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Encodings returns the texts in which a value can occur: unchanged, escaped for JSON, HTML, URLs
// and form bodies, in hex, and within a longer base64 text; backwards and in letters of one case, also escaped; and
// character by character, as codes or escapes.
func Encodings(value string) []string {
	out := []string{value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for _, escaped := range percentEncodings(value) {
		out = append(out, escaped, lowerEscapes(escaped))
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			out = append(out, base64Core(encoding, value, before), base64Core(encoding, latin1(value), before)) // as btoa
		}
	}
	for _, markup := range htmlEncodings(value) {
		out = append(append(out, markup), jsonEncodings(markup)...)
	}
	for _, once := range jsonEncodings(value) {
		out = append(append(out, once), htmlEncodings(once)...)
		out = append(out, jsonEncodings(once)...) // JSON in JSON
	}
	for _, other := range []string{backwards(value), strings.ToUpper(value), strings.ToLower(value)} {
		out = append(append(out, other), jsonEncodings(other)...)
		out = append(out, html.EscapeString(other), url.QueryEscape(other), url.PathEscape(other), base64Core(base64.RawStdEncoding, other, 0))
	}
	for _, once := range cssEncodings(value) {
		out = append(append(append(out, once), jsonEncodings(once)...), htmlEncodings(once)...)
	}
	out = append(append(out, characterEncodings(value)...), encodedAgain(out)...)
	short := func(form string) bool { return len(form) < minLength }
	kept := out[:0]
	for _, form := range out {
		if !short(form) {
			kept = append(kept, form)
		}
	}
	return kept
}

// encodedAgain returns the forms of a text in URLs and form bodies, of which each has characters that these escape.
func encodedAgain(forms []string) []string {
	var out []string
	for _, form := range forms {
		if escaped := url.QueryEscape(form); escaped != form {
			out = append(out, escaped, lowerEscapes(escaped), url.PathEscape(form))
		}
	}
	return out
}

// cssEncodings returns a text as identifiers of selectors and strings of style sheets have it.
func cssEncodings(value string) []string {
	escape := func(text string, kept func(r rune) bool) string {
		var b strings.Builder
		for i, r := range text {
			switch digit := '0' <= r && r <= '9'; {
			case r < ' ' || r == 0x7f, digit && i == 0 && !kept(r):
				fmt.Fprintf(&b, `\%x `, r)
			case r >= utf8.RuneSelf, digit, kept(r):
				b.WriteRune(r)
			default:
				b.WriteString(`\` + string(r))
			}
		}
		return b.String()
	}
	inWord := func(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '-' || r == '_' }
	return []string{
		escape(value, inWord), escape(value, func(r rune) bool { return inWord(r) || '0' <= r && r <= '9' }),
		escape(value, func(r rune) bool { return r != '"' && r != '\\' }),
	}
}

// latin1 returns a text with a byte for each character; the text itself where a character has none.
func latin1(text string) string {
	var out []byte
	for _, r := range text {
		if r > 0xff {
			return text
		}
		out = append(out, byte(r))
	}
	return string(out)
}

// backwards returns the characters of a text from the last to the first.
func backwards(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

// characterEncodings returns the characters of a text apart: between separators, as lists of their codes or bytes, and as
// escapes.
func characterEncodings(text string) []string {
	bytes := slicesx.Map([]byte(text), func(b byte) uint16 { return uint16(b) })
	each := func(all []uint16, separator, format string) string {
		parts := slicesx.List(all, func(unit uint16) string { return fmt.Sprintf(format, unit) })
		return strings.Join(parts, separator)
	}
	var out []string
	for _, separator := range []string{" ", ",", ", ", `","`, "', '"} {
		out = append(out, strings.Join(strings.Split(text, ""), separator))
	}
	units := utf16.Encode([]rune(text))
	for _, all := range [][]uint16{units, bytes} {
		for _, separator := range []string{",", ", ", " "} {
			out = append(out, each(all, separator, "%d"), each(all, separator, "0x%02x"))
		}
		var members []string // of a typed array as JSON
		for i, unit := range all {
			members = append(members, fmt.Sprintf(`"%d":%d`, i, unit))
		}
		out = append(out, strings.Join(members, ","))
	}
	for _, format := range []string{`\u%04x`, `\u%04X`, "&#%d;", "&#x%x;", "&#x%X;"} {
		out = append(out, each(units, "", format))
	}
	for _, format := range []string{`\x%02x`, "%%%02x", "%%%02X"} {
		out = append(out, each(bytes, "", format))
	}
	return append(out, each(bytes, " ", "%02x"), each(bytes, ":", "%02x"), each(bytes, " ", "%02X"))
}

// htmlEncodings returns a text as libraries and browsers escape it in HTML text and attributes.
func htmlEncodings(value string) []string {
	return []string{
		html.EscapeString(value),
		strings.ReplaceAll(html.EscapeString(value), "+", "&#43;"), // html/template
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#39;", "<", "&lt;", ">", "&gt;").Replace(value),
	}
}

// base64Core returns the base64 characters that encode value alone within a text that has before
// (modulo 3) bytes in front of it. It omits characters that depend on neighboring bytes.
func base64Core(encoding *base64.Encoding, value string, before int) string {
	text := encoding.EncodeToString(append(make([]byte, before), value...))
	first := (before*8 + 5) / 6           // characters with bits of preceding bytes
	last := (before + len(value)) * 8 / 6 // end of the characters with bits of the value alone
	return text[first:last]
}

// percentEncodings returns a text in the percent-encodings of URLs and form bodies, which differ in
// the characters that they keep.
func percentEncodings(value string) []string {
	form := percentEncode(value, func(c byte) bool { return strings.IndexByte("*-._ ", c) >= 0 })
	out := []string{url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(form, " ", "+")}
	for _, kept := range []string{
		"-_.!~*'()",            // encodeURIComponent
		"-_.!~*'();/?:@&=+$,#", // encodeURI
		"-_.~", "-_.~/",        // RFC 3986, as in other languages
	} {
		out = append(out, percentEncode(value, func(c byte) bool { return strings.IndexByte(kept, c) >= 0 }))
	}
	for _, taken := range []string{ // the sets of the URL standard, section 1.3
		"\"#<>", "\"#<>'", // query
		"\"<>`",                   // fragment
		"\"#<>?`{}", "\"#<>?^`{}", // path, also in the version without the circumflex
		"\"#<>?`{}/:;=@[\\]^|", "\"#<>?`{}/:;=@[\\]^|%", // user info, also if escaped twice
	} {
		out = append(out, percentEncode(value, func(c byte) bool { return c > ' ' && strings.IndexByte(taken, c) < 0 }))
	}
	return out
}

// percentEncode escapes all bytes but ASCII letters, digits and those that kept accepts.
func percentEncode(value string, kept func(c byte) bool) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
		if plain || c < 0x7f && kept(c) {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// lowerEscapes returns text with %2F as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// jsonEncodings returns a text as JSON encoders escape it.
func jsonEncodings(value string) []string {
	plain, forHTML := jsonText(value, false), jsonText(value, true)
	return []string{plain, forHTML, escapeNonASCII(plain, 'x'), escapeNonASCII(forHTML, 'x'), escapeNonASCII(plain, 'X')}
}

// jsonText escapes a text for JSON, with or without encoding/json's escapes for HTML.
func jsonText(value string, forHTML bool) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(forHTML)
	if err := enc.Encode(value); err != nil { // texts always encode
		return ""
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}

// escapeNonASCII writes non-ASCII characters as \u00f6, like some JSON encoders, or as \u00F6, like heap snapshots.
func escapeNonASCII(text string, digits rune) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04`+string(digits), unit)
		}
	}
	return b.String()
}
