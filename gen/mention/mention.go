// Package mention holds documents against the tool set: a tool that a document names exists, and a command that it shows
// is one that the command line takes.
//
// It reads code spans, fenced blocks and the manifest's own descriptions, and speaks up only where a word cannot well be
// anything but a tool's name. It must not know where documents are kept.
package mention

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// The TabIDs of this package's rules.
const (
	ruleTool    = "doc-unknown-tool"
	ruleCommand = "doc-bad-command"
)

// Rules lists what this package can report.
func Rules() []diag.Rule {
	return []diag.Rule{
		{ID: ruleTool, Severity: diag.Error, Doc: "A document or a description names a tool that is neither live nor deferred nor an old name. What " +
			"counts as a name: a code span of small letters and underscores (in descriptions, such a word) that begins as a tool's " +
			"name does or is a misspelling away from one, and the name in a tools/call example. A word that is something else is " +
			"excused by a comment in the file: <!-- not a tool: word -->."},
		{ID: ruleCommand, Severity: diag.Error, Doc: "A document shows a command of the program that its command line does not take: an unknown verb or " +
			"flag, or a missing argument. People copy what they see."},
	}
}

// Facts are what mentions are held against.
type Facts struct {
	Docs  []spec.File
	Words []string                  // words of the manifest's grammar, which are no tools
	Parse func(argv []string) error // reads a command of the generated command line; nil skips the rule
}

// Check reads the documents and the descriptions of the set.
func Check(set *model.Toolset, facts Facts) diag.List {
	c := &checker{set: set, facts: facts, program: set.Program(), tools: toolNames(set), other: otherNames(set, facts.Words)}
	for _, t := range c.tools {
		if family, _, ok := strings.Cut(t, "_"); ok {
			c.families = append(c.families, family)
		}
	}
	for _, f := range facts.Docs {
		c.document(f)
	}
	c.descriptions()
	return c.diags
}

type checker struct {
	set      *model.Toolset
	facts    Facts
	program  string
	tools    []string // names that exist: live, deferred, old
	families []string // what they begin with, up to the first underscore
	other    map[string]bool
	excused  []string // words of the document at hand that are no tools
	diags    diag.List
}

func toolNames(set *model.Toolset) []string {
	var out []string
	for _, t := range set.Tools {
		out = append(append(out, t.Name), t.Was...)
	}
	for _, d := range set.Deferrals {
		out = append(out, d.Name)
	}
	return out
}

// otherNames are all the words of the manifest that are not tools.
func otherNames(set *model.Toolset, words []string) map[string]bool {
	out := make(map[string]bool)
	add := func(name string) { out[name] = true }
	for _, w := range words {
		add(w)
	}
	for _, x := range set.Facts {
		add(x.Name)
	}
	for _, x := range set.Capabilities {
		add(x.Name)
	}
	for _, x := range set.Scenarios {
		add(x.Name)
	}
	for _, x := range set.Scopes {
		add(x.Name)
	}
	for _, x := range set.Profiles {
		add(x.Name)
	}
	for _, t := range set.Tools {
		objectNames(t.Input, add)
		if t.Output != nil {
			objectNames(t.Output, add)
		}
	}
	return out
}

func objectNames(o *model.Object, add func(string)) {
	for _, p := range o.Properties {
		add(p.Name)
		for t := p.Type; t != nil; t = t.Items {
			for _, v := range t.Enum {
				add(v)
			}
			if t.Object != nil {
				objectNames(t.Object, add)
			}
		}
	}
}

var (
	toolLike  = regexp.MustCompile(`^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$`)
	toolWord  = regexp.MustCompile(`\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b`)
	codeSpan  = regexp.MustCompile("`([^`]+)`")
	toolsCall = regexp.MustCompile(`tools/call.*?"name": ?"([^"]*)"`)
	excuse    = regexp.MustCompile(`<!-- not a tool: ([^>]*?) -->`)
)

// unknown reports whether a word can only be the name of a tool, and is none.
func (c *checker) unknown(word string) bool {
	if !toolLike.MatchString(word) || slices.Contains(c.tools, word) || c.other[word] || slices.Contains(c.excused, word) {
		return false
	}
	family, _, _ := strings.Cut(word, "_")
	return slices.Contains(c.families, family) || diag.Nearest(word, c.tools) != ""
}

func (c *checker) noTool(at diag.Pos, name string) {
	c.diags.Errorf(at, ruleTool, "there is no tool %q", name).Hint = diag.DidYouMean(name, c.tools)
}

// document reads one markdown file, line by line: code spans in prose, commands in fenced blocks.
func (c *checker) document(f spec.File) {
	c.excused = nil
	for _, m := range excuse.FindAllStringSubmatch(string(f.Data), -1) {
		c.excused = append(c.excused, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	lines := strings.Split(string(f.Data), "\n")
	fence := ""
	for i := 0; i < len(lines); i++ {
		l := line{file: f.Name, number: i + 1, text: lines[i]}
		for _, m := range toolsCall.FindAllStringSubmatchIndex(l.text, -1) {
			if name := l.text[m[2]:m[3]]; !slices.Contains(c.tools, name) {
				c.noTool(l.at(m[2], m[3]), name)
			}
		}
		mark := fenceMark(l.text)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence):
			fence = ""
		case fence != "":
			whole := l.text
			for strings.HasSuffix(whole, "\\") && i+1 < len(lines) {
				i++
				whole = strings.TrimSuffix(whole, "\\") + " " + strings.TrimSpace(lines[i])
			}
			c.command(l.at(0, len(l.text)), strings.TrimPrefix(strings.TrimSpace(whole), "$ "))
		default:
			c.spans(l)
		}
	}
}

// line is one line of a document.
type line struct {
	file   string
	number int
	text   string
}

// at is the place of the bytes from begin to end.
func (l line) at(begin, end int) diag.Pos {
	return diag.Pos{File: l.file, Line: l.number, Col: utf8.RuneCountInString(l.text[:begin]) + 1,
		Len: max(1, utf8.RuneCountInString(l.text[begin:end]))}
}

// fenceMark is the run of backticks or tildes that begins a line and opens or closes a block, or "".
func fenceMark(text string) string {
	text = strings.TrimLeft(text, " ")
	for _, mark := range []string{"`", "~"} {
		if n := len(text) - len(strings.TrimLeft(text, mark)); n >= 3 {
			return text[:n]
		}
	}
	return ""
}

func (c *checker) spans(l line) {
	for _, m := range codeSpan.FindAllStringSubmatchIndex(l.text, -1) {
		text := l.text[m[2]:m[3]]
		if c.unknown(text) {
			c.noTool(l.at(m[2], m[3]), text)
		}
		c.command(l.at(m[2], m[3]), text)
	}
}

// descriptions reads what the manifest itself says about its tools.
func (c *checker) descriptions() {
	c.excused = nil
	look := func(at diag.Pos, text string) {
		for _, word := range toolWord.FindAllString(text, -1) {
			if c.unknown(word) {
				c.noTool(at, word)
			}
		}
	}
	for _, t := range c.set.Tools {
		look(t.Pos, t.Description)
		if t.Slim != nil {
			look(t.Slim.Pos, t.Slim.Description)
		}
		for _, p := range t.Input.Properties {
			look(p.Pos, p.Description)
		}
	}
	for _, d := range c.set.Deferrals {
		look(d.ReasonPos, d.Reason)
	}
}
