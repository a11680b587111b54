// Package invisible knows the characters that a reader of a text does not see, and by which a text says something else to a
// program than to a person: controls, formats, marks of direction, tags, noncharacters.
//
// It must not know where a text comes from or what becomes of it.
package invisible

import (
	"strings"
	"unicode"
)

// Characters that scripts and emoji need between others.
const (
	nonJoiner    = 0x200c
	joiner       = 0x200d
	textStyle    = 0xfe0e
	emojiStyle   = 0xfe0f
	firstComplex = 0x0590 // Hebrew, and the scripts after it that join letters
	firstSymbol  = 0x2000
)

// IsNeeded reports whether an invisible character means something after another one.
func IsNeeded(r, before rune) bool {
	switch r {
	case nonJoiner, joiner:
		return before >= firstComplex && !unicode.IsSpace(before) && !Is(before) || r == joiner && before == emojiStyle
	case textStyle, emojiStyle:
		return before >= firstSymbol && !unicode.IsSpace(before) && !Is(before) || strings.ContainsRune("0123456789#*©®", before)
	}
	return false
}

// Is reports a character that shows nothing, or changes how others are shown or obeyed. Line feeds and tabulators are none.
func Is(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r < 0xa0: // controls
		return true
	case r < 0xad:
		return false
	case r == 0xad || r == 0x034f || r == 0x061c || r == 0x115f || r == 0x1160 || r == 0x17b4 || r == 0x17b5 || r == 0x3164 || r == 0xffa0:
		return true
	case r >= 0x180b && r <= 0x180f, r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r == 0xfeff, r >= 0xfff0 && r <= 0xfffb, r >= 0x1bca0 && r <= 0x1bca3, r >= 0x1d173 && r <= 0x1d17a:
		return true
	case r >= 0xe0000 && r <= 0xe0fff: // tags and variation selectors
		return true
	case r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe: // noncharacters
		return true
	}
	return false
}

// Index returns the index of the first invisible character that is not needed, or of a separator of lines other than a line
// feed; -1 where a text has none.
func Index(text string) int {
	var before rune
	for i, r := range text {
		if r == 0x2028 || r == 0x2029 || Is(r) && !IsNeeded(r, before) {
			return i
		}
		before = r
	}
	return -1
}

// Shown returns a text for a terminal: U+FFFD stands for each character that Index finds.
func Shown(text string) string {
	if Index(text) < 0 {
		return text
	}
	var before rune
	return strings.Map(func(r rune) rune {
		last := before
		before = r
		if r == 0x2028 || r == 0x2029 || Is(r) && !IsNeeded(r, last) {
			return '\ufffd'
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}
