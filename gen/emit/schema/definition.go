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

// annotations are the hints of the protocol. Each is left out where it equals the protocol's
// default; two of the defaults are true, hence the pointers.
type annotations struct {
	ReadOnlyHint    bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool `json:"destructiveHint,omitempty"`
	IdempotentHint  bool  `json:"idempotentHint,omitempty"`
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
	return compact(define(t, t.FullDescription(), Input(t)))
}

func define(t *model.Tool, description string, input *jsonschema.Schema) definition {
	d := definition{
		Name:        t.Name,
		Title:       title(t),
		Description: description,
		InputSchema: stripForList(mirror(input)),
		Annotations: hints(t.ListedEffects()),
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

// title is the tool's title, or nothing when it only repeats the name: clients then show that.
func title(t *model.Tool) string {
	if strings.EqualFold(t.Title, strings.ReplaceAll(t.Name, "_", " ")) {
		return ""
	}
	return t.Title
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
	if t.ListedEffects().ReadOnly {
		d.Annotations = &annotations{ReadOnlyHint: true}
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
func listed(t *model.Tool) *jsonschema.Schema {
	return object(slices.DeleteFunc(slices.Clone(t.Input.Properties), func(p *model.Property) bool { return p.Unlisted }), full)
}

// PaidBytes counts what a model's context pays for the tool in every session: the bytes of its
// name, description and compact input schema. Titles, output schemas and hints are for clients and
// usually never reach the model.
func PaidBytes(t *model.Tool) int {
	size := len(t.Name) + len(t.FullDescription())
	if t.Forward != nil && t.Forward.Verbatim {
		return size + len(compact(t.Forward.Input))
	}
	return size + len(compact(stripForList(mirror(listed(t)))))
}

// hints keeps what differs from the protocol's defaults, or is nil when nothing does. For a
// read-only tool the protocol gives destructiveHint and idempotentHint no meaning.
func hints(e model.Effects) *annotations {
	a := annotations{ReadOnlyHint: e.ReadOnly, IdempotentHint: e.Idempotent && !e.ReadOnly}
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
