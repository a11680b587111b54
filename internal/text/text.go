// Package text shortens strings for people and models, and finds the nearest of several names. It
// is a leaf: it must not import anything of this module, nor know where a string comes from.
package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const ellipsis = "…"

// ClipRunes returns s, or its first limit-1 characters and an ellipsis where s has more than limit
// characters. A limit below 1 gives the empty string.
func ClipRunes(s string, limit int) string {
	if len(s) <= limit { // no string has more characters than bytes
		return s
	}
	if limit < 1 {
		return ""
	}
	runes, last := 0, 0
	for i := range s {
		runes++
		if runes == limit {
			last = i // where the ellipsis goes if another character follows
		}
		if runes > limit {
			return s[:last] + ellipsis
		}
	}
	return s
}

// Count names a number of things by their singular: 1 error, 2 errors, 0 canvases.
func Count(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "s"):
		what += "es"
	default:
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}

// ClipBytes returns s, or as many whole characters of it as fit into limit bytes together with an
// ellipsis. A limit smaller than the ellipsis (3 bytes) cuts without one.
func ClipBytes(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	mark := ellipsis
	if limit < len(mark) {
		mark = ""
	}
	end := max(limit-len(mark), 0)
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// Bytes writes a number of bytes as 12 B, 3.4 kB or 5.6 MB.
func Bytes[N int64 | uint64](n N) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
