// Package reference writes the reference of the manifest: every key of every file that a person
// writes, with its type, its default, what it is for, the rules about it and an example.
//
// Keys come from the schemas that editors read, examples from modules that a test compiles, and rules
// from a table. It must not know how a manifest is parsed or compiled.
package reference

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const intro = `# Manifest reference

Every key of the files that a person writes, as ` + "`toolgen reference`" + ` prints it. Do not edit this page:
` + "`UPDATE_GOLDEN=1 go -C gen test ./reference`" + ` writes it.

- The examples are parts of [modules that a test compiles](../../gen/reference/examples), cut after a few lines
  with ` + "`# …`" + `.
- An optional key without a default means nothing when it is left out: a list or a mapping is empty, and a number is
  no limit.
- ` + "`toolgen explain RULE`" + ` says what a rule means; [all rules](../../generated/docs/RULES.md).
- An editor shows the same texts: [Complete keys in an editor](toolgen-protocol.md#complete-keys-in-an-editor).
- ` + "`scope.lock.yaml`, `released.json` and `upstream.json`" + ` are not here, because commands write them. See
  [Scopes and locks](../how-to/toolgen-releases.md#freeze-a-scope), [Releases](../how-to/toolgen-releases.md) and
  [Serve another server's tools](../how-to/toolgen-upstream.md#serve-it).

`

// Markdown returns the whole page.
func Markdown() ([]byte, error) {
	g, err := load()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(intro)
	b.WriteString(wrap("", "", "These rules concern every key: "+codes(g.rules["*"])+".") + "\n")
	for _, o := range g.objects {
		if o.title != "" {
			b.WriteByte('\n')
		}
		indent := map[bool]string{true: "  "}[o.title == ""]
		fmt.Fprintf(&b, "%s- [%s](#%s)\n", indent, o.heading(), anchor(o.heading()))
	}
	for _, o := range g.objects {
		g.write(&b, o)
	}
	return b.Bytes(), nil
}

// heading is the title of an object's section: the file, or the place of the mapping in it.
func (o *object) heading() string {
	if len(o.places) == 0 {
		return o.title
	}
	return "`" + o.places[0] + "`"
}

// anchor returns the fragment by which GitHub links to a heading.
func anchor(heading string) string {
	keep := func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}
	return strings.Map(keep, strings.ToLower(heading))
}

func (g *grammar) write(b *bytes.Buffer, o *object) {
	fmt.Fprintf(b, "\n## %s\n\n", o.heading())
	if o.doc != "" {
		b.WriteString(wrap("", "", o.doc) + "\n\n")
	}
	if len(o.places) > 1 {
		b.WriteString(wrap("", "", "The same keys: "+codes(o.places[1:])+".") + "\n\n")
	}
	if o.oneOf != nil {
		fmt.Fprintf(b, "Exactly one of %s is required.\n\n", codes(o.oneOf))
	}
	for _, k := range o.keys {
		need := "optional"
		if k.required != "" {
			need = k.required
		}
		if k.byDefault != "" {
			need += ", default `" + k.byDefault + "`"
		}
		text := fmt.Sprintf("**`%s`**: %s; %s. %s", k.name, k.typ, need, k.doc)
		if rules := g.rules[o.name+"."+k.name]; len(rules) > 0 {
			text += " Rules: " + codes(rules) + "."
		}
		fmt.Fprintf(b, "%s\n\n  ```yaml\n  %s\n  ```\n", wrap("- ", "  ", text), strings.ReplaceAll(g.examples[o.name+"."+k.name], "\n", "\n  "))
	}
}

// codes is a list of code spans.
func codes(texts []string) string {
	spans := slices.Clone(texts)
	for i := range spans {
		spans[i] = "`" + spans[i] + "`"
	}
	return strings.Join(spans, ", ")
}
