package source

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/param"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/generated/toolset"
)

// mention is a text of a tool that may hold placeholders. at is where a placeholder of it stands.
type mention struct {
	text   string
	at     func(p Placeholder) diag.Pos
	always bool // a parameter without a value is a mistake; else the step is left out
}

// mentions lists every text of a tool that may hold placeholders.
func (t *Tool) mentions() []mention {
	var out []mention
	text := func(in spec.Text, always bool) {
		if in.Set() {
			out = append(out, mention{in.Value, func(p Placeholder) diag.Pos { return in.At(p.At, p.Len) }, always})
		}
	}
	node := func(n *yamltree.Node, always bool) {
		visitTexts(n, func(in spec.Text) { text(in, always) })
	}
	text(t.Start, true)
	for i := range t.Steps {
		s := &t.Steps[i]
		text(s.Order, false)
		node(s.args, false)
		s.Request.mentionsOf(text, node)
		node(s.expect, false)
		for _, e := range s.Targets {
			e.visit(func(in spec.Text) { text(in, false) })
		}
		s.When.visit(func(in spec.Text) { text(in, false) })
	}
	node(t.postcondition, true)
	visitExtract(t.Extract, func(in spec.Text) { text(in, true) })
	return out
}

func visitTexts(n *yamltree.Node, visit func(spec.Text)) {
	if n == nil {
		return
	}
	if n.Kind == spec.StringLiteral {
		visit(n.Text)
	}
	for _, m := range n.Members {
		visitTexts(m.Value, visit)
	}
	for _, item := range n.Items {
		visitTexts(item, visit)
	}
}

func (e *Element) visit(visit func(spec.Text)) {
	if e == nil {
		return
	}
	for _, t := range e.Texts {
		visit(t)
	}
	e.Within.visit(visit)
}

func (o *Observation) visit(visit func(spec.Text)) {
	if o == nil {
		return
	}
	o.Element.visit(visit)
	if o.URL.Set() {
		visit(o.URL)
	}
	o.Not.visit(visit)
	for _, x := range slices.Concat(o.All, o.Any) {
		x.visit(visit)
	}
}

func visitExtract(in []Extraction, visit func(spec.Text)) {
	for _, x := range in {
		x.Element.visit(visit)
		visitExtract(x.Members, visit)
	}
}

func (s *Site) parameters(t *Tool) []*param.Property {
	return slices.Concat(t.Input.Properties, s.Parameters.Properties)
}

func (s *Site) isSecret(name string) bool {
	return slices.ContainsFunc(s.Secrets, func(t spec.Text) bool { return t.Value == name })
}

func find(list []*param.Property, name string) *param.Property {
	for _, p := range list {
		if p.Name == name {
			return p
		}
	}
	return nil
}

func checkPlaceholders(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		known := in.Site.parameters(t)
		names := slicesx.Map(known, func(p *param.Property) string { return p.Name })
		for _, m := range t.mentions() {
			for _, p := range Placeholders(m.text) {
				if p.Secret || find(known, p.Name) != nil {
					continue
				}
				d := report(m.at(p), "{%s} is no parameter of tool %q", p.Name, t.Entry.Name.Value)
				if in.Site.isSecret(p.Name) {
					d.Hint = "a secret is written {secret:" + p.Name + "}"
				} else if d.Hint = diag.DidYouMean(p.Name, names); d.Hint == "" {
					d.Hint = "declare it under input, or in site.yaml under parameters"
				}
			}
		}
	}
	for _, f := range in.Site.Facts {
		f.Observe.visit(func(text spec.Text) {
			for _, p := range Placeholders(text.Value) {
				if p.Secret || find(in.Site.Parameters.Properties, p.Name) == nil {
					report(text.At(p.At, p.Len), "{%s} is no parameter of the site, and a fact knows no tool", p.Name).Hint =
						"declare it in site.yaml under parameters, or write what the page shows"
				}
			}
		})
	}
}

func checkUnused(in Input, report diag.Report) {
	used := map[string]bool{}
	for _, t := range in.Site.Tools {
		mine := map[string]bool{}
		for _, m := range t.mentions() {
			for _, p := range Placeholders(m.text) {
				mine[p.Name], used[p.Name] = true, true
			}
		}
		for _, p := range t.Input.Properties {
			if !mine[p.Name] {
				report(p.Pos, "no step of tool %q uses parameter %q", t.Entry.Name.Value, p.Name).Hint = "write {" + p.Name + "} where its value belongs, or delete it"
			}
		}
	}
	for _, f := range in.Site.Facts {
		f.Observe.visit(func(text spec.Text) {
			for _, p := range Placeholders(text.Value) {
				used[p.Name] = true
			}
		})
	}
	for _, p := range in.Site.Parameters.Properties {
		if !used[p.Name] {
			report(p.Pos, "nothing uses parameter %q of the site", p.Name).Hint = "write {" + p.Name + "} where its value belongs, or delete it"
		}
	}
}

