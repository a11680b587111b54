// Package join makes few files of the many that a manifest compiles to: one Go file for each package and build constraint, one
// page of documentation, and one file with the schemas and the lists.
//
// It is pure: files in, files out. It must not know what the manifest declares.
package join

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/output"
)

// The joined files that are not Go.
const (
	pageFile    = "docs.md"
	surfaceFile = "surface.json"
)

// Files joins the files. Those of other kinds stay as they are.
func Files(files []output.File) ([]output.File, error) {
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b output.File) int { return strings.Compare(a.Path, b.Path) })
	var out, pages []output.File
	surface := map[string]map[string]json.RawMessage{}
	code := map[string][]output.File{}
	var packages []string
	for _, f := range files {
		dir := path.Dir(f.Path)
		switch {
		case path.Ext(f.Path) == ".go":
			key := dir + "\n" + constraint(f.Data)
			if code[key] == nil {
				packages = append(packages, key)
			}
			code[key] = append(code[key], f)
		case dir == "docs" && path.Ext(f.Path) == ".md":
			pages = append(pages, f)
		case path.Ext(f.Path) == ".json" && (dir == "schema" || dir == "snapshot"):
			if surface[dir] == nil {
				surface[dir] = map[string]json.RawMessage{}
			}
			surface[dir][strings.TrimSuffix(path.Base(f.Path), ".json")] = f.Data
		default:
			out = append(out, f)
		}
	}
	for _, key := range packages {
		joined, err := joinGo(code[key])
		if err != nil {
			return nil, err
		}
		out = append(out, joined)
	}
	if len(pages) > 0 {
		out = append(out, joinPages(pages))
	}
	if len(surface) > 0 {
		text, err := json.MarshalIndent(surface, "", "  ")
		if err != nil {
			return nil, fmt.Errorf("join schemas and lists: %w", err)
		}
		out = append(out, output.File{Path: surfaceFile, Data: append(text, '\n')})
	}
	return out, nil
}

var buildLine = regexp.MustCompile(`(?m)^//go:build .*$`)

// constraint is the line of a Go file that says when it is built; "" for always.
func constraint(code []byte) string { return string(buildLine.Find(code)) }

// joinGo joins the files of one package and constraint. The first, or the one that is called like its directory, keeps its name
// and its comment.
func joinGo(files []output.File) (output.File, error) {
	main := max(slices.IndexFunc(files, func(f output.File) bool {
		return strings.TrimSuffix(path.Base(f.Path), ".go") == path.Base(path.Dir(f.Path))
	}), 0)
	if len(files) == 1 {
		return files[0], nil
	}
	var head []byte
	var bodies bytes.Buffer
	imports := map[string]bool{}
	for i, f := range files {
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, f.Path, f.Data, parser.ParseComments|parser.ImportsOnly)
		if err != nil {
			return output.File{}, fmt.Errorf("join generated code: %w", err)
		}
		at := func(p token.Pos) int { return fset.Position(p).Offset }
		end := at(file.Name.End())
		if i == main {
			head = f.Data[:end]
		}
		for _, s := range file.Imports {
			imports[string(f.Data[at(s.Pos()):at(s.End())])] = true
		}
		if n := len(file.Decls); n > 0 {
			end = at(file.Decls[n-1].End())
		}
		bodies.Write(f.Data[end:])
	}
	var std, others []string
	for line := range imports {
		if first, _, _ := strings.Cut(line, "/"); strings.Contains(first, ".") {
			others = append(others, line)
		} else {
			std = append(std, line)
		}
	}
	slices.Sort(std)
	slices.Sort(others)
	text := string(head) + "\n"
	if len(imports) > 0 {
		text += "\nimport (\n" + strings.Join(std, "\n") + "\n\n" + strings.Join(others, "\n") + "\n)\n"
	}
	data, err := format.Source([]byte(text + bodies.String()))
	if err != nil {
		return output.File{}, fmt.Errorf("join generated code: %w", err)
	}
	return output.File{Path: files[main].Path, Data: data}, nil
}

var (
	pageLink = regexp.MustCompile(`\]\(([A-Z]+)\.md(#[^)]*)?\)`)
	fileLink = regexp.MustCompile(`\]\(\.\./(?:schema|snapshot)/[^)]*\)`)
	title    = regexp.MustCompile(`(?m)^# (.+)$`)
)

// joinPages joins pages of Markdown, and leads the links between them to their headings.
func joinPages(pages []output.File) output.File {
	headings := map[string]string{}
	for _, f := range pages {
		if m := title.FindSubmatch(f.Data); m != nil {
			headings[strings.TrimSuffix(path.Base(f.Path), ".md")] = "#" + strings.ReplaceAll(strings.ToLower(string(m[1])), " ", "-")
		}
	}
	var out bytes.Buffer
	for i, f := range pages {
		text := string(f.Data)
		if _, rest, ok := strings.Cut(text, "\n"); ok && i > 0 { // each begins with the same comment
			text = "\n" + rest
		}
		text = fileLink.ReplaceAllString(text, "]("+surfaceFile+")")
		out.WriteString(pageLink.ReplaceAllStringFunc(text, func(link string) string {
			m := pageLink.FindStringSubmatch(link)
			if m[2] != "" {
				return "](" + m[2] + ")"
			}
			return "](" + headings[m[1]] + ")"
		}))
	}
	return output.File{Path: pageFile, Data: out.Bytes()}
}
