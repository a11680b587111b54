package reference

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/callsheet/callsheet/gen"
	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/spec"
)

// TestPage compares the page of the repository with the command's output; UPDATE_GOLDEN writes the page.
func TestPage(t *testing.T) {
	t.Parallel()
	const page = "../../docs/reference/toolgen-manifest.md"
	want, err := Markdown()
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(page, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(page)
	if os.IsNotExist(err) {
		t.Skip("the module is alone, without the repository's documents")
	}
	if !bytes.Equal(have, want) {
		t.Error("the page is stale; run: UPDATE_GOLDEN=1 go -C gen test ./reference")
	}
}

func TestEveryKeyIsExplained(t *testing.T) {
	t.Parallel()
	g := loaded(t)
	known := map[string]bool{"*": true, "-": true}
	anchors := map[string]bool{}
	for _, o := range g.objects {
		if a := anchor(o.heading()); anchors[a] {
			t.Errorf("two sections have the anchor %s", a)
		} else {
			anchors[a] = true
		}
		for _, k := range o.keys {
			at := o.name + "." + k.name
			known[at] = true
			if k.doc == "" {
				t.Errorf("%s has no description", at)
			}
			if k.typ == "`true` or `false`" && k.required == "" && k.byDefault == "" {
				t.Errorf("%s is optional and has no default", at)
			}
			example := g.examples[at]
			var parsed yaml.MapSlice
			if err := yaml.Unmarshal([]byte(example), &parsed); err != nil || len(parsed) != 1 || fmt.Sprint(parsed[0].Key) != k.name {
				t.Errorf("%s: the example %q is not the key with a value: %v", at, example, err)
			}
		}
	}
	for _, at := range slices.Sorted(maps.Keys(g.rules)) {
		if !known[at] {
			t.Errorf("rules.txt: %s, of the rules %s, is no key", at, g.rules[at])
		}
	}
}

func TestEveryRuleIsInTheTable(t *testing.T) {
	t.Parallel()
	stated := map[string]bool{}
	for _, rules := range loaded(t).rules {
		for _, r := range rules {
			stated[r] = true
		}
	}
	for _, r := range gen.Rules() {
		if !stated[r.ID] {
			t.Errorf("rules.txt does not say which keys the rule %s concerns; - is none", r.ID)
		}
		delete(stated, r.ID)
	}
	for r := range stated {
		t.Errorf("rules.txt: there is no rule %s", r)
	}
}

// An unknown key in a mapping is answered with the keys that the parser takes there: those of the page.
func TestKeysAreThoseOfTheParser(t *testing.T) {
	t.Parallel()
	taken := map[string]map[string]bool{} // by object
	err := eachFile(func(name string, f file, data []byte) error {
		firsts := map[*ast.MappingValueNode]string{}
		seen := map[string]bool{}
		err := eachMember(f, data, func(object string, m *ast.MappingValueNode, flow bool) {
			at := m.Key.GetToken().Position
			line := strings.Split(string(data), "\n")[at.Line-1]
			text := "zzzz: 1\n" + strings.Repeat(" ", at.Column-1)
			if flow {
				text = "zzzz: 1, "
			}
			if prefix := strings.TrimRight(line[:at.Column-1], " "); flow && !strings.HasSuffix(prefix, "{") {
				return // not the first of its mapping
			}
			firsts[m] = object
			broken := replaceLine(data, at.Line, line[:at.Column-1]+text+line[at.Column-1:])
			for _, d := range parse(f, broken) {
				keys, ok := strings.CutPrefix(d.Hint, "valid here: ")
				if d.Rule != "unknown-key" || !strings.Contains(d.Message, "zzzz") || !ok {
					continue
				}
				seen[object] = true
				if taken[object] == nil {
					taken[object] = map[string]bool{}
				}
				for k := range strings.SplitSeq(keys, ", ") {
					taken[object][k] = true
				}
			}
		})
		for _, object := range firsts {
			if !seen[object] {
				t.Errorf("%s: no unknown key is reported in %s", name, object)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range loaded(t).objects {
		var keys []string
		for _, k := range o.keys {
			keys = append(keys, k.name)
		}
		slices.Sort(keys)
		if have := slices.Sorted(maps.Keys(taken[o.name])); !slices.Equal(have, keys) {
			t.Errorf("%s: the parser takes %q, the page has %q", o.name, have, keys)
		}
	}
}

func replaceLine(data []byte, line int, text string) []byte {
	lines := strings.Split(string(data), "\n")
	lines[line-1] = text
	return []byte(strings.Join(lines, "\n"))
}

// parse reads one file of a module as the compiler does.
func parse(f file, data []byte) diag.List {
	in := spec.File{Name: f.name, Data: data}
	var diags diag.List
	switch rootName(f.name) {
	case "settings":
		_, diags = spec.ParseSettings(in)
	case "allowances":
		_, diags = spec.ParseAllowances(in)
	case "competitors":
		_, diags = spec.ParseCompetitors(in)
	case "claims":
		_, diags = spec.ParseClaims(in)
	default:
		_, diags = spec.Parse(f.name, []spec.File{in})
	}
	return diags
}

func loaded(t *testing.T) *grammar {
	t.Helper()
	g, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return g
}
