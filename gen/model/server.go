package model

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// Server describes the server to registries, package managers and plugins of clients.
type Server struct {
	Name        string // io.github.someone/weather
	Title       string
	Description string
	Program     string // name of the executable
	Repository  string // URL; "" when not given, as the texts below
	Website     string
	License     string
	Author      string
	NPM         string // package that starts the server
	Keywords    []string
	Environment []Variable
	Skill       *Skill // nil when the manifest says only the verbs
}

// Skill is how an agent works with the command line.
type Skill struct {
	When     string
	Sections []SkillSection
	Pos      diag.Pos
}

// SkillSection is a heading with a text in markdown and command lines.
type SkillSection struct {
	Title, Text spec.Text
	Commands    []spec.Text
}

// Variable is an environment variable that the server reads.
type Variable struct {
	Name, Description string
	Secret, Required  bool
}

// maxServerDescription is the most characters that the registry of the protocol takes.
const maxServerDescription = 100

var (
	serverName   = regexp.MustCompile(`^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$`)
	programName  = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)
	npmName      = regexp.MustCompile(`^(@[a-z0-9-~][a-z0-9-._~]*/)?[a-z0-9-~][a-z0-9-._~]*$`)
	variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
)

// settings resolves the sections of the root file about the server as a whole.
type settings struct{ *resolver }

// server resolves the section server.
func (r settings) server(in *spec.Server) {
	if in == nil {
		return
	}
	s := &Server{
		Name: in.Name.Value, Title: in.Title.Value, Description: in.Description.Value, Program: in.Program.Value, Repository: in.Repository.Value,
		Website: in.Website.Value, License: in.License.Value, Author: in.Author.Value, NPM: in.NPM.Value,
	}
	r.set.Server = s
	r.serverText(in.Name, serverName, `a registry knows the server as NAMESPACE/NAME with the reverse of a domain, as in io.github.someone/weather`)
	r.serverText(in.NPM, npmName, "write the name as npm does: callsheet or @someone/callsheet")
	r.serverText(in.Program, programName, "use small letters, digits, - and _")
	for _, t := range []spec.Text{in.Title, in.Description, in.Author} {
		r.notEmpty(t, "a text")
	}
	if n := utf8.RuneCountInString(s.Description); n > maxServerDescription {
		r.errorf(in.Description.Pos, ruleBadServer, "the description has %d characters, and registries take %d", n, maxServerDescription).Hint =
			"say the rest in the documentation"
	}
	r.serverURL(in.Repository)
	r.serverURL(in.Website)
	for _, k := range in.Keywords {
		s.Keywords = append(s.Keywords, k.Value)
	}
	for _, v := range in.Environment {
		r.serverText(v.Name, variableName, "use letters, digits and underscores")
		r.notEmpty(v.Description, "a description")
		s.Environment = append(s.Environment, Variable{v.Name.Value, v.Description.Value, v.Secret.Value, v.Required.Value})
	}
	if s.Program == "" {
		s.Program = r.program(in)
	}
	s.Skill = r.skill(in.Skill, s.Program)
}

// skill resolves how work is done with the command line. Its commands are parsed with those of
// documents.
func (r settings) skill(in *spec.Skill, program string) *Skill {
	if in == nil {
		return nil
	}
	if r.set.CLI == nil {
		r.errorf(in.Pos, ruleBadServer, "the root file has no cli, so there is no command line for a skill").Hint = `write "cli: {program: …}" there`
	}
	r.notEmpty(in.When, "when")
	for _, s := range in.Sections {
		r.notEmpty(s.Title, "a title")
		for _, c := range s.Commands {
			if !strings.HasPrefix(c.Value, program+" ") {
				r.errorf(c.Pos, ruleBadServer, "a command of the skill begins with %q", program).Hint = "say other things in text"
			}
		}
	}
	out := &Skill{When: in.When.Value, Pos: in.Pos}
	for _, s := range in.Sections {
		out.Sections = append(out.Sections, SkillSection(s))
	}
	return out
}

// program returns the name of the executable where server does not state one: that of the command line, or
// the last part of the server's name.
func (r settings) program(in *spec.Server) string {
	if r.set.CLI != nil {
		return r.set.CLI.Program
	}
	_, name, _ := strings.Cut(in.Name.Value, "/")
	if !programName.MatchString(name) && serverName.MatchString(in.Name.Value) {
		r.errorf(in.Pos, ruleBadServer, "the program has no name: %q is none for an executable", name).Hint = "add program: NAME"
	}
	return name
}

func (r settings) serverText(t spec.Text, form *regexp.Regexp, hint string) {
	if t.Set() && !form.MatchString(t.Value) {
		r.errorf(t.Pos, ruleBadServer, "%q has not the form that this name has", t.Value).Hint = hint
	}
}

func (r settings) serverURL(t spec.Text) {
	if !t.Set() {
		return
	}
	if u, err := url.Parse(t.Value); err != nil || u.Scheme != "https" || u.Host == "" {
		r.errorf(t.Pos, ruleBadServer, "%q is no https address", t.Value).Hint = "write it as https://…"
	}
}

// serverRules are about the section server.
func serverRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: ruleBadServer, Doc: "A text under server is none that registries, package managers and clients take: its name is NAMESPACE/NAME, its description has " +
			"at most 100 characters, addresses are https, commands of its skill begin with the program, and names of programs, packages and variables have the form that each system asks for."},
	}
}
