package confirm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/code"
	"github.com/callsheet/callsheet/gen/toolkit/confirm"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
)

// TestQuestion shows arguments to a person. Nothing in a value reads as a part of the question.
func TestQuestion(t *testing.T) {
	t.Parallel()
	parts := []confirm.Part{{Text: "Add "}, {Name: "title", Default: `"soup"`}, {Text: "?"}}
	long := strings.Repeat("é", 201)
	for _, c := range []struct{ args, want string }{
		{`{"title":"Leek soup"}`, `Add "Leek soup"?`},
		{`{}`, `Add "soup"?`},
		{``, `Add "soup"?`},
		{`{"title":null}`, `Add (none)?`},
		{`{"title":12.5}`, `Add 12.5?`},
		{`{"title":false}`, `Add false?`},
		{`{"title":["a","b"]}`, `Add "a", "b"?`},
		{`{"title":[]}`, `Add (none)?`},
		{`{"title":[1,2,3,4,5,6,7,8,9,10,11,12]}`, `Add 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 2 more?`},
		{`{"title":[["a"]]}`, `Add "[\"a\"]"?`},
		{`{"title":{"a":1}}`, `Add "{\"a\":1}"?`},
		{`{"title":"x\"?\nReally delete nothing? \u200b\u202e"}`, `Add "x\"?\nReally delete nothing? \u200b\u202e"?`},
		{`{"title":"` + long + `"}`, `Add "` + strings.Repeat("é", 200) + `" … (201 characters)?`},
	} {
		if got := confirm.Question([]byte(c.args), parts...); got != c.want {
			t.Errorf("%s: got %s, want %s", c.args, got, c.want)
		}
	}
}

var errMissing = errors.New("no row of /var/lib/recipes.db")

// registry has a tool that asks first, and counts how often its handler ran.
func registry(ran *int) *toolkit.Registry {
	reg := &toolkit.Registry{
		Scopes: []string{"default"}, Capabilities: []toolkit.Capability{{Name: "core"}},
		Sentinels: []code.Sentinel{{Err: errMissing, Code: "NOT_FOUND", Message: "There is no such recipe. Call list_recipes."}},
		Tools: []toolkit.Tool{{
			Name: "add", Area: "recipes", Capability: "core", Scopes: []string{"default"}, Tier: 1, Timeout: time.Minute, ResultBytes: 4000, Asks: toolkit.InputForm,
			Schema: `{"type":"object","properties":{"title":{"type":"string"}}}`, Definition: `{"name":"add","inputSchema":{"type":"object"}}`,
			Invoke: func(ctx context.Context, c *toolkit.Call, _ grant.Grant, args []byte) (toolkit.CallResult, error) {
				if err := confirm.Ask(ctx, c, args, confirm.Part{Text: "Add "}, confirm.Part{Name: "title"}, confirm.Part{Text: "?"}); err != nil {
					return toolkit.CallResult{}, err
				}
				*ran++
				var in struct{ Title string }
				if _ = json.Unmarshal(args, &in); in.Title == "gone" {
					return toolkit.CallResult{}, fmt.Errorf("add: %w", errMissing)
				}
				return toolkit.Unstructured(toolkit.Text("added"), nil)
			},
		}},
	}
	return reg.Index()
}

// TestAsk calls the tool in each revision, with a person who agrees, declines and puts the question away, and without one.
func TestAsk(t *testing.T) {
	t.Parallel()
	for _, revision := range toolkittest.Revisions() {
		for _, c := range []struct {
			action string // "" cannot be asked
			code   toolkit.Code
			says   string
		}{
			{"accept", "", "added"}, {"decline", code.NotConfirmed, "did not agree"}, {"cancel", code.NotConfirmed, "did not agree"},
			{"", code.CannotConfirm, "declares the capability elicitation"},
		} {
			ran, asked := 0, ""
			var opt mcp.ClientOptions
			if c.action != "" {
				opt.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					asked = r.Params.Message
					return &mcp.ElicitResult{Action: c.action, Content: map[string]any{}}, nil
				}
			}
			kit := toolkittest.New(t, registry(&ran), toolkittest.Revision(revision), toolkittest.Client(opt), toolkittest.Codes(code.Table{
				Codes: append(code.Confirmation(), code.Info{Code: "NOT_FOUND"}),
			}))
			got := kit.Do(t, "add", toolkittest.Args{"title": "Soup"})
			if got.Code != c.code || !strings.Contains(got.Text, c.says) || ran != map[bool]int{true: 1}[c.code == ""] {
				t.Errorf("%s, %s: code %q, ran %d times: %s", revision, c.action, got.Code, ran, got.Text)
			}
			if c.action != "" && !strings.HasPrefix(asked, "Add \"Soup\"?\n\nWhat stands in quotation marks") {
				t.Errorf("%s, %s: asked %q", revision, c.action, asked)
			}
			if c.action == "accept" {
				if got := kit.Refuse(t, "add", toolkittest.Args{"title": "gone"}, "NOT_FOUND").Text; got != "NOT_FOUND: There is no such recipe. Call list_recipes." {
					t.Errorf("%s: %s", revision, got)
				}
			}
		}
	}
}
