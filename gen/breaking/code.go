package breaking

import (
	"slices"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// Code is a promised code of refusals.
type Code struct {
	Code   string  `json:"code"`
	Class  string  `json:"class"`
	Fields []Field `json:"fields,omitempty"`
}

// Field is a member that the envelope of a code may have.
type Field struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// codes lists the codes that clients can meet; none where the manifest declares none. The fields of
// every code are those of each.
func codes(set *model.Toolset) []Code {
	var out []Code
	for _, c := range set.Codes {
		row := Code{Code: string(c.Code), Class: string(c.Class)}
		for _, f := range slices.Concat(c.Fields, set.CommonFields) {
			row.Fields = append(row.Fields, Field{f.Name, f.Type})
		}
		out = append(out, row)
	}
	return out
}

// CodeInput is the input of the rules about codes: a code of the old surface, and the same of the new one.
type CodeInput struct {
	was Code
	now *Code // nil when it is gone
}

// CodeRules is the table of changes of codes that break clients.
func CodeRules() []diag.Rule[*CodeInput] {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	return []diag.Rule[*CodeInput]{
		{ID: "CODE_NO_DELETE", Severity: diag.Error, Doc: "A code of refusals of the last release is gone, or has another name. Clients switch over codes." + allow,
			Check: checkCodeDeleted},
		{ID: "CODE_SAME_CLASS", Severity: diag.Error, Doc: "A code of the last release has another class. Clients decide by the class whether to call again." + allow,
			Check: checkCodeClass},
		{ID: "CODE_FIELD_NO_DELETE", Severity: diag.Error, Doc: "A field of the envelope of a code is gone, or has another type than in the last release." + allow,
			Check: checkCodeFields},
	}
}

// compareCodes lists what has changed for the worse among codes, in the order of the old surface.
func compareCodes(was, now Surface) []Change {
	var changes []Change
	for _, c := range was.Codes {
		in := &CodeInput{was: c}
		if i := slices.IndexFunc(now.Codes, func(n Code) bool { return n.Code == c.Code }); i >= 0 {
			in.now = &now.Codes[i]
		}
		for _, d := range diag.Check(CodeRules(), in) {
			changes = append(changes, Change{Rule: d.Rule, Code: c.Code, Message: d.Message})
		}
	}
	return changes
}

func checkCodeDeleted(in *CodeInput, report diag.Report) {
	if in.now == nil {
		report(diag.Pos{}, "the code %s is gone", in.was.Code)
	}
}

func checkCodeClass(in *CodeInput, report diag.Report) {
	if in.now != nil && in.now.Class != in.was.Class {
		report(diag.Pos{}, "the code %s was of class %s and is of class %s", in.was.Code, in.was.Class, in.now.Class)
	}
}

func checkCodeFields(in *CodeInput, report diag.Report) {
	if in.now == nil {
		return
	}
	for _, f := range in.was.Fields {
		i := slices.IndexFunc(in.now.Fields, func(n Field) bool { return n.Name == f.Name })
		switch {
		case i < 0:
			report(diag.Pos{}, "the envelope of %s no longer has %q", in.was.Code, f.Name)
		case in.now.Fields[i].Type != f.Type && in.now.Fields[i].Type != "any":
			report(diag.Pos{}, "%q in the envelope of %s was of type %s and is of type %s", f.Name, in.was.Code, f.Type, in.now.Fields[i].Type)
		}
	}
}
