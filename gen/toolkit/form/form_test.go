package form_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/form"
)

// TestSchema compares each kind of field with the schema that SEP-1034 and SEP-1330 give for it.
func TestSchema(t *testing.T) {
	titled := []form.Option{{Value: "r", Title: "Red"}, {Value: "g"}}
	for name, c := range map[string]struct {
		field form.Field
		want  string
	}{
		"text": {
			form.Text{Label: form.Label{Name: "f", Title: "T", Description: "D"}, Default: toolkit.Some("x"), Format: form.Email, MinLength: 1, MaxLength: 9},
			`{"type":"string","title":"T","description":"D","default":"x","format":"email","minLength":1,"maxLength":9}`,
		},
		"an empty default is one": {form.Text{Label: form.Label{Name: "f"}, Default: toolkit.Some("")}, `{"type":"string","default":""}`},
		"integer":                 {form.Integer{Label: form.Label{Name: "f"}, Default: toolkit.Some(30), Minimum: toolkit.Some(0)}, `{"type":"integer","default":30,"minimum":0}`},
		"number":                  {form.Number{Label: form.Label{Name: "f"}, Default: toolkit.Some(95.5), Maximum: toolkit.Some(100.0)}, `{"type":"number","default":95.5,"maximum":100}`},
		"switch":                  {form.Switch{Label: form.Label{Name: "f"}, Default: toolkit.Some(false)}, `{"type":"boolean","default":false}`},
		"choice":                  {form.Choice{Label: form.Label{Name: "f"}, Options: form.Values("a", "b"), Default: toolkit.Some("a")}, `{"type":"string","enum":["a","b"],"default":"a"}`},
		"titled choice":           {form.Choice{Label: form.Label{Name: "f"}, Options: titled}, `{"type":"string","oneOf":[{"const":"r","title":"Red"},{"const":"g","title":"g"}]}`},
		"choice for older clients": {
			form.Choice{Label: form.Label{Name: "f"}, Options: titled, EnumNames: true},
			`{"type":"string","enum":["r","g"],"enumNames":["Red","g"]}`,
		},
		"choices":        {form.Choices{Label: form.Label{Name: "f"}, Options: form.Values("a"), Default: []string{}, MaxItems: 1}, `{"type":"array","items":{"type":"string","enum":["a"]},"default":[],"maxItems":1}`},
		"titled choices": {form.Choices{Label: form.Label{Name: "f"}, Options: titled, MinItems: 1}, `{"type":"array","items":{"anyOf":[{"const":"r","title":"Red"},{"const":"g","title":"g"}]},"minItems":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			var got struct {
				Type       string
				Properties map[string]any
				Required   []string
			}
			if err := json.Unmarshal(form.Schema(c.field), &got); err != nil {
				t.Fatal(err)
			}
			var want map[string]any
			if err := json.Unmarshal([]byte(c.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"f": want}, got.Properties); diff != "" || got.Type != "object" || got.Required != nil {
				t.Errorf("type %q, required %v, properties (-want +got):\n%s", got.Type, got.Required, diff)
			}
		})
	}
}

// TestSchemaOrder keeps the order in which a client shows the fields.
func TestSchemaOrder(t *testing.T) {
	got := string(form.Schema(
		form.Text{Label: form.Label{Name: "z", Required: true}}, form.Switch{Label: form.Label{Name: "a", Required: true}},
	))
	if want := `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"boolean"}},"required":["z","a"]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
