package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// encodings lists the texts in which a value can come back: as it is, escaped for JSON, HTML, a place in an address or the body
// of a form, in hex, and as part of something longer in base64.
func encodings(value string) []string {
	out := []string{value, hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value)))}
	for _, escaped := range percentEncodings(value) {
		out = append(out, escaped, lowerEscapes(escaped))
	}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			out = append(out, base64Core(encoding, value, before))
		}
	}
	for _, markup := range htmlEncodings(value) {
		out = append(append(out, markup), jsonEncodings(markup)...)
	}
	for _, once := range jsonEncodings(value) {
		out = append(append(out, once), htmlEncodings(once)...)
		out = append(out, jsonEncodings(once)...) // JSON in JSON
	}
	short := func(form string) bool { return len(form) < minLength }
	kept := out[:0]
	for _, form := range out {
		if !short(form) {
			kept = append(kept, form)
		}
	}
	return kept
}

// htmlEncodings lists the ways to write a text in HTML: as libraries escape it, and as browsers do in text and in attributes.
func htmlEncodings(value string) []string {
	return []string{
		html.EscapeString(value),
		strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "<", "&lt;", ">", "&gt;", "\u00a0", "&nbsp;").Replace(value),
		strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#39;", "<", "&lt;", ">", "&gt;").Replace(value),
	}
}

// base64Core is what of value is certain in the base64 text of something that has it after so many bytes (modulo 3): the
// characters that depend on its neighbours too are left out.
func base64Core(encoding *base64.Encoding, value string, before int) string {
	text := encoding.EncodeToString(append(make([]byte, before), value...))
	first := (before*8 + 5) / 6           // characters that hold bits of what is before
	last := (before + len(value)) * 8 / 6 // characters that hold bits of the value alone
	return text[first:last]
}

// percentEncodings lists the ways to write a text into an address or the body of a form. Each leaves other characters alone.
func percentEncodings(value string) []string {
	form := percentEncode(value, func(c byte) bool { return strings.IndexByte("*-._ ", c) >= 0 })
	out := []string{url.QueryEscape(value), url.PathEscape(value), strings.ReplaceAll(form, " ", "+")}
	for _, kept := range []string{
		"-_.!~*'()",            // encodeURIComponent
		"-_.!~*'();/?:@&=+$,#", // encodeURI
		"-_.~", "-_.~/",        // RFC 3986, as other languages have it
	} {
		out = append(out, percentEncode(value, func(c byte) bool { return strings.IndexByte(kept, c) >= 0 }))
	}
	for _, taken := range []string{ // the sets of the URL standard, section 1.3
		"\"#<>", "\"#<>'", // query
		"\"<>`",                   // fragment
		"\"#<>?`{}", "\"#<>?^`{}", // path, also before it took the circumflex
		"\"#<>?`{}/:;=@[\\]^|", "\"#<>?`{}/:;=@[\\]^|%", // user and password, also by who escapes them first
	} {
		out = append(out, percentEncode(value, func(c byte) bool { return c > ' ' && strings.IndexByte(taken, c) < 0 }))
	}
	return out
}

// percentEncode escapes what is neither a letter nor a digit nor among the ASCII characters that are kept.
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

// lowerEscapes writes %2F as %2f.
func lowerEscapes(text string) string {
	b := []byte(text)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// jsonEncodings lists the ways to write a text in JSON.
func jsonEncodings(value string) []string {
	plain, forHTML := jsonText(value, false), jsonText(value, true)
	return []string{plain, forHTML, escapeNonASCII(plain), escapeNonASCII(forHTML)}
}

// jsonText escapes for JSON, with or without the escapes for HTML that encoding/json adds.
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

// escapeNonASCII writes what is not ASCII as \u00f6, as some JSON encoders do.
func escapeNonASCII(text string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(text)) {
		if unit < utf8.RuneSelf {
			b.WriteByte(byte(unit))
		} else {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}
