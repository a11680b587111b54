package model

import (
	"go/token"
	"regexp"
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// The languages of typed clients.
const (
	Go         Language = "go"
	TypeScript Language = "typescript"
	Python     Language = "python"
)

// Language is a programming language that clients can be generated in.
type Language string

// Languages lists the languages of clients.
func Languages() []Language { return []Language{Go, TypeScript, Python} }

func languageNames() []string {
	var out []string
	for _, l := range Languages() {
		out = append(out, string(l))
	}
	return out
}

// Client is a typed client of the tools in one language.
type Client struct {
	Language Language
	Package  string   // as the language's package manager and imports write it
	Pos      diag.Pos // of the package's name
}

var (
	goPackage     = regexp.MustCompile(`^[a-z][a-z0-9]*$`)
	pythonPackage = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

// ClientPackage reports whether a language takes a text as the name of a package; where it does not,
// hint says which names it takes.
func ClientPackage(l Language, name string) (ok bool, hint string) {
	switch l {
	case Go:
		return goPackage.MatchString(name) && !token.IsKeyword(name) && name != "main", "a package of Go is small letters and digits, and no keyword"
	case Python:
		return pythonPackage.MatchString(name) && !slices.Contains(PythonKeywords(), name),
			"a package of Python is small letters, digits and underscores, and no keyword"
	}
	return npmName.MatchString(name), "write the name as npm does: weather-client or @someone/weather-client"
}

// PythonKeywords lists the words that no name in Python is.
func PythonKeywords() []string {
	return []string{"False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif", "else", "except",
		"finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield"}
}

// clients resolves the section clients.
func (r *resolver) clients(in []spec.Client) {
	for _, c := range in {
		language := Language(c.Language.Value)
		if !slices.Contains(Languages(), language) {
			r.unknown(c.Language, ruleBadClient, "language", languageNames())
			continue
		}
		if ok, hint := ClientPackage(language, c.Package.Value); c.Package.Set() && !ok {
			r.errorf(c.Package.Pos, ruleBadClient, "%q is no name for a package in %s", c.Package.Value, language).Hint = hint
		}
		r.set.Clients = append(r.set.Clients, &Client{language, c.Package.Value, c.Package.Pos})
	}
}

// clientRules are about the section clients.
func clientRules() []diag.Rule[*spec.Tree] {
	return []diag.Rule[*spec.Tree]{
		{ID: ruleBadClient, Doc: "An entry under clients names a language that toolgen has no client for, or a package that the language cannot call so."},
	}
}
