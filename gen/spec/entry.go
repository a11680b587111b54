package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// Entry is the common part of an entry under prompts and one under resources.
type Entry struct {
	Pos         diag.Pos // of the entry's first key
	Name        Text
	Title       Text
	Description Text
	Capability  Text
	Scopes      []Text
	Visible     Text
	Asks        []Text // what the handler asks the client for
	TimeoutMS   Scalar[int]
}

// Prompt is one entry under prompts.
type Prompt struct {
	Entry
	Arguments []Argument
}

// Argument is an argument of a prompt, or a variable of a template of resources. Required and Title are
// of prompts alone.
type Argument struct {
	Name               Text
	Title, Description Text
	Required           Scalar[bool]
	Enum               *Names // nil when not written
	Complete           Text
}

// Resource is one entry under resources.
type Resource struct {
	Entry
	URI, Template Text
	MIME          Text
	Size          Scalar[int]
	Audience      []Text
	Priority      Scalar[float64]
	Subscribe     Scalar[bool]
	Variables     []Argument
}

// hasEntries reports whether a mapping declares prompts or resources.
func hasEntries(n ast.Node) bool { return hasMember(n, "prompts") || hasMember(n, "resources") }

// areaFields are the keys under which an area declares what it has. Whole turns false when one of them
// is no list.
func (w *walker) areaFields(out *Area, toolsRequired bool, whole *bool) []field {
	list := func(read func(member)) func(member) {
		return func(m member) {
			*whole = *whole && yamltree.KindOf(m.Value) == "a list"
			read(m)
		}
	}
	return []field{
		{Name: "tools", Required: toolsRequired, Read: list(toolWalker{w}.tools(&out.Tools))},
		optional("prompts", list(entryWalker{w}.prompts(&out.Prompts))),
		optional("resources", list(entryWalker{w}.resources(&out.Resources))),
	}
}

// entryWalker reads prompts and resources.
type entryWalker struct{ *walker }

func (w entryWalker) prompts(dst *[]*Prompt) func(member) {
	return w.entries("prompt", func(n ast.Node, what string, at diag.Pos) {
		p := &Prompt{Entry: Entry{Pos: w.Pos(n)}}
		w.Fields(n, what, at, append(w.entryFields(&p.Entry),
			optional("arguments", w.arguments(&p.Arguments, true)))...)
		if p.Name.Set() {
			*dst = append(*dst, p)
		}
	})
}

func (w entryWalker) resources(dst *[]*Resource) func(member) {
	return w.entries("resource", func(n ast.Node, what string, at diag.Pos) {
		r := &Resource{Entry: Entry{Pos: w.Pos(n)}}
		w.Fields(n, what, at, append(w.entryFields(&r.Entry),
			optional("uri", w.IntoText(&r.URI)),
			optional("uriTemplate", w.IntoText(&r.Template)),
			optional("variables", w.arguments(&r.Variables, false)),
			optional("mimeType", w.IntoText(&r.MIME)),
			optional("size", w.IntoInt(&r.Size)),
			optional("annotations", w.annotations(r)),
			optional("subscribe", w.IntoBool(&r.Subscribe)))...)
		if r.Name.Set() {
			*dst = append(*dst, r)
		}
	})
}

// entries reads a list of named entries, calling read for each mapping with what messages call it.
func (w entryWalker) entries(what string, read func(n ast.Node, what string, at diag.Pos)) func(member) {
	return func(m member) {
		items, _ := w.Items(m, "a list of "+what+"s")
		for _, item := range items {
			if n := w.Plain(item); n != nil {
				title, at := w.title(n, what)
				read(n, title, at)
			}
		}
	}
}

// entryFields are the keys that prompts and resources share.
func (w entryWalker) entryFields(e *Entry) []field {
	return []field{
		required("name", w.IntoText(&e.Name)),
		required("title", w.IntoText(&e.Title)),
		optional("description", w.IntoText(&e.Description)),
		optional("capability", w.IntoText(&e.Capability)),
		required("scope", w.IntoTextOrTexts(&e.Scopes)),
		required("visible", w.IntoText(&e.Visible)),
		optional("asks", w.IntoTexts(&e.Asks)),
		optional("budget", func(m member) {
			w.Fields(m.Value, "budget", m.Key.Pos, optional("timeout_ms", w.IntoInt(&e.TimeoutMS)))
		}),
	}
}

// arguments reads the arguments of a prompt, or the variables of a template.
func (w entryWalker) arguments(dst *[]Argument, ofPrompt bool) func(member) {
	return w.Each(func(m member) {
		a := Argument{Name: m.Key}
		what := "variable "
		fields := []field{
			optional("description", w.IntoText(&a.Description)),
			optional("enum", w.intoNames(&a.Enum)),
			optional("complete", w.IntoText(&a.Complete)),
		}
		if ofPrompt {
			what = "argument "
			fields = append(fields, optional("title", w.IntoText(&a.Title)), optional("required", w.IntoBool(&a.Required)))
		}
		w.Fields(m.Value, what+quoted(m.Key), m.Key.Pos, fields...)
		*dst = append(*dst, a)
	})
}

func (w entryWalker) annotations(r *Resource) func(member) {
	return func(m member) {
		w.Fields(m.Value, "annotations", m.Key.Pos,
			optional("audience", w.IntoTexts(&r.Audience)),
			optional("priority", w.IntoNumber(&r.Priority)))
	}
}
