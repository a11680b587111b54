// Package rows has the entries that the server's lists have besides the declared ones: tools with
// schemas of their own, and a tool and a prompt that are listed now and then.
package rows

import (
	"context"
	"slices"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// schema2020 has keywords of JSON Schema 2020-12 that a manifest does not write.
const schema2020 = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
	`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
	`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},` +
	`"phone":{"type":"string"},"email":{"type":"string"}},` +
	`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
	`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},` +
	`"additionalProperties":false}`

// schemaMirrored has a parameter that clients repeat in the HTTP header Mcp-Param-Region.
const schemaMirrored = `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"required":["region"],"additionalProperties":false}`

// area is that of the tools that are made at start-up.
const area = "runtime"

// Tools returns the tools that are made at start-up: those with schemas of their own, and another while
// extra says so.
func Tools(extra bool) []toolkit.Tool {
	rows := []toolkit.Tool{
		row("json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features", schema2020),
		row("test_custom_header", "Has a parameter that is repeated in a header.", schemaMirrored),
	}
	if extra {
		rows = append(rows, row("test_extra_tool", "Is listed now and then.", `{"type":"object","additionalProperties":false}`))
	}
	return rows
}

// row is a tool that repeats its arguments.
func row(name, description, schema string) toolkit.Tool {
	return toolkit.Tool{
		Name: name, Area: area, Description: description, Tier: 1, Schema: schema,
		Definition: `{"name":"` + name + `","title":"` + name + `","description":"` + description + `","inputSchema":` + schema + `}`,
		Invoke: func(_ context.Context, _ *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
			return toolkit.Unstructured(toolkit.Text(string(args)), nil)
		},
		Check: func([]byte) error { return nil },
	}
}

// Compose adds the tools of this package to the generated registry.
func Compose(generated *toolkit.Registry) (*toolkit.Registry, error) {
	return generated.With(toolkit.Capability{Name: "core"}, "default", Tools(false))
}

// ToggleTool adds the extra tool to the lists of a surface, or removes it.
func ToggleTool(s *toolkit.Surface) error {
	next, err := s.Registry().Replace(area, Tools(!s.Allows("test_extra_tool")))
	if err != nil {
		return err
	}
	return s.Update(next)
}

// extraPrompt is a prompt that is listed now and then.
func extraPrompt() toolkit.Prompt {
	return toolkit.Prompt{
		Entry: toolkit.Entry{
			Name: "test_extra_prompt", Area: area, Capability: "core", Scopes: []string{"default"},
			Definition: `{"name":"test_extra_prompt","title":"Extra prompt","description":"Is listed now and then."}`,
		},
		Get: func(context.Context, *toolkit.Call, toolkit.Arguments) (toolkit.PromptResult, error) {
			return toolkit.PromptResult{Messages: []toolkit.Message{toolkit.UserMessage("An extra prompt.")}}, nil
		},
	}
}

// TogglePrompt adds the extra prompt to the lists of a surface, or removes it.
func TogglePrompt(s *toolkit.Surface) error {
	reg := *s.Registry()
	extra := extraPrompt()
	listed := len(reg.Prompts)
	reg.Prompts = slices.DeleteFunc(slices.Clone(reg.Prompts), func(p toolkit.Prompt) bool { return p.Name == extra.Name })
	if len(reg.Prompts) < listed {
		return s.Update(reg.Index())
	}
	next, err := reg.WithPrompts(extra)
	if err != nil {
		return err
	}
	return s.Update(next)
}
