// Package fence marks off text of strangers: pages, consoles, servers and files. Every result of a call
// passes [Seal], which takes out what a reader cannot see or a terminal obeys, and leaves no tag that looks
// like the fence but the call's own.
//
// It is a leaf: it must not import anything of this module, nor know where a text comes from.
package fence

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit/invisible"
)

// key stands for the nonce of the call until [Seal] puts that in. It leaves the process in no result.
var key = rand.Text()[:12]

// Quote puts text between the tags of the fence. [Seal] gives them the nonce of the call.
func Quote(text string) string {
	text = defang(text, "")
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return "<page " + key + ">\n" + text + "</page " + key + ">"
}

type nonceKey struct{}

// nonceLength is the length of a nonce: a million values, of which a page has one try in each result.
const nonceLength = 4

// WithNonce returns a context with the nonce of a call, and the nonce. Calls inside a call have its nonce.
func WithNonce(ctx context.Context) (context.Context, string) {
	if nonce, ok := ctx.Value(nonceKey{}).(string); ok {
		return ctx, nonce
	}
	nonce := strings.ToLower(rand.Text()[:nonceLength])
	return context.WithValue(ctx, nonceKey{}, nonce), nonce
}

// Seal returns the text of a result: clean, with the call's nonce in the tags of [Quote], and with no other
// tag like them.
func Seal(text, nonce string) string {
	text = Clean(text)
	if !mayHaveTag(text) {
		return text
	}
	return defang(strings.ReplaceAll(text, "page "+key+">", "page "+nonce+">"), nonce)
}

// sealedTag matches the end of a tag that Seal has made.
var sealedTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`page [a-z2-7]{4}>`) })

// WithoutNonce returns a sealed text as any other call would have it, for comparisons.
func WithoutNonce(text string) string { return sealedTag().ReplaceAllLiteralString(text, "page>") }

// SealJSON is Seal for the strings in a JSON text.
func SealJSON(text []byte, nonce string) []byte {
	if !jsonNeedsSeal(text) {
		return text
	}
	return jsonStrings().ReplaceAllFunc(text, func(token []byte) []byte {
		var s string
		if json.Unmarshal(token, &s) != nil {
			return token
		}
		sealed := Seal(s, nonce)
		if sealed == s {
			return token
		}
		out, err := json.Marshal(sealed)
		if err != nil { // texts always marshal
			return []byte(`""`)
		}
		return out
	})
}

var jsonStrings = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// jsonNeedsSeal is quick and accepts too much.
func jsonNeedsSeal(text []byte) bool {
	for i, c := range text {
		if c >= utf8.RuneSelf || c == '<' || c == 0x7f || c == '\\' && i+1 < len(text) && (text[i+1] == 'u' || text[i+1] == 'b' || text[i+1] == 'f' || text[i+1] == 'r') {
			return true
		}
	}
	return false
}

// angles are the characters that look like the beginning of a tag.
const angles = "<＜﹤‹〈⟨〈❮ᐸ˂≺"

// tag matches the name of a tag like those of the fence after the angle, also in letters that look like theirs.
var tag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^[\s\p{Z}/／∕⁄⧸\\]*[pрｐρ][aаａɑα][gɡｇԍ][eеｅ℮]`)
})

// mayHaveTag is quick and accepts too much.
func mayHaveTag(text string) bool {
	for i := range len(text) {
		if text[i] == '<' || text[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// maxTagName is the maximum distance of a tag's name from its angle bracket, in bytes; a space more is no tag to anyone.
const maxTagName = 64

// defang breaks every tag like those of the fence, but for those with the nonce.
func defang(text, nonce string) string {
	if !mayHaveTag(text) {
		return text
	}
	var b strings.Builder
	done := 0
	for i, r := range text {
		if r != '<' && (r < utf8.RuneSelf || !strings.ContainsRune(angles, r)) {
			continue
		}
		after := text[i+utf8.RuneLen(r):]
		at := tag().FindStringIndex(after[:min(len(after), maxTagName)])
		if at == nil || nonce != "" && (strings.HasPrefix(text[i:], "<page "+nonce+">") || strings.HasPrefix(text[i:], "</page "+nonce+">")) {
			continue
		}
		next, _ := utf8.DecodeRuneInString(after[at[1]:])
		if next == '-' || next == '_' || unicode.IsDigit(next) || unicode.IsLetter(next) && !strings.ContainsRune(angles, next) {
			continue // another name: <page-header>
		}
		b.WriteString(text[done:i])
		b.WriteString("&lt;")
		done = i + utf8.RuneLen(r)
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// Line returns a text of a stranger on one line: clean, and with spaces for line breaks and tabs.
func Line(text string) string {
	text = defang(Clean(text), "")
	if !strings.ContainsAny(text, "\n\t") {
		return text
	}
	return strings.NewReplacer("\n", " ", "\t", " ").Replace(text)
}

// Block returns text of a stranger of several lines, each but the first with an indent unless it has one,
// so that none reads as a line of the result.
func Block(text, indent string) string {
	text = defang(Clean(text), "")
	first, rest, more := strings.Cut(text, "\n")
	if !more {
		return text
	}
	var b strings.Builder
	b.WriteString(first)
	for line := range strings.SplitSeq(rest, "\n") {
		b.WriteByte('\n')
		if line != "" && !strings.HasPrefix(line, indent) {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// Clean removes controls other than line breaks and tabs, and characters that show nothing or reorder
// what is shown. Joiners and variation selectors stay, one at a time, where scripts and emoji need them.
func Clean(text string) string {
	at := firstDirty(text)
	if at == len(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:at])
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	for i, r := range text[at:] {
		switch {
		case r == utf8.RuneError:
			b.WriteRune(r)
		case r == '\r':
			if !strings.HasPrefix(text[at+i:], "\r\n") {
				r = '\n'
				b.WriteByte('\n')
			}
		case r == 0x85 || r == 0x2028 || r == 0x2029:
			r = '\n'
			b.WriteByte('\n')
		case invisible.Is(r) && !invisible.IsNeeded(r, before):
			continue
		default:
			b.WriteRune(r)
		}
		before = r
	}
	return b.String()
}

// firstDirty returns the index of the first character that Clean looks at, or the length of the text.
func firstDirty(text string) int {
	for i, r := range text {
		if r >= 0x20 && r < 0x7f || r == '\n' || r == '\t' {
			continue
		}
		if r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029 || r == utf8.RuneError || invisible.Is(r) {
			return i
		}
	}
	return len(text)
}
