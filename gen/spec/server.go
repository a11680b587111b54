package spec

import "github.com/callsheet/callsheet/gen/diag"

// Server is the section server of the root file. It describes the server to registries, package
// managers and plugins of clients.
type Server struct {
	Name        Text // io.github.someone/weather
	Title       Text
	Description Text
	Program     Text // name of the executable; not set: that of cli
	Repository  Text
	Website     Text
	License     Text
	Author      Text
	NPM         Text // package that starts the server; not set: there is none
	Keywords    []Text
	Environment []Variable
	Skill       *Skill // nil when not written
	Pos         diag.Pos
}

// Skill is how work is done with the command line: what SKILL.md says beside the verbs.
type Skill struct {
	When     Text
	Sections []SkillSection
	Pos      diag.Pos
}

// SkillSection is a heading with a text and command lines.
type SkillSection struct {
	Title, Text Text
	Commands    []Text
}

// Variable is an environment variable that the server reads.
type Variable struct {
	Name, Description Text
	Secret, Required  Scalar[bool]
}

func (w rootWalker) server(dst **Server) func(member) {
	return func(m member) {
		s := &Server{Pos: m.Key.Pos}
		w.Fields(m.Value, "server", m.Key.Pos,
			required("name", w.IntoText(&s.Name)),
			required("title", w.IntoText(&s.Title)),
			required("description", w.IntoText(&s.Description)),
			optional("program", w.IntoText(&s.Program)),
			optional("repository", w.IntoText(&s.Repository)),
			optional("website", w.IntoText(&s.Website)),
			optional("license", w.IntoText(&s.License)),
			required("author", w.IntoText(&s.Author)),
			optional("npm", w.IntoText(&s.NPM)),
			optional("skill", w.skill(&s.Skill)),
			optional("keywords", w.IntoTexts(&s.Keywords)),
			optional("environment", w.environment(&s.Environment)))
		*dst = s
	}
}

func (w rootWalker) skill(dst **Skill) func(member) {
	return func(m member) {
		s := &Skill{Pos: m.Key.Pos}
		w.Fields(m.Value, "skill", m.Key.Pos,
			required("when", w.IntoText(&s.When)),
			required("sections", w.skillSections(&s.Sections)))
		*dst = s
	}
}

func (w rootWalker) skillSections(dst *[]SkillSection) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list of sections")
		for _, n := range items {
			var s SkillSection
			w.Fields(n, "a section", w.Pos(n),
				required("title", w.IntoText(&s.Title)),
				optional("text", w.IntoText(&s.Text)),
				optional("commands", w.IntoTexts(&s.Commands)))
			*dst = append(*dst, s)
		}
	}
}

func (w rootWalker) environment(dst *[]Variable) func(member) {
	return w.Each(func(m member) {
		v := Variable{Name: m.Key}
		w.Fields(m.Value, "variable "+quoted(m.Key), m.Key.Pos,
			required("description", w.IntoText(&v.Description)),
			optional("secret", w.IntoBool(&v.Secret)),
			optional("required", w.IntoBool(&v.Required)))
		*dst = append(*dst, v)
	})
}
