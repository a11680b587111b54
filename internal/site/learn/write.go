package learn

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/site/source"
)

// File returns the draft as the file of a tool of a site: unconfirmed, with its notes as comments.
func (d *Draft) File() ([]byte, error) {
	doc := yaml.MapSlice{{Key: "name", Value: d.Name}, {Key: "description", Value: d.Description}, {Key: "confirmed", Value: false}}
	if d.Visible != "" {
		doc = append(doc, yaml.MapItem{Key: "visible", Value: d.Visible})
	}
	if input := d.input(); len(input) > 0 {
		doc = append(doc, yaml.MapItem{Key: "input", Value: input})
	}
	if d.Start != "" {
		doc = append(doc, yaml.MapItem{Key: "start", Value: d.Start})
	}
	steps := make([]yaml.MapSlice, len(d.Steps))
	for i := range d.Steps {
		steps[i] = d.Steps[i].mapping()
	}
	doc = append(doc, yaml.MapItem{Key: "steps", Value: steps})
	if d.Postcondition != nil {
		doc = append(doc, yaml.MapItem{Key: "postcondition", Value: d.Postcondition})
	}
	if len(d.input()) > 0 {
		doc = append(doc, yaml.MapItem{Key: "examples", Value: d.Examples})
	}
	text, err := source.Encode(doc)
	if err != nil {
		return nil, fmt.Errorf("write the tool %s: %w", d.Name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Learned from %d recordings. Read it, then remove confirmed.\n", len(d.Examples))
	for _, n := range d.Notes {
		b.WriteString("# - " + strings.Join(strings.Fields(n), " ") + "\n") // a page's text ends no comment
	}
	return append([]byte(b.String()), text...), nil
}

// input returns the parameters of callers in the manifest's grammar. Secrets are no parameters of
// callers.
func (d *Draft) input() yaml.MapSlice {
	var out yaml.MapSlice
	for _, p := range d.Parameters {
		if p.Secret {
			continue
		}
		entry := yaml.MapSlice{{Key: "type", Value: p.Type}, {Key: "required", Value: true}}
		if p.Format == "date" {
			entry = append(entry, yaml.MapItem{Key: "pattern", Value: `^[0-9]{4}-[0-9]{2}-[0-9]{2}$`})
		}
		if len(p.Enum) > 0 {
			entry = append(entry, yaml.MapItem{Key: "enum", Value: p.Enum})
		}
		out = append(out, yaml.MapItem{Key: p.Name, Value: append(entry, yaml.MapItem{Key: "description", Value: p.Description})})
	}
	return out
}

// Secrets returns the names of the secrets that the steps use, for site.yaml.
func (d *Draft) Secrets() []string {
	var out []string
	for _, p := range d.Parameters {
		if p.Secret {
			out = append(out, p.Name)
		}
	}
	return out
}

func (s *Step) mapping() yaml.MapSlice {
	out := yaml.MapSlice{{Key: "tool", Value: s.Tool}}
	if len(s.Args) > 0 {
		out = append(out, yaml.MapItem{Key: "args", Value: s.Args})
	}
	if id, ok := s.Targets["/ref"]; ok && len(s.Targets) == 1 {
		return append(out, yaml.MapItem{Key: "target", Value: marks(id)})
	}
	targets := yaml.MapSlice{}
	for _, pointer := range slices.Sorted(maps.Keys(s.Targets)) {
		targets = append(targets, yaml.MapItem{Key: pointer, Value: marks(s.Targets[pointer])})
	}
	if len(targets) > 0 {
		out = append(out, yaml.MapItem{Key: "targets", Value: targets})
	}
	return out
}

// marks returns the properties that find an element: its text only where it has no name.
func marks(id locate.Identity) yaml.MapSlice {
	var out yaml.MapSlice
	add := func(key, value string) {
		if value != "" {
			out = append(out, yaml.MapItem{Key: key, Value: value})
		}
	}
	add("role", id.Role)
	add("name", id.Name)
	add("testId", id.TestID)
	if id.Name == "" {
		add("text", id.Text)
		add("tag", id.Tag)
	}
	add("kind", id.Kind)
	add("label", id.Label)
	if id.Ordinal > 0 {
		out = append(out, yaml.MapItem{Key: "nth", Value: id.Ordinal}, yaml.MapItem{Key: "of", Value: id.AlikeCount})
	}
	add("frame", id.Frame)
	add("leads", id.Leads)
	return out
}
