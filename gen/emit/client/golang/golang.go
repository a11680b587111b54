// Package golang emits a typed client in Go.
//
// The client is one package that imports the standard library and the official SDK. Parameters that a
// call must have are arguments of a method, so that a call without one does not compile; the others
// are fields of a struct. golang is pure: model in, files out. It must not know the server's code.
package golang

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"strings"
	"text/template"

	"github.com/callsheet/callsheet/gen/emit/client"
	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
)

//go:embed client.go.tmpl
var runtime string

// emitter renders one client.
type emitter struct {
	set *model.Toolset
	pkg string
}

// Emit renders the files of a package, with paths relative to its directory.
func Emit(set *model.Toolset, pkg string) ([]output.File, error) {
	e := emitter{set, pkg}
	head, err := e.runtime()
	if err != nil {
		return nil, fmt.Errorf("render the client in Go: %w", err)
	}
	sources := []struct{ name, text string }{{"client.go", head}, {"refusals.go", e.refusals()}}
	if len(set.Types) > 0 {
		sources = append(sources, struct{ name, text string }{"types.go", e.declarations(client.Shared(set))})
	}
	for _, a := range set.Areas {
		var b strings.Builder
		for _, t := range a.Tools {
			e.tool(&b, t)
		}
		sources = append(sources, struct{ name, text string }{a.Name + "_tools.go", b.String()})
	}
	var out []output.File
	for _, s := range sources {
		if s.name != "client.go" {
			s.text = e.file(s.text)
		}
		data, err := format.Source([]byte(s.text))
		if err != nil {
			return nil, fmt.Errorf("format %s of the client in Go: %w", s.name, err)
		}
		out = append(out, output.File{Path: s.name, Data: data})
	}
	return out, nil
}

// runtime is the file with what all calls share.
func (e emitter) runtime() (string, error) {
	t, err := template.New("client.go").Parse(runtime)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Header": client.Header(e.set, "//"), "Package": e.pkg, "Program": e.set.Program(), "Null": client.HasNull(e.set), "Enums": e.hasEnums(), "Typed": client.HasOutput(e.set),
	})
	return b.String(), err
}

// hasEnums reports whether a declaration of the client is an enum.
func (e emitter) hasEnums() bool {
	for _, n := range client.Declared(e.set) {
		if n.Type != nil && n.Type.EnumGoName != "" {
			return true
		}
	}
	return false
}

// file puts the package clause and the imports that a text uses before it.
func (e emitter) file(text string) string {
	code := withoutComments(text)
	var imports strings.Builder
	for _, i := range []struct{ use, path string }{{"context.Context", "context"}, {"json.", "encoding/json"}, {"errors.New", "errors"}, {"fmt.Errorf", "fmt"}, {"time.Time", "time"}} {
		if strings.Contains(code, i.use) {
			fmt.Fprintf(&imports, "\t%q\n", i.path)
		}
	}
	clause := client.Header(e.set, "//") + "\n\npackage " + e.pkg + "\n\n"
	if imports.Len() > 0 {
		clause += "import (\n" + imports.String() + ")\n\n"
	}
	return clause + text
}

// withoutComments leaves out the lines that are comments.
func withoutComments(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// comment writes a comment, wrapped; nothing for an empty text.
func comment(b *strings.Builder, indent, text string) {
	if text == "" {
		return
	}
	for _, line := range golit.Wrap(text) {
		b.WriteString(indent + "// " + line + "\n")
	}
}
