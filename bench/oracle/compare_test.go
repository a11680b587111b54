package oracle

import (
	"slices"
	"strings"
)

// difference is a control on which the reading and the tree do not agree. One of both is nil where the other side
// has no such control.
type difference struct {
	Tree, Reading *control
	// Cause is the reason of a deliberate difference, or what kind of difference it is.
	Cause      string
	Deliberate bool
}

// compare pairs the controls of both sides: equal ones first, then those of one name, then those of one role in
// order. It returns the pairs that are not equal, and what is left of each side. Controls of the tree that the probe
// calls invisible pair only with equal ones.
func compare(all, reading []control) (different []difference) {
	reading = slices.Clone(reading)
	var tree, unseen []control
	for _, c := range all {
		if c.Unseen {
			unseen = append(unseen, c)
		} else {
			tree = append(tree, c)
		}
	}
	take := func(same func(a, b control) bool, report bool) {
		tree = slices.DeleteFunc(tree, func(a control) bool {
			i := slices.IndexFunc(reading, func(b control) bool { return same(a, b) })
			if i < 0 {
				return false
			}
			b := reading[i]
			reading = slices.Delete(reading, i, i+1)
			if report {
				different = append(different, difference{Tree: &a, Reading: &b})
			}
			return true
		})
	}
	take(func(a, b control) bool { return a.Role == b.Role && sameName(a, b) }, false)
	take(func(a, b control) bool { return a.Name != "" && sameName(a, b) }, true)
	take(func(a, b control) bool { return a.Role == b.Role }, true)
	for _, a := range tree {
		different = append(different, difference{Tree: &a})
	}
	for _, b := range reading {
		d := difference{Reading: &b}
		if i := slices.IndexFunc(unseen, func(a control) bool { return a.Role == b.Role && sameName(a, b) }); i >= 0 {
			d.Tree, unseen = &unseen[i], slices.Delete(slices.Clone(unseen), i, i+1)
		}
		different = append(different, d)
	}
	for i := range different {
		different[i].explain()
	}
	return different
}

// explain sets the cause of a difference.
func (d *difference) explain() {
	for _, rule := range deliberate {
		if rule.match(d) {
			d.Cause, d.Deliberate = rule.reason, true
			return
		}
	}
	switch {
	case d.Reading == nil:
		d.Cause = "the reading lacks a control"
	case d.Tree != nil && d.Tree.Unseen:
		d.Cause = "the reading has a control that the probe calls invisible"
	case d.Tree == nil:
		d.Cause = "the tree lacks a control of the reading"
	case d.Tree.Role != d.Reading.Role:
		d.Cause = "another role"
	default:
		d.Cause = "another name"
	}
}

// sameName reports whether two names are equal, or the reading's is the other one, cut.
func sameName(tree, reading control) bool {
	start, cut := strings.CutSuffix(reading.Name, "…")
	return tree.Name == reading.Name || cut && strings.HasPrefix(tree.Name, start)
}
