// Package cli emits the command line of a tool set as a table of verbs, which gen/toolkit/command
// turns into commands.
//
// It is pure: model in, files out. What a verb does with its arguments is the toolkit's to know;
// the table only says which there are. A set whose manifest names no program has no command line,
// and nothing is emitted.
package cli

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golang"
	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/output"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

const (
	commandPath = "github.com/callsheet/callsheet/gen/toolkit/command"
)

// Emit renders package cli.
func Emit(set *model.Toolset) ([]output.File, error) {
	if set.CLI == nil {
		return nil, nil
	}
	layout := set.Layout.OrDefault()
	name := layout.Packages.CLI
	f := jen.NewFile(name)
	f.HeaderComment(golang.Header(layout.Manifest))
	f.ImportName(commandPath, "command")
	f.PackageComment("Package " + name + " is the manifest as a command line: every verb with its arguments, as data.")
	f.PackageComment("")
	f.PackageComment("It must know nothing of how a verb is run.")
	f.Comment("Verbs returns the table, sorted by name. Callers must not change it.")
	f.Func().Id("Verbs").Params().Index().Qual(commandPath, "Verb").Block(jen.Return(jen.Id("verbs")))
	f.Comment("verbs is static data, which costs nothing at start-up.")
	f.Var().Id("verbs").Op("=").Index().Qual(commandPath, "Verb").ValuesFunc(func(g *jen.Group) {
		for _, v := range set.Commands() {
			g.Line().Add(verb(v))
		}
		g.Line()
	})
	var b bytes.Buffer
	if err := f.Render(&b); err != nil {
		return nil, fmt.Errorf("render the table of verbs: %w", err)
	}
	return []output.File{{Path: name + "/cli.go", Data: b.Bytes()}}, nil
}

func verb(v command.Verb) jen.Code {
	l := literal{}
	l.text("Name", v.Name)
	l.text("Tool", v.Tool)
	l.text("Scope", v.Scope)
	l.text("Group", v.Group)
	l.text("Short", v.Short)
	l.text("Example", v.Example)
	l.params("Args", v.Args)
	l.params("Flags", v.Flags)
	if len(v.Fixed) > 0 {
		l.add("Fixed", golit.Rows(commandPath, "Fixed", v.Fixed, func(x command.Fixed) []jen.Code {
			return []jen.Code{golit.Pair("Property", jen.Lit(x.Property)), golit.Pair("Value", golit.Text(x.Value))}
		}))
	}
	l.yes("Save", v.Save)
	l.yes("Watch", v.Watch)
	lines := slicesx.Map(l.pairs, func(pair jen.Code) jen.Code { return jen.Line().Add(pair) })
	return jen.Values(golit.Members(lines...)...)
}

func param(p command.Param) []jen.Code {
	l := literal{}
	l.text("Name", p.Name)
	if len(p.Was) > 0 {
		l.add("Was", golit.Strings(p.Was))
	}
	l.text("Property", p.Property)
	l.add("Kind", kind(p.Kind))
	if p.Items != "" {
		l.add("Items", kind(p.Items))
	}
	if len(p.Enum) > 0 {
		l.add("Enum", golit.Strings(p.Enum))
	}
	l.yes("Required", p.Required)
	l.text("Default", p.Default)
	l.text("Usage", p.Usage)
	l.text("Value", p.Value)
	l.text("Form", p.Form)
	l.text("Else", p.Else)
	return l.pairs
}

func kind(k command.Kind) jen.Code {
	names := map[command.Kind]string{
		command.String: "String", command.Integer: "Integer", command.Number: "Number", command.Boolean: "Boolean",
		command.Array: "Array", command.Object: "Object",
	}
	return jen.Qual(commandPath, names[k])
}

// literal gathers the members of a composite literal that are not zero.
type literal struct{ pairs []jen.Code }

func (l *literal) add(name string, value jen.Code) {
	l.pairs = append(l.pairs, golit.Pair(name, value))
}

func (l *literal) text(name, value string) {
	if value != "" {
		l.add(name, golit.Text(value))
	}
}

func (l *literal) yes(name string, value bool) {
	if value {
		l.add(name, jen.True())
	}
}

func (l *literal) params(name string, in []command.Param) {
	if len(in) > 0 {
		l.add(name, golit.Rows(commandPath, "Param", in, param))
	}
}
