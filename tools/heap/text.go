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

// signedSize writes a difference of sizes with its sign.
func signedSize(before, now uint64) string {
	if now < before {
		return "-" + text.Bytes(before-now)
	}
	return "+" + text.Bytes(now-before)
}

// place writes where a function is after a separator; "" where it is unknown.
func place(separator string, p *snapshot.Place) string {
	if p == nil || p.URL == "" && p.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s%s:%d:%d", separator, line(text.ClipRunes(p.URL, 150)), p.Line, p.Column)
}
