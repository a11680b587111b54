package styles

import (
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// kind is the source of a declaration.
type kind int

const (
	fromBrowser    kind = iota // the browser's style sheet
	fromUser                   // a style sheet of an extension or of a person
	fromAttribute              // a presentational attribute, such as width
	fromRule                   // a rule of the author
	fromStyle                  // the style attribute
	fromAnimation              // a keyframe
	fromTransition             // a transition under way
)

// specificity counts the ids, the classes, attributes and pseudo-classes, and the types of a selector.
type specificity [3]int

// declaration is one declaration, with everything that decides its place in the cascade.
type declaration struct {
	kind      kind
	property  string
	value     string
	longhands []wireProperty // of a shorthand, where the browser parsed it
	important bool
	invalid   bool

	selector    string
	conditions  []string // outermost first
	layer       string   // outermost first, joined by dots; "" for none
	scopes      []string // preludes of @scope, innermost first
	specificity specificity
	tree        cdp.BackendNodeID // the document or shadow root of its style sheet; 0 if unknown
	animation   string            // name of the animation

	rule, position int // order of the rule in the normal cascade, and within the rule
	sheet          cdp.StyleSheetID
	at             *wireRange // in the text of the sheet; nil if unknown
	valueAt        int        // bytes from at to the value on its line; 0 if unknown
}

// level holds the declarations for one element: the one that is asked about, or an ancestor.
type level struct {
	up           int // levels above what is asked about; 0 is the element, or its pseudo-element
	declarations []declaration
}

// levels returns the declarations for the element, or its pseudo-element, and those for each ancestor.
// tree is the document or shadow root that the element stands in.
func levels(m wireMatched, animated wireAnimated, pseudo string, tree cdp.BackendNodeID) (out []level) {
	if pseudo != "" {
		name, _, _ := strings.Cut(strings.TrimLeft(pseudo, ":"), "(")
		rules := []wireMatch{}
		for _, p := range m.Pseudo {
			if p.Type == name {
				rules = append(rules, p.Matches...)
			}
		}
		out = append(out, level{declarations: elementDeclarations(nil, nil, rules)})
	}
	own := elementDeclarations(m.Inline, m.Attributes, m.Rules)
	for i := range own {
		if own[i].kind == fromStyle {
			own[i].tree = tree
		}
	}
	out = append(out, level{up: len(out), declarations: append(own, animatedDeclarations(m, animated)...)})
	for _, inherited := range m.Inherited {
		out = append(out, level{up: len(out), declarations: elementDeclarations(inherited.Inline, nil, inherited.Rules)})
	}
	return out
}

func elementDeclarations(inline, attributes *wireStyle, rules []wireMatch) (out []declaration) {
	if attributes != nil {
		out = append(out, styleDeclarations(*attributes, declaration{kind: fromAttribute})...)
	}
	for i, m := range rules {
		out = append(out, ruleDeclarations(m, i+1)...)
	}
	if inline != nil {
		out = append(out, styleDeclarations(*inline, declaration{kind: fromStyle, rule: len(rules) + 1})...)
	}
	return out
}

func ruleDeclarations(m wireMatch, order int) []declaration {
	r := m.Rule
	base := declaration{kind: fromRule, rule: order, sheet: r.Sheet, tree: r.Tree, selector: r.Selectors.Text}
	switch r.Origin {
	case "user-agent":
		base.kind = fromBrowser
	case "injected":
		base.kind = fromUser
	}
	for _, i := range m.Matching {
		if i < 0 || i >= len(r.Selectors.Selectors) || r.Selectors.Selectors[i].Specificity == nil {
			continue
		}
		s := r.Selectors.Selectors[i].Specificity
		if own := (specificity{s.A, s.B, s.C}); slices.Compare(own[:], base.specificity[:]) >= 0 {
			base.specificity = own
			if len(r.Selectors.Selectors) > 3 {
				base.selector = r.Selectors.Selectors[i].Text + ", …"
			}
		}
	}
	if len(r.Nesting) > 0 {
		outer := slices.Clone(r.Nesting)
		slices.Reverse(outer)
		base.selector = strings.Join(outer, " { ") + " { " + base.selector
	}
	base.layer = joinTexts(r.Layers, ".")
	for _, s := range r.Scopes {
		base.scopes = append(base.scopes, s.Text)
	}
	base.conditions = ruleConditions(r)
	return styleDeclarations(r.Style, base)
}

func joinTexts(texts []wireText, separator string) string {
	parts := slicesx.Map(texts, func(t wireText) string { return t.Text })
	return strings.Join(parts, separator)
}

// ruleConditions lists the at-rules around a rule. The browser lists layers from the outermost, and the
// others from the innermost.
func ruleConditions(r wireRule) (out []string) {
	for _, m := range slices.Backward(r.Media) {
		out = append(out, "@media "+m.Text)
	}
	for _, s := range slices.Backward(r.Supports) {
		out = append(out, "@supports "+s.Text)
	}
	for _, c := range slices.Backward(r.Containers) {
		out = append(out, strings.TrimSpace("@container "+strings.TrimSpace(c.Name+" "+c.Condition)))
	}
	for _, s := range slices.Backward(r.Scopes) {
		out = append(out, strings.TrimSpace("@scope "+s.Text))
	}
	if layer := joinTexts(r.Layers, "."); layer != "" {
		out = append(out, "@layer "+layer)
	}
	return out
}

// styleDeclarations returns the declarations of one rule, each like base. A style with a text also
// lists what its shorthands expand to; those entries have no position.
func styleDeclarations(s wireStyle, base declaration) (out []declaration) {
	hasText := slices.ContainsFunc(s.Properties, func(p wireProperty) bool { return p.Range != nil })
	for i, p := range s.Properties {
		if p.Disabled || hasText && p.Range == nil {
			continue
		}
		d := base
		d.property, d.position, d.at = p.Name, i, p.Range
		d.important = p.Important
		d.value = strings.TrimSpace(p.Value)
		if p.Important {
			head, _, _ := strings.Cut(d.value, "!important")
			d.value = strings.TrimSpace(head)
		}
		d.longhands, d.invalid, d.valueAt = p.Longhands, p.isInvalid(), valueOffset(p)
		if !strings.HasPrefix(d.property, "--") {
			d.property = strings.ToLower(d.property)
		}
		out = append(out, d)
	}
	return out
}

// valueOffset returns where the value begins in the text of a declaration, or 0 if it is on a later line.
func valueOffset(p wireProperty) int {
	name, rest, ok := strings.Cut(p.Text, ":")
	before := rest[:len(rest)-len(strings.TrimLeft(rest, " \t\r\n"))]
	if !ok || strings.Contains(name+before, "\n") {
		return 0
	}
	return len(name) + 1 + len(before)
}

// animatedDeclarations returns what animations and transitions set now. Each animated property has the
// position of the keyframe that names it.
func animatedDeclarations(m wireMatched, a wireAnimated) (out []declaration) {
	for i, animation := range a.Animations {
		base := declaration{kind: fromAnimation, rule: i, animation: animation.Name}
		for _, d := range styleDeclarations(animation.Style, base) {
			for _, k := range m.Keyframes {
				if k.Name.Text != animation.Name {
					continue
				}
				for _, frame := range k.Keyframes {
					for _, p := range frame.Style.Properties {
						if p.Name == d.property && p.Range != nil && d.at == nil {
							d.at, d.sheet = p.Range, frame.Sheet
						}
					}
				}
			}
			out = append(out, d)
		}
	}
	if a.Transitions != nil {
		out = append(out, styleDeclarations(*a.Transitions, declaration{kind: fromTransition})...)
	}
	return out
}
