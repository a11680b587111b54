package run

import (
	"encoding/json"
	"testing"
)

func TestFillArgs(t *testing.T) {
	t.Parallel()
	values := map[string]any{"n": json.Number("3"), "name": `Ann "A" {n}`, "path": "a b/c", "on": true}
	for in, c := range map[string]struct{ tool, want string }{
		`{"scroll_amount":"{n}","action":"scroll"}`: {"computer", `{"action":"scroll","scroll_amount":3}`},
		`{"value":"{n}"}`:                {"form_input", `{"value":"3"}`},
		`{"value":"{name} of {nobody}"}`: {"form_input", `{"value":"Ann \"A\" {n} of {nobody}"}`},
		`{"value":"{secret:PW}"}`:        {"form_input", `{"value":"{secret:PW}"}`},
		`{"url":"/x/{path}?q={path}"}`:   {"navigate", `{"url":"/x/a%20b%2Fc?q=a+b%2Fc"}`},
		`{"then":"{name}"}`:              {"interact", `{"then":"Ann \"A\" {n}"}`},
		`{"then":"{on}"}`:                {"interact", `{"then":true}`},
	} {
		out, err := fillArgs(c.tool, json.RawMessage(in), values)
		if err != nil || string(out) != c.want {
			t.Errorf("%s is %s, want %s: %v", in, out, c.want, err)
		}
	}
}