func checkAbsent(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		known := in.Site.parameters(t)
		for _, m := range t.mentions() {
			for _, p := range Placeholders(m.text) {
				x := find(known, p.Name)
				if !m.always || x == nil || x.Required || x.Default != nil {
					continue
				}
				report(m.at(p), "parameter %q may be absent here", p.Name).Hint = "make it required, or give it a default"
			}
		}
	}
	for _, f := range in.Site.Facts {
		f.Observe.visit(func(text spec.Text) {
			for _, p := range Placeholders(text.Value) {
				if x := find(in.Site.Parameters.Properties, p.Name); x != nil && !x.Required && x.Default == nil {
					report(text.At(p.At, p.Len), "parameter %q may be absent here", p.Name).Hint = "make it required, or give it a default"
				}
			}
		})
	}
}

func checkOrigins(in Input, report diag.Report) {
	s := in.Site
	ours := func(address string) bool {
		u, err := url.Parse(address)
		return err == nil && slices.ContainsFunc(s.Origins, func(o spec.Text) bool { return o.Value == u.Scheme+"://"+u.Host })
	}
	check := func(t spec.Text, what string) {
		switch {
		case !t.Set() || strings.HasPrefix(t.Value, "/") && !strings.HasPrefix(t.Value, "//"):
		case strings.HasPrefix(t.Value, "{"):
			report(t.Pos, "%s %q lets a caller choose the origin", what, t.Value).Hint = "begin with / or with an origin of the site"
		case !strings.Contains(t.Value, "://"):
			report(t.Pos, "%s %q is neither a path nor an address", what, t.Value).Hint = "write /" + strings.TrimPrefix(t.Value, "/")
		case !ours(t.Value):
			report(t.Pos, "%s %q is at none of the site's origins", what, t.Value).Hint = "add its origin under origins in site.yaml"
		}
	}
	for _, t := range s.Tools {
		check(t.Start, "start")
		checkRequestOrigin(t, report, check)
		for i := range t.Steps {
			if st := &t.Steps[i]; st.args != nil && in.isAddress(st.Tool, "/url") {
				if n := st.args.Member("url"); n != nil && n.Kind == spec.StringLiteral {
					check(n.Text, "the address")
				}
			} else if st.Order.Set() && toolset.TraitsOf(st.Tool).Replay == toolset.ReplayNavigate {
				var args struct{ URL string }
				_ = json.Unmarshal(st.Args, &args) // made by order
				check(spec.Text{Value: args.URL, Pos: st.Pos}, "the address")
			}
		}
	}
	for _, f := range s.Facts {
		f.Observe.visit(func(text spec.Text) {
			if strings.Contains(text.Value, "://") && strings.Index(text.Value, "://") < 8 {
				check(text, "the address")
			}
		})
	}
}

func checkSecrets(in Input, report diag.Report) {
	for _, t := range in.Site.Tools {
		for _, m := range t.mentions() {
			for _, p := range Placeholders(m.text) {
				if p.Secret && !in.Site.isSecret(p.Name) {
					names := slicesx.Map(in.Site.Secrets, func(s spec.Text) string { return s.Value })
					d := report(m.at(p), "secret %q is not declared", p.Name)
					if d.Hint = diag.DidYouMean(p.Name, names); d.Hint == "" {
						d.Hint = "add it in site.yaml: secrets: [" + p.Name + "]"
					}
				}
			}
		}
		for i := range t.Steps {
			in.checkTyped(t, &t.Steps[i], report)
		}
	}
}

// checkTyped reports a text that is typed into a password field and is no secret.
func (in Input) checkTyped(t *Tool, s *Step, report diag.Report) {
	var args struct {
		Query, Value, Text string
	}
	if json.Unmarshal(s.Args, &args) != nil {
		return // of another form, which the schema reports
	}
	secretField := namesPassword(args.Query)
	for _, e := range s.Targets {
		secretField = secretField || e.Identity.Kind == "password" || namesPassword(e.Identity.Name)
	}
	value := cmp.Or(args.Value, args.Text)
	if !secretField || value == "" {
		return
	}
	at := s.Pos
	if s.args != nil {
		at = nodeAt(s.args, "/value").Pos
	}
	known := Placeholders(value)
	switch {
	case len(known) == 0:
		report(at, "step %d of tool %q has a password in the source", s.Number, t.Entry.Name.Value).Hint =
			"declare a secret in site.yaml, and write {secret:NAME}"
	case !known[0].Secret:
		report(at, "step %d of tool %q types parameter %q into a field of a password, where a model would see it", s.Number, t.Entry.Name.Value, known[0].Name).Hint =
			"declare a secret in site.yaml, and write {secret:NAME}"
	}
}

func namesPassword(text string) bool {
	low := strings.ToLower(text)
	return strings.Contains(low, "password") || strings.Contains(low, "passphrase")
}
