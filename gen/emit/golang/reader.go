package golang

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

// readerEmitter renders the methods that read arguments into the types of typeEmitter.
type readerEmitter struct{ typeEmitter }

// reader renders a tool's decoder and the readers of its nested objects.
func (e readerEmitter) reader(f *jen.File, t *model.Tool) {
	f.Line()
	method(f, t.Input, "decode").Params(jen.Id("args").Index().Byte()).Error().Block(
		jen.Id("a").Op(":=").Qual(toolkitPath, "ReadArgs").Call(jen.Id("args")),
		jen.Id("p").Dot("read").Call(jen.Id("a")),
		jen.Return(jen.Id("a").Dot("Done").Call()))
	e.objectReader(f, t.Input, t.Requirements, e.refusedByAll()...)
}

func method(f *jen.File, o *model.Object, name string) *jen.Statement {
	return f.Func().Params(jen.Id("p").Op("*").Id(o.GoName)).Id(name)
}

// objectReader renders the method that reads one object: a switch over its members, then what is
// missing.
// Refused are the expressions for lists of names that it does not take.
func (e readerEmitter) objectReader(f *jen.File, o *model.Object, reqs []*model.Requirement, refused ...jen.Code) {
	if len(o.Properties) > 0 {
		f.Var().Id(keysVar(o)).Op("=").Add(golit.Strings(golit.Names(o.Properties, func(p *model.Property) string { return p.Name })))
	}
	if names := refusedNames(o); len(names) > 0 {
		f.Var().Id(refusedVar(o)).Op("=").Add(golit.Rows(toolkitPath, "Refused", names, refusedRow))
		refused = append([]jen.Code{jen.Id(refusedVar(o))}, refused...)
	}
	f.Line()
	method(f, o, "read").Params(jen.Id("a").Op("*").Qual(toolkitPath, "Args")).BlockFunc(func(g *jen.Group) {
		g.If(jen.Op("!").Id("a").Dot("Object").Call()).Block(jen.Return())
		for _, p := range o.Properties {
			if !isZero(p) {
				g.Id("p").Dot(p.GoName).Op("=").Add(e.defaultLit(p))
			}
		}
		if len(o.Properties) > 0 {
			g.Var().Id("seen").Uint64()
		}
		g.For(jen.Id("a").Dot("Next").Call()).Block(e.memberSwitch(o, refused))
		missing(g, o)
		for _, r := range reqs {
			requirement(g, o, r)
		}
	})
	for _, p := range o.Properties {
		rules(f, o.GoName+p.GoName, p.Type)
		e.readersOf(f, p.Type)
	}
}

func keysVar(o *model.Object) string { return model.Unexported(o.GoName) + "Keys" }

func refusedVar(o *model.Object) string { return model.Unexported(o.GoName) + "Refused" }

// refusedNames lists what an object does not take, with what an answer says: older names, which reach a
// reader only beside another name of the parameter, and names with a reason.
func refusedNames(o *model.Object) []*model.Refused {
	var out []*model.Refused
	for _, p := range o.Properties {
		for _, old := range p.Was {
			out = append(out, &model.Refused{Name: old, Reason: "it is an older name of " + strconv.Quote(p.Name) + ", which has two names in this call; give one"})
		}
	}
	return append(out, o.Refused...)
}

func refusedRow(x *model.Refused) []jen.Code {
	return []jen.Code{golit.Pair("Name", jen.Lit(x.Name)), golit.Pair("Reason", golit.Text(x.Reason))}
}

// refusedByAll names the list of what no tool takes, where there is one.
func (e emitter) refusedByAll() []jen.Code {
	if len(e.set.Refused) == 0 {
		return nil
	}
	return []jen.Code{e.shared("Refused")}
}

// memberSwitch renders the switch over the member's name.
func (e readerEmitter) memberSwitch(o *model.Object, refused []jen.Code) jen.Code {
	if len(o.Properties) == 0 {
		return jen.Id("a").Dot("Unknown").Call(append([]jen.Code{jen.Nil()}, refused...)...)
	}
	return jen.Switch(jen.String().Call(jen.Id("a").Dot("Key").Call())).BlockFunc(func(g *jen.Group) {
		for i, p := range o.Properties {
			g.Case(jen.Lit(p.Name)).BlockFunc(func(g *jen.Group) {
				g.Id("seen").Op("=").Id("a").Dot("Mark").Call(jen.Id("seen"), jen.Lit(i))
				e.readInto(g, o, p)
			})
		}
		g.Default().Block(jen.Id("a").Dot("Unknown").Call(append([]jen.Code{jen.Id(keysVar(o))}, refused...)...))
	})
}

// readersOf renders the readers of the objects in a type that is written in place.
func (e readerEmitter) readersOf(f *jen.File, t *model.Type) {
	switch {
	case t.Shared != nil:
	case t.Kind == model.Array:
		e.readersOf(f, t.Items)
	case t.Values != nil:
		e.readersOf(f, t.Values)
	case t.Union != nil:
		e.unionReader(f, t.Union)
	case t.Object != nil:
		e.objectReader(f, t.Object, nil)
	}
}

// unionReader renders the method that reads a union: a switch over its tag.
func (e readerEmitter) unionReader(f *jen.File, u *model.Union) {
	names := golit.Names(u.Variants, func(v *model.Variant) string { return v.Name })
	f.Var().Id(model.Unexported(u.GoName) + "Variants").Op("=").Add(golit.Strings(names))
	f.Line()
	f.Func().Params(jen.Id("p").Op("*").Id(u.GoName)).Id("read").Params(jen.Id("a").Op("*").Qual(toolkitPath, "Args")).Block(
		jen.Switch(jen.Id("a").Dot("Variant").Call(jen.Lit(u.Tag), jen.Id(model.Unexported(u.GoName)+"Variants"))).BlockFunc(func(g *jen.Group) {
			for _, v := range u.Variants {
				g.Case(jen.Lit(v.Name)).Block(
					jen.Id("p").Dot(v.GoName).Op("=").New(jen.Id(v.Object.GoName)),
					jen.Id("p").Dot(v.GoName).Dot("read").Call(jen.Id("a")))
			}
		}))
	for _, v := range u.Variants {
		e.objectReader(f, v.Object, nil)
	}
}

// readInto renders the reading of one member into its field.
func (e readerEmitter) readInto(g *jen.Group, o *model.Object, p *model.Property) {
	field := jen.Id("p").Dot(p.GoName)
	rule := o.GoName + p.GoName
	inPlace := p.Type.Shared == nil && !p.Type.Nullable
	switch {
	case inPlace && p.Type.Kind == model.Array:
		e.readArray(g, field, rule, p.Type)
	case inPlace && isStruct(p.Type):
		if !p.Required {
			g.Add(field).Op("=").New(e.certainType(p.Type))
		}
		g.Add(field).Dot("read").Call(jen.Id("a"))
	case p.Required || p.Default != nil || isPlain(p.Type):
		g.Add(field).Op("=").Add(e.readValue(rule, p.Type))
	case isStruct(p.Type):
		g.Add(field).Op("=").New(e.readValue(rule, p.Type))
	default:
		g.Add(field).Op("=").Qual(toolkitPath, "Some").Call(e.readValue(rule, p.Type))
	}
}

func (e readerEmitter) readArray(g *jen.Group, field *jen.Statement, rule string, t *model.Type) {
	g.If(jen.Id("a").Dot("Array").Call()).BlockFunc(func(g *jen.Group) {
		g.Add(field).Op("=").Add(e.goType(t)).Values()
		g.For(jen.Id("a").Dot("More").Call()).BlockFunc(func(g *jen.Group) {
			inPlace := t.Items.Shared == nil && !t.Items.Nullable
			if inPlace && t.Items.Kind == model.Array {
				g.Var().Id("row").Add(e.goType(t.Items))
				e.readArray(g, jen.Id("row"), rule+"Item", t.Items)
				g.Add(field).Op("=").Append(field, jen.Id("row"))
				return
			}
			if inPlace && isStruct(t.Items) {
				g.Var().Id("item").Add(e.certainType(t.Items))
				g.Id("item").Dot("read").Call(jen.Id("a"))
				g.Add(field).Op("=").Append(field, jen.Id("item"))
				return
			}
			g.Add(field).Op("=").Append(field, e.readValue(rule+"Item", t.Items))
		})
		if t.MinItems != nil || t.MaxItems != nil {
			g.Id("a").Dot("Count").Call(jen.Len(field), jen.Id(ruleVar(rule)))
		}
	})
}

// readValue renders the expression that reads a value.
func (e readerEmitter) readValue(rule string, t *model.Type) *jen.Statement {
	if !t.Nullable {
		return e.readCertain(rule, t)
	}
	return jen.Qual(toolkitPath, "ReadNull").Call(jen.Id("a"), jen.Func().Params().Add(e.certainType(t)).Block(jen.Return(e.readCertain(rule, t))))
}

