package golang

import (
	"strconv"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

func ruleVar(rule string) string { return model.Unexported(rule) + "Rule" }

// ruleArg is the rule a scalar is held against: its variable, or nil when nothing limits it.
func ruleArg(rule string, t *model.Type) jen.Code {
	if !limited(t) {
		return jen.Nil()
	}
	return jen.Id(ruleVar(rule))
}

func limited(t *model.Type) bool {
	return t.Enum != nil || t.Numbers != nil || t.Pattern != "" || t.Format != "" && !t.IsTime() || t.MinLength != nil || t.MaxLength != nil ||
		t.Minimum != nil || t.Maximum != nil || t.MinItems != nil || t.MaxItems != nil ||
		t.NamePattern != "" || t.MinProperties != nil || t.MaxProperties != nil
}

// rules renders the variables that hold a type's limits, and those of its items or values.
func rules(f *jen.File, rule string, t *model.Type) {
	if t.Shared != nil {
		return
	}
	if limited(t) {
		f.Var().Id(ruleVar(rule)).Op("=").Op("&").Add(ruleLit(t))
	}
	if t.Kind == model.Array {
		rules(f, rule+"Item", t.Items)
	}
	if t.Values != nil {
		rules(f, rule+"Value", t.Values)
	}
}

func ruleLit(t *model.Type) jen.Code {
	var lines []jen.Code
	add := func(name string, value jen.Code) { lines = append(lines, golit.Pair(name, value)) }
	count := func(name string, n *int) {
		if n != nil {
			add(name, jen.Lit(*n))
		}
	}
	switch t.Kind {
	case model.Array:
		count("Min", t.MinItems)
		count("Max", t.MaxItems)
		return jen.Qual(toolkitPath, "CountRule").Values(golit.OnLines(lines)...)
	case model.Nested:
		count("Min", t.MinProperties)
		count("Max", t.MaxProperties)
		if t.NamePattern != "" {
			add("Names", jen.Qual(toolkitPath, "NewPattern").Call(golit.Raw(t.NamePattern)))
		}
		return jen.Qual(toolkitPath, "MapRule").Values(golit.OnLines(lines)...)
	case model.Integer, model.Number:
		return numberRule(t)
	}
	if t.Enum != nil {
		add("Enum", golit.Strings(t.Enum))
	}
	if t.Format != "" {
		add("Format", jen.Lit(string(t.Format)))
	}
	if t.Pattern != "" {
		add("Pattern", jen.Qual(toolkitPath, "NewPattern").Call(golit.Raw(t.Pattern)))
	}
	count("MinLen", t.MinLength)
	count("MaxLen", t.MaxLength)
	return jen.Qual(toolkitPath, "StringRule").Values(golit.OnLines(lines)...)
}

func numberRule(t *model.Type) jen.Code {
	var lines []jen.Code
	add := func(name string, value jen.Code) { lines = append(lines, golit.Pair(name, value)) }
	if t.Numbers != nil {
		add("Enum", golit.Rows(toolkitPath, "Named", t.Numbers, func(n *model.EnumNumber) []jen.Code {
			return []jen.Code{golit.Pair("Name", jen.Lit(n.Name)), golit.Pair("Value", jen.Lit(n.Value))}
		}))
	}
	if t.Minimum != nil {
		if *t.Minimum != 0 {
			add("Min", golit.Number(*t.Minimum))
		}
		add("HasMin", jen.True())
	}
	if t.Maximum != nil {
		if *t.Maximum != 0 {
			add("Max", golit.Number(*t.Maximum))
		}
		add("HasMax", jen.True())
	}
	return jen.Qual(toolkitPath, "NumberRule").Values(golit.OnLines(lines)...)
}

func (e readerEmitter) defaultLit(p *model.Property) jen.Code {
	if p.Type.Nullable {
		return jen.Qual(toolkitPath, "Null").Types(e.certainType(p.Type)).Values(golit.Pair("Value", certainLit(p)), golit.Pair("Valid", jen.True()))
	}
	return certainLit(p)
}

// certainLit is the literal of a default.
func certainLit(p *model.Property) jen.Code {
	switch p.Type.Kind {
	case model.String:
		return jen.Lit(p.Default.String)
	case model.Boolean:
		return jen.Lit(p.Default.Bool)
	}
	return golit.Number(p.Default.Number)
}

// isZero reports whether a property has no default, or that of a new struct.
func isZero(p *model.Property) bool {
	if p.Default == nil {
		return true
	}
	if p.Type.Nullable {
		return false
	}
	switch p.Type.Kind {
	case model.String:
		return p.Default.String == ""
	case model.Boolean:
		return !p.Default.Bool
	}
	return p.Default.Number == 0
}

func defaultText(p *model.Property) string {
	switch p.Type.Kind {
	case model.String:
		return strconv.Quote(p.Default.String)
	case model.Boolean:
		return strconv.FormatBool(p.Default.Bool)
	}
	return strconv.FormatFloat(p.Default.Number, 'f', -1, 64)
}
