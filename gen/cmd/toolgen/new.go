package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/spec"
)

const toolkitPath = "github.com/callsheet/callsheet/gen/toolkit"

func (a *app) newTool() *cobra.Command {
	var area string
	var deferred bool
	cmd := &cobra.Command{
		Use:   "new TOOL --area AREA",
		Short: "Append a tool to an area's manifest and begin its handler; of a tool that is there, begin the handler that its entry asks for",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			root, src, err := a.load()
			if err != nil {
				return err
			}
			tree, diags := spec.Parse(src.RootFile(), src.Files)
			if tree == nil || diags.HasErrors() {
				return a.report(diags.Sorted(), src.Line)
			}
			if at, t := findTool(tree, area, args[0]); t != nil && t.Deferred == nil {
				if begun, err := a.beginHandler(root, src, at, t); err != nil || begun {
					return err
				}
			}
			if err := nameIsFree(tree, args[0]); err != nil {
				return err
			}
			if err := beginArea(a, root, src, tree, area); err != nil {
				return err
			}
			if root, src, err = a.load(); err != nil {
				return err
			}
			if tree, _ = spec.Parse(src.RootFile(), src.Files); tree == nil {
				return inputError{fmt.Errorf("%s cannot be read again", src.RootFile())}
			}
			at, err := findArea(tree, area)
			if err != nil {
				return err
			}
			if err := a.appendEntry(root, src, tree, at, entry{args[0], deferred}); err != nil || deferred {
				return inputOr(err)
			}
			_, err = a.beginHandler(root, src, at, &spec.Tool{Name: spec.Text{Value: args[0]}})
			return err
		},
	}
	cmd.Flags().StringVar(&area, "area", "", "the area: the base name of a file under include; one that is new is begun")
	cmd.Flags().BoolVar(&deferred, "deferred", false, "append a tool that is deliberately not there")
	return cmd
}

func findArea(tree *spec.Tree, name string) (spec.Area, error) {
	names := areaNames(tree)
	if i := slices.Index(names, name); i >= 0 {
		return tree.Areas[i], nil
	}
	if name == "" {
		return spec.Area{}, fmt.Errorf("an area is missing: --area is one of %s", strings.Join(names, ", "))
	}
	return spec.Area{}, unknownWord("area", name, names)
}

// findTool finds a tool of an area; nil where the area has none of the name.
func findTool(tree *spec.Tree, area, name string) (spec.Area, *spec.Tool) {
	at, err := findArea(tree, area)
	if i := slices.IndexFunc(at.Tools, func(t *spec.Tool) bool { return t.Name.Value == name }); err == nil && i >= 0 {
		return at, at.Tools[i]
	}
	return spec.Area{}, nil
}

func nameIsFree(tree *spec.Tree, name string) error {
	for _, a := range tree.Areas {
		for _, t := range a.Tools {
			if t.Name.Value == name {
				return fmt.Errorf("tool %q is there already: %s", name, t.Name.Pos)
			}
		}
	}
	if model.GoName(name) == "" {
		return fmt.Errorf("%q is no name for a tool", name)
	}
	return nil
}

// inputOr is an error as one of the input; nil stays nil.
func inputOr(err error) error {
	if err == nil {
		return nil
	}
	return inputError{err}
}

// entry is a new tool of a manifest.
type entry struct {
	name     string
	deferred bool
}

// appendEntry writes the stub at the end of the area's file, indented as its last tool is. What a
// person has to decide is left so that the next run asks for it.
func (a *app) appendEntry(root string, src gen.Source, tree *spec.Tree, area spec.Area, of entry) error {
	name := of.name
	var data []byte
	for _, f := range src.Files {
		if f.Name == area.File {
			data = f.Data
		}
	}
	indent := "  "
	if n := len(area.Tools); n > 0 {
		indent = strings.Repeat(" ", max(area.Tools[n-1].Pos.Col-3, 0))
	}
	scope := ""
	if len(tree.Scopes) > 0 {
		scope = tree.Scopes[0].Name.Value
	}
	words := strings.ReplaceAll(name, "_", " ")
	stub := fmt.Sprintf(`- name: %s
  title: %s
  description: ""
  capability: ""
  scope: %s
  tier: 1
  effects: {}
  visible: always
  surfaces: []
%s  input: {}
`, name, strings.ToUpper(words[:1])+words[1:], scope, traitsStub(tree.Traits))
	if of.deferred {
		stub = fmt.Sprintf("- name: %s\n  scope: %s\n  deferred:\n    reason: \"\"\n    surfaces: []\n", name, scope)
	}
	text := strings.TrimRight(string(data), "\n") + "\n\n" + indent + strings.ReplaceAll(strings.TrimSuffix(stub, "\n"), "\n", "\n"+indent) + "\n"
	if len(area.Tools) == 0 {
		text = strings.Replace(text, "tools: []\n\n", "tools:\n", 1)
	}
	if err := checkAppended(tree.Root, src.Files, spec.File{Name: area.File, Data: []byte(text)}, name); err != nil {
		return err
	}
	if err := output.Replace(filepath.Join(root, filepath.FromSlash(area.File)), []byte(text)); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: appended %s\n", area.File, name)
	return nil
}

