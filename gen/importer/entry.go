package importer

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"

	"github.com/callsheet/callsheet/gen/upstream"
)

// maxDescription is the longest description of an entry that the compiler takes, in bytes.
const maxDescription = 300

// entry renders the entry of a tool.
func (m *importer) entry(t upstream.Tool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  - name: %s\n", m.name(t))
	fmt.Fprintf(&b, "    title: %s\n", scalar(m.title(t)))
	b.WriteString(m.description(t))
	fmt.Fprintf(&b, "    forward: %s\n    capability: %s\n    scope: default\n", scalar(t.Name), core)
	b.WriteString(m.effects(t))
	b.WriteString("    visible: always\n")
	b.WriteString(m.input(t))
	m.others(t)
	return b.String()
}

// name is the tool's name in the manifest's grammar.
func (m *importer) name(t upstream.Tool) string {
	base := toName(t.Name)
	if base == "" {
		base = "tool"
	}
	name := base
	for n := 2; m.names[name] != ""; n++ {
		suffix := fmt.Sprintf("_%d", n)
		name = base[:min(len(base), 64-len(suffix))] + suffix
	}
	m.names[name] = t.Name
	if name != t.Name {
		m.decide(t.Name, "/name", Changed, reason{fmt.Sprintf("the tool is called %q", name), "names have small letters, digits and underscores",
			"rename it as you like; calls by the upstream's name are taken too"})
	}
	return name
}

// toName writes a name with small letters, digits and underscores, at most 64.
func toName(s string) string {
	var b strings.Builder
	runes := []rune(s)
	for i, r := range runes {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case r >= 'A' && r <= 'Z':
			after := i > 0 && (unicode.IsLower(runes[i-1]) || unicode.IsDigit(runes[i-1]))
			before := i > 0 && unicode.IsUpper(runes[i-1]) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
			if after || before {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteByte('_')
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == '_' })
	name := strings.Join(words, "_")
	if s == strings.ToLower(s) && strings.Trim(s, "_") == s && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}) {
		name = s // it is one already, doubled underscores and all
	}
	if name != "" && name[0] >= '0' && name[0] <= '9' {
		name = "tool_" + name
	}
	return name[:min(len(name), 64)]
}

func (m *importer) title(t upstream.Tool) string {
	if title := cmp.Or(strings.TrimSpace(t.Title), strings.TrimSpace(t.Hints().Title)); title != "" {
		return title
	}
	title := titleOf(toName(t.Name))
	m.decide(t.Name, "/title", Added, reason{fmt.Sprintf("the title is %q", title), "the server sends none", "write a better one"})
	return title
}

func titleOf(name string) string {
	words := strings.ReplaceAll(name, "_", " ")
	return strings.ToUpper(words[:min(1, len(words))]) + words[min(1, len(words)):]
}

// description is the line of the description; one that the manifest does not take stays in the record.
func (m *importer) description(t upstream.Tool) string {
	switch n := len(t.Description); {
	case strings.TrimSpace(t.Description) == "":
		m.decide(t.Name, "/description", Asked, reason{"the tool has no description", "the server sends none, and a model knows nothing else of the tool", "write description"})
		return "    # ask: description\n"
	case n > maxDescription:
		m.decide(t.Name, "/description", Kept, reason{"the description is sent as the server sends it", fmt.Sprintf("it has %d bytes, and an entry may have %d", n, maxDescription),
			"write a shorter description in the entry"})
		return ""
	}
	return "    description: " + scalar(t.Description) + "\n"
}

// effects is the line of the effects. What the server does not say is left out, and the compiler asks
// for it.
func (m *importer) effects(t upstream.Tool) string {
	h := t.Hints()
	readOnly := h.ReadOnly != nil && *h.ReadOnly
	values := []struct {
		name, hint string
		said       *bool
		otherwise  bool
	}{
		{"read_only", "readOnlyHint", h.ReadOnly, false},
		{"destructive", "destructiveHint", h.Destructive, true},
		{"idempotent", "idempotentHint", h.Idempotent, false},
		{"open_world", "openWorldHint", h.OpenWorld, true},
	}
	var said, asked []string
	for _, v := range values {
		switch {
		case readOnly && v.name == "destructive":
			if v.said == nil || *v.said {
				m.decide(t.Name, "/annotations/destructiveHint", Changed, reason{"destructive is false", "the tool is read-only, for which the protocol gives the hint no meaning", "nothing"})
			}
			said = append(said, "destructive: false")
		case v.said != nil:
			said = append(said, fmt.Sprintf("%s: %t", v.name, *v.said))
		case readOnly && v.name == "idempotent":
			m.decide(t.Name, "/annotations/idempotentHint", Added, reason{"idempotent is true", "the tool is read-only", "nothing"})
			said = append(said, "idempotent: true")
		case m.assumeEffects:
			m.decide(t.Name, "/annotations/"+v.hint, Added, reason{fmt.Sprintf("%s is %t", v.name, v.otherwise), "the server does not say, and this is the protocol's default",
				"say what the tool does"})
			said = append(said, fmt.Sprintf("%s: %t", v.name, v.otherwise))
		default:
			asked = append(asked, v.name)
		}
	}
	line := "    effects: {" + strings.Join(said, ", ") + "}"
	if len(asked) > 0 {
		m.decide(t.Name, "/annotations", Asked, reason{"the effects lack " + strings.Join(asked, ", "), "the server does not say, and clients decide by them whether to ask a person",
			"write them, or import with --effects protocol, which assumes the worst"})
		line += " # ask: " + strings.Join(asked, ", ")
	}
	return line + "\n"
}

// others reports what of the entry has no place in a manifest.
func (m *importer) others(t upstream.Tool) {
	for _, name := range t.Unknown {
		m.decide(t.Name, "/"+pointer(name), Dropped, reason{name + " is not sent", "a manifest has no place for it", "nothing"})
	}
	if strings.Contains(string(t.Execution), `"optional"`) {
		m.decide(t.Name, "/execution/taskSupport", Changed, reason{"calls are no tasks", "forwarded calls are plain ones, which the server takes too", "nothing"})
	}
	if t.OutputSchema != nil {
		m.decide(t.Name, "/outputSchema", Kept, reason{"the schema of results is sent as the server sends it", "results are the server's own", "nothing"})
	}
}

func pointer(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }
