package place_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/lsp/place"
)

// The bar of each text is the position.
func TestAt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text, path, word string
		role             place.Role
	}{
		"empty text":          {"|", "", "", place.Key},
		"key of the root":     {"version: 1\nsco|\n", "", "sco", place.Key},
		"value of the root":   {"version: |1\n", "version", "1", place.Value},
		"entry of a list":     {"tools:\n  - na|\n", "tools/#", "na", place.Either},
		"written key":         {"tools:\n  - na|me: x\n", "tools/#", "name", place.Key},
		"key of an entry":     {"tools:\n  - name: x\n    tit|\n", "tools/#", "tit", place.Key},
		"list without indent": {"tools:\n- name: x\n  tit|\n", "tools/#", "tit", place.Key},
		"second entry":        {"tools:\n  - name: x\n  - name: y\n    |\n", "tools/#", "", place.Key},
		"after a nested one":  {"tools:\n  - name: x\n    budget:\n      timeout_ms: 3\n    ti|\n", "tools/#", "ti", place.Key},
		"first nested key":    {"tools:\n  - name: x\n    budget:\n      ti|\n", "tools/#/budget", "ti", place.Either},
		"value of an entry":   {"tools:\n  - name: x\n    capability: co|re\n", "tools/#/capability", "core", place.Value},
		"part of a predicate": {"tools:\n  - visible: \"a && !con|nected\"\n", "tools/#/visible", "connected", place.Value},
		"flow key":            {"tools:\n  - effects: {read_only: true, de|\n", "tools/#/effects", "de", place.Key},
		"flow value":          {"tools:\n  - effects: {read_only: tr|}\n", "tools/#/effects/read_only", "tr", place.Value},
		"flow in flow":        {"tools:\n  - input: {a: {type: st|\n", "tools/#/input/a/type", "st", place.Value},
		"after a flow":        {"tools:\n  - input: {a: {type: string}, b: {ty|\n", "tools/#/input/b", "ty", place.Key},
		"flow list":           {"tools:\n  - surfaces: [navigation, ev|]\n", "tools/#/surfaces/#", "ev", place.Either},
		"flow over lines":     {"tools:\n  - input: {a: {type: string},\n      b: {ty|\n", "tools/#/input/b", "ty", place.Key},
		"open bracket above":  {"tools:\n  - effects: {read_only: true\n    vis|\n", "tools/#", "vis", place.Key},
		"quoted key":          {"facts:\n  \"a\": x\n  'b': |y\n", "facts/b", "y", place.Value},
		"block list":          {"include:\n  - a\n  - |b\n", "include/#", "b", place.Either},
		"block scalar":        {"tools:\n  - description: |\n      visible: al\x00ways\n", "", "always", place.Nothing},
		"after a block":       {"tools:\n  - description: >\n      visible: always\n    vis|\n", "tools/#", "vis", place.Key},
		"comment":             {"tools: # no\n  # vis|\n", "tools", "vis", place.Nothing},
		"comment with colon":  {"tools:\n  - name: x\n    # a: b\n    ti|\n", "tools/#", "ti", place.Key},
		"quoted comma":        {"traits:\n  shows: {a: \"x, y: z\", b|\n", "traits/shows", "b", place.Key},
		"carriage returns":    {"tools:\r\n  - name: x\r\n    ti|\r\n", "tools/#", "ti", place.Key},
	} {
		text := tt.text
		mark := "|"
		if strings.Contains(text, "\x00") { // the text has a bar of its own
			mark = "\x00"
		}
		before, after, _ := strings.Cut(text, mark)
		lines := strings.Split(before+after, "\n")
		line := strings.Count(before, "\n")
		p := place.At(lines, line, len(before)-(strings.LastIndexByte(before, '\n')+1))
		if tt.role == place.Nothing {
			if p.Role != place.Nothing {
				t.Errorf("%s: role %d", name, p.Role)
			}
			continue
		}
		if got := pathOf(p); got != tt.path || p.Role != tt.role || p.Word != tt.word {
			t.Errorf("%s: %q, role %d, word %q; want %q, %d, %q", name, got, p.Role, p.Word, tt.path, tt.role, tt.word)
		}
	}
}

func pathOf(p place.Place) string {
	var out []string
	for _, s := range p.Path {
		if s.Entry {
			out = append(out, "#")
			continue
		}
		out = append(out, s.Key)
	}
	return strings.Join(out, "/")
}

func TestKeysOfTheMapping(t *testing.T) {
	t.Parallel()
	lines := strings.Split("tools:\n  - name: x\n    \n    input: {}\n    tier: 1\n  - title: y\n", "\n")
	if p := place.At(lines, 2, 4); !slices.Equal(p.Keys, []string{"name", "input", "tier"}) {
		t.Errorf("%q", p.Keys)
	}
	lines = []string{"effects: {read_only: true, }"}
	if p := place.At(lines, 0, 27); !slices.Equal(p.Keys, []string{"read_only"}) {
		t.Errorf("%q", p.Keys)
	}
}

// FuzzAt holds that no text and no position panics.
func FuzzAt(f *testing.F) {
	f.Add("tools:\n  - name: {a: [b, 'c\n - ]}", 2, 3)
	f.Add("]}\n- - a: |\n  b", 1, 4)
	f.Fuzz(func(t *testing.T, text string, line, column int) {
		lines := strings.Split(text, "\n")
		p := place.At(lines, line, column)
		if p.Word != "" && (line >= len(lines) || lines[line][p.Start:p.End] != p.Word) {
			t.Errorf("word %q is not at %d:%d", p.Word, p.Start, p.End)
		}
	})
}
