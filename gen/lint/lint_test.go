package lint

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/diag"
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

// Each construct is refused by the providers that the documentation lists, in the values of maps, items and variants too.
func TestProviders(t *testing.T) {
	text := &model.Type{Kind: model.String}
	list := func(items *model.Type) *model.Type { return &model.Type{Kind: model.Array, Items: items} }
	union := &model.Type{Kind: model.Nested, Union: &model.Union{Tag: "kind", Variants: []*model.Variant{
		{Name: "a", Object: &model.Object{Properties: []*model.Property{{Name: "u", Type: &model.Type{Kind: model.String, Format: model.FormatURI}}}}}}}}
	most, limit := 5, 1.0
	for _, c := range []struct {
		what string
		typ  *model.Type
		want string
	}{
		{"text", text, ""},
		{"full: short text", &model.Type{Kind: model.String, MaxLength: &most}, "p anthropic"},
		{"brief: short text", &model.Type{Kind: model.String, MaxLength: &most}, ""},
		{"full: positive", list(&model.Type{Kind: model.Number, Minimum: &limit}), "p[] anthropic"},
		{"list", list(text), ""},
		{"map", &model.Type{Kind: model.Nested, Values: text}, "p anthropic, p gemini, p openai"},
		{"map of any", &model.Type{Kind: model.Nested, Values: &model.Type{Kind: model.Free}}, "p anthropic, p gemini, p openai, p[name] gemini, p[name] openai"},
		{"open", list(&model.Type{Kind: model.Nested}), "p[] anthropic, p[] gemini, p[] openai"},
		{"null", &model.Type{Kind: model.String, Nullable: true}, "p gemini"},
		{"numbers", &model.Type{Kind: model.Integer, Numbers: []*model.EnumNumber{{Name: "a", Value: 1}}}, "p gemini"},
		{"time", &model.Type{Kind: model.String, Format: model.FormatDateTime}, ""},
		{"email", &model.Type{Kind: model.String, Format: model.FormatEmail}, "p gemini"},
		{"union", union, "p.u gemini, p.u openai"},
		{"unions", list(union), "p[] gemini, p[].u gemini, p[].u openai"},
	} {
		set := &model.Toolset{Providers: model.Providers(), Tools: []*model.Tool{{Name: "t", Description: "d",
			Input: &model.Object{Properties: []*model.Property{{Name: "p", Type: c.typ}}}}}}
		set.List.FullSchemas = strings.HasPrefix(c.what, "full")
		var got []string
		checkProviders(Input{Set: set}, func(_ diag.Pos, _ string, args ...any) *diag.Diagnostic {
			got = append(got, args[0].(string)+" "+args[2].(string))
			return &diag.Diagnostic{}
		})
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: refused are %v, want %s", c.what, got, c.want)
		}
	}
}
