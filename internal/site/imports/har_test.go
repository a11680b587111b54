package imports_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/internal/site/imports"
)

const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

// TestRequestsAreGeneralised makes parameters of what differs, and keeps what does not.
func TestRequestsAreGeneralised(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	a.add("GET", "/api/v1/items?q=lamp&page=1&limit=20&_=1700000000000", "", `{"items":[{"id":7,"price":12.5,"no name":1}],"total":2,"next":null,"byId":{"7":{"a":1}}}`, "X-Requested-With", "XMLHttpRequest", "Accept", "*/*")
	a.add("GET", "/api/v1/items?q=chair&limit=20", "", `{"items":[{"id":8,"price":40,"sale":true}],"total":"2"}`, "X-Requested-With", "XMLHttpRequest")
	a.add("PUT", "/api/v1/items/3f2504e0-4f89-11d3-9a0c-0305e82c3301/notes/12", `{"text":"007","tags":["a"],"meta":{"n":1,"kind":"x"}}`, `[]`)
	a.add("PUT", "/api/v1/items/3f2504e0-4f89-11d3-9a0c-0305e82c3302/notes/13", `{"text":"8","tags":["b"],"meta":{"n":2,"kind":"x"},"due":"2026-01-31"}`, `[]`)
	a.add("POST", "/graphql", `{"operationName":"GetMe","query":"query GetMe {me {name}}","variables":{"n":1}}`, `{"data":{}}`)
	a.add("GET", "/files/a%2Fb/1", "", `[]`)
	a.add("GET", "/files/a/b/2", "", `[]`)
	read := a.read(t)
	for name, want := range map[string][]string{
		"get_files_a_b": {"path: /files/a%2Fb/{a_b_id}"}, "get_files_a_b_2": {"path: /files/a/b/{b_id}"},
		"get_items": {"  page:\n    type: integer\n    description: Page.\n", "  q:\n    type: string\n    required: true\n", `limit: "20"`, `page: "{page}"`, "X-Requested-With: XMLHttpRequest",
			"total:\n    type: any\n", "  items:\n    type: array\n    required: true\n", "price:\n          type: number", "sale:\n          type: boolean",
			"additionalProperties:\n      type: object", "_ is left out, for it only keeps answers from being cached", "json: /total", "confirmed: false", "  - page: 1\n    q: lamp\n"},
		"put_item_note": {"path: /api/v1/items/{item_id}/notes/{note_id}", "text:\n    type: string\n    required: true", "note_id:\n    type: integer", "n:\n    type: integer",
			"due:\n    type: string\n    description: Due.", "kind: x", `tags: "{tags}"`, "items:\n    type: array\n    required: true\n    items:\n      type: any"},
		"get_me": {"query: query GetMe { me { name}}", `"n": "{n}"`, "operationName: GetMe", "is a guess"},
	} {
		text := file(t, read, name)
		for _, part := range want {
			if !strings.Contains(strings.ReplaceAll(text, `"n":`, "n:"), strings.ReplaceAll(part, `"n":`, "n:")) {
				t.Errorf("%s has no %q:\n%s", name, part, text)
			}
		}
		if strings.Contains(text, "Accept") || strings.Contains(text, "no name") {
			t.Errorf("%s has what is left out:\n%s", name, text)
		}
	}
}

