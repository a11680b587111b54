package golang

import (
	"encoding/json"

	"github.com/dave/jennifer/jen"

	"github.com/callsheet/callsheet/gen/emit/golit"
	"github.com/callsheet/callsheet/gen/model"
)

const confirmPath = toolkitPath + "/confirm"

// confirmation renders the question that a person answers before the handler runs.
func confirmation(of *model.Confirm) jen.Code {
	args := []jen.Code{jen.Id("ctx"), jen.Id("call"), jen.Id("args")}
	for _, part := range of.Parts {
		var members []jen.Code
		if p := part.Parameter; p != nil {
			members = append(members, golit.Pair("Name", jen.Lit(p.Name)))
			if p.Default != nil {
				members = append(members, golit.Pair("Default", golit.Text(defaultJSON(p))))
			}
		} else {
			members = append(members, golit.Pair("Text", golit.Text(part.Text)))
		}
		args = append(args, jen.Qual(confirmPath, "Part").Values(members...))
	}
	return jen.If(jen.Err().Op(":=").Qual(confirmPath, "Ask").Call(args...), jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Qual(toolkitPath, "CallResult").Values(), jen.Err()))
}

// defaultJSON is the default of a parameter as JSON.
func defaultJSON(p *model.Property) string {
	var value any = p.Default.Number
	switch p.Type.Kind {
	case model.String:
		value = p.Default.String
	case model.Boolean:
		value = p.Default.Bool
	}
	text, err := json.Marshal(value)
	if err != nil { // a manifest writes neither NaN nor infinity
		return ""
	}
	return string(text)
}

// sentinels renders the errors that stand for codes; nil where there are none.
func sentinels(codes []*model.Code) jen.Code {
	type row struct {
		model.Sentinel
		of *model.Code
	}
	var rows []row
	for _, c := range codes {
		for _, s := range c.From {
			rows = append(rows, row{s, c})
		}
	}
	if rows == nil {
		return nil
	}
	return golit.Member("Sentinels", golit.Rows(codePath, "Sentinel", rows, func(r row) []jen.Code {
		return []jen.Code{
			golit.Pair("Err", jen.Qual(r.Path, r.Name)), golit.Pair("Code", jen.Lit(string(r.of.Code))), golit.Pair("Message", golit.Text(r.of.Message())),
		}
	}))
}
