package model

import (
	"regexp"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/code"
	"github.com/callsheet/callsheet/gen/toolkit/paramspec"
)

// Code is a code that a call of this server can be refused with.
type Code struct {
	code.Info
	GoName  string // NoTab
	Builtin bool   // the toolkit has the code, and the manifest at most adds fields to it
	From    []Sentinel
	Advice  string // where one of From stands for the code: the action of the client
	Pos     diag.Pos
}

// anyCode is the entry of refusals whose fields each code may have.
const anyCode = "any"

var codeName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)

// refusalResolver resolves the codes of refusals.
type refusalResolver struct{ *resolver }

// refusals resolves the codes: those of the toolkit first, then those of the manifest in its order.
func (r refusalResolver) refusals(in []spec.Refusal) {
	known := map[string]*Code{}
	rows := code.Builtin()
	if slices.ContainsFunc(r.set.Tools, func(t *Tool) bool { return t.Confirm != nil }) {
		rows = append(rows, code.Confirmation()...)
	}
	for _, row := range rows {
		item := &Code{Info: row, GoName: r.codeGoName(string(row.Code)), Builtin: true}
		item.Fields = slices.Clone(row.Fields)
		known[string(row.Code)] = item
		r.set.Codes = append(r.set.Codes, item)
	}
	goNames := map[string]spec.Text{}
	for _, c := range in {
		fields := r.refusalFields(c)
		if c.Code.Value == anyCode {
			r.set.CommonFields, r.set.CommonPos = fields, c.Code.Pos
			r.fieldsAlone(c, "the entry any has fields alone")
			continue
		}
		if item := known[c.Code.Value]; item != nil {
			r.fieldsAlone(c, "the toolkit has the code "+c.Code.Value+"; an entry can only add fields to it")
			item.Pos = c.Code.Pos
			r.addFields(item, c, fields)
			continue
		}
		if item := r.refusal(c); item != nil {
			if first, taken := goNames[item.GoName]; taken {
				d := r.errorf(c.Code.Pos, paramspec.RuleGoNameClash, "code %q would be called %s in Go, as is %s", c.Code.Value, item.GoName, first.Value)
				d.Related = &diag.Related{Pos: first.Pos, Message: "first used here"}
			}
			goNames[item.GoName] = c.Code
			item.Fields = fields
			r.set.Codes = append(r.set.Codes, item)
		}
	}
	r.sentinels(in)
}

// codeGoName is the Go name of a code: NO_TAB is NoTab.
func (r refusalResolver) codeGoName(name string) string { return r.goName(strings.ToLower(name)) }

// refusal resolves a code that the manifest declares.
func (r refusalResolver) refusal(c spec.Refusal) *Code {
	if !codeName.MatchString(c.Code.Value) || len(c.Code.Value) > 64 {
		r.errorf(c.Code.Pos, paramspec.RuleBadName, "%q is no name for a code", c.Code.Value).Hint = "a code is capital letters, digits and underscores: NOT_FOUND"
		return nil
	}
	item := &Code{GoName: r.codeGoName(c.Code.Value), Pos: c.Code.Pos}
	item.Info = code.Info{Code: code.Code(c.Code.Value), Class: code.Class(c.Class.Value), Description: c.Description.Value}
	if strings.TrimSpace(c.Description.Value) == "" {
		r.errorf(c.Code.Pos, ruleBadRefusal, "code %q has no description", c.Code.Value)
	}
	if valid := classNames(); !c.Class.Set() {
		r.errorf(c.Code.Pos, ruleBadRefusal, "code %q has no class", c.Code.Value).Hint = "valid here: " + strings.Join(valid, ", ")
	} else if !slices.Contains(valid, c.Class.Value) {
		r.unknown(c.Class, ruleBadRefusal, "class", valid)
	}
	return item
}

// fieldsAlone reports the keys of an entry that only a code of the manifest can have.
func (r refusalResolver) fieldsAlone(c spec.Refusal, why string) {
	for _, t := range []spec.Text{c.Description, c.Class} {
		if t.Set() {
			r.errorf(t.Pos, ruleBadRefusal, "%s", why)
		}
	}
}

func (r refusalResolver) refusalFields(c spec.Refusal) []code.Field {
	var out []code.Field
	for _, f := range c.Fields {
		if reserved := []string{"code", "tool", "message"}; !paramspec.IsProperty(f.Name.Value) || slices.Contains(reserved, f.Name.Value) {
			r.errorf(f.Name.Pos, paramspec.RuleBadName, "%q is no name for a field", f.Name.Value).Hint = "every envelope has code, tool and message; " + nameHint
		}
		if f.Type.Set() && !slices.Contains(code.Types(), f.Type.Value) {
			r.unknown(f.Type, ruleBadRefusal, "type", code.Types())
		}
		r.notEmpty(f.Description, "the description")
		out = append(out, code.Field{Name: f.Name.Value, Type: f.Type.Value, Description: f.Description.Value})
	}
	return out
}

// addFields adds fields to a code of the toolkit.
func (r refusalResolver) addFields(to *Code, c spec.Refusal, fields []code.Field) {
	for i, f := range fields {
		if slices.ContainsFunc(to.Fields, func(have code.Field) bool { return have.Name == f.Name }) {
			r.errorf(c.Fields[i].Name.Pos, ruleBadRefusal, "code %s has a field %q already", to.Code, f.Name)
			continue
		}
		to.Fields = append(to.Fields, f)
	}
}

func classNames() []string {
	return slicesx.Map(code.Classes(), func(c code.Class) string { return string(c) })
}
