package lint

import (
	"slices"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

// Prompts, resources and their arguments are held to the rules about descriptions.
func TestEntries(t *testing.T) {
	long := strings.Repeat("x", maxDescription+1)
	entry := func(name, description string) model.Entry {
		return model.Entry{Name: name, Title: "A title", Description: description}
	}
	argument := []*model.Argument{{Name: "a", Description: long}}
	for _, c := range []struct {
		what string
		set  model.Toolset
		want []string // rules
	}{
		{"fine", model.Toolset{Prompts: []*model.Prompt{{Entry: entry("review", "Review a file.")}}}, nil},
		{"no description", model.Toolset{Prompts: []*model.Prompt{{Entry: entry("review", " ")}}}, []string{"description-missing"}},
		{"long", model.Toolset{Resources: []*model.Resource{{Entry: entry("note", long)}}}, []string{"description-long"}},
		{"long argument", model.Toolset{Prompts: []*model.Prompt{{Entry: entry("review", "Review."), Arguments: argument}}}, []string{"description-long"}},
		{"long variable", model.Toolset{Resources: []*model.Resource{{Entry: entry("note", "A note."), Variables: argument}}}, []string{"description-long"}},
		{"name", model.Toolset{Resources: []*model.Resource{{Entry: entry("note", "note: what it holds")}}}, []string{"description-repeats-name"}},
		{"title", model.Toolset{Resources: []*model.Resource{{Entry: entry("note", "A title: what it holds")}}}, []string{"description-repeats-name"}},
	} {
		var got []string
		for _, d := range Check(&c.set, Sizes{}) {
			got = append(got, d.Rule)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.what, got, c.want)
		}
	}
}
