package golang

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

const grantPath = toolkitPath + "/grant"

// powers renders package power: a type for each power. Their fields have different names, so that no
// power converts into another; those of toolPowers likewise. The package imports nothing but grant, so
// that any other can demand a power without knowing tools.
func (e emitter) powers() *jen.File {
	f := e.newFile(e.layout.Packages.Power)
	for _, line := range golit.Wrap("Package " + e.layout.Packages.Power + " has a type for each power of the manifest. A function that does something dangerous takes a value " +
		"of one and checks it; only a handler whose entry declares the power is handed a valid value. It must not know tools.") {
		f.PackageComment(line)
	}
	for _, p := range e.set.Powers {
		golit.Comment(f, p.GoName+" is the power "+p.Name+": "+p.Description)
		f.Type().Id(p.GoName).Struct(jen.Id(grantField(p.GoName)).Qual(grantPath, "Grant"))
		golit.Comment(f, "New"+p.GoName+" takes the power out of a grant. Without it in the grant, the value fails its check.")
		f.Func().Id("New" + p.GoName).Params(jen.Id("g").Qual(grantPath, "Grant")).Id(p.GoName).Block(jen.Return(jen.Id(p.GoName).Values(jen.Id("g"))))
		golit.Comment(f, "Check returns a *grant.Error unless a call that runs was granted the power.")
		f.Func().Params(jen.Id("p").Id(p.GoName)).Id("Check").Params().Error().Block(
			jen.Return(jen.Id("p").Dot(grantField(p.GoName)).Dot("Check").Call(jen.Lit(p.Name))))
		golit.Comment(f, "Hold keeps the power past the end of its call, for work that the call began, until release is called.")
		f.Func().Params(jen.Id("p").Id(p.GoName)).Id("Hold").Params().Params(jen.Id("release").Func().Params()).Block(
			jen.Return(jen.Id("p").Dot(grantField(p.GoName)).Dot("Hold").Call()))
	}
	if names := askedPowers(e.set.Powers); len(names) > 0 {
		golit.Comment(f, "Asks returns the names of the powers about which a person is asked, where no decision of the operator is about the call.")
		f.Func().Id("Asks").Params().Index().String().Block(jen.Return(golit.Strings(names)))
	}
	return f
}

// askedPowers lists the powers about which a person is asked.
func askedPowers(powers []*model.Power) []string {
	var out []string
	for _, p := range powers {
		if p.Asks {
			out = append(out, p.Name)
		}
	}
	return out
}

// toolPowers renders the powers of a tool: a method for each that its entry declares, and no other.
func (e emitter) toolPowers(f *jen.File, t *model.Tool) {
	if len(t.Powers) == 0 {
		return
	}
	golit.Comment(f, powersType(t)+" are the powers of "+t.Name+".")
	f.Type().Id(powersType(t)).Struct(jen.Id(grantField(t.GoName)).Qual(grantPath, "Grant"))
	seen := ""
	for i, p := range t.Powers {
		if p.Power.Name == seen {
			continue
		}
		seen = p.Power.Name
		when := ""
		if p.When != nil {
			var conditions []string
			for _, q := range t.Powers[i:] {
				if q.Power == p.Power {
					conditions = append(conditions, q.Condition())
				}
			}
			when = " It is granted when " + strings.Join(conditions, ", or when ") + "."
		}
		golit.Comment(f, p.Power.GoName+" returns the power "+p.Power.Name+"."+when)
		power := e.path(e.layout.Packages.Power)
		f.Func().Params(jen.Id("p").Id(powersType(t))).Id(p.Power.GoName).Params().Qual(power, p.Power.GoName).Block(
			jen.Return(jen.Qual(power, "New"+p.Power.GoName).Call(jen.Id("p").Dot(grantField(t.GoName)))))
	}
}

// grantField names the field of a type that wraps a grant.
func grantField(name string) string { return model.Unexported(name) + "Grant" }

func powersType(t *model.Tool) string { return t.GoName + "Powers" }

// powerRow is the vocabulary entry of a power in the registry.
func powerRow(p *model.Power) []jen.Code {
	out := []jen.Code{golit.Pair("Name", jen.Lit(p.Name)), golit.Pair("Description", golit.Text(p.Description))}
	if p.Surface != "" {
		out = append(out, golit.Pair("Surface", jen.Lit(p.Surface)))
	}
	if p.Changes {
		out = append(out, golit.Pair("Changes", jen.True()))
	}
	return out
}

// use is one power in a tool's row.
func use(p *model.ToolPower) []jen.Code {
	out := []jen.Code{golit.Pair("Power", jen.Lit(p.Power.Name))}
	if p.When != nil {
		out = append(out, golit.Pair("Param", jen.Lit(p.When.Name)))
	}
	if len(p.Values) > 0 {
		out = append(out, golit.Pair("Values", golit.Strings(p.Values)))
	}
	if p.Default() {
		out = append(out, golit.Pair("Default", jen.True()))
	}
	return out
}
