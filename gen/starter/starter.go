// Package starter holds the first files of a module that toolgen compiles: a server with one tool, its
// test, a Makefile and a README.
//
// It fills in templates. It must not know where the files go, how a module requires the compiler, or
// what the compiler makes of the manifest.
package starter

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/output"
)

//go:embed files
var templates embed.FS

// suffix ends the name of every template, so that the go command takes none for a source.
const suffix = ".tmpl"

// Module is the Go module that the files are for.
type Module struct {
	Path string // import path, as in go.mod
	CLI  bool   // each tool is a command of the program, which then links a command-line library
}

// programPattern matches the names that a program may have: a name is a file, a JSON text and the stem of
// an environment variable.
var programPattern = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// major is the last element of an import path that has a major version.
var major = regexp.MustCompile(`/v[0-9]+$`)

// Program returns the last element of the module's path, which the server is called by.
func (m Module) Program() string {
	path := major.ReplaceAllString(m.Path, "")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// variable is the program's name as the stem of an environment variable.
func (m Module) variable() string {
	return strings.ToUpper(strings.ReplaceAll(m.Program(), "-", "_"))
}

// Check reports an import path that no program can be named after.
func (m Module) Check() error {
	if !programPattern.MatchString(m.Program()) {
		return fmt.Errorf("module %q: the server is called by the last element of the path, and %q is no name for one; use lower-case letters, digits, - and _, as in example.com/hello",
			m.Path, m.Program())
	}
	return nil
}

// Files returns the files, named relative to the root of the module. The module must pass Check.
func Files(m Module) ([]output.File, error) {
	values := struct {
		Module, Program, Variable string
		CLI                       bool
	}{m.Path, m.Program(), m.variable(), m.CLI}
	var out []output.File
	err := fs.WalkDir(templates, "files", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || name == otherMain(m.CLI) {
			return err
		}
		t, err := template.ParseFS(templates, name)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		if err := t.Execute(&b, values); err != nil {
			return err
		}
		out = append(out, output.File{Path: target(name), Data: b.Bytes()})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("fill in the first files: %w", err)
	}
	return out, nil
}

// otherMain is the template of the program that is not chosen: with a command line, or without.
func otherMain(cli bool) string {
	if cli {
		return "files/main.go" + suffix
	}
	return "files/main_cli.go" + suffix
}

// target is the name of the file that a template becomes. Embedding leaves out names that begin with a
// period.
func target(template string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(template, "files/"), suffix)
	switch name {
	case "gitignore":
		return ".gitignore"
	case "main_cli.go":
		return "main.go"
	}
	return name
}
