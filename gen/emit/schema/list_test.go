package schema_test

import (
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/emit/schema"
	"github.com/callsheet/callsheet/gen/model"
)

// A style changes the entries of lists, and nothing of what calls are held against.
func TestListStyle(t *testing.T) {
	t.Parallel()
	most := 5
	tool := func(style model.ListStyle) *model.Tool {
		return &model.Tool{
			Name: "find_books", Title: "Find books", Description: "Find.", Capability: &model.Capability{Name: "core"}, List: style, Effects: model.Effects{ReadOnly: true, OpenWorld: true},
			Input: &model.Object{Properties: []*model.Property{{Name: "text", Type: &model.Type{Kind: model.String, MaxLength: &most}}}},
		}
	}
	for _, tc := range []struct {
		style model.ListStyle
		want  string
	}{
		{model.ListStyle{}, `{"name":"find_books","description":"Find.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},"annotations":{"readOnlyHint":true}}`},
		{model.ListStyle{Titles: model.EveryEntry, Annotations: model.EveryEntry}, `{"name":"find_books","title":"Find books","description":"Find.","inputSchema":{"type":"object","properties":{"text":{"type":"string"}}},` +
			`"annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":false,"openWorldHint":true}}`},
		{model.ListStyle{Titles: model.NoEntry, Annotations: model.NoEntry, FullSchemas: true},
			`{"name":"find_books","description":"Find.","inputSchema":{"type":"object","properties":{"text":{"type":"string","maxLength":5}},"additionalProperties":false}}`},
	} {
		of := tool(tc.style)
		if got := string(schema.Definition(of)); got != tc.want {
			t.Errorf("%q:\n%s, want\n%s", tc.style, got, tc.want)
		}
		if got, want := string(schema.Contract(of)), string(schema.Contract(tool(model.ListStyle{}))); got != want {
			t.Errorf("%q: the contract is %s, want %s", tc.style, got, want)
		}
	}
	prompt := &model.Prompt{Entry: model.Entry{Name: "triage", Title: "Triage", List: model.ListStyle{Titles: model.EveryEntry}}}
	if got := string(schema.PromptDefinition(prompt)); !strings.Contains(got, `"title":"Triage"`) {
		t.Errorf("a list of every title has %s", got)
	}
}