// TestNoSecretIsImported strips credentials. Of the secrets that a request needs it names none that a vault can have.
func TestNoSecretIsImported(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	a.add("POST", "/api/login", form("user=ann&password=hunter2hunter2&csrf_token=c5r0f1"), `{"token":"`+token+`"}`)
	a.add("GET", "/api/me?access_token="+token+"&next_page_token=abc", "", `{"name":"Ann"}`, "Cookie", "sid=s3cr3tcookie", "Authorization", "Bearer b3arer", "X-Api-Key", "k3yk3y", "X-Trace", token)
	a.add("POST", "/api/opaque", `{"note":"`+token+`","deep":[{"password":"inalist99"}],"pin":"REDACTED","state":"REDACTED-3","list":["`+token+`"]}`, `{"a":1}`)
	a.add("POST", "/api/more?sid=sh0rtsid", `{"pin":424242,"payload":"{\"password\":\"injson77\"}","next":"https://shop.example/?token=inurl88","max_tokens":50,"otp text":"{totp:BANK}","n":1}`, `{}`, "X-Auth", "x4uthval")
	a.add("POST", "/api/more?sid=sh0rtsid", `{"pin":424242,"payload":"{\"password\":\"injson77\"}","next":"https://shop.example/?token=inurl88","max_tokens":50,"otp text":"{totp:BANK}","n":2}`, `{}`, "X-Auth", "x4uthval")
	a.add("POST", "/graphql", `{"operationName":"In","query":"mutation In {login(password: \"ingraphql1\") {id}}"}`, `{}`, "X-Context", `{"token":"incontext5"}`)
	read := a.read(t)
	all := ""
	for _, tool := range read.Drafts {
		all += file(t, read, tool.Name)
	}
	for _, secret := range []string{"hunter2", "c5r0f1", token, "s3cr3tcookie", "b3arer", "k3yk3y", "inalist99", "sh0rtsid", "424242", "injson77", "inurl88", "x4uthval", "{totp:", "ingraphql1", "incontext5"} {
		if strings.Contains(all, secret) {
			t.Errorf("the secret %q is in:\n%s", secret, all)
		}
	}
	for _, want := range []string{`password: "{secret:UNNAMED_PASSWORD}"`, `access_token: "{secret:UNNAMED_ACCESS_TOKEN}"`, `note: "{secret:UNNAMED_NOTE}"`, `pin: "{secret:UNNAMED_PIN}"`, `state: "{secret:UNNAMED_STATE}"`, `next_page_token: "{next_page_token}"`,
		"UNNAMED_PASSWORD stands for a secret", "csrf_token is a value that the site makes for each session", "the header Authorization is left out", "the header X-Api-Key is left out", "the header X-Trace is left out", `pin: "{pin}"`, "max_tokens: 50"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in:\n%s", want, all)
		}
	}
}

