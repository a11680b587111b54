package scope

import (
	"fmt"
	"slices"

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
	settings(set, add)
	return out
}

// settings lists what the root file says of the server as a whole and of its command line.
func settings(set *model.Toolset, add func(key string, words ...string)) {
	if slices.ContainsFunc(set.Tools, func(t *model.Tool) bool { return t.OutputUnlisted }) {
		add("list_output_schemas", "false")
	}
	for _, s := range set.Scenarios {
		if len(set.Scenarios) == 1 && len(s.Facts) == 0 {
			break // every manifest has it
		}
		words := []string{s.Name}
		for _, f := range s.Facts {
			words = append(words, f.Name)
		}
		add("scenarios", words...)
	}
	for key, words := range map[string][]string{"initialisms": set.Initialisms, "providers": set.Providers} {
		if len(words) > 0 {
			add(key, words...)
		}
	}
	if set.Logging {
		add("logging", "true")
	}
	if c := set.CLI; c != nil {
		add("cli", c.Program)
		add("cli", c.Commands...)
		add("cli", c.Flags...)
	}
	if u := set.Upstream; u != nil {
		add("upstream", u.Command...)
		add("upstream", u.Environment...)
		add("upstream", u.URL, fmt.Sprint(u.Headers))
	}
	if s := set.Server; s != nil {
		add("server", s.Name, s.Title, s.Description, s.Program, s.Repository, s.Website, s.License, s.Author, s.NPM)
		add("server", s.Keywords...)
		add("server", fmt.Sprint(s.Environment))
	}
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
		if v.Example != "" || v.Save || v.Watch {
			out = append(out, v.Example, fmt.Sprint(v.Save, v.Watch))
		}
		for _, p := range v.Flags {
			out = append(out, "--"+p.Name)
			if p.Value != nil {
				out = append(out, p.Property.Name+"="+encode(p.Value))
			}
		}
	}
	return out
}
