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
		s := &Server{Pos: m.key.Pos}
		w.fields(m.value, "server", m.key.Pos,
			field{"name", true, w.intoText(&s.Name)},
			field{"title", true, w.intoText(&s.Title)},
			field{"description", true, w.intoText(&s.Description)},
			field{"program", false, w.intoText(&s.Program)},
			field{"repository", false, w.intoText(&s.Repository)},
			field{"website", false, w.intoText(&s.Website)},
			field{"license", false, w.intoText(&s.License)},
			field{"author", true, w.intoText(&s.Author)},
			field{"npm", false, w.intoText(&s.NPM)},
			field{"skill", false, w.skill(&s.Skill)},
			field{"keywords", false, w.intoTexts(&s.Keywords)},
			field{"environment", false, w.environment(&s.Environment)})
		*dst = s
	}
}

func (w rootWalker) skill(dst **Skill) func(member) {
	return func(m member) {
		s := &Skill{Pos: m.key.Pos}
		w.fields(m.value, "skill", m.key.Pos,
			field{"when", true, w.intoText(&s.When)},
			field{"sections", true, w.skillSections(&s.Sections)})
		*dst = s
	}
}

func (w rootWalker) skillSections(dst *[]SkillSection) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of sections")
		for _, n := range items {
			var s SkillSection
			w.fields(n, "a section", w.pos(n),
				field{"title", true, w.intoText(&s.Title)},
				field{"text", false, w.intoText(&s.Text)},
				field{"commands", false, w.intoTexts(&s.Commands)})
			*dst = append(*dst, s)
		}
	}
}

func (w rootWalker) environment(dst *[]Variable) func(member) {
	return w.each(func(m member) {
		v := Variable{Name: m.key}
		w.fields(m.value, "variable "+quoted(m.key), m.key.Pos,
			field{"description", true, w.intoText(&v.Description)},
			field{"secret", false, w.intoBool(&v.Secret)},
			field{"required", false, w.intoBool(&v.Required)})
		*dst = append(*dst, v)
	})
}