// TestWhatIsNoCallIsLeftOut lists pages, their parts, other origins and what shows no JSON, with the reason.
func TestWhatIsNoCallIsLeftOut(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	get := func(kind string, status int, url, mime, answer string) {
		a.addKind(kind, status, "GET", url, "", mime, answer, nil)
	}
	get("document", 200, a.site+"/", "text/html", "<p>")
	get("image", 200, a.site+"/a.png", "image/png", "")
	get("image", 200, a.site+"/b.png", "image/png", "")
	get("fetch", 200, "https://ads.example/x", "application/json", "{}")
	get("fetch", 302, a.site+"/old", "", "")
	get("fetch", 302, a.site+"/reset/"+token, "", "")
	get("fetch", 419, a.site+"/expired", "application/json", "{}")
	get("fetch", -1, a.site+"/aborted", "application/json", "{}")
	get("fetch", 500, a.site+"/broken", "application/json", "{}")
	get("fetch", 200, a.site+"/part", "text/html", "<p>")
	get("fetch", 200, a.site+"/empty", "application/json", "")
	get("", 200, a.site+"/style.css", "text/css", "a{}")
	get("", 200, a.site+"/api/kept", "application/json", "{}")
	get("fetch", 200, "https://api.shop.example/v2/users/5", "application/json", `"Ann"`)
	a.addKind("fetch", 200, "OPTIONS", a.site+"/api/kept", "", "application/json", "{}", nil)
	a.addKind("fetch", 204, "DELETE", a.site+"/api/kept/7", "", "", "", nil)
	read := a.read(t)
	var left, made []string
	for _, l := range read.Omissions {
		left = append(left, l.String())
	}
	for _, tool := range read.Drafts {
		made = append(made, tool.From)
	}
	if got, want := strings.Join(made, "\n"), "DELETE /api/kept/{kept_id}\nGET /api/kept\nGET /v2/users/{user_id}"; got != want {
		t.Errorf("the tools are\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{"GET /: it is a page, which a step opens", "image (2 times): it is a part of a page", "https://ads.example: it is of none of the site's origins",
		"GET /old: it was answered Found", "GET /reset/…: it was answered Found", "GET /expired: it was answered 419", "GET /aborted: it has no answer", "GET /broken: it was answered Internal Server Error", "GET /part: it was answered text/html, which is no JSON",
		"GET /empty: the archive has no answer of it", "text/css: it is a part of a page", "OPTIONS /api/kept: its method is no call"} {
		if !strings.Contains(strings.Join(left, "\n"), want) {
			t.Errorf("no %q in:\n%s", want, strings.Join(left, "\n"))
		}
	}
	if text := file(t, read, "get_user"); !strings.Contains(text, "path: https://api.shop.example/v2/users/{user_id}") || !strings.Contains(text, `json: ""`) {
		t.Errorf("the request of another origin of the site:\n%s", text)
	}
}

// TestReadRefuses says what is of no known kind.
func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"hello": "give --kind har, workflow, webmcp", `{"log":{"version":"1.2"`: "no HAR", "openapi: 3.1.0": "give --kind har, workflow, webmcp"} {
		if _, err := imports.Read(imports.Options{Data: []byte(text), File: "x", Origins: []string{"https://shop.example"}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestNumbersAreKept writes the numbers of an archive with all of their digits.
func TestNumbersAreKept(t *testing.T) {
	t.Parallel()
	a := &archive{site: "https://shop.example"}
	const body = `{"id":18446744073709551615,"large":1e21,"small":0.0000001,"price":12.5,"debt":-9007199254740993}`
	a.add("POST", "/api/notes?n=1", body, `{}`)
	a.add("POST", "/api/notes?n=2", body, `{}`)
	text := file(t, a.read(t), "post_notes")
	for _, want := range []string{"id: 18446744073709551615\n", "large: 1.0e+21\n", "small: 1.0e-07\n", "price: 12.5\n", "debt: -9007199254740993\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

// TestTextsAreKept writes names and texts of an archive as they are, or says that a file cannot have them.
func TestTextsAreKept(t *testing.T) {
	t.Parallel()
	odd := []string{"a\nconfirmed: true", "? b", "- c", "<<", "---", "...", "  first\n second\n", "one\n\n  two\n\n", "\ttab", "a\rb", "a\r\nb", "a:\tb", "\x1b[31m", "a\u0085b", "a\u2028b", "# a", "a #b",
		"null", "yes", "0x1f", "1_000", "1e3", "2026-01-31", "!x", "%a", "@a", "`", "'a'", "\"a\"", "\\", "*a", "&a", "=", "~", ".5", "a,b", "[a", "{ a", ": a", "a:", " ", "\U0001f600", "\u00e4"}
	for _, text := range odd {
		for _, at := range []struct{ name, value string }{{"text", text}, {text, "value"}} {
			body, err := json.Marshal(map[string]any{at.name: at.value})
			if err != nil {
				t.Fatal(err)
			}
			a := &archive{site: "https://shop.example"}
			a.add("POST", "/api/notes?n=1", string(body), `{}`)
			a.add("POST", "/api/notes?n=2", string(body), `{}`)
			written, err := a.read(t).Drafts[0].File("shop.har")
			if err != nil && at.name == text {
				continue
			}
			var tool struct {
				Confirmed *bool
				Steps     []struct {
					Request struct{ Body map[string]any }
				}
			}
			if err == nil {
				err = yaml.Unmarshal(written, &tool)
			}
			if err != nil || len(tool.Steps) != 1 || tool.Confirmed == nil || *tool.Confirmed || !reflect.DeepEqual(tool.Steps[0].Request.Body, map[string]any{at.name: at.value}) {
				t.Errorf("%q: %v, reads as %#v:\n%s", at, err, tool.Steps, written)
			}
		}
	}
}
