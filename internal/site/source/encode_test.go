package source_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/callsheet/callsheet/internal/site/source"
)

// TestEncodeKeepsTexts writes texts that look like something else in YAML, at every place of a document, and reads them.
func TestEncodeKeepsTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", " ", "null", "~", "yes", "1e3", "0x1f", "007", ".inf", "2026-11-26", "- a", "a: b", "# a", "a #b", "a\rb", "a\nb\n", "\ta", "a\t", "'a", `"a"`, `a\b`,
		"{a}", "[a]", "&a", "*a", "!a", "%a", "@a", "|", ">", "a\u2028b", "a\u0085b", "\u00a0", "\ufeffa", "\x07", "日本", "🧀", "---", "...", "? a", "<<",
	} {
		in := yaml.MapSlice{{Key: "text", Value: text}, {Key: "list", Value: []any{text, map[string]any{"member": text}}}}
		data, err := source.Encode(in)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		var out map[string]any
		if err := yaml.Unmarshal(data, &out); err != nil || !reflect.DeepEqual(out, map[string]any{"text": text, "list": []any{text, map[string]any{"member": text}}}) {
			t.Errorf("%q is read as %v from\n%s%v", text, out, data, err)
		}
	}
	data, err := source.Encode(yaml.MapSlice{{Key: "whole", Value: json.Number("12345678901234567890")}, {Key: "f", Value: 1e-7}, {Key: "text", Value: "12"}})
	if want := "whole: 12345678901234567890\nf: 1.0e-07\ntext: \"12\"\n"; err != nil || string(data) != want {
		t.Errorf("%s %v, want %s", data, err, want)
	}
}
