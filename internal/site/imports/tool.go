package imports

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/site/source"
)

// maxName and maxDescription bound the name and the description of a tool, in bytes.
const (
	maxName        = 60
	maxDescription = 300
)

// Tool is a tool of a site that no person has read yet.
type Tool struct {
	Name, Description string
	From              string // what it was made of, such as GET /api/items
	Input, Output     yaml.MapSlice
	Steps             []yaml.MapSlice
	Extract           yaml.MapSlice
	Examples          []yaml.MapSlice
	Notes             []string // what a person has to decide
	Secrets           []string // names, for site.yaml
}

// File returns the file of the tool. from is the name of the imported file.
func (t *Tool) File(from string) ([]byte, error) {
	doc := yaml.MapSlice{{Key: "name", Value: t.Name}, {Key: "description", Value: t.Description}, {Key: "confirmed", Value: false}}
	add := func(key string, n int, value any) {
		if n > 0 {
			doc = append(doc, yaml.MapItem{Key: key, Value: value})
		}
	}
	add("input", len(t.Input), t.Input)
	add("output", len(t.Output), t.Output)
	add("steps", len(t.Steps), t.Steps)
	add("extract", len(t.Extract), t.Extract)
	add("examples", len(t.Examples), t.Examples)
	text, err := source.Encode(doc)
	if err != nil {
		return nil, fmt.Errorf("write the tool %s: %w", t.Name, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Imported from %s: %s. Read it, then remove confirmed.\n", oneLine(from), oneLine(t.From))
	for _, n := range t.Notes {
		b.WriteString("# - " + oneLine(n) + "\n")
	}
	return append([]byte(b.String()), text...), nil
}

func (t *Tool) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(t.Notes, text) {
		t.Notes = append(t.Notes, text)
	}
}

// secret notes a secret that the tool uses, and returns its placeholder. The imported document chooses no secret of the
// vault.
func (t *Tool) secret(field string) string {
	name := source.UnnamedSecret(snake(field))
	if !slices.Contains(t.Secrets, name) {
		t.Secrets = append(t.Secrets, name)
		t.note("%s stands for a secret: write the name that the vault has, here and in site.yaml", name)
	}
	return "{secret:" + name + "}"
}

// request adds the step that sends a request.
func (t *Tool) request(method, path string, parts yaml.MapSlice) {
	q := yaml.MapSlice{{Key: "method", Value: method}, {Key: "path", Value: path}}
	t.Steps = []yaml.MapSlice{{{Key: "request", Value: append(q, parts...)}}}
}

// answers declares the output of a tool by the schema of its answer.
func (t *Tool) answers(of *schema) {
	if of == nil {
		return
	}
	add := func(name, pointer string, s *schema, required bool) {
		t.Output = append(t.Output, yaml.MapItem{Key: name, Value: s.declared(required)})
		t.Extract = append(t.Extract, yaml.MapItem{Key: name, Value: yaml.MapSlice{{Key: "json", Value: pointer}}})
	}
	if of.kind != "object" || len(of.properties) == 0 {
		name := "result"
		if of.kind == "array" {
			name = "items"
		}
		add(name, "", of, true)
		return
	}
	taken := map[string]bool{}
	for _, p := range of.properties {
		name := p.name
		if !isProperty(name) {
			name = snake(name)
		}
		add(unique(name, taken), "/"+argument.Escape(p.name), p.schema, p.required)
	}
}

// oneLine returns a text without line ends and other characters that hide in a comment.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) }), " ")
}

// describe returns a text as a description.
func describe(text string) string {
	text = oneLine(text)
	if len(text) <= maxDescription {
		return text
	}
	cut := strings.LastIndexByte(text[:maxDescription-3], ' ')
	if cut < maxDescription/2 {
		cut = maxDescription - 3
	}
	return strings.ToValidUTF8(text[:cut], "") + "…"
}

// isProperty reports whether a text is a name of a property as manifests have them.
func isProperty(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= maxName
}

// snake returns a text as a name: small letters, digits and underscores.
func snake(text string) string {
	var b strings.Builder
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r >= 'A' && r <= 'Z':
			before := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			if before || i > 0 && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	name := strings.Join(strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' }), "_")
	if name == "" {
		return "value"
	}
	if name[0] <= '9' {
		name = "value_" + name
	}
	return strings.TrimRight(name[:min(len(name), maxName)], "_")
}
