package styles

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/spelling"
)

// value is a declared value of one property, as the browser parses it.
type value struct {
	Name      string   `json:"name"`
	Value     string   `json:"value"`
	Longhands []string `json:"longhands"`
	Known     bool     `json:"known"`
}

// values asks for properties; those that the browser does not know are an error.
func (r *reader) values(ctx context.Context, names []string) ([]value, error) {
	var found []value
	if err := r.ask(ctx, map[string]any{"ask": "values", "properties": names}, &found); err != nil {
		return nil, err
	}
	for _, v := range found {
		if v.Known || len(v.Longhands) > 0 {
			continue
		}
		message := fmt.Sprintf("the browser knows no property %q", v.Name)
		var all []string
		if r.ask(ctx, map[string]any{"ask": "names"}, &all) == nil {
			if near := spelling.Nearest(v.Name, all); near != "" {
				message += fmt.Sprintf(", did you mean %q?", near)
			}
		}
		return nil, unknownProperty(message)
	}
	return found, nil
}

// propertyName returns a property as style sheets write it: backgroundColor is background-color.
func propertyName(name string) string {
	name = strings.TrimSpace(name)
	if strings.HasPrefix(name, "--") {
		return name
	}
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			if b.Len() > 0 && strings.ToUpper(name) != name {
				b.WriteByte('-')
			}
			c += 'a' - 'A'
		}
		b.WriteRune(c)
	}
	return b.String()
}

// explain answers for each property. Longhands of a shorthand that have the same answer share one.
func (r *reader) explain(ctx context.Context, names []string) (out Explanation, err error) {
	for i, n := range names {
		names[i] = propertyName(n)
	}
	asked, err := r.values(ctx, names[:min(len(names), maxProperties)])
	if err != nil {
		return out, err
	}
	var longhands []string
	for _, v := range asked {
		if len(v.Longhands) > 0 {
			longhands = append(longhands, v.Longhands...)
		} else {
			longhands = append(longhands, v.Name)
		}
	}
	out.Omitted = max(0, len(names)-maxProperties) + max(0, len(longhands)-maxLonghands)
	longhands = longhands[:min(len(longhands), maxLonghands)]
	values, err := r.values(ctx, longhands)
	if err != nil {
		return out, err
	}
	inactive := r.inactive(ctx, func(property string) bool {
		return slices.ContainsFunc(longhands, func(l string) bool { return property == l || slices.Contains(r.expand(ctx, property), l) })
	})
	for _, v := range values {
		a := r.answer(ctx, v, inactive)
		if same := slices.IndexFunc(out.Answers, func(b Answer) bool { return len(asked) < len(values) && sameAnswer(a, b) }); same >= 0 {
			out.Answers[same].Properties = append(out.Answers[same].Properties, clip(v.Name))
			continue
		}
		out.Answers = append(out.Answers, a)
	}
	return out, nil
}

// sameAnswer reports whether two longhands have the same winner and losers.
func sameAnswer(a, b Answer) bool {
	key := func(x Answer) string {
		if x.Winner == nil {
			return fmt.Sprint("initial ", x.Losers)
		}
		return fmt.Sprint(x.Winner.Place, x.Winner.Property, x.Winner.Level, x.Computed, x.Losers)
	}
	return a.Note == b.Note && key(a) == key(b)
}

// expand returns what a shorthand expands to.
func (r *reader) expand(ctx context.Context, property string) []string {
	if strings.HasPrefix(property, "--") {
		return nil
	}
	longhands, known := r.longhand[property]
	if !known {
		found := map[string][]string{}
		if r.ask(ctx, map[string]any{"ask": "longhands", "names": []string{property}}, &found) == nil {
			longhands = found[property]
		}
		r.longhand[property] = longhands
	}
	return longhands
}

// sets reports whether a declaration sets a longhand, itself or as a shorthand.
func (r *reader) sets(d declaration, longhand string) bool {
	return d.property == longhand || slices.Contains(r.longhand[d.property], longhand)
}

