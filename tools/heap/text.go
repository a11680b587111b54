package heap

import (
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/heap/snapshot"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// maxShown is the most of a text of the page on one line, in characters.
const maxShown = 300

// line puts a text of the page on one line.
func line(s string) string { return fence.Line(text.ClipRunes(s, maxShown)) }

// size writes a number of bytes as 12 B, 3.4 kB or 5.6 MB.
func size(n uint64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// signedSize writes a difference of sizes with its sign.
func signedSize(before, now uint64) string {
	if now < before {
		return "-" + size(before-now)
	}
	return "+" + size(now-before)
}

// place writes where a function is after a separator; "" where it is unknown.
func place(separator string, p *snapshot.Place) string {
	if p == nil || p.URL == "" && p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s:%d:%d", separator, line(text.ClipRunes(p.URL, 150)), p.Line, p.Column)
}
