package lint

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/model"
)

// The slim list is measured by its own texts, tool by tool, and the tool that breaks the budget is
// the one that is named.
func TestSlimBytes(t *testing.T) {
	input := &model.Object{Properties: []*model.Property{{Name: "a"}, {Name: "b"}}}
	slim := func(name string, n int) *model.Tool {
		return &model.Tool{Name: name, Description: strings.Repeat("long ", 50), Input: input,
			Slim: &model.Slim{Description: strings.Repeat("s", n), Properties: input.Properties[:1]}}
	}
	size := Sizes{
		Paid: func(*model.Tool) int { return 1 },
		Slim: func(t *model.Tool) int { return len(t.Slim.Description) },
	}
	// A bracket, and a comma or the closing bracket after each of the two.
	set := &model.Toolset{Tools: []*model.Tool{slim("one", 511), slim("two", 510)}}
	if diags := Check(set, size); len(diags) != 0 {
		t.Errorf("1,024 bytes are allowed: %v", diags)
	}
	set.Tools = append(set.Tools, slim("three", 0))
	diags := Check(set, size)
	if len(diags) != 1 || diags[0].Rule != "slim-budget" || !strings.Contains(diags[0].Message, `"three"`) || !strings.Contains(diags[0].Message, "1025 bytes") {
		t.Errorf("%v", diags)
	}
}
