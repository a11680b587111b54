package argument_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/record/argument"
)

func TestNormalize(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ tool, in, want string }{
		{"form_input", `{"ref":"[e5]","value":42}`, `{"ref":"e5","value":"42"}`},
		{"form_input", `{"ref":"[ref=e5]","value":true}`, `{"ref":"e5","value":"true"}`},
		{"form_input", `{"ref":"e5","value":["Red","Blue"]}`, `{"ref":"e5","value":"[\"Red\",\"Blue\"]"}`},
		{"form_input", `{"value":"[e5]", "ref":"e5"}`, `{"value":"[e5]", "ref":"e5"}`},
		{"fill_form", `{"fields":[{"query":"Age","value":1.50}],"submit":"[e7]"}`, `{"fields":[{"query":"Age","value":"1.50"}],"submit":"e7"}`},
		{"act", `{"steps":[{"action":"set","ref":"[e1]","value":false}]}`, `{"steps":[{"action":"set","ref":"e1","value":"false"}]}`},
		{"wait_for", `{"type":"timeout","value":500}`, `{"type":"timeout","value":"500"}`},
		{"interact", `{"query":"[e5]"}`, `{"query":"[e5]"}`},
		{"batch_execute", `{"calls":1}`, `{"calls":1}`},
		{"form_input", `{"ref":`, `{"ref":`},
		{"form_input", `{"ref":"e1","value":null}`, `{"ref":"e1","value":null}`},
		{"unknown", `{"ref":"[e1]"}`, `{"ref":"[e1]"}`},
	} {
		if got := string(argument.Normalize(c.tool, []byte(c.in))); got != c.want {
			t.Errorf("%s %s is %s, want %s", c.tool, c.in, got, c.want)
		}
	}
}
