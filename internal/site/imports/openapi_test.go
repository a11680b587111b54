package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/internal/site/imports"
)

func readDocument(t *testing.T, text string) *imports.Result {
	t.Helper()
	out, err := imports.Read(imports.Options{Data: []byte(text), File: "openapi.yaml", Origins: []string{"https://shop.example"}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

const odd = `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "https://shop.example/v2/"}]
components:
  securitySchemes: {token: {type: http, scheme: bearer}}
  schemas:
    Node:
      type: object
      properties:
        kids: {type: array, items: {$ref: "#/components/schemas/Node"}}
        kind: {enum: [a, b]}
        default: {type: object, properties: {example: {type: string}}}
        count: {type: [integer, "null"], multipleOf: 2}
paths:
  /nodes/{node-id}:
    parameters: [{name: node-id, in: path, required: true, schema: {type: string}}]
    put:
      operationId: PutNode
      security: [{token: []}]
      parameters:
        - {name: api_key, in: query, required: true, schema: {type: string}}
        - {name: "Filter[x]", in: query, schema: {type: integer, enum: [1, 2]}}
        - {name: ids, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: X-Auth-Token, in: header, schema: {type: string}}
        - {name: X-Trace, in: header, schema: {type: string}}
        - {name: session, in: cookie, schema: {type: string}}
      requestBody: {required: true, content: {application/json: {schema: {$ref: "#/components/schemas/Node"}}}}
      responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Node"}}}}}}
  /matrix{m}:
    get:
      operationId: matrix
      parameters: [{name: m, in: path, required: true, style: matrix, schema: {type: array, items: {type: string}}}]
      responses: {"200": {description: ok}}
`

// TestOperationsAreAdapted says types as a manifest can, and leaves out what a request cannot say.
func TestOperationsAreAdapted(t *testing.T) {
	t.Parallel()
	read := readDocument(t, odd)
	text := file(t, read, "put_node")
	for _, want := range []string{
		"path: /v2/nodes/{node_id}", `api_key: "{secret:API_KEY}"`, `Filter[x]: "{filter_x}"`, `tags: "{tags}"`, `X-Trace: "{x_trace}"`, "the parameter ids is left out",
		"the header X-Auth-Token is left out", "the cookie session is that of the session", "asks for credentials (token)", "json: \"\"",
		"  kids:\n    type: array\n    items:\n      type: object", "enum:\n      - a\n      - b", "nullable: true", "example:\n        type: string",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if len(read.Omissions) != 1 || !strings.Contains(read.Omissions[0].String(), "written in the style matrix") {
		t.Errorf("left out: %v", read.Omissions)
	}
}

// TestLargeDocumentsEnd reads a document whose schemas all refer to each other.
func TestLargeDocumentsEnd(t *testing.T) {
	t.Parallel()
	const count = 30
	var b strings.Builder
	b.WriteString("openapi: 3.1.0\ninfo: {title: Net, version: \"1\"}\ncomponents:\n  schemas:\n")
	for i := range count {
		fmt.Fprintf(&b, "    S%d:\n      type: object\n      properties:\n", i)
		for j := range count {
			fmt.Fprintf(&b, "        p%d: {$ref: \"#/components/schemas/S%d\"}\n", j, j)
		}
	}
	b.WriteString("paths:\n  /net:\n    post:\n      operationId: net\n      requestBody: {content: {application/json: {schema: {type: object, properties: {a: {$ref: \"#/components/schemas/S0\"}}}}}}\n" +
		"      responses: {\"200\": {description: ok, content: {application/json: {schema: {$ref: \"#/components/schemas/S0\"}}}}}\n")
	text := file(t, readDocument(t, b.String()), "net")
	if !strings.Contains(text, "the argument a is left out, for it cannot be declared: its schema is too large") || len(text) > 200_000 {
		t.Errorf("%d bytes:\n%.2000s", len(text), text)
	}
}

const alike = `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "https://shop.example/v2/"}]
components: {schemas: {Self: {allOf: [SELVES]}}}
paths:
  /users/{Id}/notes/{id}:
    patch:
      operationId: patchNote
      parameters:
        - {name: Id, in: path, required: true, schema: {type: string}}
        - {name: id, in: path, required: true, schema: {type: integer}}
        - {name: X-Ids, in: header, schema: {type: array, items: {type: integer}}}
        - {name: X-Range, in: header, schema: {type: object, properties: {a: {type: integer}}}}
        - {name: ids, in: query, explode: false, schema: {type: [array, "null"], items: {type: integer}}}
      requestBody: {content: {application/merge-patch+json: {schema: {type: object, properties: {text: {type: string}}}}}}
      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Self"}}}}}
    put:
      operationId: putNote
      parameters:
        - {name: Id, in: path, required: true, schema: {type: string}}
        - {name: id, in: path, required: true, schema: {type: integer}}
      requestBody: {required: true, content: {application/json; charset=utf-8: {schema: {type: object}}}}
      responses: {"204": {description: ok}}
`

// TestOperationsOfOddDocuments keeps parameters of like names apart, leaves out what a request writes in another way,
// and ends on schemas that are made of themselves.
func TestOperationsOfOddDocuments(t *testing.T) {
	t.Parallel()
	selves := strings.TrimSuffix(strings.Repeat(`{$ref: "#/components/schemas/Self"}, `, 40), ", ")
	read := readDocument(t, strings.Replace(alike, "SELVES", selves, 1))
	for name, want := range map[string][]string{
		"patch_note": {"path: /v2/users/{id}/notes/{id_2}\n", `X-Ids: "{x_ids}"`, "the parameter X-Range is left out", "the parameter ids is left out", "says that the body is application/merge-patch+json"},
		"put_note":   {"path: /v2/users/{id}/notes/{id_2}\n", `body: "{body}"`},
	} {
		text := file(t, read, name)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in:\n%s", part, text)
			}
		}
	}
}
