// Package yamlslip finds the slip of the pen that keeps a text from being YAML: a quote, a bracket or a
// colon that is lost, a line that is indented wrongly, what a merge has left.
//
// A parser says what it expected, and often a line too late; this package looks at the lines and tries
// edits. It must not know what the text is about, nor which parser reads it.
package yamlslip

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
)

// Text is a file that is not YAML.
type Text struct {
	File  string
	Lines []string
	Parse func(data []byte) error // nil for YAML
	IsKey func(word string) bool  // whether the grammar of the file has a key
}

// Slip is a syntax error of a text. Fix is nil unless exactly one edit makes the text readable.
type Slip struct {
	At            diag.Pos
	Message, Hint string
	Fix           *diag.Fix
}

// explanation is a slip with what lines, by their number, would have to be: one map for each way to
// mend it.
type explanation struct {
	at            diag.Pos
	message, hint string
	candidates    []map[int]string
	sure          bool // even when no candidate makes the text readable
}

// Find looks for the slip behind a complaint of the parser, which is about a line of the text; nil when
// the lines show none. It parses the text again for each edit that it considers: at most a few dozen
// times.
func (t *Text) Find(at diag.Pos, complaint string) *Slip {
	var guess *Slip
	for _, look := range []func(diag.Pos, string) *explanation{
		t.conflict, t.tabulators, t.openQuote, t.openBracket, t.unquoted, t.missingColon, t.misindented,
	} {
		e := look(at, complaint)
		if e == nil {
			continue
		}
		found := &Slip{e.at, e.message, e.hint, t.Certain(e.hint, e.candidates...)}
		if found.Fix != nil {
			return found
		}
		if guess == nil {
			guess = found
		}
		if e.sure {
			break
		}
	}
	return guess
}

// Certain returns the fix by the one candidate that makes the text readable; nil when there is none, or
// more than one. A candidate is the new text of lines, by their number.
func (t *Text) Certain(title string, candidates ...map[int]string) *diag.Fix {
	var found map[int]string
	for _, c := range candidates {
		lines := slices.Clone(t.Lines)
		for n, text := range c {
			lines[n-1] = text
		}
		if t.Parse([]byte(strings.Join(lines, "\n"))) != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = c
	}
	if found == nil {
		return nil
	}
	var edits []diag.Edit
	for n, text := range found {
		edits = append(edits, t.edit(n, text))
	}
	slices.SortFunc(edits, func(a, b diag.Edit) int { return a.Line - b.Line })
	return diag.FixBy(title, edits...)
}

// edit turns a line into text by replacing the part that differs.
func (t *Text) edit(line int, text string) diag.Edit {
	old, now := []rune(t.Lines[line-1]), []rune(text)
	from := 0
	for from < len(old) && from < len(now) && old[from] == now[from] {
		from++
	}
	end, nowEnd := len(old), len(now)
	for end > from && nowEnd > from && old[end-1] == now[nowEnd-1] {
		end, nowEnd = end-1, nowEnd-1
	}
	return diag.Edit{File: t.File, Line: line, Col: from + 1, EndLine: line, EndCol: end + 1, Text: string(now[from:nowEnd])}
}

// lineAt returns the place of the text of a line, without its indentation.
func (t *Text) lineAt(line int) diag.Pos {
	text := strings.TrimRight(t.Lines[line-1], " \t\r")
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	return diag.Pos{File: t.File, Line: line, Col: indent + 1, Len: max(1, utf8.RuneCountInString(text[indent:]))}
}

// The lines that version control leaves around the sides of a conflict.
const (
	conflictBegin = "<<<<<<<"
	conflictEnd   = ">>>>>>>"
)

// conflict finds the conflict markers that a merge has left.
func (t *Text) conflict(diag.Pos, string) *explanation {
	isMark := func(mark string) func(string) bool {
		return func(line string) bool { return strings.HasPrefix(line, mark) }
	}
	from := slices.IndexFunc(t.Lines, isMark(conflictBegin))
	if from < 0 || !slices.ContainsFunc(t.Lines[from:], isMark(conflictEnd)) {
		return nil
	}
	return &explanation{at: t.lineAt(from + 1), message: "a conflict of a merge is not resolved", sure: true,
		hint: "keep one side, and delete the lines that begin with " + conflictBegin + ", ======= and " + conflictEnd}
}

