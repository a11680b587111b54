package reference

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/invopop/jsonschema"
)

//go:embed examples
var modules embed.FS

// maxLines is how long an example may be before it is cut.
const maxLines = 8

// readExamples returns an example of each key: the first of the modules, as it is written there.
func readExamples() (map[string]string, error) {
	out := map[string]string{}
	err := eachFile(func(_ string, f file, data []byte) error {
		return eachMember(f, data, func(object string, m *ast.MappingValueNode, flow bool) {
			at := object + "." + m.Key.GetToken().Value
			if _, ok := out[at]; !ok {
				out[at] = excerpt(strings.Split(string(data), "\n"), m, flow)
			}
		})
	})
	return out, err
}

// eachFile visits the files of the modules that the page describes.
func eachFile(visit func(name string, f file, data []byte) error) error {
	known := files()
	return fs.WalkDir(modules, "examples", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || path.Ext(name) != ".yaml" {
			return err
		}
		of := known[0] // an included file
		for _, f := range known {
			if path.Base(name) == f.name {
				of = f
			}
		}
		data, err := modules.ReadFile(name)
		if err == nil {
			err = visit(name, of, data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

// eachMember visits the members of a file's mappings with known keys, with the name of the object.
// Flow says that the mapping is written in braces.
func eachMember(f file, data []byte, visit func(object string, m *ast.MappingValueNode, flow bool)) error {
	parsed, err := parser.ParseBytes(data, 0)
	if err != nil {
		return err
	}
	w := walk{f, visit}
	for _, d := range parsed.Docs {
		w.node(d.Body, f.root, rootName(f.name))
	}
	return nil
}

type walk struct {
	file  file
	visit func(object string, m *ast.MappingValueNode, flow bool)
}

// node visits a value by its schema.
func (w walk) node(n ast.Node, s *jsonschema.Schema, name string) {
	if ref, ok := strings.CutPrefix(s.Ref, "#/$defs/"); ok {
		s, name = w.file.root.Definitions[ref], ref
	}
	if s.Properties == nil {
		for _, form := range s.AnyOf {
			w.node(n, form, form.Title)
		}
	}
	switch n := n.(type) {
	case *ast.SequenceNode:
		for _, item := range n.Values {
			if s.Items != nil {
				w.node(item, s.Items, s.Items.Title)
			}
		}
	case *ast.MappingNode:
		for _, m := range n.Values {
			w.member(m, s, name, n.IsFlowStyle)
		}
	case *ast.MappingValueNode:
		w.member(n, s, name, false)
	}
}

func (w walk) member(m *ast.MappingValueNode, s *jsonschema.Schema, name string, flow bool) {
	if s.Properties == nil {
		if values := s.AdditionalProperties; values != nil {
			w.node(m.Value, values, values.Title)
		}
		return
	}
	if p, ok := s.Properties.Get(m.Key.GetToken().Value); ok {
		w.visit(name, m, flow)
		w.node(m.Value, p, p.Title)
	}
}

// excerpt is a member as it is written, moved to the left, without the lines that are too many.
func excerpt(lines []string, m *ast.MappingValueNode, flow bool) string {
	if flow {
		return strings.TrimSpace(m.String())
	}
	at := m.Key.GetToken().Position
	indent := strings.Repeat(" ", at.Column-1)
	out := []string{lines[at.Line-1][at.Column-1:]}
	for _, line := range lines[at.Line:] {
		if !strings.HasPrefix(line, indent+" ") && strings.TrimSpace(line) != "" {
			break
		}
		out = append(out, strings.TrimPrefix(line, indent))
	}
	text := strings.TrimRight(strings.Join(out, "\n"), "\n ")
	if out = strings.Split(text, "\n"); len(out) > maxLines {
		out = append(out[:maxLines:maxLines], "# …")
	}
	return strings.Join(out, "\n")
}
