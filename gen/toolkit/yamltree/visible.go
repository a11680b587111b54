package yamltree

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/invisible"
)

// byteOrderMark begins files of some editors. The parser would make it part of the first key.
var byteOrderMark = []byte("\ufeff")

// checkLines reports the invisible characters and the words of mixed scripts of a file, one a line, and returns the file
// without a mark of the byte order.
func (r *Reader) checkLines(data []byte) []byte {
	if rest, found := bytes.CutPrefix(data, byteOrderMark); found {
		d := r.Errorf(diag.Pos{File: r.File, Line: 1, Col: 1, Len: 1}, RuleInvisible, "the file begins with a byte order mark")
		d.Hint = "save it as UTF-8 without one"
		data, r.lines[0] = rest, strings.TrimPrefix(r.lines[0], string(byteOrderMark))
	}
	for i, line := range r.lines {
		line = strings.TrimSuffix(line, "\r")
		pos := func(at int) diag.Pos {
			return diag.Pos{File: r.File, Line: i + 1, Col: utf8.RuneCountInString(line[:at]) + 1, Len: 1}
		}
		if at := invisible.Index(line); at >= 0 {
			r.invisible(pos(at), line[at:])
		} else if at := invisible.MixedScripts(line); at >= 0 {
			r.mixed(pos(at), line[at:])
		}
	}
	return data
}

// checkEscapes reports texts whose escapes are invisible characters, or letters of another script than their word.
func (r *Reader) checkEscapes(body ast.Node) {
	ast.Walk(visitor(func(n ast.Node) {
		text, ok := n.(*ast.StringNode)
		if !ok || text.Token == nil || text.Token.Type != token.DoubleQuoteType {
			return
		}
		at, problem := invisible.Index(text.Value), r.invisible
		if at < 0 {
			at, problem = invisible.MixedScripts(text.Value), r.mixed
		}
		if at < 0 {
			return
		}
		// checkLines has reported a character that stands in the line itself.
		read := r.text(n)
		if found, _ := utf8.DecodeRuneInString(text.Value[at:]); !strings.ContainsRune(r.lines[read.Pos.Line-1], found) {
			problem(read.At(at, utf8.RuneLen(found)), text.Value[at:])
		}
	}), body)
}

func (r *Reader) invisible(at diag.Pos, rest string) {
	found, _ := utf8.DecodeRuneInString(rest)
	d := r.Errorf(at, RuleInvisible, "%s is invisible: a model or a program may obey it, and no reviewer reads it", fmt.Sprintf("%U", found))
	d.Hint = "delete it"
}

func (r *Reader) mixed(at diag.Pos, rest string) {
	found, _ := utf8.DecodeRuneInString(rest)
	r.Errorf(at, RuleMixed, "%s is a letter of another script than those before it in the word, and may look like one of theirs", fmt.Sprintf("%U", found)).Hint = "write the word in one script"
}

// visitor calls a function with each node.
type visitor func(ast.Node)

// Visit implements ast.Visitor.
func (v visitor) Visit(n ast.Node) ast.Visitor {
	v(n)
	return v
}
