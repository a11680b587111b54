package docs

import (
	"regexp"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// prose makes a text mean itself in markdown: whitespace becomes single spaces, and every character
// that GitHub's markdown could read as markup, math or an entity is escaped. The result is one line
// and may stand in a paragraph or a table's cell.
func prose(text string) string {
	var b strings.Builder
	for i, r := range strings.Join(strings.Fields(text), " ") {
		if strings.ContainsRune("\\`*_[]<>&|~$", r) || i == 0 && strings.ContainsRune("#+-=", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return listMarker.ReplaceAllString(b.String(), `$1\$2`)
}

// listMarker finds a number at the start of a line that would make it an item of a list.
var listMarker = regexp.MustCompile(`^([0-9]{1,9})([.)])`)

// paragraphs splits a text at blank lines, so that each part can be written as prose.
func paragraphs(text string) []string {
	var out []string
	for p := range strings.SplitSeq(text, "\n\n") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// code is a text as a code span. The fence is longer than any run of backticks inside; a space keeps a backtick at
// either end apart from it, and is dropped by the renderer.
func code(text string) string {
	text = strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	pad := ""
	if text == "" || strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") ||
		strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		pad = " "
	}
	return fence + pad + text + pad + fence
}

// tableCode is code for a table's cell. Cells are split before spans are read, and no span can hold both a backslash and
// the bar after it, so a text with a bar is written as escaped prose inside an HTML tag.
func tableCode(text string) string {
	if strings.Contains(text, "|") {
		return "<code>" + prose(text) + "</code>"
	}
	return code(text)
}

// list joins texts, each written by as, or is "none".
func list(texts []string, as func(string) string) string {
	if len(texts) == 0 {
		return "none"
	}
	spans := slicesx.List(texts, as)
	return strings.Join(spans, ", ")
}

// codes is a list of code spans outside tables.
func codes(texts []string) string { return list(texts, code) }
