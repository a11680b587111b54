package run

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/replay"
)

func TestFillArgs(t *testing.T) {
	t.Parallel()
	values := map[string]any{"n": json.Number("3"), "name": `Ann "A" {n}`, "path": "a b/c", "on": true, "list": []any{"{n}"}}
	for in, c := range map[string]struct{ tool, want string }{
		`{"scroll_amount":"{n}","action":"scroll"}`: {"computer", `{"action":"scroll","scroll_amount":3}`},
		`{"value":"{n}"}`:                 {"form_input", `{"value":"3"}`},
		`{"value":"{name} of {unknown}"}`: {"form_input", `{"value":"Ann \"A\" {n} of {unknown}"}`},
		`{"value":"{secret:PW}"}`:         {"form_input", `{"value":"{secret:PW}"}`},
		`{"url":"/x/{path}?q={path}"}`:    {"navigate", `{"url":"/x/a%20b%2Fc?q=a+b%2Fc"}`},
		`{"then":"{name}"}`:               {"interact", `{"then":"Ann \"A\" {n}"}`},
		`{"then":"{on}"}`:                 {"interact", `{"then":true}`},
		`{"coordinate":["{n}",7.50]}`:     {"computer", `{"coordinate":[3,7.50]}`},
		`{"fields":[{"value":"{n}"}]}`:    {"fill_form", `{"fields":[{"value":"3"}]}`},
		`{"list":"{list}"}`:               {"computer", `{"list":["{n}"]}`},
		`{"selector":"[title='{name}']"}`: {"computer", `{"selector":"[title='Ann\\ \\\"A\\\"\\ \\{n\\}']"}`},
		``:                                {"computer", `{}`},
	} {
		out, err := fillArgs(c.tool, json.RawMessage(in), values)
		if err != nil || string(out) != c.want {
			t.Errorf("%s is %s, want %s: %v", in, out, c.want, err)
		}
	}
}

