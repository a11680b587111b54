package debugger

import (
	"regexp"
	"strings"
)

// pattern selects scripts and original files:
//
//	http://host/app.js   the URL itself
//	app.js, src/app.ts   the end of a path, query and fragment aside
//	*/vendor/*           a glob over the whole URL; * is any text
//	/chunk-\w+\.js$/     a regular expression in the syntax common to RE2 and JavaScript
type pattern struct {
	text  string
	exact string // the URL, or ""
	// suffix reports that the pattern is whole segments at the end of a path.
	suffix bool
	expr   *regexp.Regexp
}

// tells reports whether a match tells a part of an address.
func (p *pattern) tells() bool { return p.exact == "" && !p.suffix }

func parsePattern(text string) (*pattern, error) {
	p := &pattern{text: text}
	source := ""
	switch {
	case text == "":
		return nil, invalid("URL pattern", text, "is empty")
	case len(text) > 2 && strings.HasPrefix(text, "/") && strings.HasSuffix(text, "/"):
		source = text[1 : len(text)-1]
	case strings.Contains(text, "*"):
		source = "^" + strings.ReplaceAll(regexp.QuoteMeta(text), `\*`, ".*") + "$"
	case strings.Contains(text, "://"):
		p.exact = text
		return p, nil
	default:
		p.suffix = true
		source = "(^|/)" + regexp.QuoteMeta(strings.TrimPrefix(text, "/")) + "([?#].*)?$"
	}
	expr, err := regexp.Compile(source)
	if err != nil {
		return nil, invalid("URL pattern", text, err.Error())
	}
	p.expr = expr
	return p, nil
}

func (p *pattern) matches(address string) bool {
	if p.exact != "" {
		return p.exact == address
	}
	return p.expr.MatchString(address)
}

// regex returns the pattern as a regular expression for CDP.
func (p *pattern) regex() string {
	if p.exact != "" {
		return "^" + regexp.QuoteMeta(p.exact) + "$"
	}
	return p.expr.String()
}
