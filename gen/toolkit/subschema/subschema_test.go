package subschema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func kinds(list []Difference) string {
	var out []string
	for _, d := range list {
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s", d.Kind, d.Path)))
	}
	return strings.Join(out, ", ")
}

// of is an object schema with one property p.
func of(p string) string { return `{"type":"object","properties":{"p":` + p + `}}` }

// Each row is a property's schema before and after, and what each direction breaks for a caller.
func TestInputs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, now, forth, back string }{
		{`{"type":"string"}`, `{"description":"x","type":"string","default":"a"}`, "", ""},
		{`{"type":"integer"}`, `{"type":"number"}`, "", "type p"},
		{`{"type":"string"}`, `{"type":["string","null"]}`, "", "type p"},
		{`{"type":["null","string"]}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`, "", ""},
		{`{"type":"string"}`, `{"type":"boolean"}`, "type p", "type p"},
		{`{"type":"string"}`, `{}`, "", "type p"},
		{`{"type":"string"}`, `true`, "", "type p"},
		{`{"enum":["a","b"]}`, `{"enum":["b","a","c"]}`, "", "enum p"},
		{`{"const":"a"}`, `{"type":"string","enum":["a"]}`, "", ""},
		{`{"const":"a"}`, `{"type":"string"}`, "", "enum p"},
		{`{"anyOf":[{"const":"a"},{"const":"b"}]}`, `{"enum":["b","a"]}`, "", ""},
		{`{"anyOf":[{"const":"a"},{"const":"b"}]}`, `{"anyOf":[{"const":"b"}]}`, "enum p", ""},
		{`{"type":"boolean"}`, `{"enum":[true,false]}`, "", ""},
		{`{"type":"integer","maximum":3}`, `{"type":"integer","maximum":9}`, "", "bounds p"},
		{`{"type":"integer","minimum":1}`, `{"type":"integer","exclusiveMinimum":0}`, "", ""},
		{`{"type":"number","minimum":1}`, `{"type":"number","exclusiveMinimum":1}`, "bounds p", ""},
		{`{"type":"integer"}`, `{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}`, "", ""},
		{`{"type":"string","minLength":1}`, `{"type":"string"}`, "", "bounds p"},
		{`{"enum":["abc"]}`, `{"type":"string","maxLength":2}`, "bounds p", "enum p"},
		{`{"type":"string","pattern":"^a$"}`, `{"type":"string","pattern":"^[ab]$"}`, "unknown p", "bounds p"},
		{`{"type":"string"}`, `{"type":"string","format":"date"}`, "bounds p", ""},
		{`{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"number"}}`, "", "type p[]"},
		{`{"type":"array","items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"},"uniqueItems":true}`, "unknown p", ""},
		{`{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"number"}]}`, "type p[0]", "type p[0]"},
		{of(`{"type":"string"}`), `{"type":"object","properties":{"p":{"type":"string"},"q":{}}}`, "", "deleted p.q"},
		{of(`{"type":"string"}`), `{"type":"object","properties":{"p":{"type":"string"}},"required":["p"]}`, "required p.p", ""},
		{of(`{"type":"string"}`), `{"type":"object","additionalProperties":false,"properties":{"p":{"type":"string"}}}`, "", ""},
		{`{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`, "type p[name]", ""},
		{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"number"}}`, "type p[name]", "type p[name]"},
		{`{"type":"object","additionalProperties":true}`, `{"type":"object","properties":{}, "additionalProperties":false}`, "bounds p", ""},
		{`{"allOf":[{"type":"string"},{"maxLength":3}]}`, `{"type":"string","maxLength":3}`, "", ""},
		{`{"oneOf":[{"type":"string"},{"type":"number"}]}`, `{"type":"string"}`, "type p", ""},
		{`{"type":"string"}`, `{"type":"string","not":{"const":"x"}}`, "unknown p", ""},
		{`{"type":"number","multipleOf":4}`, `{"type":"number","multipleOf":2}`, "", "unknown p"},
		{
			`{"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}`,
			`{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]}`, "enum p.k", "",
		},
		{`{"anyOf":[{"type":"string","minLength":3},{"type":"string","maxLength":1}]}`, `{"anyOf":[{"type":"string","minLength":4},{"type":"string","maxLength":2}]}`, "unknown p", "unknown p"},
	} {
		if got := kinds(Inputs(Parse(json.RawMessage(of(c.was))), Parse(json.RawMessage(of(c.now))))); got != c.forth {
			t.Errorf("%s → %s: %q, want %q", c.was, c.now, got, c.forth)
		}
		if got := kinds(Inputs(Parse(json.RawMessage(of(c.now))), Parse(json.RawMessage(of(c.was))))); got != c.back {
			t.Errorf("%s ← %s: %q, want %q", c.was, c.now, got, c.back)
		}
	}
}