func TestFillContract(t *testing.T) {
	t.Parallel()
	values := map[string]any{"n": json.Number("3"), "product": json.Number("7"), "name": `A "B"`, "path": "a b"}
	for _, in := range []string{
		`{"dom_count":{"selector":".row","eq":"{n}"}}`, `{"and":[{"dom_count":{"selector":"#{name}","max":"{n}"}},{"dom_text":{"selector":".c","contains":"{product}"}}]}`, `{"url":"/x/{path}"}`,
	} {
		if _, err := fillContract(json.RawMessage(in), values); err != nil {
			t.Errorf("%s: %v", in, err)
		}
	}
	for in, want := range map[string]string{
		`{"dom_count":{"selector":".row","eq":"{name}"}}`: "/dom_count/eq", `{"dom_count":{"selector":".row","eq":"many"}}`: "/dom_count/eq", `{`: "fill in parameters",
	} {
		if _, err := fillContract(json.RawMessage(in), values); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestArgumentsNameNoSecret: a caller chooses no secret, also not in parts or inside of lists and objects.
func TestArgumentsNameNoSecret(t *testing.T) {
	t.Parallel()
	site := &Site{Values: map[string]any{"mark": "{secret:SITE}"}}
	tool := Tool{Name: "keep", Parameters: []Parameter{{Name: "a"}, {Name: "b"}, {Name: "c", Default: json.RawMessage(`"{secret:DEFAULT}"`)}},
		Steps: []Step{{Tool: "form_input", Args: json.RawMessage(`{"value":"{secret:OWN}{mark}{c}{a}{b}"}`)}}}
	for _, args := range []string{
		`{"a":"{secret:PW}"}`, `{"a":"x {totp:example.com} y"}`, `{"a":"\u007bsecret:PW}"}`, `{"a":["x",["{secret:PW}"]]}`, `{"a":{"deep":[{"b":"{secret:PW}"}]}}`, `{"a":{"{totp:x}":1}}`,
		`{"a":"{secret:"}`, `{"a":"{sec","b":"ret:PW}"}`, `{"a":"{","b":"totp:example.com}"}`,
	} {
		values, err := site.values(&tool, json.RawMessage(args))
		if err == nil {
			c := &call{Runner: &Runner{Site: site, Player: &replay.Player{Registry: &toolkit.Registry{}}}, tool: &tool, values: values}
			_, err = c.script()
		}
		var coded fault.Coded
		if !errors.As(err, &coded) || coded.Code() != codes.InvalidArguments || !strings.Contains(err.Error(), "only the secrets that its file names") {
			t.Errorf("%s: %v", args, err)
		}
	}
	values, err := site.values(&tool, json.RawMessage(`{"a":"{secret}","b":["secret:PW"]}`))
	if err != nil {
		t.Fatal(err)
	}
	c := &call{Runner: &Runner{Site: site, Player: &replay.Player{Registry: &toolkit.Registry{}}}, tool: &tool, values: values}
	script, err := c.script()
	if want := `{"value":"{secret:OWN}{secret:SITE}{secret:DEFAULT}{secret}[\"secret:PW\"]"}`; err != nil || string(script.Steps[0].Args) != want {
		t.Errorf("%v, %+v", err, script)
	}
}

// TestDefaultsKeepTheirDigits: a number beyond those that a float has is typed as the file has it.
func TestDefaultsKeepTheirDigits(t *testing.T) {
	t.Parallel()
	tool := Tool{Name: "show", Parameters: []Parameter{{Name: "id", Default: json.RawMessage(`12345678901234567`)}}}
	values, err := (&Site{}).values(&tool, nil)
	if err != nil || textOf(values["id"]) != "12345678901234567" {
		t.Errorf("%v, %v", values, err)
	}
}

func TestSiteAddress(t *testing.T) {
	t.Parallel()
	site := &Site{Origins: []string{"https://shop.example/"}}
	for in, want := range map[string]string{
		"/login?next=https://shop.example/x": "https://shop.example/login?next=https://shop.example/x", "https://pay.example/a": "https://pay.example/a", "/": "https://shop.example/",
	} {
		if got := site.address(in); got != want {
			t.Errorf("%s is %s, want %s", in, got, want)
		}
	}
}

func TestPathShape(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/items/17/": "/items/0", "/caf%C3%A9": "/café", "/a%28b%29": "/a(b)", "/a%2Fb": "/a%2Fb", "/x2": "/0", "": ""} {
		u, err := url.Parse("http://127.0.0.1:80" + in)
		w, failed := url.Parse("http://a" + want)
		if err != nil || failed != nil || pathShape(u) != pathShape(w) {
			t.Errorf("%s is %s", in, pathShape(u))
		}
	}
	a, _ := url.Parse("/a/b")
	b, _ := url.Parse("/a%2Fb")
	if pathShape(a) == pathShape(b) {
		t.Error("a separator is like an escaped one")
	}
}

// TestLastActing: a run that stops before the last step makes none whose effect is not wanted.
func TestLastActing(t *testing.T) {
	t.Parallel()
	order := func(action string) Step {
		return Step{Tool: "act", Args: json.RawMessage(`{"steps":[{"action":"` + action + `"}]}`)}
	}
	click, wait := Step{Tool: "interact"}, order("wait")
	optional, when := Step{Tool: "interact", Optional: true}, Step{Tool: "interact", When: &Observation{}}
	navigate, read := Step{Tool: "navigate"}, Step{Tool: "wait_for", Args: json.RawMessage(`{"type":"text"}`)}
	registry := (&toolkit.Registry{Tools: []toolkit.Tool{{Name: "wait_for", Effects: toolkit.Effects{ReadOnly: true}}}}).Index()
	for name, x := range map[string]struct {
		steps []Step
		start string
		want  int
	}{
		"the last":          {[]Step{click, click}, "/", 2},
		"a wait":            {[]Step{click, click, wait, read, {Tool: "computer", Args: json.RawMessage(`{"action":"screenshot"}`)}}, "/", 2},
		"a key":             {[]Step{click, order("key")}, "", 2},
		"an address":        {[]Step{click, navigate}, "", 1},
		"a confirmation":    {[]Step{click, optional, when}, "/", 1},
		"conditions alone":  {[]Step{wait, optional, when, wait}, "/", 2},
		"addresses alone":   {[]Step{navigate, navigate}, "", 2},
		"nothing but start": {nil, "/", startSeq},
		"nothing":           {nil, "", 0},
	} {
		c := &call{Runner: &Runner{Site: &Site{Origins: []string{"http://a.example"}}, Player: &replay.Player{Registry: registry}}, tool: &Tool{Start: x.start, Steps: x.steps}}
		if _, err := c.script(); err != nil || c.last != x.want {
			t.Errorf("%s: %d, want %d (%v)", name, c.last, x.want, err)
		}
	}
}
