package oracle

import (
	"regexp"
	"slices"
	"strings"
)

// deliberate are the differences that are meant, each with its reason. The first row that matches counts.
var deliberate = []struct {
	reason string
	match  func(*difference) bool
}{
	{
		"an element with listeners and without a role is a control for the pointer; the tree calls it generic",
		func(d *difference) bool { return d.Tree == nil && d.Reading.Role == "clickable" },
	},
	{
		"options of a select are listed in the select's line",
		func(d *difference) bool { return d.Reading == nil && slices.Contains(d.Tree.Traits, "in select") },
	},
	{
		"what an opaque layer covers is not read",
		func(d *difference) bool { return d.Reading == nil && slices.Contains(d.Tree.Traits, "covered") },
	},
	{
		"capital letters that a style sheet makes are not part of a name: words are compared without case",
		func(d *difference) bool {
			return d.Reading != nil && d.Tree != nil && !d.Tree.Unseen && d.Reading.Role == d.Tree.Role && strings.EqualFold(d.Reading.Name, d.Tree.Name)
		},
	},
	{
		"a field that other elements draw: its invisible element takes the input",
		func(d *difference) bool {
			return d.Reading != nil && d.Tree != nil && d.Tree.Unseen && isField(d.Tree.Node)
		},
	},
	{
		"a skip link comes into view with the focus; above the page, it is read as the link that it is",
		func(d *difference) bool {
			return d.Reading != nil && d.Tree != nil && d.Tree.Unseen && d.Tree.Role == "link" && slices.Contains(d.Tree.Traits, "outside")
		},
	},
	{
		"what a person sees is read, although it is hidden from assistive technology",
		func(d *difference) bool { return d.Tree == nil && d.Reading.AriaHidden },
	},
	{
		"nameless controls are named by their place: what steps a field, opens or picks an item, or filters a column",
		func(d *difference) bool {
			return d.Reading != nil && (d.Tree == nil || d.Tree.Name == "" && d.Tree.Role == d.Reading.Role) && derived.MatchString(d.Reading.String())
		},
	},
	{
		"an item of a tree is named without its expander, checkbox and icon, which are controls of their own or pictures",
		func(d *difference) bool {
			return d.Reading != nil && d.Tree != nil && d.Tree.Role == "treeitem" && d.Reading.Role == "treeitem" &&
				strings.HasSuffix(d.Tree.Name, " "+d.Reading.Name)
		},
	},
	{
		"a drawn slider without a role is read as a slider",
		func(d *difference) bool { return d.Tree == nil && d.Reading.Role == "slider" },
	},
}

// derived matches the names that a reading makes for a control without one.
var derived = regexp.MustCompile(`^button "(?:Increase|Decrease|(?:Expand|Collapse) .+)"$|^checkbox "Select .+"$|^(?:textbox|searchbox|combobox|spinbutton) ".+ filter"$`)

// isField reports whether a node is a form field or an editor's hidden field.
func isField(node string) bool {
	for _, tag := range []string{"input", "select", "textarea", "div.native-edit-context"} {
		if strings.HasPrefix(node, tag) {
			return true
		}
	}
	return false
}
