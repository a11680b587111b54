package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
	"github.com/callsheet/callsheet/tools"
)

func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.ExpectRefusal("INVALID_ARGUMENTS", "navigate", tooltest.Args{"ulr": "x", "timeout": "soon"},
		`"/ulr"`, `did you mean \"url\"?`, `"/timeout"`, "expected an integer", `"/url"`, "required")
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "left_clik"}, `did you mean \"left_click\"?`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "key"}, `\"text\" is required`)
	c.ExpectRefusal("INVALID_ARGUMENTS", "computer", tooltest.Args{"action": "hover", "ref": "e1", "coordinate": []int{1, 2}}, "exactly one of")
	c.ExpectRefusal("INVALID_ARGUMENTS", "wait_for", tooltest.Args{"type": "timeout", "value": "long"}, "/value")
	if _, err := c.CallTool(t.Context(), tooltest.Params("navigat", nil)); err == nil || !strings.Contains(err.Error(), `did you mean "navigate"?`) {
		t.Errorf("an unknown tool gives %v", err)
	}
}

// TestDecodersAgreeWithTheSchemas holds every generated reader against a JSON Schema validator on
// random arguments, good and bad: both accept or both refuse. Conditional requirements are the one
// thing the schemas cannot say, so a refusal that is only about those is agreement.
func TestDecodersAgreeWithTheSchemas(t *testing.T) {
	t.Parallel()
	for _, tool := range tools.Registry(tools.Needs{}).Tools {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			schema, compiled := inputSchema(t, tool)
			rapid.Check(t, func(t *rapid.T) {
				value := drawObject(schema).Draw(t, "arguments")
				raw, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				doc, err := jsonschema.UnmarshalJSON(strings.NewReader(string(raw)))
				if err != nil {
					t.Fatal(err)
				}
				valid := compiled.Validate(doc) == nil
				err = tool.Check(raw)
				if valid != (err == nil || onlyConditional(err)) {
					t.Fatalf("%s: the schema says %v, the reader says %v", raw, valid, err)
				}
			})
		})
	}
}

// onlyConditional reports whether nothing but conditional requirements is violated.
func onlyConditional(err error) bool {
	violations, ok := err.(toolkit.Violations)
	for _, v := range violations {
		ok = ok && v.Path == "" && (strings.Contains(v.Problem, "is required") || strings.Contains(v.Problem, "is only for"))
	}
	return ok
}

// node is as much of a JSON Schema as the manifest grammar can express.
type node struct {
	Type       string           `json:"type"`
	Enum       []string         `json:"enum"`
	Items      *node            `json:"items"`
	Properties map[string]*node `json:"properties"`
	Minimum    *float64         `json:"minimum"`
}

// inputSchema reads the contract of a tool, as a tree to draw from and as a validator.
func inputSchema(t *testing.T, tool toolkit.Tool) (*node, *jsonschema.Schema) {
	t.Helper()
	tree := new(node)
	if err := json.Unmarshal([]byte(tool.Schema), tree); err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(tool.Schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // nothing is ever loaded
	if err := c.AddResource("mem:schema", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:schema")
	if err != nil {
		t.Fatal(err)
	}
	return tree, compiled
}

// drawObject draws arguments: mostly known names with mostly fitting values.
func drawObject(n *node) *rapid.Generator[map[string]any] {
	return rapid.Custom(func(t *rapid.T) map[string]any {
		out := map[string]any{}
		for name, p := range n.Properties {
			if rapid.IntRange(0, 2).Draw(t, "present "+name) > 0 {
				out[name] = drawValue(p).Draw(t, name)
			}
		}
		if rapid.IntRange(0, 9).Draw(t, "unknown") == 0 {
			out[rapid.StringMatching(`[a-z]{1,8}`).Draw(t, "name")] = true
		}
		return out
	})
}

func drawValue(n *node) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
			return rapid.SampledFrom([]any{nil, true, 1, 1.5, -7, "text", []any{}, []any{1}, map[string]any{}}).Draw(t, "value")
		}
		switch n.Type {
		case "string":
			if n.Enum != nil {
				return rapid.SampledFrom(append([]string{"other"}, n.Enum...)).Draw(t, "value")
			}
			return rapid.String().Draw(t, "value")
		case "integer":
			return rapid.IntRange(-10, 200000).Draw(t, "value")
		case "number":
			return rapid.Float64Range(-10, 200000).Draw(t, "value")
		case "boolean":
			return rapid.Bool().Draw(t, "value")
		case "array":
			return rapid.SliceOfN(drawValue(n.Items), 0, 3).Draw(t, "value")
		}
		return drawObject(n).Draw(t, "value")
	})
}