// decide returns the declarations of a level that set a longhand, best first, with the reason for each
// but the first.
func (r *reader) decide(l level, longhand string) (sorted []declaration, reasons []string) {
	var invalid []declaration
	for _, d := range l.declarations {
		switch {
		case !r.sets(d, longhand):
		case d.invalid:
			invalid = append(invalid, d)
		default:
			sorted = append(sorted, d)
		}
	}
	slices.SortStableFunc(sorted, func(a, b declaration) int { return compare(b, a, r.hops).order })
	for i, d := range sorted {
		reason := ""
		if i > 0 {
			reason = compare(sorted[0], d, r.hops).reason
		}
		reasons = append(reasons, reason)
	}
	for _, d := range invalid {
		sorted = append(sorted, d)
		reasons = append(reasons, "the browser does not understand the value")
	}
	if len(sorted) > 0 && len(invalid) == len(sorted) {
		return append([]declaration{{}}, sorted...), append([]string{""}, reasons...) // no winner
	}
	return sorted, reasons
}

// answer explains one longhand or custom property.
func (r *reader) answer(ctx context.Context, v value, inactive []Declaration) Answer {
	a := Answer{Properties: []string{clip(v.Name)}, Computed: clip(strings.TrimSpace(v.Value))}
	var winner declaration
	at := -1 // the level of the winner
	for i, l := range r.levels {
		if i > 0 && !isInherited(v.Name) {
			break
		}
		sorted, reasons := r.decide(l, v.Name)
		if at >= 0 { // the best that would be inherited says enough
			if len(sorted) > 0 && sorted[0].property != "" {
				a.Losers = append(a.Losers, r.lost(ctx, sorted[0], l, v.Name, "it would be inherited; a declaration on the element, or nearer to it, wins"))
				break
			}
			continue
		}
		for j, d := range sorted {
			switch {
			case d.property == "":
			case j == 0:
				winner, at = d, i
				shown := r.show(ctx, d, l, v.Name)
				a.Winner = &shown
			default:
				a.Losers = append(a.Losers, r.lost(ctx, d, l, v.Name, reasons[j]))
			}
		}
		if at >= 0 && takesParents(winner.value, v.Name) {
			if a.From = r.inherited(ctx, v.Name, at+1); a.From == nil {
				a.Note = "the parent has the initial value"
			}
			break
		}
	}
	for _, d := range inactive {
		if property := strings.ToLower(d.Property); property == v.Name || d.Property == v.Name || slices.Contains(r.longhand[property], v.Name) {
			a.Losers = append(a.Losers, d)
		}
	}
	if len(a.Losers) > maxLosers {
		a.Omitted, a.Losers = len(a.Losers)-maxLosers, a.Losers[:maxLosers]
	}
	if at >= 0 {
		r.explainValue(ctx, &a, winner, at, v.Name)
	}
	return a
}

// takesParents reports whether a value stands for that of the parent.
func takesParents(value, property string) bool {
	return strings.EqualFold(value, "inherit") || strings.EqualFold(value, "unset") && isInherited(property)
}

// inherited returns the declaration that a parent's value comes from, looking from a level upwards; nil
// if none decides it.
func (r *reader) inherited(ctx context.Context, property string, from int) *Declaration {
	for _, l := range r.levels[min(from, len(r.levels)):] {
		sorted, _ := r.decide(l, property)
		switch {
		case len(sorted) > 0 && sorted[0].property != "" && !takesParents(sorted[0].value, property):
			shown := r.show(ctx, sorted[0], l, property)
			return &shown
		case len(sorted) == 0 && !isInherited(property):
			return nil
		}
	}
	return nil
}

func (r *reader) lost(ctx context.Context, d declaration, l level, longhand, reason string) Declaration {
	out := r.show(ctx, d, l, longhand)
	out.Reason = reason
	return out
}

// show converts a declaration for an answer about a longhand.
func (r *reader) show(ctx context.Context, d declaration, l level, longhand string) Declaration {
	out := Declaration{
		Property: clip(d.property), Value: clip(d.value), Important: d.important, Selector: clip(d.selector),
		Conditions: clipAll(d.conditions), Place: r.sheets.place(ctx, d), Level: l.up,
	}
	if d.kind == fromAnimation {
		out.Selector = "@keyframes " + clip(d.animation)
	}
	if d.property != longhand && !strings.Contains(d.value, "var(") {
		for _, p := range d.longhands {
			if p.Name == longhand && p.Value != "" && p.Value != d.value {
				out.Decides = []string{longhand + ": " + clip(p.Value)}
			}
		}
	}
	return out
}
