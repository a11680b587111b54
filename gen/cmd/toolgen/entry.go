package main

import (
	"bytes"
	"cmp"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
)

// The kinds of entries of an area.
const (
	kindTool     = "tool"
	kindPrompt   = "prompt"
	kindResource = "resource"
)

// entry is a tool, a prompt or a resource of a manifest, as far as its handler shows it.
type entry struct {
	name     string
	kind     string
	deferred bool // a tool without a handler
	output   bool // of a tool
	inputs   bool // of a prompt: arguments; of a resource: variables
	address  string
	said     entryTexts
}

// entryTexts has the values of a new entry that the command line gives. Its author writes those that are "".
type entryTexts struct{ description, effects, input, output string }

// declaredIn returns the entry of the area that has the kind and the name and a handler; nil where there is none.
func declaredIn(area spec.Area, of entry) *entry {
	for _, t := range area.Tools {
		if of.kind == kindTool && t.Name.Value == of.name && t.Deferred == nil {
			return &entry{name: of.name, kind: kindTool, output: t.Output != nil}
		}
	}
	for _, p := range area.Prompts {
		if of.kind == kindPrompt && p.Name.Value == of.name {
			return &entry{name: of.name, kind: kindPrompt, inputs: len(p.Arguments) > 0}
		}
	}
	for _, r := range area.Resources {
		if of.kind == kindResource && r.Name.Value == of.name {
			return &entry{name: of.name, kind: kindResource, inputs: r.Template.Set(), address: r.URI.Value + r.Template.Value}
		}
	}
	return nil
}

// namesIn lists the names of the area's entries of a kind.
func namesIn(area spec.Area, kind string) (out []spec.Text) {
	switch kind {
	case kindTool:
		for _, t := range area.Tools {
			out = append(out, t.Name)
		}
	case kindPrompt:
		for _, p := range area.Prompts {
			out = append(out, p.Name)
		}
	case kindResource:
		for _, r := range area.Resources {
			out = append(out, r.Name)
		}
	}
	return out
}

// stub is the text of a new entry. What a person has to decide is left so that the next run asks for it.
func (of entry) stub(tree *spec.Tree, area string) string {
	scope := ""
	if len(tree.Scopes) > 0 {
		scope = tree.Scopes[0].Name.Value
	}
	if of.deferred {
		return fmt.Sprintf("- name: %s\n  scope: %s\n  deferred:\n    reason: \"\"\n    surfaces: []\n", of.name, scope)
	}
	words := strings.ReplaceAll(of.name, "_", " ")
	capability := `""`
	if of.said.description != "" && len(tree.Capabilities) > 0 {
		capability = tree.Capabilities[0].Name.Value
	}
	head := fmt.Sprintf("- name: %s\n  title: %s\n  description: %s\n  capability: %s\n  scope: %s\n",
		of.name, strings.ToUpper(words[:1])+words[1:], strconv.Quote(of.said.description), capability, scope)
	switch of.kind {
	case kindPrompt:
		return head + "  visible: always\n"
	case kindResource:
		return head + fmt.Sprintf("  visible: always\n  uri: %s://%s\n  mimeType: text/plain\n", area, of.name)
	}
	traits := ""
	if tree.Traits != nil { // empty, so that the next run names the traits to state
		traits = "  traits: {}\n"
	}
	out := head + "  tier: 1\n  effects: {" + of.said.effectsText() + "}\n  visible: always\n  surfaces: []\n" + traits + "  input: " + cmp.Or(of.said.input, "{}") + "\n"
	if of.output {
		out += "  output: " + of.said.output + "\n"
	}
	return out
}

// effectNames are the promises of a tool.
var effectNames = []string{"read_only", "destructive", "idempotent", "open_world"}

// check reports an effect that does not exist.
func (s entryTexts) check() error {
	for name := range strings.SplitSeq(s.effects, ",") {
		if known := append([]string{"", "none"}, effectNames...); !slices.Contains(known, name) {
			return unknownWord("effect", name, known[1:])
		}
	}
	return nil
}

// effectsText states each effect; "" where the command line says nothing of them.
func (s entryTexts) effectsText() string {
	if s.effects == "" {
		return ""
	}
	said := strings.Split(s.effects, ",")
	out := slicesx.Map(effectNames, func(name string) string { return fmt.Sprintf("%s: %t", name, slices.Contains(said, name)) })
	return strings.Join(out, ", ")
}

// remarks matches the lines at the end of a text that are empty or a comment from their first column.
var remarks = regexp.MustCompile(`\n((#.*)?\n)+$`)

// section matches the list of entries of a kind in an area's file, up to the next key or the end.
func (of entry) section() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^` + of.kind + `s:[ \t]*(\[\])?[ \t]*(#.*)?\n((?:[ \t#-].*|)\n)*`)
}

