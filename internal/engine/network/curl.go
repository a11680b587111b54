package network

import (
	"fmt"
	"strings"
)

// Curl returns a request as a command of curl, for a POSIX shell. The caller redacts the entry first:
// secrets are then the word REDACTED, and the person who runs the command fills them in.
func (e Entry) Curl() string {
	parts := []string{"curl " + shellQuote(e.URL)}
	if method := e.Method; method != "GET" && (method != "POST" || e.PostData == "") {
		parts = append(parts, "-X "+shellQuote(method))
	}
	for _, h := range e.RequestHeaders {
		switch name := strings.ToLower(h.Name); {
		case strings.HasPrefix(name, ":"), name == "host", name == "content-length", name == "connection":
		case name == "accept-encoding":
			parts = append(parts, "--compressed")
		case name == "cookie":
			parts = append(parts, "-b "+shellQuote(h.Value))
		case h.Value == "":
			parts = append(parts, "-H "+shellQuote(h.Name+";"))
		default:
			parts = append(parts, "-H "+shellQuote(h.Name+": "+h.Value))
		}
	}
	if e.PostData != "" {
		parts = append(parts, "--data-raw "+shellQuote(e.PostData))
	}
	return strings.Join(parts, " \\\n  ")
}

// shellQuote quotes a word for a shell. A text with controls is written as $'…', which bash, zsh and
// POSIX shells of 2024 read.
func shellQuote(word string) string {
	if !strings.ContainsFunc(word, func(r rune) bool { return r < 0x20 || r == 0x7f }) {
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var b strings.Builder
	b.WriteString("$'")
	for _, c := range []byte(word) {
		switch {
		case c == '\\' || c == '\'':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c == '\n':
			b.WriteString(`\n`)
		case c < 0x20 || c == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String() + "'"
}
