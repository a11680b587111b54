package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
)

// Confirm is the question that a person answers before the handler of a tool runs.
type Confirm struct {
	Text  string // as the manifest writes it
	Parts []ConfirmPart
}

// ConfirmPart is a text of the question, or the value of a parameter.
type ConfirmPart struct {
	Text      string
	Parameter *Property // nil of a text
}

// placeholder matches what stands for the value of a parameter, and braces that stand for none.
var placeholder = regexp.MustCompile(`\{[^{}]*\}|[{}]`)

// confirm resolves the question. It makes the tool one that asks its client for a form.
func (r toolResolver) confirm(in spec.Text, t *Tool) {
	if !in.Set() {
		return
	}
	r.notEmpty(in, "the question")
	t.Confirm = &Confirm{Text: in.Value}
	last := 0
	for _, m := range placeholder.FindAllStringIndex(in.Value, -1) {
		name := in.Value[m[0]:m[1]]
		if len(name) < 3 {
			r.errorf(in.At(m[0], len(name)), ruleBadConfirm, "%q names no parameter", name).Hint = "write {name} for the value of a parameter"
			continue
		}
		t.Confirm.text(in.Value[last:m[0]])
		last = m[1]
		inner := spec.Text{Value: strings.Trim(name, "{}"), Pos: in.At(m[0]+1, len(name)-2)}
		if p := r.property(t.Input, inner); p != nil {
			t.Confirm.Parts = append(t.Confirm.Parts, ConfirmPart{Parameter: p})
		}
	}
	t.Confirm.text(in.Value[last:])
	if !slices.ContainsFunc(t.Asks, func(a Ask) bool { return a.Kind == AskForm }) {
		t.Asks = slices.Insert(t.Asks, 0, Ask{Kind: AskForm, Pos: in.Pos, Implied: true})
	}
}

func (c *Confirm) text(s string) {
	if s != "" {
		c.Parts = append(c.Parts, ConfirmPart{Text: s})
	}
}
