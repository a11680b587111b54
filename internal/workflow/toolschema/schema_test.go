package toolschema_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/workflow/toolschema"
)

func parse(t testing.TB, text string) *toolschema.Schema {
	t.Helper()
	s, err := toolschema.Parse(json.RawMessage(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestConvert(t *testing.T) {
	for _, c := range []struct {
		schema  string
		in, out any
	}{
		{`{"type":"string"}`, "0123", "0123"},
		{`{"type":"string"}`, "true", "true"},
		{`{"type":"string"}`, int64(7), "7"},
		{`{"type":"number"}`, "7", int64(7)},
		{`{"type":"number"}`, "1.5", 1.5},
		{`{"type":"number"}`, "0123", "0123"}, // no number of JSON: Fit says so
		{`{"type":"integer"}`, 7.0, int64(7)},
		{`{"type":"boolean"}`, "true", true},
		{`{"type":["string","null"]}`, "null", "null"},
		{`{"type":["string","number"]}`, "7", "7"}, // text wherever text is allowed
		{`{"anyOf":[{"type":"integer"},{"type":"null"}]}`, "7", int64(7)},
		{`{"type":"array","items":{"type":"string"}}`, "a", []any{"a"}},
		{`{"type":["null","array"],"items":{"type":"string"}}`, "a", []any{"a"}},
		{`{"type":"array","items":{"type":"integer"}}`, []any{"1", 2.0}, []any{int64(1), int64(2)}},
		{`{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`,
			map[string]any{"n": "3", "x": "3"}, map[string]any{"n": int64(3), "x": "3"}},
		{`{}`, "7", "7"},
	} {
		if diff := cmp.Diff(c.out, parse(t, c.schema).Convert(c.in)); diff != "" {
			t.Errorf("%s %v: %s", c.schema, c.in, diff)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct{ schema, value, want string }{
		{`{"type":"object","properties":{"url":{"type":"string"}},"additionalProperties":false}`, `{"ulr":1}`,
			`/ulr: unknown argument "ulr" (did you mean "url"?)`},
		{`{"type":"object","required":["a","b"]}`, `{"b":1}`, `/: "a" is required`},
		{`{"properties":{"f":{"enum":["png","jpeg"]}}}`, `{"f":"pgn"}`,
			`/f: "pgn" is not an allowed value (did you mean "png"?)`},
		{`{"properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, `{"x":3}`,
			`/x: matches none of 2 alternatives`},
		{`{"properties":{"x":{"type":["string","null"]}}}`, `{"x":null}`, ""},
		{`{"properties":{"x":{"type":"array","items":{"type":"integer","minimum":2}}}}`, `{"x":[3,1]}`,
			"/x/1: must be at least 2, is 1"},
		{`{"properties":{"x":{"const":3}}}`, `{"x":3.0}`, ""},
		{`{"properties":{"x":{"multipleOf":2}}}`, `{"x":3}`, "multipleOf"},
		{`{"properties":{"x":{"type":"array","uniqueItems":true}}}`, `{"x":[1,1]}`, "uniqueItems"},
		{`{"not":{"required":["x"]}}`, `{"x":1}`, "not"},
	} {
		var v map[string]any
		if err := json.Unmarshal([]byte(c.value), &v); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, p := range parse(t, c.schema).Validate(v) {
			lines = append(lines, p.String())
		}
		if got := strings.Join(lines, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s with %s: %q, want %q", c.schema, c.value, got, c.want)
		}
	}
}

// What fits is not changed, and what was converted converts to itself.
func TestConvertIsIdempotent(t *testing.T) {
	schemas := []string{`{"type":"string"}`, `{"type":"number"}`, `{"type":"boolean"}`, `{"type":["integer","null"]}`,
		`{"type":"array","items":{"type":"string"}}`, `{}`}
	rapid.Check(t, func(t *rapid.T) {
		s, err := toolschema.Parse(json.RawMessage(rapid.SampledFrom(schemas).Draw(t, "schema")))
		if err != nil {
			t.Fatal(err)
		}
		in := rapid.OneOf(rapid.String().AsAny(), rapid.Bool().AsAny(), rapid.Int64Range(-9, 9).AsAny(),
			rapid.SampledFrom([]any{"1", "01", "1.5", "true", nil, []any{"a"}})).Draw(t, "value")
		out := s.Convert(in)
		if len(s.Check(in)) == 0 && !cmp.Equal(in, out) {
			t.Fatalf("%v fits and became %v", in, out)
		}
		if again := s.Convert(out); !cmp.Equal(out, again) {
			t.Fatalf("%v, then %v", out, again)
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"$ref":"#"}}}`, `{"a":{"a":1}}`)
	f.Add(`{"$ref":"#/$defs/x","$defs":{"x":{"$ref":"#/$defs/x"}}}`, `1`)
	f.Fuzz(func(_ *testing.T, schema, value string) {
		s, err := toolschema.Parse(json.RawMessage(schema))
		var v any
		if err != nil || json.Unmarshal([]byte(value), &v) != nil {
			return
		}
		s.Types()
		s.Check(s.Convert(v))
	})
}

// A schema that doubles at every step or leads back to itself is not followed.
func TestHeavySchemas(t *testing.T) {
	defs := `"d40":{"type":"string"}`
	for i := range 40 {
		n := strconv.Itoa(i)
		next := `{"$ref":"#/$defs/d` + strconv.Itoa(i+1) + `"}`
		defs += `,"d` + n + `":{"anyOf":[` + next + `,` + next + `]}`
	}
	for _, text := range []string{
		`{"$ref":"#/$defs/d0","$defs":{` + defs + `}}`, `{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"$ref":"#"}`,
		`{"properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` + defs + `}}`,
	} {
		s := parse(t, text)
		if got := s.Check(s.Convert(map[string]any{"a": "x"})); len(got) > 0 {
			t.Errorf("%v", got)
		}
	}
	tree := parse(t, `{"properties":{"kids":{"type":"array","items":{"$ref":"#"}},"n":{"type":"integer"}}}`)
	if got := tree.Check(map[string]any{"kids": []any{map[string]any{"n": "x"}}}); len(got) != 1 {
		t.Errorf("a recursive schema is followed as far as the value goes: %v", got)
	}
}
