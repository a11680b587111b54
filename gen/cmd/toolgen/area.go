package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// areaName matches names of new areas, which packages of Go have too.
var areaName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// beginArea makes an area that the manifest does not have: its file and the include of it, the type of its handlers with a
// test, and the argument of each call of Compose. It makes none where the name is nearly that of another.
func beginArea(a *app, root string, src gen.Source, tree *spec.Tree, name string) error {
	if _, err := findArea(tree, name); err == nil || !areaName.MatchString(name) || diag.Nearest(name, areaNames(tree)) != "" {
		return nil // findArea says why
	}
	file := path.Join(path.Dir(src.RootFile()), "tools", name+".yaml")
	i := slices.IndexFunc(src.Files, func(f spec.File) bool { return f.Name == src.RootFile() })
	edited := spec.File{Name: src.RootFile(), Data: withInclude(src.Files[i].Data, "tools/"+name+".yaml")}
	area := spec.File{Name: file, Data: []byte("tools: []\n")}
	changed := append(slices.Delete(slices.Clone(src.Files), i, i+1), edited, area)
	if after, _ := spec.Parse(src.RootFile(), changed); after == nil || !slices.Contains(areaNames(after), name) {
		return fmt.Errorf("write tools/%s.yaml under include of %s first: its list has a form that is not added to", name, src.RootFile())
	}
	layout := src.Layout.OrDefault()
	dir := layout.Handlers + "/" + name
	files := []output.File{{Path: file, Data: area.Data}, {Path: edited.Name, Data: edited.Data}}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir))); err != nil {
		files = append(files, output.File{Path: dir + "/" + name + ".go", Data: fmt.Appendf(nil,
			"// Package %s handles the tools of %s.\npackage %s\n\n// Tools implements %sapi.Handlers.\ntype Tools struct{}\n", name, file, name, name)})
	}
	w := wiring{registry: layout.Packages.Registry, area: name, handlers: src.Module + "/" + layout.Handlers, generated: src.Module + "/" + layout.Output}
	more, err := w.files(root, layout.Output)
	if err != nil {
		return inputError{err}
	}
	if w.arguments != nil {
		more = append(more, output.File{Path: dir + "/" + name + "_test.go", Data: w.test(layout.Packages.Toolset)})
	}
	for _, f := range append(files, more...) {
		if err := output.Replace(filepath.Join(root, filepath.FromSlash(f.Path)), f.Data); err != nil {
			return inputError{err}
		}
		fmt.Fprintf(a.stdout, "%s: written for the area %s\n", f.Path, name)
	}
	return nil
}

func areaNames(tree *spec.Tree) []string {
	return slicesx.Map(tree.Areas, func(a spec.Area) string { return a.Name.Value })
}

// withInclude is the root file with one more file under include, in the style of the list that is there.
func withInclude(data []byte, file string) []byte {
	if at := regexp.MustCompile(`(?m)^include:\s*\[([^\]]*)`).FindSubmatchIndex(data); at != nil {
		if len(bytes.TrimSpace(data[at[2]:at[3]])) > 0 {
			file = ", " + file
		}
		return slices.Concat(data[:at[3]], []byte(file), data[at[3]:])
	}
	if at := regexp.MustCompile(`(?m)^include:[^\n]*\n((?:[ \t]*#[^\n]*\n)*([ \t]*- )[^\n]*\n)+`).FindSubmatchIndex(data); at != nil {
		return slices.Concat(data[:at[1]], data[at[4]:at[5]], []byte(file+"\n"), data[at[1]:])
	}
	if at := regexp.MustCompile(`(?m)^version:[^\n]*\n`).FindIndex(data); at != nil {
		return slices.Concat(data[:at[1]], []byte("include: ["+file+"]\n"), data[at[1]:])
	}
	return data
}

// wiring adds the handlers of an area to the calls of Compose.
type wiring struct {
	registry  string // package with Compose
	area      string
	handlers  string // import path of the directory of the handlers' packages
	generated string // import path of the generated packages

	arguments []string // those of a call that a test of the area can make, where the zero value of each type is a handler
}

// files are the files of the module that call Compose, with the argument.
func (w *wiring) files(root, generated string) (out []output.File, err error) {
	err = gen.EachGoFile(root, []string{generated}, func(name string) error {
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil || !bytes.Contains(data, []byte(w.registry+".Compose(")) {
			return err
		}
		edited, err := w.edit(name, data)
		if edited != nil {
			out = append(out, output.File{Path: name, Data: edited})
		}
		return err
	})
	return out, err
}

