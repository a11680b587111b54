package importer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/upstream"
)

func list(t *testing.T, tools string) upstream.List {
	t.Helper()
	l, err := upstream.Decode([]byte(`{"tools":[` + tools + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	l.Name = "some server"
	return l
}

func file(r Result, name string) string {
	for _, f := range r.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
}

// The schema of each row becomes the lines of an input, or stays in the record for the reason that the
// report gives.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ name, schema, want, why string }{
		{"none", `{"type":"object","additionalProperties":false}`, "input: {}", ""},
		{"scalars", `{"type":"object","properties":{"a":{"type":"string","minLength":1,"description":"A: one"},"b":{"type":"number","maximum":2.5,"default":1}},"required":["a"],"additionalProperties":false}`,
			"input:\n      a: {type: string, required: true, minLength: 1, description: \"A: one\"}\n      b: {type: number, maximum: 2.5, default: 1}", ""},
		{"order of members", `{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"integer"}},"additionalProperties":false}`,
			"input:\n      z: {type: boolean}\n      a: {type: integer}", ""},
		{"exclusive limits of whole numbers", `{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":0}},"additionalProperties":false}`, "input:\n      a: {type: integer, minimum: 1}", ""},
		{"null in a list of types", `{"type":"object","properties":{"a":{"type":["string","null"]}},"additionalProperties":false}`, "input:\n      a: {type: string, nullable: true}", ""},
		{"null as an alternative", `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}],"description":"d"}},"additionalProperties":false}`,
			"input:\n      a: {type: integer, nullable: true, description: d}", ""},
		{"nested", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"on":{"type":"string"}},"required":["on"],"additionalProperties":false}}},"additionalProperties":false}`,
			`input:` + "\n" + `      a: {type: array, items: {type: object, properties: {"on": {type: string, required: true}}}}`, ""},
		{"a map", `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"string"}}},"additionalProperties":false}`,
			"input:\n      a: {type: object, additionalProperties: {type: string}}", ""},
		{"any", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, "input:\n      a: {type: any}", ""},
		{"a constant", `{"type":"object","properties":{"a":{"const":"x"}},"additionalProperties":false}`, "input:\n      a: {type: string, enum: [x]}", ""},

		{"alternatives", `{"type":"object","properties":{"a":{"oneOf":[{"type":"string"},{"type":"number"}]}}}`, "", "oneOf has no form"},
		{"a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"$defs":{"A":{"type":"string"}}}`, "", "$defs has no form"},
		{"patterns of names", `{"type":"object","patternProperties":{"^x":{"type":"string"}}}`, "", "patternProperties has no form"},
		{"open beside properties", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, "", "beside its properties"},
		{"exclusive limits of numbers", `{"type":"object","properties":{"a":{"type":"number","exclusiveMinimum":0}}}`, "", "include the limit"},
		{"a list as default", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"default":[]}}}`, "", "a default is"},
		{"look-ahead", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`, "", "the compiler refuses it"},
		{"a name with a hyphen", `{"type":"object","properties":{"a-b":{"type":"string"}}}`, "", "is no name for a property"},
		{"an unknown format", `{"type":"object","properties":{"a":{"type":"string","format":"regex"}}}`, "", "the compiler refuses it"},
		{"no object", `{"type":"string"}`, "", "not described as an object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Import(list(t, `{"name":"t","title":"T","description":"d","annotations":{"readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false},"inputSchema":`+c.schema+`}`), Options{Upstream: Upstream{URL: "http://h/mcp"}})
			_, got, _ := strings.Cut(file(r, "manifest/tools/some_server.yaml"), "visible: always\n")
			if got = strings.TrimSpace(got); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			kept := ""
			for _, d := range r.Decisions {
				if d.Kind == Kept {
					kept = d.Why
				}
			}
			if !strings.Contains(kept, c.why) || (kept == "") != (c.why == "") {
				t.Errorf("the report says %q, want %q", kept, c.why)
			}
		})
	}
}

// Every tool is in the manifest or in the report, whatever a server sends.
func TestNothingIsDroppedSilently(t *testing.T) {
	r := Import(list(t, `{"name":"get-it","inputSchema":{"type":"object"},"icons":[]},
		{"name":"getIt","description":"d","annotations":{"readOnlyHint":true},"inputSchema":{"type":"object"}},
		{"name":"later","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}`), Options{})
	area := file(r, "manifest/tools/some_server.yaml")
	for _, want := range []string{"name: get_it\n", "forward: get-it\n", "name: get_it_2\n", "forward: getIt\n", "# ask: description", "# ask: read_only, destructive, idempotent, open_world"} {
		if !strings.Contains(area, want) {
			t.Errorf("the manifest lacks %q:\n%s", want, area)
		}
	}
	var got []string
	for _, d := range r.Decisions {
		if d.Why == "" || d.Do == "" || d.What == "" {
			t.Errorf("%+v says too little", d)
		}
		got = append(got, string(d.Kind)+" "+d.Tool+d.Path)
	}
	all := strings.Join(got, "\n")
	for _, want := range []string{
		"changed get-it/name", "added get-it/title", "asked get-it/description", "asked get-it/annotations", "changed get-it/inputSchema", "dropped get-it/icons",
		"changed getIt/name", "added getIt/annotations/idempotentHint", "dropped later/execution/taskSupport", "asked /upstream",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the report lacks %q:\n%s", want, all)
		}
	}
	if !strings.Contains(file(r, "manifest/upstream.json"), "later") {
		t.Error("a dropped tool is not in the record, and would count as new")
	}
}

func TestProtocolEffects(t *testing.T) {
	l := list(t, `{"name":"t","description":"d","inputSchema":{"type":"object"}}`)
	l.Effects = ProtocolEffects
	r := Import(l, Options{})
	if want := "effects: {read_only: false, destructive: true, idempotent: false, open_world: true}\n"; !strings.Contains(file(r, "manifest/tools/some_server.yaml"), want) {
		t.Errorf("want %q in\n%s", want, file(r, "manifest/tools/some_server.yaml"))
	}
}

func TestToName(t *testing.T) {
	for in, want := range map[string]string{
		"get-sum": "get_sum", "getHTTPPage": "get_http_page", "get_it": "get_it", "a__b": "a__b", "2fa": "tool_2fa", "GET /pets/{id}": "get_pets_id", "ä": "",
		strings.Repeat("x", 70): strings.Repeat("x", 64),
	} {
		if got := toName(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// A text comes out of a YAML file as it went in, whatever its characters mean there.
func TestScalar(t *testing.T) {
	for in, want := range map[string]string{"yes": `"yes"`, "a b": "a b", "a: b": `"a: b"`, "": `""`, "1": `"1"`, "a #b": `"a #b"`, "<&>": `"<&>"`, "a\nb": `"a\nb"`, "x ": `"x "`} {
		if got := scalar(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestReportIsJSON(t *testing.T) {
	data, err := json.Marshal(Decision{Tool: "t", Path: "/p", Kind: Kept, What: "w", Why: "y", Do: "d"})
	if want := `{"tool":"t","path":"/p","kind":"kept","what":"w","why":"y","do":"d"}`; err != nil || string(data) != want {
		t.Errorf("%s %v", data, err)
	}
}
