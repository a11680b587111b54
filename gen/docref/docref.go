// Package docref checks the references of documents: a tool that a document names exists, and a
// command that it shows is one that the command line takes.
//
// It reads code spans, fenced blocks and the manifest's own descriptions, and reports a word only
// where it is very likely meant as a tool's name. It must not know where documents are kept.
package docref

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

// The IDs of this package's rules.
const (
	ruleTool    = "doc-unknown-tool"
	ruleCommand = "doc-bad-command"
)

// Rules is the table of what this package reports.
func Rules() []diag.Rule[*Input] {
	return []diag.Rule[*Input]{
		{ID: ruleTool, Severity: diag.Error, Doc: "A document or a description names a tool that is neither live nor deferred nor an old name. What " +
			"counts as a name: a code span of small letters and underscores (in descriptions, such a word) that begins as a tool's " +
			"name does or is a misspelling away from one, and the name in a tools/call example. A word that is something else is " +
			"excused by a comment in the file: <!-- not a tool: word -->.", Check: checkTools},
		{ID: ruleCommand, Severity: diag.Error, Doc: "A document shows a command of the program that its command line does not take: an unknown verb or " +
			"flag, or a missing argument. People copy what they see.", Check: checkCommands},
	}
}

// Facts are the documents, and the words and commands that their references may name.
type Facts struct {
	Docs  []spec.File
	Words []string                  // words of the manifest's grammar, which are no tools
	Parse func(argv []string) error // reads a command of the generated command line; nil skips the rule
}

// Check holds the references of the documents and of the set's descriptions against every rule.
func Check(set *model.Toolset, facts Facts) diag.List {
	in := &Input{set: set, facts: facts, program: set.Program(), tools: toolNames(set), other: otherNames(set, facts.Words)}
	for _, t := range in.tools {
		if prefix, _, ok := strings.Cut(t, "_"); ok {
			in.prefixes = append(in.prefixes, prefix)
		}
	}
	for _, f := range facts.Docs {
		in.document(f)
	}
	in.descriptions()
	in.skill()
	return diag.Check(Rules(), in)
}

// Input is the input of the rules: the references that documents make, and the names that exist.
type Input struct {
	set      *model.Toolset
	facts    Facts
	program  string
	tools    []string // names that exist: live, deferred, old
	prefixes []string // of the tools' names, up to the first underscore
	other    map[string]bool
	excused  []string // words of the document at hand that are no tools
	refs     []reference
}

// reference is a place of a document that may name a tool or show a command.
type reference struct {
	at   diag.Pos
	kind refKind
	text string
}

type refKind int

const (
	toolName    refKind = iota // can only be the name of a tool
	commandLine                // a code span or a line of a fenced block
)

func (in *Input) add(at diag.Pos, kind refKind, text string) {
	in.refs = append(in.refs, reference{at, kind, text})
}

func checkTools(in *Input, report diag.Report) {
	for _, r := range in.refs {
		if r.kind == toolName && !slices.Contains(in.tools, r.text) {
			report(r.at, "there is no tool %q", r.text).Hint = cmp.Or(diag.DidYouMean(r.text, in.tools), "write the name of one, or leave out the code quotes")
		}
	}
}

func checkCommands(in *Input, report diag.Report) {
	for _, r := range in.refs {
		if r.kind != commandLine {
			continue
		}
		if err := in.command(r.text); err != nil {
			report(r.at, "%v", err).Hint = "show a command that people can type"
		}
	}
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
	for _, x := range set.Entries() {
		add(model.EntryOf(x).Name)
		for _, a := range model.ArgumentsOf(x) {
			add(a.Name)
			for _, v := range a.Type.Enum {
				add(v)
			}
		}
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
		for t := p.Type; t != nil; t = cmp.Or(t.Items, t.Values) {
			for _, v := range t.Enum {
				add(v)
			}
		}
		for _, part := range p.Type.Parts() {
			objectNames(part.Object, add)
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
func (in *Input) unknown(word string) bool {
	if !toolLike.MatchString(word) || slices.Contains(in.tools, word) || in.other[word] || slices.Contains(in.excused, word) {
		return false
	}
	prefix, _, _ := strings.Cut(word, "_")
	return slices.Contains(in.prefixes, prefix) || diag.Nearest(word, in.tools) != ""
}

// document reads one markdown file, line by line: code spans in prose, commands in fenced blocks.
func (in *Input) document(f spec.File) {
	in.excused = nil
	for _, m := range excuse.FindAllStringSubmatch(string(f.Data), -1) {
		in.excused = append(in.excused, strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	lines := strings.Split(string(f.Data), "\n")
	fence := ""
	for i := 0; i < len(lines); i++ {
		l := line{file: f.Name, number: i + 1, text: lines[i]}
		for _, m := range toolsCall.FindAllStringSubmatchIndex(l.text, -1) {
			in.add(l.at(m[2], m[3]), toolName, l.text[m[2]:m[3]])
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
			in.add(l.at(0, len(l.text)), commandLine, strings.TrimPrefix(strings.TrimSpace(whole), "$ "))
		default:
			in.spans(l)
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

func (in *Input) spans(l line) {
	for _, m := range codeSpan.FindAllStringSubmatchIndex(l.text, -1) {
		text := l.text[m[2]:m[3]]
		if in.unknown(text) {
			in.add(l.at(m[2], m[3]), toolName, text)
		}
		in.add(l.at(m[2], m[3]), commandLine, text)
	}
}

// skill reads the commands that the manifest shows to agents.
func (in *Input) skill() {
	if in.set.Server == nil || in.set.Server.Skill == nil {
		return
	}
	in.excused = nil
	for _, s := range in.set.Server.Skill.Sections {
		for _, c := range s.Commands {
			in.add(c.Pos, commandLine, c.Value)
		}
		for _, m := range codeSpan.FindAllStringSubmatch(s.Text.Value, -1) {
			in.add(s.Text.Pos, commandLine, m[1])
		}
	}
}

// descriptions reads what the manifest itself says about its tools.
func (in *Input) descriptions() {
	in.excused = nil
	read := func(at diag.Pos, text string) {
		for _, word := range toolWord.FindAllString(text, -1) {
			if in.unknown(word) {
				in.add(at, toolName, word)
			}
		}
	}
	for _, t := range in.set.Tools {
		if t.Slim != nil {
			read(t.Slim.Pos, t.Slim.Description)
		}
		if t.Forward != nil {
			continue // the words of the upstream, which name its own tools
		}
		read(t.Pos, t.Description)
		for _, p := range t.Input.Properties {
			read(p.Pos, p.Description)
		}
	}
	for _, x := range in.set.Entries() {
		read(model.EntryOf(x).Pos, model.EntryOf(x).Description)
		for _, a := range model.ArgumentsOf(x) {
			read(a.Pos, a.Description)
		}
	}
	for _, d := range in.set.Deferrals {
		read(d.ReasonPos, d.Reason)
	}
	for _, c := range in.set.Codes {
		read(c.Pos, c.Advice)
	}
}