// tabulators finds the first line that is indented with one.
func (t *Text) tabulators(diag.Pos, string) *explanation {
	i := slices.IndexFunc(t.Lines, func(line string) bool {
		return strings.Contains(line[:len(line)-len(strings.TrimLeft(line, " \t"))], "\t") && strings.TrimSpace(line) != ""
	})
	if i < 0 {
		return nil
	}
	rest := strings.TrimLeft(t.Lines[i], " \t")
	at := t.lineAt(i + 1)
	at.Col, at.Len = 1, len(t.Lines[i])-len(rest)
	e := &explanation{at: at, message: "a tabulator does not indent", hint: "indent with spaces", sure: true}
	tried := map[int]bool{}
	for _, n := range []int{t.indentAbove(i + 1), t.indentAbove(i+1) + 2, t.indentBelow(i + 1)} {
		if n >= 0 && !tried[n] {
			tried[n] = true
			e.candidates = append(e.candidates, map[int]string{i + 1: strings.Repeat(" ", n) + rest})
		}
	}
	return e
}

// unquoted finds a text in the line of the fault that needs quotes.
func (t *Text) unquoted(at diag.Pos, _ string) *explanation {
	line := strings.TrimRight(t.Lines[at.Line-1], " \t\r")
	_, value, ok := strings.Cut(line, ": ")
	if !ok {
		return nil
	}
	value = strings.TrimLeft(value, " ")
	before := line[:len(line)-len(value)]
	value, _, _ = strings.Cut(value, " #")
	value = strings.TrimRight(value, " ")
	if value == "" || strings.ContainsRune("\"'[{", rune(value[0])) {
		return nil
	}
	what := ""
	switch {
	case strings.ContainsRune("!&*@`%|>", rune(value[0])) && value != "|" && value != ">":
		what = fmt.Sprintf("a text that begins with %q needs quotes", value[:1])
	case strings.Contains(value, ": ") || strings.HasSuffix(value, ":"):
		what = "a text with a colon in it needs quotes"
	default:
		return nil
	}
	e := &explanation{at: t.lineAt(at.Line), message: what, hint: "quote it"}
	e.at.Col, e.at.Len = utf8.RuneCountInString(before)+1, utf8.RuneCountInString(value)
	quote := `"`
	if strings.ContainsAny(value, `"\`) {
		quote = "'"
	}
	if !strings.Contains(value, quote) {
		e.candidates = []map[int]string{{at.Line: before + quote + value + quote + line[len(before)+len(value):]}}
	}
	return e
}

// missingColon finds a line of a mapping that has a key and no colon. The key is certain when it is
// one of the grammar, or alone.
func (t *Text) missingColon(at diag.Pos, _ string) *explanation {
	line := strings.TrimRight(t.Lines[at.Line-1], " \t\r")
	text := strings.TrimPrefix(strings.TrimLeft(line, " "), "- ")
	if text == "" || strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.ContainsRune("\"'[{-#<>=", rune(text[0])) {
		return nil
	}
	key, value, _ := strings.Cut(text, " ")
	value = strings.TrimLeft(strings.TrimPrefix(strings.TrimLeft(value, " "), "="), " ")
	write := strings.TrimRight(key+": "+value, " ")
	e := &explanation{at: t.lineAt(at.Line), message: fmt.Sprintf("%q has no colon", key), hint: "write " + write}
	e.at.Col, e.at.Len = e.at.Col+e.at.Len-utf8.RuneCountInString(text), utf8.RuneCountInString(key)
	if value == "" || t.IsKey(key) {
		e.candidates = []map[int]string{{at.Line: line[:len(line)-len(text)] + write}}
	}
	return e
}