// appendEntry writes the stub at the end of the area's list of the kind, indented as its last entry is.
func (a *app) appendEntry(root string, src gen.Source, tree *spec.Tree, area spec.Area, of entry) error {
	var data string
	for _, f := range src.Files {
		if f.Name == area.File {
			data = strings.TrimRight(string(f.Data), "\n") + "\n"
		}
	}
	indent := "  "
	if names := namesIn(area, of.kind); len(names) > 0 {
		lines := strings.Split(data, "\n")
		last := lines[names[len(names)-1].Pos.Line-1]
		indent = last[:len(last)-len(strings.TrimLeft(last, " "))]
		if !strings.HasPrefix(last[len(indent):], "-") {
			indent = indent[:max(len(indent)-2, 0)]
		}
	}
	stub := indent + strings.ReplaceAll(strings.TrimSuffix(of.stub(tree, area.Name.Value), "\n"), "\n", "\n"+indent) + "\n"
	text := data + "\n" + of.kind + "s:\n" + stub
	if at := of.section().FindStringIndex(data); at != nil {
		list := remarks.ReplaceAllString(data[at[0]:at[1]], "\n") // those behind the list are about what comes next
		rest := strings.TrimLeft(data[at[0]+len(list):], "\n")
		if list = strings.TrimRight(strings.Replace(list, of.kind+"s: []", of.kind+"s:", 1), "\n") + "\n"; strings.Count(list, "\n") > 1 {
			list += "\n"
		}
		if rest != "" {
			stub += "\n"
		}
		text = data[:at[0]] + list + stub + rest
	}
	if err := checkAppended(tree.Root, src.Files, spec.File{Name: area.File, Data: []byte(text)}, of); err != nil {
		return err
	}
	if err := output.Replace(filepath.Join(root, filepath.FromSlash(area.File)), []byte(text)); err != nil {
		return err
	}
	fmt.Fprintf(a.stdout, "%s: appended %s\n", area.File, of.name)
	return nil
}

// checkAppended makes sure that the edited file reads as before and has the entry: an append suits
// block style only.
func checkAppended(root string, files []spec.File, edited spec.File, of entry) error {
	changed := make([]spec.File, len(files))
	for i, f := range files {
		if changed[i] = f; f.Name == edited.Name {
			changed[i] = edited
		}
	}
	tree, diags := spec.Parse(root, changed)
	if tree != nil && !diags.HasErrors() {
		for _, area := range tree.Areas {
			if slices.ContainsFunc(namesIn(area, of.kind), func(t spec.Text) bool { return t.Value == of.name }) {
				return nil
			}
		}
	}
	return fmt.Errorf("append to %s: its list of %ss is not written one entry after the other", edited.Name, of.kind)
}

// unwritten is the body of a handler that has still to be written.
const unwritten = "TODO // write this handler; until then the package does not compile"

// signature returns the method that handles the entry, its parameters after the call, and its result.
func (of entry) signature(api string) (method, in, result string) {
	name := model.GoName(of.name)
	switch of.kind {
	case kindPrompt:
		method, in, result = name+"Prompt", api+"."+name+"Arguments", "toolkit.PromptResult"
	case kindResource:
		method, in, result = name+"Resource", api+"."+name+"Variables", "toolkit.Contents"
	default:
		method, in, result = name, api+"."+name+"Params", "toolkit.Result"
		if of.output {
			result = api + "." + name + "Result"
		}
		return method, ", in " + in, result
	}
	if !of.inputs {
		return method, "", result
	}
	return method, ", in " + in, result
}

// file is the base of the names of the files of the handler and of its test.
func (of entry) file() string {
	if of.kind == kindTool {
		return of.name
	}
	return of.name + "_" + of.kind
}

// beginHandler writes a stub that does not compile until someone finishes it, unless the method is
// there already.
func (a *app) beginHandler(root string, src gen.Source, area spec.Area, of entry) (begun bool, err error) {
	layout := src.Layout.OrDefault()
	dir := filepath.Join(root, filepath.FromSlash(layout.Handlers), area.Name.Value)
	api := (&model.Area{Name: area.Name.Value}).Package()
	method, in, result := of.signature(api)
	pkg, found, err := findMethod(dir, method)
	if err != nil {
		return false, inputError{err}
	}
	file := filepath.Join(dir, of.file()+".go")
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
	imports := ""
	if strings.Contains(in+result, api+".") {
		imports = fmt.Sprintf("\n\t%q\n", src.Module+"/"+layout.Output+"/"+layout.Packages.Toolset+"/"+api)
	}
	code, err := format.Source(fmt.Appendf(nil, `package %s

import (
	"context"

	%q
%s)

// %s handles the %s %s.
func (t *Tools) %s(ctx context.Context, call *toolkit.Call%s) (%s, error) {
	%s
}
`, pkg, toolkitPath, imports, method, of.kind, of.name, method, in, result, unwritten))
	if err != nil {
		return false, defectError{fmt.Errorf("write the handler of %s: %w", of.name, err)}
	}
	if err := output.Replace(file, code); err != nil {
		return false, inputError{err}
	}
	fmt.Fprintf(a.stdout, "%s/%s/%s.go: began the handler\n", layout.Handlers, area.Name.Value, of.file())
	return true, beginTest(a, root, src, area.Name.Value, of)
}

// beginTest writes a test of a prompt or a resource, where some call of Compose shows how a server is made.
func beginTest(a *app, root string, src gen.Source, area string, of entry) error {
	if of.kind == kindTool {
		return nil
	}
	layout := src.Layout.OrDefault()
	w := wiring{registry: layout.Packages.Registry, area: area, handlers: src.Module + "/" + layout.Handlers, generated: src.Module + "/" + layout.Output}
	if _, err := w.files(root, layout.Output); err != nil {
		return inputError{err}
	}
	if w.arguments == nil {
		return nil
	}
	name := layout.Handlers + "/" + area + "/" + of.file() + "_test.go"
	if err := output.Replace(filepath.Join(root, filepath.FromSlash(name)), w.entryTest(layout.Packages.Toolset, of)); err != nil {
		return inputError{err}
	}
	fmt.Fprintf(a.stdout, "%s: began the test\n", name)
	return nil
}