// edit is a file with the argument in each call of Compose, and the import; nil where no call stands in it.
func (w *wiring) edit(name string, data []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, data, parser.SkipObjectResolution)
	if err != nil || len(file.Imports) == 0 {
		return nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	insert := map[int]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if fun, is := selector(call); !ok || !is || fun != w.registry+".Compose" {
			return true
		}
		argument, texts, place := "new("+w.area+".Tools)", []string(nil), len(call.Args)
		for i, arg := range slices.Backward(call.Args) {
			texts = append(texts, string(data[at(arg.Pos()):at(arg.End())]))
			if packageOf(arg) > w.area {
				place = i
			}
		}
		slices.Reverse(texts)
		there := slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return packageOf(arg) == w.area })
		switch {
		case there:
		case place < len(call.Args):
			insert[at(call.Args[place].Pos())] = argument + ", "
		case place > 0:
			insert[at(call.Args[place-1].End())] = ", " + argument
		default:
			insert[at(call.Rparen)] = argument
		}
		if !there {
			texts = slices.Insert(texts, place, argument)
		}
		w.note(texts)
		return true
	})
	if len(insert) == 0 {
		return nil, nil
	}
	insert[at(file.Imports[len(file.Imports)-1].End())] = "\n\t\"" + w.handlers + "/" + w.area + "\""
	var out []byte
	last := 0
	for _, i := range slices.Sorted(maps.Keys(insert)) {
		out = append(append(out, data[last:i]...), insert[i]...)
		last = i
	}
	return format.Source(append(out, data[last:]...))
}

// note keeps the arguments of a call where a test can make each of them.
func (w *wiring) note(arguments []string) {
	if w.arguments == nil && !slices.ContainsFunc(arguments, func(t string) bool { return !zeroValue.MatchString(t) }) {
		w.arguments = arguments
	}
}

// zeroValue is an argument that any test can make.
var zeroValue = regexp.MustCompile(`^(new\(([a-z0-9]+)\.Tools\)|([a-z0-9]+)\.Tools\{\})$`)

func selector(call *ast.CallExpr) (string, bool) {
	if call == nil {
		return "", false
	}
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return "", false
	}
	return x.Name + "." + s.Sel.Name, true
}

// packageOf is the package that an argument names first, which is that of the area.
func packageOf(arg ast.Expr) (name string) {
	ast.Inspect(arg, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && name == "" {
			if x, ok := s.X.(*ast.Ident); ok {
				name = x.Name
			}
		}
		return name == ""
	})
	return name
}

// imports are the imports of the packages of the arguments.
func (w *wiring) imports() string {
	var imports strings.Builder
	for _, arg := range w.arguments {
		m := zeroValue.FindStringSubmatch(arg)
		fmt.Fprintf(&imports, "\t%q\n", w.handlers+"/"+m[2]+m[3])
	}
	return imports.String()
}

// entryTest is a test that gets a prompt or reads a resource.
func (w *wiring) entryTest(toolset string, of entry) []byte {
	name := model.GoName(of.name)
	request := fmt.Sprintf("GetPrompt(t.Context(), &mcp.GetPromptParams{Name: %s.Prompt%s", toolset, name)
	content, imported := "Messages", toolset
	switch {
	case of.kind == kindResource:
		api := w.area + "api"
		request, content = fmt.Sprintf("ReadResource(t.Context(), &mcp.ReadResourceParams{URI: %s.%sURI", api, name), "Contents"
		imported = toolset + "/" + api
		if of.inputs {
			request, imported = fmt.Sprintf("ReadResource(t.Context(), &mcp.ReadResourceParams{URI: %q", of.address), ""
		}
	case of.inputs:
		request += ", Arguments: map[string]string{}"
	}
	if imported != "" {
		imported = fmt.Sprintf("\t%q\n", w.generated+"/"+imported)
	}
	method, _, _ := of.signature("")
	code, err := format.Source(fmt.Appendf(nil, `package %[1]s_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	%[2]q
%[3]s%[4]s)

// Test%[5]s serves the %[6]s %[7]s to a client.
func Test%[5]s(t *testing.T) {
	kit := toolkittest.New(t, %[8]s.New(%[8]s.Compose(%[9]s)), toolkittest.Area(%[1]q))
	got, err := kit.%[10]s})
	if err != nil || len(got.%[11]s) == 0 {
		t.Errorf("got %%+v, %%v", got, err)
	}
}
`, w.area, w.generated+"/"+w.registry, imported, w.imports(), method, of.kind, of.name, w.registry, strings.Join(w.arguments, ", "), request, content))
	if err != nil { // the template is fixed
		return nil
	}
	return code
}

// test is a test of the area that lists its tools. A test of a tool has its server.
func (w *wiring) test(toolset string) []byte {
	code, err := format.Source(fmt.Appendf(nil, `package %[1]s_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	%[2]q
%[3]s)

// serve is a client of a server with the tools of the area.
func serve(t *testing.T) *toolkittest.Kit {
	return toolkittest.New(t, %[4]s.New(%[4]s.Compose(%[5]s)), toolkittest.Area(%[1]q))
}

// TestTools lists the tools of the area. Call each: serve(t).Call(t, %[6]s.ToolX, toolkittest.Args{}).
func TestTools(t *testing.T) {
	if len(serve(t).Listed(t)) == 0 {
		t.Error("no tool is listed")
	}
}
`, w.area, w.generated+"/"+w.registry, w.imports(), w.registry, strings.Join(w.arguments, ", "), toolset))
	if err != nil { // the template is fixed
		return nil
	}
	return code
}
