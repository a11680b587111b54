package schema

import (
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/callsheet/callsheet/gen/model"
)

// definition is a tool's entry in tools/list. The order of its fields is the order on the wire.
type definition struct {
	Name         string       `json:"name"`
	Title        string       `json:"title,omitempty"`
	Description  string       `json:"description"`
	InputSchema  any          `json:"inputSchema"`
	OutputSchema any          `json:"outputSchema,omitempty"`
	Annotations  *annotations `json:"annotations,omitempty"`
}

// annotations are the hints of the protocol. A nil one is left out.
type annotations struct {
	ReadOnlyHint    *bool `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool `json:"openWorldHint,omitempty"`
}

// Definition is the exact bytes of the tool's entry in tools/list: compact, no HTML escaping, no
// newline.
func Definition(t *model.Tool) []byte { return compact(define(t, t.FullDescription(), listed(t))) }

// StaticDefinition is the entry in a list that does not follow the session's state: it says which state the
// tool needs, because the list cannot.
func StaticDefinition(t *model.Tool) []byte {
	if t.Visible.Always() {
		return Definition(t)
	}
	return compact(define(t, t.FullDescription()+" (needs "+t.Visible.InWords()+")", listed(t)))
}

// FullDefinition is the entry with the parameters that lists leave out; nil when there is none.
func FullDefinition(t *model.Tool) []byte {
	if !t.HasUnlisted() {
		return nil
	}
	return compact(define(t, t.FullDescription(), inList(t, Input(t))))
}

func define(t *model.Tool, description string, input *wire) definition {
	d := definition{
		Name:        t.Name,
		Title:       title(t.List, t.Name, t.Title),
		Description: description,
		InputSchema: input,
		Annotations: hints(t.ListedEffects(), t.List.Annotations),
	}
	if !t.OutputUnlisted {
		if output := stripForList(mirror(Output(t))); output != nil {
			d.OutputSchema = output
		}
	}
	if t.Forward != nil {
		d.forward(t.Forward)
	}
	return d
}

// forward puts the schemas of the upstream in their places, as the upstream sends them.
func (d *definition) forward(f *model.Forward) {
	if f.Verbatim {
		d.InputSchema = f.Input
	}
	if f.Output != nil {
		d.OutputSchema = f.Output
	}
}

// title is the title in a list. One that only repeats the name is usually left out: clients then show that.
func title(style model.ListStyle, name, title string) string {
	repeats := strings.EqualFold(title, strings.ReplaceAll(name, "_", " "))
	if style.Titles == model.NoEntry || repeats && style.Titles != model.EveryEntry {
		return ""
	}
	return title
}

// SlimDefinition is the tool's entry in the list that --slim serves: the short description, the few
// parameters without their descriptions and defaults, and of the hints only the one that spares a
// person a question. It is nil when the tool is not in that list.
func SlimDefinition(t *model.Tool) []byte {
	if t.Slim == nil {
		return nil
	}
	d := definition{
		Name:        t.Name,
		Description: t.Slim.Description,
		InputSchema: stripForList(mirror(object(t.Slim.Properties, bare))),
	}
	if t.ListedEffects().ReadOnly && t.List.Annotations != model.NoEntry {
		d.Annotations = &annotations{ReadOnlyHint: new(true)}
	}
	return compact(d)
}

// Contract is the tool's input schema as one line of JSON: everything that its reader holds
// arguments against, but the conditional requirements.
// A forwarded tool without an input of its own has the upstream's schema.
func Contract(t *model.Tool) []byte {
	if t.Forward != nil && t.Forward.Verbatim {
		return compact(t.Forward.Input)
	}
	return compact(mirror(Input(t)))
}

// OutputContract is the schema of the structured content of a tool that declares an output, as one line of JSON.
func OutputContract(t *model.Tool) []byte { return compact(mirror(Output(t))) }

// ListedOutput is OutputContract as lists have it. It is open, because clients may hold results of a later release, which has
// further members, against it.
func ListedOutput(t *model.Tool) []byte { return compact(stripForList(mirror(Output(t)))) }

// stripForList takes from a schema what a list need not say, because a call that ignores it is
// refused with the words for it: that objects are closed, how large, long and many values may be,
// and what is used when none is given, if that is a number or the first of its choices. What is left
// accepts all that the contract accepts.
func stripForList(w *wire) *wire {
	if w == nil {
		return nil
	}
	if w.AdditionalProperties != nil {
		if w.AdditionalProperties.values == nil {
			w.AdditionalProperties = nil
		} else {
			stripForList(w.AdditionalProperties.values)
		}
	}
	w.MinProperties, w.MaxProperties, w.PropertyNames = nil, nil, nil
	w.Minimum, w.Maximum = "", ""
	w.MinLength, w.MaxLength, w.MinItems, w.MaxItems = nil, nil, nil, nil
	if slices.Contains(w.Type, "integer") || slices.Contains(w.Type, "number") || len(w.Enum) > 0 && w.Enum[0] == w.Default {
		w.Default = nil
	}
	w.Items = stripForList(w.Items)
	for _, v := range w.AnyOf {
		stripForList(v)
	}
	if w.Properties != nil {
		for _, p := range w.Properties.FromOldest() {
			stripForList(p)
		}
	}
	return w
}

// listed is the schema of the parameters that lists show.
func listed(t *model.Tool) *wire {
	return inList(t, object(slices.DeleteFunc(slices.Clone(t.Input.Properties), func(p *model.Property) bool { return p.Unlisted }), full))
}

// inList is a schema of a tool's input as lists have it.
func inList(t *model.Tool, input *jsonschema.Schema) *wire {
	if t.List.FullSchemas {
		return mirror(input)
	}
	return stripForList(mirror(input))
}

// PaidBytes counts what a model's context pays for the tool in every session: the bytes of its
// name, description and compact input schema. Titles, output schemas and hints are for clients and
// usually never reach the model.
func PaidBytes(t *model.Tool) int {
	size := len(t.Name) + len(t.FullDescription())
	if t.Forward != nil && t.Forward.Verbatim {
		return size + len(compact(t.Forward.Input))
	}
	return size + len(compact(listed(t)))
}

// hints keeps what differs from the protocol's defaults, or is nil when nothing does. For a
// read-only tool the protocol gives destructiveHint and idempotentHint no meaning. All writes each hint.
func hints(e model.Effects, which model.Extent) *annotations {
	switch which {
	case model.NoEntry:
		return nil
	case model.EveryEntry:
		return &annotations{&e.ReadOnly, &e.Destructive, &e.Idempotent, &e.OpenWorld}
	}
	a := annotations{}
	if e.ReadOnly {
		a.ReadOnlyHint = new(true)
	} else if e.Idempotent {
		a.IdempotentHint = new(true)
	}
	if !e.Destructive && !e.ReadOnly {
		a.DestructiveHint = new(false)
	}
	if !e.OpenWorld {
		a.OpenWorldHint = new(false)
	}
	if a == (annotations{}) {
		return nil
	}
	return &a
}
