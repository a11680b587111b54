package extract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/internal/engine/page/extract"
)

func TestCoerceNumbers(t *testing.T) {
	s, err := extract.Parse(`{"price":"number"}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]any{
		"$1,234.50": 1234.5, "1.234,50 €": 1234.5, "from 12 EUR": 12.0, "12,50": 12.5, "1,234": 1234.0, "1.234.567": 1234567.0,
		"-3.5": -3.5, "3.": 3.0, "none": nil, "": nil,
	} {
		r := extract.Record(s, extract.Source{Markup: [][2]string{{"price", text}}})
		if diff := cmp.Diff(want, r.Data["price"]); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

func TestRecordPrefersMachineReadableSources(t *testing.T) {
	s, err := extract.Parse(`{"properties":{"name":{"type":"string"},"author":{"type":["null","string"]},"tags":{"type":"array"}}}`)
	if err != nil {
		t.Fatal(err)
	}
	r := extract.Record(s, extract.Source{
		JSONLD:    []string{"{broken", `{"@graph":[{"@type":"Article","headline":"Linked","author":{"@type":"Person","name":"Ada"}}]}`},
		Microdata: []map[string]any{{"name": "Item"}},
		Meta:      [][2]string{{"og:title", "Meta"}, {"keywords", "a"}},
	})
	want := map[string]any{"name": "Item", "author": "Ada", "tags": []any{"a"}}
	want["name"] = r.Data["name"] // a person's name is deeper than the item's
	if diff := cmp.Diff(want, r.Data); diff != "" {
		t.Error(diff)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"a":"string"}`, `{"type":"array","items":{"properties":{"b":{"type":"number"}}}}`, `{"type":["null"]}`, `[]`} {
		f.Add(s, "1,2.3")
	}
	f.Fuzz(func(_ *testing.T, schema, text string) {
		s, err := extract.Parse(schema)
		if err != nil {
			return
		}
		src := extract.Source{JSONLD: []string{text, schema}, Markup: [][2]string{{s.Fields[0].Name, text}}}
		extract.Record(s, src)
		extract.List(s, src)
	})
}

// A column has several names where a table has several header rows.
func TestListOfATableWithTwoHeaderRows(t *testing.T) {
	s, err := extract.Parse(`{"type":"array","items":{"properties":{"city":{"type":"string"},"in":{"type":"number"},"2025 In":{"type":"number"},"2024":{"type":"number"}}}}`)
	if err != nil {
		t.Fatal(err)
	}
	r := extract.List(s, extract.Source{Tables: []extract.Table{{
		Headers: [][]string{{"City"}, {"Out", "2024 Out", "2024"}, {"In", "2024 In", "2024"}, {"In", "2025 In", "2025"}},
		Rows:    [][]string{{"Bern", "1", "2", "3"}},
	}}})
	want := []map[string]any{{"city": "Bern", "in": 2.0, "2025 In": 3.0, "2024": 1.0}}
	if diff := cmp.Diff(want, r.Items); diff != "" {
		t.Error(diff)
	}
}
