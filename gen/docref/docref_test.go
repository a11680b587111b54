package docref

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/emit/emittest"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/spec"
)

func TestWords(t *testing.T) {
	for text, want := range map[string][]string{
		`type <ref> --text "a b"`:      {"type", "<ref>", "--text", "a b"},
		`open <a b> ''`:                {"open", "<a b>", ""},
		"read  # what it says":         {"read"},
		"read | head":                  {"read"},
		"read > out.txt":               {"read"},
		"read && click e1":             {"read"},
		"find a|b":                     {"find", "a|b"},
		"xpath '//h1[@id=\"x#y\"]'":    {"xpath", `//h1[@id="x#y"]`},
		"open http://x/#here":          {"open", "http://x/#here"},
		"":                             nil,
		`say "not closed`:              {"say", "not closed"},
		"--session one read --session": {"--session", "one", "read", "--session"},
	} {
		if d := cmp.Diff(want, words(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`type <ref> --text "a b" # c`)
	f.Fuzz(func(t *testing.T, text string) {
		if n := len(strings.Join(words(text), "")); n > len(text) {
			t.Errorf("%q became %d bytes", text, n)
		}
	})
}

// What is said aloud, and what is let pass: a word is taken for a tool's name only where it cannot
// well be anything else.
func TestDocument(t *testing.T) {
	set := emittest.Toolset()
	set.CLI = &model.CLI{Program: "prog", Commands: []string{"serve"}, Flags: []string{"session"}}
	set.Deferrals = []*model.Deferral{{Name: "page_back"}}
	parsed := func(argv []string) error {
		if argv[0] == "read" && !slices.Contains(argv, "--bad") {
			return nil
		}
		return errors.New("no")
	}
	for _, c := range []struct {
		text string
		want []string
	}{
		{"`query_dom` and `page_back`", nil},
		{"`query_dmo`", []string{ruleTool}},
		{"`page_forward`", []string{ruleTool}}, // the family exists
		{"`some_variable` and `GOFLAGS` and `a_b_c_d`", nil},
		{"query_dmo in plain prose", nil},
		{"`other:query_dmo`, `query_dmo()` and `x.query_dmo`", nil},
		{"`query_dmo` <!-- not a tool: query_dmo, page_forward --> `page_forward`", nil},
		{"`list_bytes`", nil},
		{"```\nquery_dmo\n```", nil},
		{"```json\n{\"method\":\"tools/call\",\"params\":{\"name\":\"query_dmo\"}}\n```", []string{ruleTool}},
		{"`prog read x`", nil},
		{"`prog read --bad`", []string{ruleCommand}},
		{"```sh\n$ prog reed x\nprog --flag\nprog serve --x\nprog <verb>\nprogress read\n```", []string{ruleCommand}},
		{"```sh\nprog --session a read \\\n  --bad\n```", []string{ruleCommand}},
		{"~~~\n```\nprog reed\n~~~\n`prog read`", []string{ruleCommand}},
		{"`prog read [flags]`", []string{ruleCommand}}, // no verb of the set is called read
	} {
		var got []string
		facts := Facts{Docs: []spec.File{{Name: "README.md", Data: []byte(c.text)}}, Words: []string{"list_bytes"}, Parse: parsed}
		for _, d := range Check(set, facts) {
			got = append(got, d.Rule)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q: %s", c.text, d)
		}
	}
}

// TestSkill holds the commands and the code spans of a skill against the command line.
func TestSkill(t *testing.T) {
	set := emittest.Toolset()
	set.CLI = &model.CLI{Program: "prog"}
	set.Server = &model.Server{Skill: &model.Skill{Sections: []model.SkillSection{{
		Text:     spec.Text{Value: "Use `prog reed` first.", Pos: diag.Pos{Line: 1}},
		Commands: []spec.Text{{Value: "prog read  # all of it", Pos: diag.Pos{Line: 2}}, {Value: "prog read --bad", Pos: diag.Pos{Line: 3}}},
	}}}}
	parsed := func(argv []string) error {
		if argv[0] == "read" && !slices.Contains(argv, "--bad") {
			return nil
		}
		return errors.New("no")
	}
	var got []int
	for _, d := range Check(set, Facts{Parse: parsed}) {
		got = append(got, d.Pos.Line)
	}
	slices.Sort(got)
	if want := []int{1, 3}; !slices.Equal(got, want) {
		t.Errorf("problems in lines %v, want %v", got, want)
	}
}
