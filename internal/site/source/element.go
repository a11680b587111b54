package source

import (
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// element reads the description of an element.
func (r *reader) element(dst **Element) key {
	return func(_ spec.Text, n *yamltree.Node) {
		e := &Element{Pos: n.Pos}
		id := &e.Identity
		mark := func(to *string) key {
			return func(k spec.Text, n *yamltree.Node) {
				var t spec.Text
				if r.text(&t)(k, n); t.Set() {
					*to = t.Value
					e.Texts = append(e.Texts, t)
				}
			}
		}
		condition := func(read key) key {
			return func(k spec.Text, n *yamltree.Node) {
				e.conditions = append(e.conditions, k)
				read(k, n)
			}
		}
		if !r.Fields(n, "an element", map[string]key{
			"role": mark(&id.Role), "name": mark(&id.Name), "testId": mark(&id.TestID), "text": mark(&id.Text), "tag": mark(&id.Tag),
			"kind": mark(&id.Kind), "label": mark(&id.Label), "nth": r.Count(&id.Ordinal), "of": r.Count(&id.AlikeCount), "frame": mark(&id.Frame),
			"leads": mark(&id.Leads), "css": condition(mark(&e.CSS)), "has": condition(mark(&e.Has)), "not_text": condition(mark(&e.NotText)),
			"within": condition(r.element(&e.Within)),
		}) {
			return
		}
		if id.Name == "" && id.TestID == "" && id.Text == "" && id.Label == "" && e.CSS == "" && e.Has == "" && e.Within == nil && id.Role == "" {
			r.Errorf(n.Pos, ruleElement, "the element is not described").Hint = "give role and name, testId, text or css"
		}
		*dst = e
	}
}

// observation reads the condition on a page by which a fact holds.
func (r *reader) observation(dst **Observation) key {
	return func(k spec.Text, n *yamltree.Node) {
		o := &Observation{Pos: n.Pos}
		if !r.Fields(n, k.Value, map[string]key{
			"element": r.element(&o.Element), "url": r.text(&o.URL), "not": r.observation(&o.Not), "all": r.observations(&o.All), "any": r.observations(&o.Any),
		}) {
			return
		}
		if len(n.Members) == 0 {
			r.Errorf(k.Pos, ruleFact, "%s says nothing", k.Value).Hint = "name what a page shows: element, url, not, all, any"
		}
		if o.URL.Set() && !strings.HasPrefix(o.URL.Value, "/") && !strings.Contains(o.URL.Value, "://") {
			r.Errorf(o.URL.Pos, ruleFact, "%q is no path", o.URL.Value).Hint = "a path begins with /, and * stands for anything in one segment: /product/*"
		}
		*dst = o
	}
}

func (r *reader) observations(dst *[]*Observation) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.ListNode {
			r.Wrong(k, n, "a list")
			return
		}
		for _, item := range n.Items {
			var o *Observation
			if r.observation(&o)(k, item); o != nil {
				*dst = append(*dst, o)
			}
		}
	}
}
