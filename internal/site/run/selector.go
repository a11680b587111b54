package run

import (
	"fmt"
	"slices"
	"strings"
)

// isSelector reports whether a member of a contract or of arguments is a CSS selector. One that begins with / or
// ( is an XPath.
func isSelector(name, text string) bool {
	return slices.Contains([]string{"css", "selector", "element"}, name) && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "(")
}

// escapeCSS escapes a value for a selector, as a name or inside of a quoted text, as CSS.escape of browsers does.
func escapeCSS(value string) string {
	var b strings.Builder
	for i, r := range value {
		digit := r >= '0' && r <= '9'
		switch {
		case r == 0:
			b.WriteRune('\uFFFD')
		case r < ' ' || r == 0x7f || digit && (i == 0 || i == 1 && value[0] == '-'):
			fmt.Fprintf(&b, `\%x `, r)
		case value == "-":
			b.WriteString(`\-`)
		case r >= 0x80 || r == '-' || r == '_' || digit || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		default:
			b.WriteByte('\\')
			b.WriteRune(r)
		}
	}
	return b.String()
}
