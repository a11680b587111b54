package openapi

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/callsheet/callsheet/gen/openapi/overlay"
	"github.com/callsheet/callsheet/gen/upstream"
)

func read(t *testing.T, text string, opt Options) Result {
	t.Helper()
	r, err := Read([]byte(text), opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// one is a document of one operation.
func one(version, operation, components string) string {
	return "openapi: " + version + "\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://h.example/v1/'}]\npaths:\n  /a/{id}:\n    get: " + operation + "\ncomponents: " + components + "\n"
}

const id = `{name: id, in: path, required: true, schema: {type: string}}`

func tool(t *testing.T, r Result, name string) upstream.Tool {
	t.Helper()
	found := r.List.Find(name)
	if found == nil {
		t.Fatalf("there is no tool %q: %+v", name, r.Decisions)
	}
	return *found
}

func report(r Result) string {
	var b strings.Builder
	for _, d := range r.Decisions {
		b.WriteString(string(d.Kind) + " " + d.Tool + " " + d.Path + ": " + d.What + ", because " + d.Why + "\n")
	}
	return b.String()
}

// Each schema of a parameter becomes the schema of an argument.
func TestSchemas(t *testing.T) {
	for _, c := range []struct{ version, schema, want string }{
		{"3.0.3", `{type: integer, format: int64, minimum: 0, exclusiveMinimum: true}`, `{"type":"integer","exclusiveMinimum":0}`},
		{"3.0.3", `{type: integer, minimum: 0, exclusiveMinimum: false}`, `{"type":"integer","minimum":0}`},
		{"3.0.3", `{type: string, nullable: true, example: x}`, `{"type":["string","null"]}`},
		{"3.0.3", `{type: string, nullable: true, enum: [a, null], description: d}`, `{"anyOf":[{"type":"string","enum":["a",null]},{"type":"null"}],"description":"d"}`},
		{"3.0.3", `{$ref: '#/components/schemas/Name'}`, `{"type":"string","maxLength":5}`},
		{"3.1.0", `{type: [string, 'null'], examples: [x]}`, `{"type":["string","null"]}`},
		{"3.1.0", `{$ref: '#/components/schemas/Name', description: other}`, `{"type":"string","maxLength":5,"description":"other"}`},
		{"3.1.0", `{$ref: '#/components/schemas/Name', minLength: 1}`, `{"allOf":[{"type":"string","maxLength":5}],"minLength":1}`},
		{"3.1.0", `{const: 1.50, exclusiveMinimum: 1}`, `{"const":1.50,"exclusiveMinimum":1}`},
		{"3.1.0", `true`, `true`},
		{"3.1.0", `{type: string, pattern: '^(?!a)', format: password}`, `{"type":"string"}`},
		{"3.1.0", `{type: string, format: uuid}`, `{"type":"string","format":"uuid"}`},
		{"3.1.0", `{type: object, properties: {a: {type: string, readOnly: true}, b: {type: string, writeOnly: true}}, required: [a, b]}`,
			`{"type":"object","properties":{"b":{"type":"string","writeOnly-dropped":0}},"required":["b"]}`},
	} {
		r := read(t, one(c.version, `{operationId: get, parameters: [`+id+`, {name: q, in: query, schema: `+c.schema+`}]}`, `{schemas: {Name: {type: string, maxLength: 5}}}`), Options{})
		var input struct{ Properties map[string]json.RawMessage }
		if err := json.Unmarshal(tool(t, r, "get").InputSchema, &input); err != nil {
			t.Fatal(err)
		}
		want := strings.Replace(c.want, `,"writeOnly-dropped":0`, "", 1)
		if got := string(input.Properties["q"]); got != want {
			t.Errorf("%s %s\ngot  %s\nwant %s", c.version, c.schema, got, want)
		}
	}
}

// A schema of results says names and types alone, and a choice of objects is one.
func TestResults(t *testing.T) {
	for schema, want := range map[string]string{
		`{type: object, required: [a], additionalProperties: false, properties: {a: {type: string, enum: [x], format: uuid}}}`: `{"type":"object","properties":{"a":{"type":"string"}}}`,
		`{oneOf: [{type: object, properties: {a: {}}}, {properties: {b: {}}}]}`:                                                `{"type":"object","anyOf":[{"type":"object","properties":{"a":{}}},{"properties":{"b":{}}}]}`,
		`{allOf: [{type: object}, {description: d}]}`:                                                                          `{"type":"object","allOf":[{"type":"object"},{"description":"d"}]}`,
		`{oneOf: [{type: object}, {type: string}]}`:                                                                            `{"type":"object","properties":{"result":{"anyOf":[{"type":"object"},{"type":"string"}]}},"required":["result"]}`,
		`{type: object, nullable: true}`:                                                                                       `{"type":"object","properties":{"result":{"type":["object","null"]}},"required":["result"]}`,
	} {
		r := read(t, one("3.0.3", `{operationId: get, parameters: [`+id+`], responses: {'200': {content: {application/json: {schema: `+schema+`}}}}}`, `{}`), Options{})
		if got := string(tool(t, r, "get").OutputSchema); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", schema, got, want)
		}
	}
}

// A schema that has itself as a part keeps its references.
func TestRecursion(t *testing.T) {
	r := read(t, one("3.1.0", `{operationId: get, parameters: [`+id+`], requestBody: {}, responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}}`,
		`{schemas: {Tree: {type: object, properties: {children: {type: array, items: {$ref: '#/components/schemas/Tree'}}}}}}`), Options{})
	got := string(tool(t, r, "get").OutputSchema)
	if want := `{"type":"object","$ref":"#/$defs/Tree","$defs":{"Tree":{"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#/$defs/Tree"}}}}}}`; got != want {
		t.Error(got)
	}
}

// Compositions that have themselves as a part end, and so do those of many parts.
func TestRecursiveCompositions(t *testing.T) {
	body := `{content: {application/json: {schema: {$ref: '#/components/schemas/Self'}}}}`
	self := strings.TrimSuffix(strings.Repeat(`{$ref: '#/components/schemas/Self'}, `, 40), ", ")
	r := read(t, one("3.1.0", `{operationId: get, parameters: [`+id+`], responses: {'200': `+body+`}}`, `{schemas: {Self: {allOf: [`+self+`]}}}`), Options{})
	if got := string(tool(t, r, "get").OutputSchema); !strings.Contains(got, `"result"`) {
		t.Error(got)
	}
	r = read(t, strings.Replace(one("3.1.0", `{operationId: set, parameters: [`+id+`], requestBody: `+body+`, responses: {}}`, `{schemas: {Self: {allOf: [`+self+`]}}}`), "get:", "post:", 1), Options{})
	if got := string(tool(t, r, "set").InputSchema); !strings.Contains(got, `"body":{"$ref":"#/$defs/Self"}`) {
		t.Error(got)
	}
}

const petstore = `openapi: 3.0.3
info: {title: Store, version: '2'}
servers: [{url: 'https://{region}.h.example/v1', variables: {region: {default: eu}}}, {url: https://old.example}]
tags: [{name: pets, description: About pets.}]
security: [{key: []}]
paths:
  /pets/{id}:
    parameters:
      - {name: id, in: path, required: true, schema: {type: integer}}
    post:
      operationId: changePet
      summary: Change a pet.
      tags: [pets, other]
      deprecated: true
      security: [{token: []}, {}]
      parameters:
        - {name: id, in: query, schema: {type: string}}
        - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {a: {type: string}}}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: Authorization, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
        - {name: q, in: query, content: {application/json: {schema: {type: object}}}}
      requestBody:
        required: true
        content:
          application/json:
            schema:
              allOf:
                - {$ref: '#/components/schemas/Base'}
                - {type: object, properties: {tags: {type: array, items: {type: string}}}}
          application/xml: {}
      responses:
        '200': {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Base'}}}}}
    delete:
      responses: {'204': {description: gone}}
    put:
      operationId: upload
      requestBody: {required: true, content: {multipart/form-data: {}}}
      responses: {}
    patch:
      operationId: changePet
      requestBody: {content: {application/json: {schema: {oneOf: [{type: string}, {type: integer}]}}}}
      servers: [{url: https://upload.example}]
      responses: {}
components:
  schemas:
    Base: {type: object, required: [name], properties: {name: {type: string}, id: {type: integer, readOnly: true}}}
  securitySchemes:
    key: {type: apiKey, in: query, name: api_key}
    token: {type: oauth2, flows: {}}
`

func TestOperations(t *testing.T) {
	r := read(t, petstore, Options{})
	change := tool(t, r, "changePet")
	for want, in := range map[string]string{
		`{"type":"object","properties":{"id":{"type":"integer"},"id_query":{"type":"string"},"filter":{"type":"object","properties":{"a":{"type":"string"}}},"X_Trace":{"type":"string"},"session":{"type":"string"},"q":{"type":"object"},"name":{"type":"string"},"tags":{"type":"array","items":{"type":"string"}}},"required":["id","name"],"additionalProperties":false}`: string(change.InputSchema),
		`"type":"object","properties":{"result":{"type":"array"`:                                       string(change.OutputSchema),
		`{"readOnlyHint":false,"idempotentHint":false,"openWorldHint":true}`:                           string(change.Annotations),
		`{"argument":"filter","name":"filter","in":"query","style":"deepObject","explode":true}`:       string(change.Operation),
		`{"argument":"id_query","name":"id","in":"query","style":"form","explode":true}`:               string(change.Operation),
		`{"type":"application/json","members":[{"argument":"name","name":"name"},{"argument":"tags","`: string(change.Operation),
		`"security":[[{"scheme":"token","in":"bearer"}],[]],"wrapped":true`:                            string(change.Operation),
		`"accept":"application/json"`:                                    string(change.Operation),
		`"security":[[{"scheme":"key","in":"query","field":"api_key"}]]`: string(tool(t, r, "delete-pets-by-id").Operation),
		`"destructiveHint":true,"idempotentHint":true`:                   string(tool(t, r, "delete-pets-by-id").Annotations),
		`"server":"https://upload.example"`:                              string(tool(t, r, "changePet-2").Operation),
		`"body":{"type":"application/json","argument":"body"}`:           string(tool(t, r, "changePet-2").Operation),
	} {
		if !strings.Contains(in, want) {
			t.Errorf("%s\nis not in\n%s", want, in)
		}
	}
	if change.Title != "Change a pet" || change.Group != "pets" || r.Server != "https://eu.h.example/v1" || !slices.Equal(r.Schemes, []string{"key", "token"}) || r.List.Groups[0].Description != "About pets." {
		t.Errorf("%+v", r)
	}
	got := report(r)
	for _, want := range []string{
		"dropped  /servers: these servers are not called: https://old.example",
		"changed  /servers/0/variables/region: the variable region of the server is \"eu\"",
		"dropped changePet /paths/~1pets~1{id}/post/parameters/3: the header Authorization is no argument",
		`changed changePet /paths/~1pets~1{id}/post/parameters/0: the argument for "id" is called "id_query"`,
		"dropped changePet /paths/~1pets~1{id}/post/requestBody/content: the other media types",
		"dropped changePet /paths/~1pets~1{id}/post/tags: the further tags say nothing: other",
		"dropped changePet /paths/~1pets~1{id}/post/deprecated",
		"dropped changePet /components/schemas/Base/properties/id: a read-only property is not in the schema",
		"dropped upload /paths/~1pets~1{id}/put: the operation is not in the manifest, because bodies of multipart/form-data cannot be written",
		`added delete-pets-by-id /paths/~1pets~1{id}/delete: the operation is called "delete-pets-by-id"`,
		`changed changePet-2 /paths/~1pets~1{id}/patch: the operation is called "changePet-2"`,
		"changed changePet-2 /paths/~1pets~1{id}/patch/servers/0: calls, with their credentials, go to https://upload.example",
		"its schema has oneOf",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	for _, d := range r.Decisions {
		if d.Tool == "upload" && !strings.Contains(strings.Split(petstore, "\n")[d.Line-1], "operationId: upload") {
			t.Errorf("the line of the operation is %d", d.Line)
		}
	}
	if t.Failed() {
		t.Log(got)
	}
}

// changes returns an overlay.
func changes(actions string) Overlay {
	return func(document []byte) ([]byte, []string, error) { return overlay.Apply(document, []byte(actions)) }
}

// An overlay chooses, renames and describes; an action that matches nothing is reported.
func TestOverlay(t *testing.T) {
	r := read(t, petstore, Options{Overlay: changes(`overlay: 1.0.0
info: {title: O, version: '1'}
actions:
  - {target: "$.paths.*[?(@.operationId && @.operationId != 'changePet')]", remove: true}
  - {target: "$.paths['/pets/{id}'].delete", update: {operationId: removePet, description: Removes a pet.}}
  - {target: "$.paths['/pets/{id}'].patch", remove: true}
  - {target: "$.paths['/dogs'].get", remove: true}
`)})
	if len(r.List.Tools) != 2 || tool(t, r, "removePet").Description != "Removes a pet." {
		t.Errorf("%+v", r.List.Tools)
	}
	if got := report(r); !strings.Contains(got, "an action of the overlay did nothing: $.paths['/dogs'].get") {
		t.Error(got)
	}
}

func TestRefusals(t *testing.T) {
	for text, want := range map[string]string{
		`{"swagger": "2.0", "info": {}}`: "Swagger 2.0",
		`{"tools": []}`:                  "openapi",
		"openapi: [":                     "read the document",
		"openapi: 3.1.0\nx: &x {default: *x}\npaths: {}\n": "write the values out",
		"openapi: 3.1.0\na: &a [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n" +
			"d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\nf: [*e, *e, *e, *e, *e, *e, *e, *e, *e, *e]\npaths: {}\n": "write the values out",
	} {
		if _, err := Read([]byte(text), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := Read([]byte(petstore), Options{Overlay: changes("")}); err == nil || !strings.Contains(err.Error(), "read the overlay") {
		t.Error(err)
	}
	if _, err := Read([]byte(petstore), Options{Overlay: changes("overlay: 1.0.0\ninfo: {title: O, version: '1'}\nactions: [{target: '$.[', remove: true}]\n")}); err == nil || !strings.Contains(err.Error(), "apply the overlay") {
		t.Error(err)
	}
	for operation, want := range map[string]string{
		`{parameters: [{$ref: 'other.yaml#/x'}]}`:                `"other.yaml#/x" is in another file`,
		`{parameters: [{$ref: '#/components/parameters/None'}]}`: `the document has no "#/components/parameters/None"`,
		`{parameters: [{$ref: '#/components/parameters/Loop'}]}`: "leads to itself",
		`{}`: "the path has {id}",
		`{parameters: [` + id + `, {name: q, in: query, style: simple, schema: {}}]}`:                      `cannot be written in the style "simple"`,
		`{parameters: [` + id + `, {name: q, in: body}]}`:                                                  `a parameter called "q" in "body"`,
		`{parameters: [` + id + `, {name: q, in: query, schema: {$ref: '#/components/schemas/Missing'}}]}`: `the document has no "#/components/schemas/Missing"`,
	} {
		r := read(t, one("3.0.0", operation, `{parameters: {Loop: {$ref: '#/components/parameters/Loop'}}}`), Options{})
		if got := report(r); len(r.List.Tools) > 0 || !strings.Contains(got, want) {
			t.Errorf("%s: want %q in\n%s", operation, want, got)
		}
	}
}

func TestServerOfAnAddress(t *testing.T) {
	for server, want := range map[string]string{"/v3": "https://h.example/v3", "v3/": "https://h.example/api/v3", "https://o.example/": "https://o.example"} {
		r := read(t, "openapi: 3.0.0\ninfo: {title: T, version: '1'}\nservers: [{url: '"+server+"'}]\npaths: {}\n", Options{Location: "https://h.example/api/openapi.json"})
		if r.Server != want {
			t.Errorf("%s: %s", server, r.Server)
		}
	}
}

// Each operation of public documents, as the library's own tests have them, is a tool or is reported; schemas of
// arguments can be read.
func TestPublicDocuments(t *testing.T) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/pb33f/libopenapi").Output()
	if err != nil {
		t.Fatal(err)
	}
	dozen := `overlay: 1.0.0
info: {title: O, version: '1'}
actions:
  - target: $.paths.*[?(@.operationId && !match(@.operationId, '(Get|Post)(Customers|Products|Prices|Invoices|PaymentIntents|Refunds)'))]
    remove: true
`
	for _, c := range []struct {
		file, overlay string
		tools         int
	}{{"petstorev3.json", "", 19}, {"burgershop.openapi.yaml", "", 5}, {"asana.yaml", "", 152}, {"stripe.yaml", dozen, 12}} {
		data, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(out)), "test_specs", c.file))
		if err != nil {
			t.Fatal(err)
		}
		opt := Options{}
		if c.overlay != "" {
			opt.Overlay = changes(c.overlay)
		}
		r := read(t, string(data), opt)
		refused := strings.Count(report(r), "the operation is not in the manifest")
		t.Logf("%s: %d tools, %d operations refused, %d decisions", c.file, len(r.List.Tools), refused, len(r.Decisions))
		if len(r.List.Tools)+refused != c.tools {
			t.Errorf("%s has %d operations; %d tools, and %d are refused:\n%s", c.file, c.tools, len(r.List.Tools), refused, report(r))
		}
		for _, tool := range r.List.Tools {
			for _, schema := range [][]byte{tool.InputSchema, tool.OutputSchema} {
				if schema == nil {
					continue
				}
				doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
				if err != nil {
					t.Fatal(err)
				}
				compiler := jsonschema.NewCompiler()
				if err := compiler.AddResource("urn:x", doc); err != nil {
					t.Fatal(err)
				}
				if _, err := compiler.Compile("urn:x"); err != nil {
					t.Errorf("%s, %s: %v", c.file, tool.Name, err)
				}
			}
		}
	}
}
