package styles

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// variableUse matches the name in var(--name).
var variableUse = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)var\(\s*(--[^\s,)]+)`) })

// explainValue follows the custom properties of a winning value, and says what is wrong with it.
func (r *reader) explainValue(ctx context.Context, a *Answer, winner declaration, at int, property string) {
	if strings.Contains(strings.ToLower(winner.value), "var(") {
		r.follow(ctx, a, winner.value, at)
		r.checkSubstituted(ctx, a, winner, at, property)
	}
	switch strings.ToLower(winner.value) {
	case "revert", "revert-layer":
		a.Note = winner.value + " takes the value of an earlier origin or layer"
	case "initial":
		a.Note = "initial is the value that the property has without any declaration"
	}
}

// follow adds the custom properties that a value uses, and those that these use.
func (r *reader) follow(ctx context.Context, a *Answer, value string, at int) {
	for _, m := range variableUse().FindAllStringSubmatch(value, -1) {
		name := m[1]
		known := slices.ContainsFunc(a.Variables, func(v Variable) bool { return v.Name == name })
		if known || len(a.Variables) >= maxVariables {
			continue
		}
		d, found := r.variable(name, at)
		if found < 0 {
			a.Variables = append(a.Variables, Variable{Name: clip(name)})
			continue
		}
		shown := r.show(ctx, d, r.levels[found], name)
		a.Variables = append(a.Variables, Variable{Name: clip(name), Declaration: &shown})
		r.follow(ctx, a, d.value, found)
	}
}

// variable returns the declaration of a custom property that holds at a level, and its level; -1 if
// nothing defines it.
func (r *reader) variable(name string, at int) (declaration, int) {
	for i := at; i < len(r.levels); i++ {
		if sorted, _ := r.decide(r.levels[i], name); len(sorted) > 0 && sorted[0].property != "" && sorted[0].value != "inherit" {
			return sorted[0], i
		}
	}
	return declaration{}, -1
}

// checkSubstituted notes a value that is invalid once its variables have values: the property is then
// as if it were not set.
func (r *reader) checkSubstituted(ctx context.Context, a *Answer, winner declaration, at int, property string) {
	if r.levels[at].up > 0 || strings.HasPrefix(property, "--") {
		return
	}
	var checked struct {
		Text  string `json:"text"`
		Valid bool   `json:"valid"`
	}
	question := map[string]any{"ask": "supports", "property": winner.property, "value": winner.value}
	if r.ask(ctx, question, &checked) != nil || checked.Valid {
		return
	}
	a.Note = "the value is invalid when its variables are filled in, so the property is as if it were unset"
	if checked.Text != "" {
		a.Note += ": " + winner.property + ": " + clip(checked.Text)
	}
}
