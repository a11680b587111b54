package spec

import (
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen/diag"
)

// Entry is what an entry under prompts and one under resources have in common.
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
			*whole = *whole && kindOf(m.value) == "a list"
			read(m)
		}
	}
	return []field{
		{"tools", toolsRequired, list(toolWalker{w}.tools(&out.Tools))},
		{"prompts", false, list(entryWalker{w}.prompts(&out.Prompts))},
		{"resources", false, list(entryWalker{w}.resources(&out.Resources))},
	}
}

// entryWalker reads prompts and resources.
type entryWalker struct{ *walker }

func (w entryWalker) prompts(dst *[]*Prompt) func(member) {
	return w.entries("prompt", func(n ast.Node, what string, at diag.Pos) {
		p := &Prompt{Entry: Entry{Pos: w.pos(n)}}
		w.fields(n, what, at, append(w.entryFields(&p.Entry),
			field{"arguments", false, w.arguments(&p.Arguments, true)})...)
		if p.Name.Set() {
			*dst = append(*dst, p)
		}
	})
}

func (w entryWalker) resources(dst *[]*Resource) func(member) {
	return w.entries("resource", func(n ast.Node, what string, at diag.Pos) {
		r := &Resource{Entry: Entry{Pos: w.pos(n)}}
		w.fields(n, what, at, append(w.entryFields(&r.Entry),
			field{"uri", false, w.intoText(&r.URI)},
			field{"uriTemplate", false, w.intoText(&r.Template)},
			field{"variables", false, w.arguments(&r.Variables, false)},
			field{"mimeType", false, w.intoText(&r.MIME)},
			field{"size", false, w.intoInt(&r.Size)},
			field{"annotations", false, w.annotations(r)},
			field{"subscribe", false, w.intoBool(&r.Subscribe)})...)
		if r.Name.Set() {
			*dst = append(*dst, r)
		}
	})
}

// entries reads a list of named entries, calling read for each mapping with what messages call it.
func (w entryWalker) entries(what string, read func(n ast.Node, what string, at diag.Pos)) func(member) {
	return func(m member) {
		items, _ := w.items(m, "a list of "+what+"s")
		for _, item := range items {
			if n := w.plain(item); n != nil {
				title, at := w.title(n, what)
				read(n, title, at)
			}
		}
	}
}

// entryFields are the keys that prompts and resources share.
func (w entryWalker) entryFields(e *Entry) []field {
	return []field{
		{"name", true, w.intoText(&e.Name)},
		{"title", true, w.intoText(&e.Title)},
		{"description", false, w.intoText(&e.Description)},
		{"capability", false, w.intoText(&e.Capability)},
		{"scope", true, w.intoTextOrTexts(&e.Scopes)},
		{"visible", true, w.intoText(&e.Visible)},
		{"asks", false, w.intoTexts(&e.Asks)},
		{"budget", false, func(m member) {
			w.fields(m.value, "budget", m.key.Pos, field{"timeout_ms", false, w.intoInt(&e.TimeoutMS)})
		}},
	}
}

// arguments reads the arguments of a prompt, or the variables of a template.
func (w entryWalker) arguments(dst *[]Argument, ofPrompt bool) func(member) {
	return w.each(func(m member) {
		a := Argument{Name: m.key}
		what := "variable "
		fields := []field{
			{"description", false, w.intoText(&a.Description)},
			{"enum", false, w.intoNames(&a.Enum)},
			{"complete", false, w.intoText(&a.Complete)},
		}
		if ofPrompt {
			what = "argument "
			fields = append(fields, field{"title", false, w.intoText(&a.Title)}, field{"required", false, w.intoBool(&a.Required)})
		}
		w.fields(m.value, what+quoted(m.key), m.key.Pos, fields...)
		*dst = append(*dst, a)
	})
}

func (w entryWalker) annotations(r *Resource) func(member) {
	return func(m member) {
		w.fields(m.value, "annotations", m.key.Pos,
			field{"audience", false, w.intoTexts(&r.Audience)},
			field{"priority", false, w.intoNumber(&r.Priority)})
	}
}
