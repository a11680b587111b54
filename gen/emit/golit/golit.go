// Package golit renders literals and comments of generated Go so that lines stay short.
//
// It builds on jennifer and must not know what a tool is.
package golit

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// Widths in columns: of a text on one line, of a list on one line, and of a comment.
const (
	textWidth    = 100
	listWidth    = 70
	commentWidth = 110
)

// Member is one line of a composite literal. Unlike jen.Dict it keeps the order it is given.
func Member(name string, value jen.Code) jen.Code {
	return jen.Line().Id(name).Op(":").Add(value)
}

// Members ends a list of member lines, so that the closing brace stands alone.
func Members(lines ...jen.Code) []jen.Code {
	if len(lines) == 0 {
		return nil
	}
	return append(lines, jen.Line())
}

// Pair is a member of a composite literal on a line with others.
func Pair(name string, value jen.Code) jen.Code { return jen.Id(name).Op(":").Add(value) }

// Rows is a slice of structs: a row stands on one line where it fits, or has a line for each
// member.
func Rows[T any](path, typ string, items []T, row func(T) []jen.Code) jen.Code {
	return jen.Index().Qual(path, typ).ValuesFunc(func(g *jen.Group) {
		for _, item := range items {
			g.Line().Values(OnLines(row(item))...)
		}
		if len(items) > 0 {
			g.Line()
		}
	})
}

// OnLines puts the members of a literal on lines of their own unless all fit on one.
func OnLines(pairs []jen.Code) []jen.Code {
	if fits(pairs) {
		return pairs
	}
	lines := slicesx.Map(pairs, func(p jen.Code) jen.Code { return jen.Line().Add(p) })
	return Members(lines...)
}

// fits reports whether the members of a literal stand on one line.
func fits(members []jen.Code) bool {
	line := jen.Id("_").Op("=").Id("T").Values(members...).GoString()
	return utf8.RuneCountInString(line) <= textWidth && !strings.Contains(line, "\n")
}

// Names lists the names of items.
func Names[T any](items []T, name func(T) string) []string {
	return slicesx.List(items, name)
}

// Strings is []string{…}, with a line for each value when they do not fit on one.
func Strings(values []string) jen.Code {
	width := 0
	for _, v := range values {
		width += len(strconv.Quote(v)) + 2
	}
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, v := range values {
			if width > listWidth {
				g.Line().Add(Text(v))
			} else {
				g.Lit(v)
			}
		}
		if width > listWidth {
			g.Line()
		}
	})
}

// Text is a string literal, over several lines when it is long.
func Text(s string) jen.Code { return joined(s, jen.Lit) }

// Raw is Text in backquotes where that is possible, because JSON full of \" cannot be reviewed.
func Raw(s string) jen.Code {
	if strings.ContainsAny(s, "`\r\n") {
		return Text(s)
	}
	return joined(s, func(part any) *jen.Statement { return jen.Op("`" + part.(string) + "`") })
}

func joined(s string, literal func(any) *jen.Statement) jen.Code {
	out := jen.Null()
	for i, part := range split(s) {
		if i > 0 {
			out.Op("+").Line()
		}
		out.Add(literal(part))
	}
	return out
}

// split cuts a text into parts of at most textWidth columns as Go writes them, after a comma or a space where it has one.
func split(s string) []string {
	var parts []string
	for {
		fits, at, width := 0, 0, 0
		for i, r := range s {
			if width += len(strconv.Quote(string(r))) - 2 - utf8.RuneLen(max(r, 0)) + 1; width > textWidth {
				break
			}
			fits = i + utf8.RuneLen(r)
			if r == ',' || r == ' ' {
				at = fits
			}
		}
		if fits == len(s) || !utf8.ValidString(s) {
			return append(parts, s)
		}
		if at == 0 {
			at = fits
		}
		parts, s = append(parts, s[:at]), s[at:]
	}
}

// Commenter is a jen.File or a jen.Group.
type Commenter interface {
	Comment(text string) *jen.Statement
}

// Comment writes a comment, wrapped.
func Comment(to Commenter, s string) {
	for _, line := range Wrap(s) {
		to.Comment("// " + line)
	}
}

// Wrap breaks a text into the lines of a comment.
func Wrap(s string) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(s) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > commentWidth {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// Number is an untyped numeric constant: 3, 0.5.
func Number(f float64) jen.Code { return jen.Op(strconv.FormatFloat(f, 'g', -1, 64)) }
