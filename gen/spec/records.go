package spec

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// Product is a competitor with the names of its tools, as someone found them on a day.
type Product struct {
	Name, Version, Checked Text
	Tools                  []Text
}

// ParseCompetitors reads the list that competitor_ref is held against.
func ParseCompetitors(f File) ([]Product, diag.List) {
	var diags diag.List
	var out []Product
	w, body := open(f, &diags)
	if body == nil {
		return nil, diags
	}
	var v Scalar[int]
	w.Fields(body, "the competitors", w.Pos(body),
		required("version", w.IntoInt(&v)),
		required("products", w.Each(func(m member) {
			p := Product{Name: m.Key}
			w.Fields(m.Value, "product "+quoted(m.Key), m.Key.Pos,
				required("version", w.IntoText(&p.Version)),
				required("checked", w.IntoText(&p.Checked)),
				required("tools", w.IntoTexts(&p.Tools)))
			out = append(out, p)
		})))
	w.knownVersion(v)
	return out, diags
}

// Allowance lets one rule be broken by one tool, code of refusals, prompt or resource, or by the style of lists, for a
// reason.
type Allowance struct{ Rule, Tool, Code, Prompt, Resource, List, Why Text }

// ParseAllowances reads the list of breaking changes that are meant.
func ParseAllowances(f File) ([]Allowance, diag.List) {
	var diags diag.List
	var out []Allowance
	w, body := open(f, &diags)
	if body == nil {
		return nil, diags
	}
	var v Scalar[int]
	w.Fields(body, "the allowances", w.Pos(body),
		required("version", w.IntoInt(&v)),
		required("allowances", func(m member) {
			items, _ := w.Items(m, "a list of allowances")
			for _, n := range items {
				var a Allowance
				w.Fields(n, "an allowance", w.Pos(n),
					required("rule", w.IntoText(&a.Rule)),
					optional("tool", w.IntoText(&a.Tool)),
					optional("code", w.IntoText(&a.Code)),
					optional("prompt", w.IntoText(&a.Prompt)),
					optional("resource", w.IntoText(&a.Resource)),
					optional("list", w.IntoText(&a.List)),
					required("why", w.IntoText(&a.Why)))
				out = append(out, a)
			}
		}))
	w.knownVersion(v)
	return out, diags
}

// Claims is the list of what a project says about itself: words beside the compiler's own that need
// an entry, and the entries.
type Claims struct {
	Words   []string
	Entries []Claim
}

// Claim quotes a text of a file and names its evidence.
type Claim struct{ File, Text, Evidence Text }

// ParseClaims reads the list of claims.
func ParseClaims(f File) (Claims, diag.List) {
	var diags diag.List
	var out Claims
	w, body := open(f, &diags)
	if body == nil {
		return out, diags
	}
	var v Scalar[int]
	var words []Text
	w.Fields(body, "the claims", w.Pos(body),
		required("version", w.IntoInt(&v)),
		optional("words", w.IntoTexts(&words)),
		required("claims", func(m member) {
			items, _ := w.Items(m, "a list of claims")
			for _, n := range items {
				var c Claim
				w.Fields(n, "a claim", w.Pos(n),
					required("file", w.IntoText(&c.File)),
					required("text", w.IntoText(&c.Text)),
					required("evidence", w.IntoText(&c.Evidence)))
				out.Entries = append(out.Entries, c)
			}
		}))
	w.knownVersion(v)
	for _, t := range words {
		if strings.TrimSpace(t.Value) != "" {
			out.Words = append(out.Words, t.Value)
		}
	}
	return out, diags
}

func (w *walker) knownVersion(v Scalar[int]) {
	if v.Set() && v.Value != version {
		w.Errorf(v.Pos, ruleUnknownVersion, "version %d is not one this compiler reads; it reads version %d", v.Value, version)
	}
}

// ThreatModel is the front matter of a threat model: who looked at what, and the verdict for each
// policy surface.
type ThreatModel struct {
	Pos                                diag.Pos
	Tool, Date, Author, Reviewer, Hash Text
	Verdicts                           []Verdict
	Sections                           []Section
}

// Section is a part of a threat model's text: a heading of the second level with what stands below
// it, comments left out.
type Section struct {
	Title Text
	Text  string
}

// Verdict says whether a policy surface applies to a tool, and why.
type Verdict struct {
	Surface Text
	Applies Scalar[bool]
	Why     Text
}

// ParseThreatModel reads the front matter of a markdown file: the YAML between two lines of three
// dashes at its top.
func ParseThreatModel(f File) (*ThreatModel, diag.List) {
	var diags diag.List
	top := diag.Pos{File: f.Name, Line: 1, Col: 1, Len: 1}
	rest, ok := bytes.CutPrefix(f.Data, []byte("---\n"))
	front, text, closed := bytes.Cut(rest, []byte("\n---\n"))
	if !ok || !closed {
		diags.Errorf(top, RuleSyntax, "the file does not begin with front matter between two lines of three dashes")
		return nil, diags
	}
	w, body := open(File{Name: f.Name, Data: append([]byte("#\n"), front...)}, &diags) // a line for the dashes
	if body == nil {
		return nil, diags
	}
	m := &ThreatModel{Pos: top, Sections: sections(f.Name, string(text), bytes.Count(front, []byte("\n"))+3)}
	w.Fields(body, "the front matter", top,
		required("tool", w.IntoText(&m.Tool)),
		required("date", w.IntoText(&m.Date)),
		required("author", w.IntoText(&m.Author)),
		required("reviewer", w.IntoText(&m.Reviewer)),
		required("reviewed_schema_sha256", w.IntoText(&m.Hash)),
		required("surfaces", w.verdicts(&m.Verdicts)))
	return m, diags
}

var markdownComment = regexp.MustCompile(`(?s)<!--.*?-->`)

// sections splits the text of a file below its front matter, which ends at line.
func sections(file, text string, line int) []Section {
	blank := func(comment string) string { return strings.Repeat("\n", strings.Count(comment, "\n")) }
	var out []Section
	for row := range strings.SplitSeq(markdownComment.ReplaceAllStringFunc(text, blank), "\n") {
		line++
		if title, ok := strings.CutPrefix(row, "## "); ok {
			title = strings.TrimSpace(title)
			out = append(out, Section{Title: Text{Value: title, Pos: diag.Pos{File: file, Line: line, Col: 1, Len: len(row)}}})
		} else if len(out) > 0 {
			out[len(out)-1].Text += row + "\n"
		}
	}
	return out
}

func (w *walker) verdicts(dst *[]Verdict) func(member) {
	return w.Each(func(m member) {
		v := Verdict{Surface: m.Key}
		if _, ok := w.Plain(m.Value).(ast.MapNode); !ok {
			w.WrongKind(m, m.Value, "a mapping of applies and why")
			return
		}
		w.Fields(m.Value, "the verdict on "+quoted(m.Key), m.Key.Pos,
			required("applies", w.IntoBool(&v.Applies)),
			required("why", w.IntoText(&v.Why)))
		*dst = append(*dst, v)
	})
}
