package schema

import (
	"bytes"
	"encoding/json"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

// promptEntry is a prompt in prompts/list. The order of its fields is the order on the wire.
type promptEntry struct {
	Name        string          `json:"name"`
	Title       string          `json:"title,omitempty"`
	Description string          `json:"description,omitempty"`
	Arguments   []argumentEntry `json:"arguments,omitempty"`
}

type argumentEntry struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// resourceEntry is a resource in resources/list or a template in resources/templates/list.
type resourceEntry struct {
	URI         string         `json:"uri,omitempty"`
	Template    string         `json:"uriTemplate,omitempty"`
	Name        string         `json:"name"`
	Title       string         `json:"title,omitempty"`
	Description string         `json:"description,omitempty"`
	MIME        string         `json:"mimeType,omitempty"`
	Annotations *resourceHints `json:"annotations,omitempty"`
	Size        int            `json:"size,omitempty"`
}

// resourceHints are the annotations of the protocol that a manifest can know.
type resourceHints struct {
	Audience []string    `json:"audience,omitempty"`
	Priority json.Number `json:"priority,omitempty"`
}

// PromptDefinition is the exact bytes of the prompt's entry in prompts/list.
func PromptDefinition(p *model.Prompt) []byte {
	out := promptEntry{Name: p.Name, Title: paramschema.Title(p.List.Titles, p.Name, p.Title), Description: p.Description}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, argumentEntry{a.Name, a.Title, a.Description, a.Required})
	}
	return paramschema.Compact(out)
}

// ResourceDefinition is the exact bytes of the resource's entry in its list.
func ResourceDefinition(r *model.Resource) []byte {
	out := resourceEntry{URI: r.URI, Name: r.Name, Title: paramschema.Title(r.List.Titles, r.Name, r.Title), Description: r.Description, MIME: r.MIME, Size: r.Size}
	if r.Template != nil {
		out.Template = r.Template.String()
	}
	if len(r.Audience) > 0 || r.Priority != nil {
		out.Annotations = &resourceHints{r.Audience, paramschema.Bound(r.Priority)}
	}
	return paramschema.Compact(out)
}

// PromptList is the array of prompts/list.
func PromptList(of []*model.Prompt) []byte { return list(of, PromptDefinition) }

// ResourceList is the array of resources/list or of resources/templates/list.
func ResourceList(of []*model.Resource) []byte { return list(of, ResourceDefinition) }

func list[T any](of []T, definition func(T) []byte) []byte {
	entries := slicesx.List(of, definition)
	return append(append([]byte("["), bytes.Join(entries, []byte(","))...), ']')
}
