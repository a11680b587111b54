package compile_test

import (
	"strings"
	"testing"
)

// TestRequestMistakes reports requests that a site must not have, and output that an answer cannot give.
func TestRequestMistakes(t *testing.T) {
	const head = "name: t\ndescription: T.\n"
	get := func(path string) string { return head + "steps:\n  - request: {path: " + path + "}\n" }
	for _, c := range []struct{ text, rule, want string }{
		{get("/api/items"), "", ""},
		{head + "input: {q: {type: string}}\neffects: {read_only: true}\noutput: {n: {type: integer}, all: {type: array, items: {type: any}}}\n" +
			"steps: [{request: {path: /api, query: {q: \"{q}\", tag: [a, b], n: 1}, headers: {X-A: b}}, note: Read.}]\nextract: {n: {json: /n}, all: {json: \"\"}}\n", "", ""},
		{head + "steps: [{request: {method: POST, path: /api, body: {password: \"{secret:PASS}\"}, headers: {Authorization: \"Bearer {secret:PASS}\"}}}]\n", "", ""},
		{get("https://elsewhere.example/api"), "site-origin", "is at none of the site's origins"},
		{get("\"{path}\""), "site-origin", "lets a caller choose the origin"},
		{get("/api?a=b"), "site-request", "has a query or a fragment"},
		{get("\"/api/{secret:PASS}\""), "site-request", "the path has a secret"},
		{head + "input: {id: {type: string}}\nsteps: [{request: {path: \"/api/{id}\"}}]\n", "absent-parameter", `parameter "id" may be absent here`},
		{head + "steps: [{request: {method: FETCH, path: /api}}]\n", "site-request", `the method cannot be "FETCH"`},
		{head + "steps: [{request: {path: /api, body: {a: 1}}}]\n", "site-request", "a request with method GET has no body"},
		{head + "steps: [{request: {method: POST, path: /api, body: {a: 1}, form: {a: 1}}}]\n", "site-request", "both body and form"},
		{head + "effects: {read_only: true}\nsteps: [{request: {method: POST, path: /api}}]\n", "site-request", "is read_only, and sends a request with method POST"},
		{head + "steps: [{request: {path: /api}}, click Go]\n", "site-request", "has a request beside other steps"},
		{head + "steps: [{request: {path: /api}, optional: true}]\n", "unknown-key", `unknown key "optional" in a step with request`},
		{head + "steps: [{request: {}}]\n", "site-request", "the request has no path"},
		{head + "steps: [{request: {path: /api, headers: {Cookie: a=b}}}]\n", "site-request", "the browser sends the header Cookie itself"},
		{head + "steps: [{request: {path: /api, headers: {te: trailers}}}]\n", "site-request", "the browser sends the header Te itself"},
		{head + "steps: [{request: {path: /api, headers: {x-http-method-override: DELETE}}}]\n", "site-request", "gives a request with method GET another method"},
		{head + "steps: [{request: {method: POST, path: /api, headers: {X-HTTP-Method-Override: PATCH}}}]\n", "", ""},
		{head + "steps: [{request: {path: /api, headers: {Authorization: Bearer abc}}}]\n", "site-request", "the header Authorization has a secret in the source"},
		{head + "steps: [{request: {method: POST, path: /api, body: {a: [{password: abc}]}}}]\n", "site-request", "password has a secret in the source"},
		{head + "steps: [{request: {path: /api, query: {a: {b: c}}}}]\n", "site-request", "a is no text, number or list of them"},
		{head + "steps: [{request: {path: /api, query: {a: {b}}}}]\n", "unquoted-placeholder", "without quotes"},
		{head + "output: {n: {type: integer}}\nsteps: [{request: {path: /api}}]\nextract: {n: {element: {css: p}}}\n", "site-answer", "is taken from a page"},
		{head + "output: {n: {type: integer}}\nstart: /\nextract: {n: {json: /n}}\n", "site-answer", "sends no request"},
		{head + "output: {n: {type: integer}}\nsteps: [{request: {path: /api}}]\nextract: {n: {json: n}}\n", "site-answer", "no JSON pointer"},
		{head + "output: {n: {type: integer}}\nsteps: [{request: {path: /api}}]\nextract: {n: {json: /n, list: true}}\n", "site-answer", "beside other keys"},
	} {
		files := shop()
		files["tools/t.yaml"] = c.text
		compiled, diags := check(t, write(t, files))
		got := printed(t, diags)
		if c.rule == "" && (compiled == nil || diags.HasErrors()) || c.rule != "" && (!strings.Contains(got, c.want) || !strings.Contains(got, "["+c.rule+"]") || compiled != nil) {
			t.Errorf("%s\nreports\n%s\nwant %q of %s", c.text, got, c.want, c.rule)
		}
	}
}

// TestRequestsOfACompiledSite has the effects of their method, and the power that sending needs.
func TestRequestsOfACompiledSite(t *testing.T) {
	files := shop()
	files["tools/find_items.yaml"] = "name: find_items\ndescription: Find.\noutput: {n: {type: number}}\nsteps: [{request: {path: /api}}]\nextract: {n: {json: /n}}\n"
	files["tools/add_item.yaml"] = "name: add_item\ndescription: Add.\nsteps: [{request: {method: POST, path: /api, form: {a: 9007199254740993}}}]\n"
	compiled, diags := check(t, write(t, files))
	if compiled == nil {
		t.Fatal(printed(t, diags))
	}
	loaded, err := compiled.Load()
	if err != nil {
		t.Fatal(err)
	}
	reg, err := loaded.Compose(builtin(), nil, false)
	if err != nil {
		t.Fatal(err)
	}
	for name, readOnly := range map[string]bool{"find_items": true, "add_item": false} {
		i, _ := reg.Lookup(name)
		row := reg.Tools[i]
		hasNetwork := false
		for _, p := range row.Powers {
			hasNetwork = hasNetwork || p.Power == "network"
		}
		if row.Effects.ReadOnly != readOnly || !hasNetwork {
			t.Errorf("%s: read-only %t, powers %v", name, row.Effects.ReadOnly, row.Powers)
		}
	}
	site, err := loaded.ForRunner("http://127.0.0.1:1", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range site.Tools {
		if tool.Name == "add_item" && (len(tool.Steps) != 1 || tool.Steps[0].Request == nil || tool.Steps[0].Request.Method != "POST" || string(tool.Steps[0].Request.Form) != `{"a":9007199254740993}`) {
			t.Errorf("%+v", tool.Steps)
		}
	}
}
