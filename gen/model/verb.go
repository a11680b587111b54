package model

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/command"
)

// CLI is the program's own part of its command line, beside the tools' verbs.
type CLI struct {
	Program  string
	Commands []string // verbs of the program itself
	Flags    []string // flags that the program gives every verb
}

// Verb is one way to call a tool from the command line.
type Verb struct {
	Name        string
	Description string // the tool's own when the author gave none
	Example     string
	Args        []*VerbParam // positional, in order
	Flags       []*VerbParam
	Fixed       []*VerbParam // with a Value, which the verb itself gives
	Save        bool
	Watch       bool
	Tool        *Tool
	Pos         diag.Pos
}

// VerbParam is a property as a verb takes it.
type VerbParam struct {
	Name     string // on the command line
	Property *Property
	Required bool
	Value    *Value    // not nil: the flag is a switch for this value
	Else     *Property // not nil: a positional word that has not the form of Property's role gives this one
}

// Commands is the table of all verbs, sorted by name, as the command line takes it.
func (ts *Toolset) Commands() []command.Verb {
	var out []command.Verb
	for _, t := range ts.Tools {
		for _, v := range t.Verbs {
			out = append(out, v.row())
		}
	}
	slices.SortFunc(out, func(a, b command.Verb) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func (v *Verb) row() command.Verb {
	row := command.Verb{
		Name: v.Name, Tool: v.Tool.Name, Group: v.Tool.Area.Name, Short: v.Description, Example: v.Example, Save: v.Save, Watch: v.Watch,
		Args: params(v.Args), Flags: params(v.Flags),
	}
	if len(v.Tool.Scopes) > 0 {
		row.Scope = v.Tool.Scopes[0].Name
	}
	for _, p := range v.Fixed {
		row.Fixed = append(row.Fixed, command.Fixed{Property: p.Property.Name, Value: literal(p.Property, p.Value)})
	}
	return row
}

func params(in []*VerbParam) []command.Param {
	var out []command.Param
	for _, p := range in {
		t := p.Property.Type
		row := command.Param{
			Name: p.Name, Property: p.Property.Name, Kind: command.Kind(t.Kind), Enum: t.Choices(), Required: p.Required,
			Usage: p.Property.Description,
		}
		for _, old := range p.Property.Was {
			if p.Value == nil && kebab(old) != p.Name {
				row.Was = append(row.Was, kebab(old))
			}
		}
		if p.Else != nil {
			row.Form, row.Else = p.Property.Role.Form, p.Else.Name
		}
		if t.Items != nil {
			row.Items = command.Kind(t.Items.Kind)
		}
		if p.Property.Default != nil {
			row.Default = strings.Trim(literal(p.Property, p.Property.Default), `"`)
		}
		if p.Value != nil {
			row.Value, row.Enum, row.Default = literal(p.Property, p.Value), nil, ""
			row.Usage = p.Property.Name + ": " + strings.Trim(row.Value, `"`)
		}
		out = append(out, row)
	}
	return out
}

// literal returns a value of a property as JSON.
func literal(p *Property, v *Value) string {
	switch p.Type.Kind {
	case Boolean:
		return strconv.FormatBool(v.Bool)
	case Integer, Number:
		return strconv.FormatFloat(v.Number, 'g', -1, 64)
	default:
		text, err := json.Marshal(v.String)
		if err != nil { // text always marshals
			return `""`
		}
		return string(text)
	}
}

// kebab is a name as the command line writes it: userId and user_id become user-id.
func kebab(name string) string {
	var b strings.Builder
	for i, c := range name {
		upper := c >= 'A' && c <= 'Z'
		if upper && i > 0 && name[i-1] != '_' && (name[i-1] < 'A' || name[i-1] > 'Z') {
			b.WriteByte('-')
		}
		switch {
		case upper:
			b.WriteRune(c - 'A' + 'a')
		case c == '_':
			b.WriteByte('-')
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
