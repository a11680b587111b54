package subschema_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/subschema"
)

// bomb is a schema of a few hundred bytes whose references expand to width to the power of depth schemas.
func bomb(depth, width int, leaf string) string {
	defs := []string{fmt.Sprintf(`"d%d":%s`, depth, leaf)}
	for i := range depth {
		ref := fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1)
		defs = append(defs, fmt.Sprintf(`"d%d":{"allOf":[%s]}`, i, strings.TrimSuffix(strings.Repeat(ref+",", width), ",")))
	}
	return `{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + strings.Join(defs, ",") + `}}`
}

// Schemas that expand without end, and patterns whose samples do, are compared with bounded work. A comparison
// that runs on is ended by the deadline of the test.
func TestBombsAreBounded(t *testing.T) {
	t.Parallel()
	nested := func(leaf string) string {
		return strings.Repeat(`{"properties":{"a":{"anyOf":[{"type":"array"},`, 30) + leaf + strings.Repeat(`]}}}`, 30)
	}
	for name, sides := range map[string][2]string{
		"references":            {bomb(15, 10, `{"type":"string"}`), bomb(15, 10, `{"type":"integer"}`)},
		"unions in unions":      {nested(`{"type":"string"}`), nested(`{"type":"integer"}`)},
		"repetitions in groups": {pattern(strings.Repeat("(", 60) + "a" + strings.Repeat("+)", 60)), pattern("b")},
		"groups in sequence":    {pattern(strings.Repeat("(", 20) + "a" + strings.Repeat("+b+c+)+", 20)), pattern("d")},
		"a wide union":          {wide(400, "string"), wide(400, "integer")},
		"large enums":           {enum(0, 16_000), enum(1, 16_000)},
		"many new names":        {names("a", 4000), names("b", 4000)},
		"alternatives":          {alternatives("string", 3000), alternatives("integer", 3000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was, now := subschema.Parse(json.RawMessage(sides[0])), subschema.Parse(json.RawMessage(sides[1]))
			if got := subschema.Inputs(was, now); len(got) == 0 {
				t.Error("two schemas that have nothing in common are equal")
			}
		})
	}
}

func pattern(p string) string {
	text, _ := json.Marshal(map[string]any{"properties": map[string]any{"a": map[string]any{"type": "string", "pattern": p}}})
	return string(text)
}

// wide is an object with many properties, each a union of objects with as many.
func wide(n int, kind string) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"p%d":{"anyOf":[{"type":%q,"minLength":%d},{"type":"object","properties":{"x%d":{"type":%q}}},{"type":"array","items":{"$ref":"#"}}]}`, i, kind, i, i, kind))
	}
	return `{"properties":{` + strings.Join(out, ",") + `}}`
}

func enum(from, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprint(from+i))
	}
	return `{"properties":{"a":{"enum":[` + strings.Join(out, ",") + `]}}}`
}

func names(prefix string, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`"%s%d":{"type":"string"}`, prefix, i))
	}
	return `{"properties":{` + strings.Join(out, ",") + `}}`
}

func alternatives(kind string, n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(`{"type":%q,"minLength":%d}`, kind, i))
	}
	return `{"properties":{"a":{"oneOf":[` + strings.Join(out, ",") + `]}}}`
}