// traitsStub is the traits line of a new entry: empty, so that the next run names the traits to
// state.
func traitsStub(declared *spec.Traits) string {
	if declared == nil {
		return ""
	}
	return "  traits: {}\n"
}

// checkAppended makes sure that the edited file reads as before and has the tool: an append suits
// block style only.
func checkAppended(root string, files []spec.File, edited spec.File, name string) error {
	changed := make([]spec.File, len(files))
	for i, f := range files {
		if changed[i] = f; f.Name == edited.Name {
			changed[i] = edited
		}
	}
	tree, diags := spec.Parse(root, changed)
	if tree != nil && !diags.HasErrors() {
		for _, area := range tree.Areas {
			for _, t := range area.Tools {
				if t.Name.Value == name {
					return nil
				}
			}
		}
	}
	return fmt.Errorf("append to %s: its list of tools is not written one entry after the other to the end of the file", edited.Name)
}

// unwritten is the body of a handler that has still to be written.
const unwritten = "TODO // write this handler; until then the package does not compile"

// beginHandler writes a stub that does not compile until someone finishes it, unless the method is
// there already.
func (a *app) beginHandler(root string, src gen.Source, area spec.Area, tool *spec.Tool) (begun bool, err error) {
	name := tool.Name.Value
	layout := src.Layout.OrDefault()
	dir := filepath.Join(root, filepath.FromSlash(layout.Handlers), area.Name.Value)
	method := model.GoName(name)
	pkg, found, err := findMethod(dir, method)
	if err != nil {
		return false, inputError{err}
	}
	file := filepath.Join(dir, name+".go")
	if have, err := os.ReadFile(file); err == nil && bytes.Contains(have, []byte(unwritten)) {
		found = false // it may have another result now
	} else if err == nil {
		return false, nil
	}
	if found {
		return false, nil
	}
	if pkg == "" {
		pkg = area.Name.Value
	}
	api := (&model.Area{Name: area.Name.Value}).Package()
	result := "toolkit.Result"
	if tool.Output != nil {
		result = api + "." + method + "Result"
	}
	code, err := format.Source(fmt.Appendf(nil, `package %s

import (
	"context"

	%q

	%q
)

// %s handles the tool %s.
func (t *Tools) %s(ctx context.Context, call *toolkit.Call, in %s.%sParams) (%s, error) {
	%s
}
`, pkg, toolkitPath, src.Module+"/"+layout.Output+"/"+layout.Packages.Toolset+"/"+api, method, name, method, api, method, result, unwritten))
	if err != nil {
		return false, defectError{fmt.Errorf("write the handler of %s: %w", name, err)}
	}
	if err := output.Replace(file, code); err != nil {
		return false, inputError{err}
	}
	fmt.Fprintf(a.stdout, "%s/%s/%s.go: began the handler\n", layout.Handlers, area.Name.Value, name)
	return true, nil
}

// findMethod looks through the Go files of a directory for a method of that name, and says what the
// package is called. Files that do not parse are passed over: someone is at work there.
func findMethod(dir, method string) (pkg string, found bool, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", false, nil
		}
		return "", false, fmt.Errorf("look for the handler: %w", err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".go" || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", false, fmt.Errorf("look for the handler: %w", err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), bytes.NewReader(data), parser.SkipObjectResolution)
		if err != nil {
			continue
		}
		pkg = file.Name.Name
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == method {
				return pkg, true, nil
			}
		}
	}
	return pkg, false, nil
}
