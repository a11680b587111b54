package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

const toolkitPath = "github.com/callsheet/callsheet/gen/toolkit"

func (a *app) newTool() *cobra.Command {
	var area string
	var deferred, prompt, resource bool
	var said entryTexts
	cmd := &cobra.Command{
		Use:   "new NAME --area AREA",
		Short: "Append a tool, a prompt or a resource to an area's manifest and begin its handler; of one that is there, begin the handler that its entry asks for",
		Args:  cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			of := entry{name: args[0], kind: kindTool, deferred: deferred, said: said, output: said.output != ""}
			if prompt {
				of.kind = kindPrompt
			}
			if resource {
				of.kind = kindResource
			}
			if err := said.check(); err != nil {
				return err
			}
			return newEntry(a, area, of)
		},
	}
	cmd.Flags().StringVar(&area, "area", "", "the area: the base name of a file under include; one that is new is begun")
	cmd.Flags().BoolVar(&deferred, "deferred", false, "append a tool that is deliberately not there")
	cmd.Flags().BoolVar(&prompt, "prompt", false, "append a prompt, and begin its test too")
	cmd.Flags().BoolVar(&resource, "resource", false, "append a resource, and begin its test too")
	cmd.Flags().StringVar(&said.description, "description", "", "what the model reads of the new entry, which is then of the first capability")
	cmd.Flags().StringVar(&said.effects, "effects", "", "the `effects` of the new tool that are true, with commas: read_only, destructive, idempotent, open_world; or none")
	cmd.Flags().StringVar(&said.input, "input", "", "the parameters of the new tool, as `YAML` in braces: \"{id: {type: integer, required: true}}\"")
	cmd.Flags().StringVar(&said.output, "output", "", "the output of the new tool, as `YAML` in braces")
	for _, text := range []string{"effects", "input", "output"} { // of tools
		cmd.MarkFlagsMutuallyExclusive("deferred", "prompt", "resource", text)
	}
	return cmd
}

// newEntry appends an entry to the area and begins its handler, or of one that is there the handler alone.
func newEntry(a *app, area string, of entry) error {
	root, src, err := a.load()
	if err != nil {
		return err
	}
	tree, diags := spec.Parse(src.RootFile(), src.Files)
	if tree == nil || diags.HasErrors() {
		return a.report(diags.Sorted(), src.Line)
	}
	if at, err := findArea(tree, area); err == nil {
		if there := declaredIn(at, of); there != nil {
			if begun, err := a.beginHandler(root, src, at, *there); err != nil || begun {
				return err
			}
		}
	}
	if err := nameIsFree(tree, of); err != nil {
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
	if err := a.appendEntry(root, src, tree, at, of); err != nil || of.deferred {
		return inputOr(err)
	}
	_, err = a.beginHandler(root, src, at, of)
	return err
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

func nameIsFree(tree *spec.Tree, of entry) error {
	for _, area := range tree.Areas {
		for _, name := range namesIn(area, of.kind) {
			if name.Value == of.name {
				return fmt.Errorf("%s %q is there already: %s", of.kind, of.name, name.Pos)
			}
		}
	}
	if model.GoName(of.name) == "" {
		return fmt.Errorf("%q is no name for a %s", of.name, of.kind)
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