// readCertain renders the expression that reads a value which is not null.
func (e readerEmitter) readCertain(rule string, t *model.Type) *jen.Statement {
	a := jen.Id("a")
	inner := func(rule string, t *model.Type) jen.Code {
		return jen.Func().Params().Add(e.goType(t)).Block(jen.Return(e.readValue(rule, t)))
	}
	switch {
	case t.Shared != nil:
		return jen.Qual(e.path(e.typesDir()), "Read"+t.Shared.GoName).Call(a)
	case t.Kind == model.Array:
		return jen.Qual(toolkitPath, "ReadList").Call(a, ruleArg(rule, t), inner(rule+"Item", t.Items))
	case t.Values != nil:
		return jen.Qual(toolkitPath, "ReadMap").Call(a, ruleArg(rule, t), inner(rule+"Value", t.Values))
	case t.Object != nil, t.Union != nil:
		return jen.Qual(toolkitPath, "ReadObject").Call(a, jen.Parens(jen.Op("*").Add(e.certainType(t))).Dot("read"))
	case t.IsTime():
		return a.Dot("Time").Call()
	}
	return readScalar(rule, t)
}

// readScalar renders the expression that reads a scalar, an open object or any value.
func readScalar(rule string, t *model.Type) *jen.Statement {
	a := jen.Id("a")
	var v *jen.Statement
	switch t.Kind {
	case model.String:
		v = a.Dot("String").Call(ruleArg(rule, t))
	case model.Integer:
		v = a.Dot("Int").Call(ruleArg(rule, t))
	case model.Number:
		return a.Dot("Number").Call(ruleArg(rule, t))
	case model.Boolean:
		return a.Dot("Bool").Call()
	case model.Free:
		return a.Dot("Any").Call()
	default:
		return a.Dot("Raw").Call()
	}
	if t.EnumGoName != "" {
		return jen.Id(t.EnumGoName).Call(v)
	}
	return v
}

func index(o *model.Object, p *model.Property) int {
	for i, q := range o.Properties {
		if p == q {
			return i
		}
	}
	panic("golang: property of another object: " + p.Name)
}

// seenBit renders the test of the bit that a reader sets when it has read a property.
func seenBit(o *model.Object, p *model.Property) *jen.Statement {
	return jen.Id("seen").Op("&").Parens(jen.Lit(1).Op("<<").Lit(index(o, p)))
}

func missing(g *jen.Group, o *model.Object) {
	for _, p := range o.Properties {
		if p.Required {
			g.If(seenBit(o, p).Op("==").Lit(0)).Block(jen.Id("a").Dot("Missing").Call(jen.Lit(p.Name)))
		}
	}
}

// requirement renders the check of one conditional requirement.
func requirement(g *jen.Group, o *model.Object, r *model.Requirement) {
	check := func(cond *jen.Statement, problem string) {
		if r.When != nil {
			cond = whenCond(r).Op("&&").Add(breakAfter(r), jen.Parens(cond))
		}
		g.If(cond).Block(jen.Id("a").Dot("Needs").Call(golit.Text(problem)))
	}
	why := ""
	if r.When != nil {
		why = fmt.Sprintf(" when %s is %s", r.When.Name, strings.Join(r.Values, " or "))
	}
	all := strings.Join(golit.Names(r.Names, func(p *model.Property) string { return strconv.Quote(p.Name) }), " or ")
	switch r.Mode {
	case model.All:
		for _, p := range r.Names {
			check(seenBit(o, p).Op("==").Lit(0), strconv.Quote(p.Name)+" is required"+why)
		}
	case model.Any:
		check(jen.Id("seen").Op("&").Parens(mask(o, r.Names)).Op("==").Lit(0), all+" is required"+why)
	case model.One:
		check(jen.Qual("math/bits", "OnesCount64").Call(jen.Id("seen").Op("&").Parens(mask(o, r.Names))).Op("!=").Lit(1),
			"exactly one of "+strings.ReplaceAll(all, " or ", ", ")+" is required"+why)
	case model.None:
		for _, p := range r.Names {
			check(seenBit(o, p).Op("!=").Lit(0), fmt.Sprintf("%q is only for %s %s", p.Name, r.When.Name, strings.Join(r.Rest(), " or ")))
		}
	}
}

func mask(o *model.Object, props []*model.Property) *jen.Statement {
	s := jen.Null()
	for i, p := range props {
		if i > 0 {
			s.Op("|")
		}
		s.Lit(1).Op("<<").Lit(index(o, p))
	}
	return s
}

// breakAfter ends the line after a condition that has several.
func breakAfter(r *model.Requirement) jen.Code {
	if len(r.Values) > maxOnLine {
		return jen.Line()
	}
	return jen.Null()
}

// whenCond renders the comparison of the deciding property with its values.
func whenCond(r *model.Requirement) *jen.Statement {
	field := jen.Id("p").Dot(r.When.GoName)
	if !r.When.Required && r.When.Default == nil {
		field = field.Dot("Value")
	}
	if r.When.Type.Nullable {
		field = field.Dot("Value")
	}
	s := jen.Null()
	for i, v := range r.Values {
		if i > 0 {
			s.Op("||")
			if len(r.Values) > maxOnLine {
				s.Line()
			}
		}
		s.Add(field).Op("==").Lit(v)
	}
	return jen.Parens(s)
}
