package claim

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// gap matches the text between two words of a phrase: space, a line break, and the mark that begins a line of
// a comment or a quotation.
const gap = `[ \t]*(?:\n[ \t]*(?://|#|>)?)?[ \t]*`

// phrase finds a beginning of a word or of a phrase, in any case and over the end of a line.
type phrase struct {
	// pattern begins with the first word as it is, neither "any case" nor a word boundary before it:
	// the regexp package then looks for that word instead of trying every byte.
	pattern *regexp.Regexp
	bounded bool // the phrase must not begin inside of a word
}

func newPhrase(text string) phrase {
	parts := slicesx.Map(strings.Fields(string(lower([]byte(text)))), regexp.QuoteMeta)
	return phrase{pattern: regexp.MustCompile(strings.Join(parts, gap)), bounded: len(parts) > 0 && isWordByte(parts[0][0])}
}

// in lists the places of the phrase, as begins and ends, in a text in lower case.
func (p phrase) in(text []byte) [][]int {
	var out [][]int
	for _, at := range p.pattern.FindAllIndex(text, -1) {
		if !p.bounded || at[0] == 0 || !isWordByte(text[at[0]-1]) {
			out = append(out, at)
		}
	}
	return out
}

// isWordByte reports whether a byte is an ASCII letter, digit or underscore.
func isWordByte(b byte) bool {
	return b == '_' || b < utf8.RuneSelf && (unicode.IsLetter(rune(b)) || unicode.IsDigit(rune(b)))
}

// lower returns a text in lower case in which every byte keeps its place. A letter whose lower case
// takes another number of bytes stays as it is.
func lower(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); {
		r, size := utf8.DecodeRune(out[i:])
		if l := unicode.ToLower(r); utf8.RuneLen(l) == size {
			utf8.EncodeRune(out[i:], l)
		}
		i += size
	}
	return out
}
