// Package python emits a typed client in Python: one module, annotated, without dependencies.
//
// The client takes any session that calls tools as the one of the official SDK does. python is pure:
// model in, files out. It must not know the server's code.
package python

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

//go:embed init.py.tmpl
var module string

// emitter renders one client.
type emitter struct{ set *model.Toolset }

// Emit renders the files of a package, with paths relative to its directory.
func Emit(set *model.Toolset, _ string) ([]output.File, error) {
	e := emitter{set}
	header := client.Header(set, "#")
	t, err := template.New("__init__.py").Parse(module)
	if err != nil {
		return nil, fmt.Errorf("render the client in Python: %w", err)
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Header": header, "Class": client.ClassName(set), "Program": set.Program(), "Typed": client.HasOutput(set),
		"Types": e.declarations(), "Refusals": e.refusals(), "Methods": e.methods(),
	})
	if err != nil {
		return nil, fmt.Errorf("render the client in Python: %w", err)
	}
	return []output.File{
		{Path: "__init__.py", Data: append(bytes.TrimRight(b.Bytes(), "\n"), '\n')},
		{Path: "py.typed", Data: []byte(header + "\n")}, // type checkers read the annotations of packages that have it
	}, nil
}

// comment writes a text as a comment, wrapped; nothing for an empty text.
func comment(b *strings.Builder, indent, text string) {
	if text == "" {
		return
	}
	for _, line := range golit.Wrap(text) {
		b.WriteString(indent + "# " + line + "\n")
	}
}

// docstring writes paragraphs as the documentation of a class or a method.
func docstring(b *strings.Builder, indent string, paragraphs ...string) {
	escape := strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`)
	b.WriteString(indent + `"""`)
	first := true
	for _, p := range paragraphs {
		if p == "" {
			continue
		}
		for i, line := range golit.Wrap(escape.Replace(p)) {
			switch {
			case first:
				first = false
			case i == 0:
				b.WriteString("\n\n" + indent)
			default:
				b.WriteString("\n" + indent)
			}
			b.WriteString(line)
		}
	}
	b.WriteString("\n" + indent + `"""` + "\n")
}
