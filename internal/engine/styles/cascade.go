package styles

import (
	"fmt"
	"slices"
	"strings"
)

// rank orders origins and importance, from the CSS cascade: a higher one wins whatever else differs.
func (d declaration) rank() int {
	switch {
	case d.kind == fromTransition:
		return 8
	case d.important && d.kind == fromBrowser:
		return 7
	case d.important && d.kind == fromUser:
		return 6
	case d.important:
		return 5
	case d.kind == fromAnimation:
		return 4
	case d.kind == fromUser:
		return 2
	case d.kind == fromBrowser:
		return 1
	}
	return 3
}

// comparison is one criterion of the cascade for two declarations of one element: above 0 if a wins,
// with the reason that b loses.
type comparison struct {
	order  int
	reason string
}

// compare returns which of two declarations of one element wins, by the first criterion of the cascade
// that tells them apart. hops gives the distance of the @scope root of a declaration.
func compare(a, b declaration, hops func(declaration) int) comparison {
	if a.rank() != b.rank() {
		return comparison{a.rank() - b.rank(), rankReason(a, b)}
	}
	if c := compareTrees(a, b); c.order != 0 {
		return c
	}
	if c := compareAttached(a, b); c.order != 0 {
		return c
	}
	if c := compareLayers(a, b); c.order != 0 {
		return c
	}
	return compareRules(a, b, hops)
}

// rankReason says why the one of two declarations with the lower rank loses.
func rankReason(a, b declaration) string {
	winner, loser := a, b
	if b.rank() > a.rank() {
		winner, loser = b, a
	}
	switch {
	case winner.kind == fromTransition:
		return "a transition of the property is running"
	case winner.important && winner.kind == fromBrowser:
		return "the browser's own style sheet has it !important"
	case winner.important:
		return "the winner is !important"
	case winner.kind == fromAnimation:
		return fmt.Sprintf("the animation %s sets the property", winner.animation)
	case loser.kind == fromBrowser:
		return "the browser's own style sheet comes before the page's"
	}
	return "a style sheet of the person or of an extension comes before the page's"
}

// compareTrees tells apart declarations of different documents and shadow trees: the outer one wins, of
// important declarations the inner one. The browser lists rules of inner trees first. A rule of another
// tree than that of the style attribute comes from outside by ::part, and from inside otherwise.
func compareTrees(a, b declaration) comparison {
	if a.tree == b.tree || a.tree == 0 || b.tree == 0 {
		return comparison{}
	}
	order := a.rule - b.rule
	switch {
	case a.kind == fromStyle:
		order = outwards(b)
	case b.kind == fromStyle:
		order = -outwards(a)
	}
	if a.important {
		return comparison{-order, "of !important declarations the one of the inner shadow tree wins"}
	}
	return comparison{order, "the style sheet outside of the shadow tree wins over the one inside"}
}

// outwards is -1 for a rule that wins over the style attribute from outside of its tree, else 1.
func outwards(rule declaration) int {
	if strings.Contains(rule.selector, "::part(") {
		return -1
	}
	return 1
}

// compareAttached tells apart the style attribute, presentational attributes and rules.
func compareAttached(a, b declaration) comparison {
	if a.kind == b.kind {
		return comparison{}
	}
	reason := "the style attribute wins over every selector"
	if a.kind != fromStyle && b.kind != fromStyle {
		reason = "it is an attribute of HTML, which every rule of the page wins over"
	}
	return comparison{int(a.kind) - int(b.kind), reason}
}

// compareLayers tells apart rules of different layers. The browser lists rules in the order of layers.
func compareLayers(a, b declaration) comparison {
	if a.layer == b.layer {
		return comparison{}
	}
	winner, loser, order := a, b, a.rule-b.rule
	if a.important {
		order = b.rule - a.rule
	}
	if order < 0 {
		winner, loser = b, a
	}
	reason := ""
	switch {
	case winner.layer == "":
		reason = fmt.Sprintf("it is in layer %s; declarations outside of layers win", loser.layer)
	case loser.layer == "":
		reason = fmt.Sprintf("of !important declarations those in layers win, here layer %s", winner.layer)
	case a.important:
		reason = fmt.Sprintf("layer %s comes after layer %s; of !important declarations the earlier layer wins", loser.layer, winner.layer)
	default:
		reason = fmt.Sprintf("layer %s comes before layer %s; the later layer wins", loser.layer, winner.layer)
	}
	return comparison{order, reason}
}

// compareRules tells apart declarations by specificity, nearness of their scope, and order.
func compareRules(a, b declaration, hops func(declaration) int) comparison {
	order := a.rule - b.rule
	if order == 0 {
		return comparison{a.position - b.position, "a later declaration of the same rule wins"}
	}
	winner, loser := a, b
	if order < 0 {
		winner, loser = b, a
	}
	if slices.Compare(loser.specificity[:], winner.specificity[:]) < 0 {
		return comparison{order, fmt.Sprintf("it is less specific: %s against %s", loser.specificity, winner.specificity)}
	}
	if near, far := hops(winner), hops(loser); near < far {
		return comparison{order, scopeReason(near, far)}
	}
	return comparison{order, "it is as specific as the winner, which comes later"}
}

// unscoped is the distance of the @scope root of a declaration without @scope.
const unscoped = 1 << 30

func scopeReason(near, far int) string {
	if far == unscoped {
		return fmt.Sprintf("it is as specific, and the winner is in a @scope, %d levels below its root", near)
	}
	return fmt.Sprintf("its @scope root is farther: %d levels up against %d", far, near)
}

func (s specificity) String() string { return fmt.Sprintf("(%d,%d,%d)", s[0], s[1], s[2]) }
