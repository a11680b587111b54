package client

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// ClassName is what the client is called in languages whose client is a class.
func ClassName(set *model.Toolset) string {
	return model.GoName(set.Program(), set.Initialisms...) + "Client"
}

// TypeScriptMethod is the method of a tool in TypeScript, by the tool's Go name: readPage.
func TypeScriptMethod(goName string) string { return model.Unexported(goName) }

// PythonName is a name in Python: tab_id of tabId, from_ of from.
func PythonName(name string) string {
	snake := strings.ToLower(strings.Join(model.Words(name), "_"))
	if slices.Contains(model.PythonKeywords(), snake) || snake == "self" {
		return snake + "_"
	}
	return snake
}

// own lists the names that a client has itself: of types, and of methods.
func own(set *model.Toolset, l model.Language) (types, methods []string) {
	switch l {
	case model.Go:
		return []string{"Client", "New", "Start", "Result", "ResultOf", "Null", "Code", "Refusal", "CommonFields"}, []string{"Session", "Close"}
	case model.TypeScript:
		return []string{ClassName(set), "Result", "ResultOf", "Refusal", "RefusalError", "UncodedRefusal", "CommonFields", "Client", "RequestOptions",
			"ContentBlock", "CallToolResult", "Record", "Promise", "Error"}, []string{"constructor", "client", "then"}
	}
	return []string{ClassName(set), "Session", "CallResult", "Result", "ResultOf", "RefusalError", "CommonFields", "Unset", "UNSET", "Value", "TypeAlias", "TypeVar", "Any", "Literal", "NotRequired",
		"TypedDict", "Protocol", "Generic", "Sequence", "Mapping", "Union", "Optional", "Exception"}, []string{"session"}
}

// name is a name that a client gives something.
type name struct {
	space, text string // names of one space differ
	what        string
	at          diag.Pos
}

// RuleNameClash is the rule that names in a client differ.
const RuleNameClash = "client-name-clash"

// Rules is the table of what this package reports.
func Rules() []diag.Rule[*model.Toolset] {
	return []diag.Rule[*model.Toolset]{
		{ID: RuleNameClash, Severity: diag.Error, Doc: "Two things of the manifest would have one name in a generated client, or one would have a name " +
			"that the client needs itself. Languages write names differently, so that what differs in the manifest may not differ there: tabId and " +
			"tab_id are one parameter in Python. Rename one of the two, or leave the language out of clients.", Check: checkNames},
	}
}

// Check holds the clients of a set against the rules.
func Check(set *model.Toolset) diag.List { return diag.Check(Rules(), set) }

func checkNames(set *model.Toolset, report diag.Report) {
	for _, c := range set.Clients {
		taken := map[string]name{}
		for _, n := range names(set, c.Language) {
			key := n.space + " " + n.text
			first, again := taken[key]
			if !again {
				taken[key] = n
				continue
			}
			d := report(n.at, "%s would be called %s in the %s client, as is %s", n.what, n.text, c.Language, first.what)
			if !first.at.IsZero() {
				d.Related = &diag.Related{Pos: first.at, Message: "first used here"}
			}
		}
	}
}

// names lists the names of a client, its own first.
func names(set *model.Toolset, l model.Language) []name {
	var out []name
	types, methods := own(set, l)
	for _, text := range types {
		out = append(out, name{"types", text, "a name of the client itself", diag.Pos{}})
	}
	for _, text := range methods {
		out = append(out, name{"methods", text, "a name of the client itself", diag.Pos{}})
	}
	for _, n := range Declared(set) {
		out = append(out, name{"types", n.Name, n.What, n.Pos})
		if l == model.Go && n.Type != nil {
			out = append(out, constants(n)...)
		}
	}
	for _, t := range set.Tools {
		out = append(out, toolNames(set, t, l)...)
	}
	return append(out, codeNames(set, l)...)
}

// constants lists those of an enum in Go.
func constants(n Named) []name {
	var out []name
	for _, v := range n.Type.Enum {
		out = append(out, name{"types", n.Type.EnumConst(v), "value \"" + v + "\"", n.Pos})
	}
	for _, v := range n.Type.Numbers {
		out = append(out, name{"types", n.Type.EnumConst(v.Name), "value \"" + v.Name + "\"", n.Pos})
	}
	return out
}

// toolNames lists the names that a tool brings.
func toolNames(set *model.Toolset, t *model.Tool, l model.Language) []name {
	what := "tool \"" + t.Name + "\""
	methods := []string{t.GoName}
	for _, old := range t.Was {
		methods = append(methods, OldName(set, old))
	}
	if l == model.Python {
		methods = append([]string{PythonName(t.Name)}, t.Was...)
	}
	var out []name
	for i, text := range methods {
		switch {
		case l == model.TypeScript:
			text = TypeScriptMethod(text)
		case l == model.Python && i > 0:
			text = PythonName(text)
		}
		out = append(out, name{"methods", text, what, t.Pos})
	}
	params := map[model.Language]string{model.Go: t.GoName + "Options", model.TypeScript: t.Input.GoName}[l]
	if params != "" {
		out = append(out, name{"types", params, "the parameters of " + what, t.Pos})
	}
	if t.Output != nil {
		out = append(out, name{"types", t.Output.GoName, "the result of " + what, t.Pos})
	}
	if l == model.Python {
		for _, p := range t.Input.Properties {
			out = append(out, name{"parameters of " + t.Name, PythonName(p.Name), "parameter \"" + p.Name + "\"", p.Pos})
		}
	}
	return out
}

// codeNames lists the names that codes of refusals bring.
func codeNames(set *model.Toolset, l model.Language) []name {
	suffixes := map[model.Language][]string{model.Go: {"Error"}, model.TypeScript: {"Refusal"}, model.Python: {"Error", "Fields"}}[l]
	var out []name
	for _, c := range set.Codes {
		what := "code \"" + string(c.Code) + "\""
		for _, s := range suffixes {
			out = append(out, name{"types", c.GoName + s, what, c.Pos})
		}
		if l == model.Go {
			out = append(out, name{"types", "Code" + c.GoName, what, c.Pos})
			for _, f := range c.Fields {
				out = append(out, name{"fields of " + string(c.Code), model.GoName(f.Name, set.Initialisms...), "field \"" + f.Name + "\"", c.Pos})
			}
		}
	}
	if l == model.Go {
		for _, f := range set.CommonFields {
			out = append(out, name{"common fields", model.GoName(f.Name, set.Initialisms...), "field \"" + f.Name + "\"", set.CommonPos})
		}
	}
	return out
}

// DefaultPackage is what the package of a client is called when neither the manifest nor the command names it.
func DefaultPackage(set *model.Toolset, l model.Language) string {
	words := model.Words(strings.ToLower(set.Program()))
	switch l {
	case model.TypeScript:
		return strings.Join(append(words, "client"), "-")
	case model.Python:
		return strings.Join(append(words, "client"), "_")
	}
	return strings.Join(append(words, "client"), "")
}

// Directory is where the files of a client are, below generated/. The package of Go and Python is the
// name of a directory; that of npm is not.
func Directory(c *model.Client) string {
	if c.Language == model.TypeScript {
		return Dir + "/" + string(c.Language)
	}
	return Dir + "/" + string(c.Language) + "/" + c.Package
}