func TestReferences(t *testing.T) {
	t.Parallel()
	tree := func(leaf string) json.RawMessage {
		return json.RawMessage(`{"$ref":"#/$defs/tree","$defs":{"tree":{"type":"object","properties":{"value":` + leaf + `,"left":{"$ref":"#/$defs/tree"}}}}}`)
	}
	if d := Inputs(Parse(tree(`{"type":"string"}`)), Parse(tree(`{"type":"string","title":"x"}`))); len(d) > 0 {
		t.Errorf("%v", d)
	}
	if got := kinds(Inputs(Parse(tree(`{"type":"string"}`)), Parse(tree(`{"type":"number"}`)))); got != "type value" {
		t.Error(got)
	}
	inline := json.RawMessage(of(`{"type":"string"}`))
	shared := json.RawMessage(`{"type":"object","properties":{"p":{"$ref":"#/definitions/s"}},"definitions":{"s":{"type":"string"}}}`)
	if d := append(Inputs(Parse(inline), Parse(shared)), Inputs(Parse(shared), Parse(inline))...); len(d) > 0 {
		t.Errorf("%v", d)
	}
	lost := json.RawMessage(of(`{"$ref":"https://elsewhere.example/s"}`))
	if got := kinds(Inputs(Parse(inline), Parse(lost))); got != "unknown p" {
		t.Error(got)
	}
}

func TestResults(t *testing.T) {
	t.Parallel()
	closed := func(members string) string {
		return `{"type":"object","additionalProperties":false,"properties":{` + members + `}}`
	}
	for _, c := range []struct{ was, now, want string }{
		{of(`{"type":"string"}`), `{"type":"object","properties":{"p":{"type":"string"},"q":{}}}`, ""},
		{closed(`"p":{}`), closed(`"p":{},"q":{}`), "bounds q"},
		{closed(`"p":{},"q":{}`), closed(`"p":{}`), "deleted q"},
		{of(`{"type":"number"}`), of(`{"type":"integer"}`), ""},
		{of(`{"type":"integer"}`), of(`{"type":"number"}`), "type p"},
		{of(`{"enum":["a"]}`), of(`{"enum":["a","b"]}`), "enum p"},
		{of(`{"enum":["a","b"]}`), of(`{"enum":["a"]}`), ""},
		{of(`{"type":"string"}`), of(`{"type":["string","null"]}`), "type p"},
		{`{"type":"object","properties":{"p":{}},"required":["p"]}`, of(`{}`), "required p"},
		{`{"type":"object","properties":{"p":{}},"required":["p"]}`, `{"type":"object","properties":{}}`, "deleted p"},
		{of(`{}`), `{"type":"object","properties":{"p":{}},"required":["p"]}`, ""},
	} {
		if got := kinds(Results(Parse(json.RawMessage(c.was)), Parse(json.RawMessage(c.now)))); got != c.want {
			t.Errorf("%s → %s: %q, want %q", c.was, c.now, got, c.want)
		}
	}
}

// A property that has only got another name is named.
func TestRenamed(t *testing.T) {
	t.Parallel()
	was := `{"type":"object","properties":{"path":{"type":"string"},"n":{"type":"number"}},"required":["path"]}`
	now := `{"type":"object","properties":{"file":{"type":"string"},"n":{"type":"number"}},"required":["file"]}`
	var got []string
	for _, d := range Inputs(Parse(json.RawMessage(was)), Parse(json.RawMessage(now))) {
		got = append(got, d.Path+": "+d.Message)
	}
	want := []string{`file: it is new and required; "path" seems to be called "file" now`, `path: it is no longer declared, so it has no effect; it seems to be called "file" now`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	a := `{"type":"object","required":["b","a"],"properties":{"a":{"type":"string","title":"x"},"b":{"const":1.0}}}`
	b := `{"properties":{"b":{"enum":[1]},"a":{"type":["string"]}},"type":"object","required":["a","b"],"description":"d","$schema":"s"}`
	if Parse(json.RawMessage(a)).Key() != Parse(json.RawMessage(b)).Key() {
		t.Error("they differ only in order and words")
	}
	if Parse(json.RawMessage(a)).Key() == Parse(json.RawMessage(of("{}"))).Key() {
		t.Error("they differ")
	}
}

// Nothing makes it fail or hang, and a schema always covers itself.
func FuzzCompare(f *testing.F) {
	f.Add(of(`{"anyOf":[{"type":"string"},{"$ref":"#"}]}`), of(`{"not":{}}`))
	f.Add(`{"$ref":"#"}`, `{"allOf":[{"$ref":"#"}]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := json.RawMessage(a), json.RawMessage(b)
		_, _ = Inputs(Parse(x), Parse(y)), Results(Parse(x), Parse(y))
		if json.Valid(x) {
			if d := Inputs(Parse(x), Parse(x)); len(d) > 0 {
				t.Errorf("%v", d)
			}
		}
	})
}
