package definition

import (
	"errors"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/internal/workflow/template"
)

// Diagnostic rules of the parser. ruleOplink marks files for Oplink that Callsheet interprets in
// another way than Oplink did.
const (
	ruleUnknownKey = "unknown-key"
	ruleWrongKind  = "wrong-kind"
	ruleMissing    = "missing-key"
	ruleName       = "bad-name"
	ruleStep       = "bad-step"
	ruleTemplate   = "bad-template"
	ruleDuplicate  = "duplicate-name"
	ruleOplink     = "oplink-meaning"
	ruleRouter     = "router"
)

// sources has the source text of templates and name lists, for the positions of diagnostics.
type sources struct {
	templates map[*template.Template]yamltree.Text
	required  map[*template.Expr]yamltree.Text
	lists     map[*[]string][]yamltree.Text
}

// reader reads the nodes of one document into a workflow. A resolver then resolves its references.
type reader struct {
	yamltree.NodeReader
	sources
	doc   *yamltree.Document
	diags diag.List
}

func newReader(doc *yamltree.Document) *reader {
	r := &reader{doc: doc, sources: sources{templates: map[*template.Template]yamltree.Text{},
		required: map[*template.Expr]yamltree.Text{}, lists: map[*[]string][]yamltree.Text{}}}
	r.NodeReader = yamltree.NodeReader{Diags: &r.diags, UnknownKey: ruleUnknownKey, WrongKind: ruleWrongKind}
	return r
}

// newResolver returns the resolver of what was read. It adds to the diagnostics of the reader.
func (r *reader) newResolver() *resolver {
	return &resolver{sources: r.sources, diags: &r.diags, ids: map[string]diag.Pos{}}
}

func (r *reader) text(dst *string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral {
			r.Wrong(key, n, "text")
			return
		}
		*dst = n.Text.Value
	}
}

// duration reads 500ms, 2s, 1m30s, or a number of milliseconds.
func (r *reader) duration(dst *time.Duration) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		d, err := time.ParseDuration(n.Text.Value)
		if n.Kind == yamltree.NumberLiteral {
			d, err = time.Duration(n.Number*float64(time.Millisecond)), nil
		}
		if err != nil || d <= 0 || d > 24*time.Hour {
			r.Wrong(key, n, "a time such as 500ms, 2s or 1m")
			return
		}
		*dst = d
	}
}

func (r *reader) oneOf(dst *string, valid ...string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral || !slices.Contains(valid, n.Text.Value) {
			d := r.Errorf(n.Pos, ruleWrongKind, "%s cannot be %q", key.Value, n.Text.Value)
			if d.Hint = diag.DidYouMean(n.Text.Value, valid); d.Hint == "" {
				d.Hint = "one of " + strings.Join(valid, ", ")
			}
			return
		}
		*dst = n.Text.Value
	}
}

// texts reads one string or a list of strings.
func (r *reader) texts(dst *[]yamltree.Text) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		items := n.Items
		if n.Kind != yamltree.ListNode {
			items = []*yamltree.Node{n}
		}
		for _, item := range items {
			if item.Kind != yamltree.StringLiteral {
				r.Wrong(key, item, "text")
				continue
			}
			*dst = append(*dst, item.Text)
		}
	}
}

func (r *reader) list(dst *[]string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		var out []yamltree.Text
		r.texts(&out)(key, n)
		*dst, r.lists[dst] = []string{}, out
		for _, t := range out {
			*dst = append(*dst, t.Value)
		}
	}
}

// template reads a string with placeholders.
func (r *reader) template(dst **template.Template) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.StringLiteral {
			r.Wrong(key, n, "text")
			return
		}
		*dst = r.parseTemplate(n.Text)
	}
}

// parseTemplate parses a template and reports its error at its position.
func (r *reader) parseTemplate(text yamltree.Text) *template.Template {
	t, err := template.Parse(text.Value)
	var e *template.Error
	if errors.As(err, &e) {
		r.Errorf(text.At(e.At, e.Len), ruleTemplate, "%s", e.Problem).Hint = e.Hint
		return nil
	}
	r.templates[t] = text
	return t
}

// readValue reads any value, with templates in its strings.
func (r *reader) readValue(n *yamltree.Node) *Value {
	v := &Value{Kind: n.Kind, Pos: n.Pos, Text: n.Text}
	switch n.Kind {
	case yamltree.StringLiteral:
		v.Template = r.parseTemplate(n.Text)
	case yamltree.NumberLiteral:
		v.Literal = numberValue(n)
	case yamltree.BoolLiteral:
		v.Literal = n.Bool
	case yamltree.MappingNode:
		v.Map = r.readBindings(n)
	case yamltree.ListNode:
		for _, item := range n.Items {
			v.List = append(v.List, r.readValue(item))
		}
	case yamltree.NullLiteral, yamltree.OtherLiteral:
	}
	return v
}

// numberValue returns integers as int64 and other numbers as float64.
func numberValue(n *yamltree.Node) any {
	if whole := int64(n.Number); float64(whole) == n.Number && math.Abs(n.Number) < 1<<53 {
		return whole
	}
	if i, err := strconv.ParseInt(n.Text.Value, 10, 64); err == nil {
		return i
	}
	return n.Number
}

func (r *reader) readBindings(n *yamltree.Node) []Binding {
	return slicesx.List(n.Members, func(m yamltree.Member) Binding { return Binding{m.Key, r.readValue(m.Value)} })
}

func (r *reader) variables(dst *[]Binding) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		if n.Kind != yamltree.MappingNode {
			r.Wrong(key, n, "a mapping of names to values")
			return
		}
		*dst = r.readBindings(n)
		for _, b := range *dst {
			r.checkIdentifier(b.Name, "a variable")
		}
	}
}

// The patterns compile on first use: a server without workflows does not pay for them.
var (
	identifierPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`) })
	toolNamePattern   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`) })
)

func (r *reader) checkIdentifier(t yamltree.Text, what string) bool {
	if identifierPattern().MatchString(t.Value) {
		return true
	}
	r.Errorf(t.Pos, ruleName, "%q is not a valid name for %s", t.Value,
		what).Hint = "a name is letters, digits, _ and -, 64 at most"
	return false
}

// sourceLines returns the reader of source lines that prints diagnostics.
func sourceLines(files []yamltree.File) diag.Source {
	return func(file string, line int) (string, bool) {
		for _, f := range files {
			if f.Name != file || !utf8.Valid(f.Data) {
				continue
			}
			if lines := strings.Split(string(f.Data), "\n"); line >= 1 && line <= len(lines) {
				return lines[line-1], true
			}
		}
		return "", false
	}
}
