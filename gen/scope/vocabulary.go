package scope

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/model"
)

// vocabulary lists what the root file says of all tools at once, by the key that says it: each list of words is hashed.
func vocabulary(set *model.Toolset) map[string][][]string {
	out := map[string][][]string{}
	add := func(key string, words ...string) { out[key] = append(out[key], words) }
	for _, s := range set.Surfaces {
		add("surfaces", s.Name, s.Description, s.Flag)
	}
	for _, c := range set.Capabilities {
		add("capabilities", c.Name, c.Title, c.Description, fmt.Sprint(c.OptIn))
	}
	if t := set.Traits; t != nil {
		for _, r := range t.Roles {
			add("traits", append([]string{r.Name, r.Description, r.Form}, r.Names...)...)
		}
		for _, values := range [][]*model.TraitValue{t.Shows, t.Record, t.Replay} {
			for _, v := range values {
				add("traits", v.Name, v.Description)
			}
			add("traits")
		}
	}
	for _, r := range set.Refused {
		add("not", r.Name, r.Reason)
	}
	for _, p := range set.Profiles {
		words := []string{p.Name}
		for _, s := range p.Exclude {
			words = append(words, s.Name)
		}
		add("profiles", words...)
	}
	if set.ListBytes+set.DefaultListBytes > 0 {
		add("list_bytes", fmt.Sprint(set.ListBytes), fmt.Sprint(set.DefaultListBytes))
	}
	for _, t := range set.Types {
		add("types", t.Name, t.Description)
		for _, part := range t.Type.Parts() {
			out["types"] = append(out["types"], describedIn(part.Path, part.Object)...)
		}
	}
	return out
}

// verbWords lists how the command line calls a tool, without what follows from its parameters and texts.
func verbWords(t *model.Tool) []string {
	var out []string
	for _, v := range t.Verbs {
		out = append(out, v.Name)
		if v.Description != t.Description {
			out = append(out, v.Description)
		}
		for _, p := range v.Args {
			out = append(out, p.Name)
		}
		for _, p := range v.Fixed {
			out = append(out, p.Name+"="+encode(p.Value))
		}
	}
	return out
}
