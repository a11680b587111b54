package model_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

func TestFullDescriptionStatesTheRequirements(t *testing.T) {
	t.Parallel()
	action := &model.Property{Name: "action", Type: &model.Type{Kind: model.String,
		Enum: []string{"left_click", "right_click", "double_click", "hover", "type", "key", "wait"}}}
	a, b := &model.Property{Name: "a"}, &model.Property{Name: "b"}
	for want, r := range map[string]*model.Requirement{
		"Do. Needs a or b.":                       {Mode: model.Any, Names: []*model.Property{a, b}},
		"Do. Needs one of a, b.":                  {Mode: model.One, Names: []*model.Property{a, b}},
		"Do. Needs a and b for type|key.":         {When: action, Values: []string{"type", "key"}, Mode: model.All, Names: []*model.Property{a, b}},
		"Do. Needs a except for type|key|wait.":   {When: action, Values: []string{"left_click", "right_click", "double_click", "hover"}, Mode: model.All, Names: []*model.Property{a}},
		"Do. Needs a for *_click.":                {When: action, Values: []string{"left_click", "right_click", "double_click"}, Mode: model.All, Names: []*model.Property{a}},
		"Do. Needs a for left_click|right_click.": {When: action, Values: []string{"left_click", "right_click"}, Mode: model.All, Names: []*model.Property{a}},
	} {
		tool := &model.Tool{Description: "Do.", Requirements: []*model.Requirement{r}}
		if got := tool.FullDescription(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
