package docs

import (
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// commandData is the data of the template of CLI.md.
type commandData struct {
	Verbs  []command.Verb
	Flags  []string
	Groups []commandGroup
}

type commandGroup struct {
	Name  string
	Verbs []commandVerb
}

type commandVerb struct {
	command.Verb
	Line   string
	Params []commandParam
}

type commandParam struct {
	Shown, Type, Default, Help string
}

func commandPage(ts *model.Toolset) commandData {
	page := commandData{Verbs: ts.Commands(), Flags: ts.CLI.Flags}
	for _, area := range ts.Areas {
		group := commandGroup{Name: area.Name}
		for _, v := range page.Verbs {
			if v.Group == area.Name {
				group.Verbs = append(group.Verbs, commandVerb{Verb: v, Line: ts.CLI.Program + " " + v.Usage(), Params: commandParams(v)})
			}
		}
		page.Groups = append(page.Groups, group)
	}
	return page
}

func commandParams(v command.Verb) []commandParam {
	out := slicesx.Map(v.Args, func(p command.Param) commandParam { return commandRow(p, "<"+p.Name+">") })
	for _, p := range v.Flags {
		out = append(out, commandRow(p, "--"+p.Name))
	}
	if v.Save {
		out = append(out, commandParam{Shown: "--out", Type: "file", Help: "where the picture is written"})
	}
	return out
}

func commandRow(p command.Param, shown string) commandParam {
	row := commandParam{Shown: shown, Type: string(p.Kind), Default: p.Default, Help: prose(p.Usage)}
	if p.Items != "" {
		row.Type += " of " + string(p.Items)
	}
	if p.Value != "" {
		row.Type = "switch"
	}
	if len(p.Enum) > 0 {
		row.Type = "one of " + list(p.Enum, tableCode)
	}
	if p.Required {
		row.Help = strings.TrimSpace("required " + row.Help)
	}
	return row
}
