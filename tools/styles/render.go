package styles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/styles"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// resultBytes is for the answer, in bytes, below what the manifest allows.
const resultBytes = 15000

// renderer renders an explanation. The text of a rule is the page's: each stands on one line, so that
// none reads as a line of the answer.
type renderer struct {
	pseudo   string
	elements map[int]document.ElementInfo // by level above the element
}

// levels lists which ancestors an explanation names, and the element.
func (r renderer) levels(e styles.Explanation) []int {
	out := []int{0}
	add := func(d *styles.Declaration) {
		if d != nil {
			out = append(out, r.above(d.Level))
		}
	}
	for _, a := range e.Answers {
		add(a.Winner)
		add(a.From)
		for i := range a.Losers {
			add(&a.Losers[i])
		}
		for _, v := range a.Variables {
			add(v.Declaration)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// above converts the level of a declaration to that above the element: a pseudo-element is one below.
func (r renderer) above(level int) int {
	if r.pseudo != "" {
		level--
	}
	return max(level, 0)
}

func (r renderer) explanation(e styles.Explanation) string {
	var b strings.Builder
	b.WriteString(r.element(0))
	if r.pseudo != "" {
		b.WriteString(" " + fence.Line(r.pseudo))
	}
	for i, a := range e.Answers {
		r.answer(&b, a)
		if b.Len() > resultBytes && i+1 < len(e.Answers) {
			e.Omitted += len(e.Answers) - i - 1
			break
		}
	}
	for i, d := range e.Declared {
		line := "\n" + r.declaration(d)
		if b.Len()+len(line) > resultBytes {
			e.Omitted += len(e.Declared) - i
			break
		}
		b.WriteString(line)
		if len(d.Decides) > 0 {
			b.WriteString(" — of it " + fence.Line(strings.Join(d.Decides, ", ")))
		}
	}
	switch {
	case len(e.Answers) > 0:
	case len(e.Declared) == 0:
		b.WriteString("\nno declaration of the page applies to it")
	case e.Overridden > 0:
		fmt.Fprintf(&b, "\n%d declarations lose; ask with properties for the reasons", e.Overridden)
	}
	if e.Omitted > 0 {
		fmt.Fprintf(&b, "\n%d more are left out; ask for fewer properties", e.Omitted)
	}
	return b.String()
}

// element names an element: div.card [e9], or button "Pay" [e5].
func (r renderer) element(above int) string {
	e, ok := r.elements[above]
	if !ok {
		return "an ancestor"
	}
	if e.Name != "" && e.Role != "clickable" {
		return result.Element(document.Element{Ref: e.Ref, Role: e.Role, Name: e.Name})
	}
	name := e.Tag
	if id := e.Attributes["id"]; id != "" {
		name += "#" + id
	}
	for _, class := range strings.Fields(e.Attributes["class"]) {
		name += "." + class
	}
	return fence.Line(text.ClipRunes(name, 80)) + " [" + e.Ref + "]"
}

func (r renderer) answer(b *strings.Builder, a styles.Answer) {
	names := a.Properties
	if len(names) > 6 {
		names = append(slices.Clone(names[:6]), fmt.Sprintf("and %d more", len(names)-6))
	}
	fmt.Fprintf(b, "\n%s: %s", strings.Join(names, ", "), fence.Line(a.Computed))
	switch {
	case a.Winner == nil && len(a.Losers) == 0:
		b.WriteString("\n  no declaration sets it: the initial value")
	case a.Winner == nil:
		b.WriteString("\n  no declaration that applies sets it: the initial value")
	default:
		b.WriteString("\n  wins: " + r.declaration(*a.Winner))
		if a.Winner.Level > 0 {
			b.WriteString(" — inherited from " + r.element(r.above(a.Winner.Level)))
		}
		if len(a.Winner.Decides) > 0 {
			b.WriteString(" — of it " + fence.Line(strings.Join(a.Winner.Decides, ", ")))
		}
	}
	if a.From != nil {
		fmt.Fprintf(b, "\n  takes it from: %s, on %s", r.declaration(*a.From), r.element(r.above(a.From.Level)))
	}
	r.variables(b, a.Variables)
	if a.Note != "" {
		b.WriteString("\n  note: " + fence.Line(a.Note))
	}
	for i, d := range a.Losers {
		line := "\n  loses: " + r.declaration(d)
		if d.Level > 0 {
			line += " on " + r.element(r.above(d.Level))
		}
		line += " — " + fence.Line(d.Reason)
		if b.Len()+len(line) > resultBytes {
			a.Omitted += len(a.Losers) - i
			break
		}
		b.WriteString(line)
	}
	if a.Omitted > 0 {
		fmt.Fprintf(b, "\n  %d more lose", a.Omitted)
	}
}

func (r renderer) variables(b *strings.Builder, variables []styles.Variable) {
	for _, v := range variables {
		if v.Declaration == nil {
			fmt.Fprintf(b, "\n  var %s is not defined", fence.Line(v.Name))
			continue
		}
		fmt.Fprintf(b, "\n  var %s", r.declaration(*v.Declaration))
		if v.Declaration.Level > 0 {
			b.WriteString(" on " + r.element(r.above(v.Declaration.Level)))
		}
	}
}

// declaration shows one: .btn { color: red !important } at src/button.scss:3:5 in @layer base.
func (r renderer) declaration(d styles.Declaration) string {
	body := d.Property + ": " + d.Value
	if d.Important {
		body += " !important"
	}
	out := fence.Line(body)
	if d.Selector != "" {
		out = fence.Line(d.Selector) + " { " + out + " }"
	}
	if d.Place.What != "" {
		out += " in " + d.Place.What
	} else {
		out += fmt.Sprintf(" at %s:%d:%d", fence.Line(text.ClipRunes(d.Place.URL, 150)), d.Place.Line, d.Place.Column)
		if d.Place.Generated != "" {
			out += " (" + fence.Line(text.ClipRunes(d.Place.Generated, 150)) + ")"
		}
	}
	if d.Place.Value != "" {
		out += ", the value at " + fence.Line(text.ClipRunes(d.Place.Value, 150))
	}
	if len(d.Conditions) > 0 {
		out += " in " + fence.Line(strings.Join(d.Conditions, ", "))
	}
	return out
}
