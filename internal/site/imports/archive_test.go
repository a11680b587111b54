package imports_test

import (
	"encoding/json"
	"testing"

	"github.com/callsheet/callsheet/internal/site/imports"
)

// archive is an HTTP Archive of a site.
type archive struct {
	site    string
	entries []any
}

// form is the body of a form.
type form string

type pair struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// add adds a request that a script has sent, answered by JSON. The headers are names and values.
func (a *archive) add(method, path string, body any, answer string, headers ...string) {
	a.addKind("fetch", 200, method, a.site+path, body, "application/json", answer, headers)
}

func (a *archive) addKind(kind string, status int, method, url string, body any, mime, answer string, headers []string) {
	request := map[string]any{"method": method, "url": url}
	var list []pair
	for i := 0; i < len(headers); i += 2 {
		list = append(list, pair{headers[i], headers[i+1]})
	}
	request["headers"] = list
	switch body := body.(type) {
	case form:
		request["postData"] = map[string]any{"mimeType": "application/x-www-form-urlencoded", "text": string(body)}
	case string:
		if body != "" {
			request["postData"] = map[string]any{"mimeType": "application/json", "text": body}
		}
	}
	a.entries = append(a.entries, map[string]any{"_resourceType": kind, "request": request,
		"response": map[string]any{"status": status, "content": map[string]any{"mimeType": mime, "text": answer}}})
}

func (a *archive) text(t *testing.T) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"log": map[string]any{"version": "1.2", "entries": a.entries}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (a *archive) read(t *testing.T) *imports.Result {
	t.Helper()
	out, err := imports.Read(imports.Options{Data: []byte(a.text(t)), File: "shop.har", Origins: []string{a.site, "https://api.shop.example"}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func file(t *testing.T, r *imports.Result, name string) string {
	t.Helper()
	for _, tool := range r.Drafts {
		if tool.Name == name {
			text, err := tool.File("shop.har")
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
	}
	t.Fatalf("there is no tool %s", name)
	return ""
}
