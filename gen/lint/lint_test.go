package lint

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

// The slim list is measured by its own texts, tool by tool, and the tool that breaks the budget is the one that is named.
func TestSlimBytes(t *testing.T) {
	input := &model.Object{Properties: []*model.Property{{Name: "a"}, {Name: "b"}}}
	slim := func(name string, n int) *model.Tool {
		return &model.Tool{Name: name, Description: strings.Repeat("long ", 50), Input: input,
			Slim: &model.Slim{Description: strings.Repeat("s", n), Properties: input.Properties[:1]}}
	}
	size := func(t *model.Tool) int { return len(t.Description) + len(t.Input.Properties) }
	set := &model.Toolset{Tools: []*model.Tool{slim("one", 511), slim("two", 511)}}
	if diags := Check(set, size); len(diags) != 0 {
		t.Errorf("1,024 bytes are allowed: %v", diags)
	}
	set.Tools = append(set.Tools, slim("three", 0))
	diags := Check(set, size)
	if len(diags) != 1 || diags[0].Rule != "slim-budget" || !strings.Contains(diags[0].Message, `"three"`) || !strings.Contains(diags[0].Message, "1025 bytes") {
		t.Errorf("%v", diags)
	}
	if diags := Check(set, nil); len(diags) != 0 {
		t.Errorf("without a measure nothing is too long: %v", diags)
	}
}
