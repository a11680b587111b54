package page_test

import (
	"encoding/json"
	"testing"

	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestExtractData(t *testing.T) {
	c, _ := openReading(t)
	type result struct {
		Data    map[string]any
		Items   []map[string]any
		Missing []string
		From    map[string]string
	}
	extract := func(a tooltest.Args) (r result) {
		t.Helper()
		text := tooltest.Unfenced(c.Call("extract_data", a))
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err, text)
		}
		return r
	}
	r := extract(tooltest.Args{"schema": `{"name":"string","price":"number","inStock":"boolean","image":"string","weight":"number"}`})
	if r.Data["name"] != "Desk lamp" || r.Data["price"] != 49.9 || r.Data["inStock"] != true || r.Data["image"] != "http://example.test/lamp.png" {
		t.Errorf("the record is %v", r)
	}
	if len(r.Missing) != 1 || r.Missing[0] != "weight" || r.From["price"] != "json-ld" {
		t.Errorf("missing %v, from %v", r.Missing, r.From)
	}
	r = extract(tooltest.Args{"schema": `{"type":"array","items":{"properties":{"part":{"type":"string"},"price":{"type":"number"}}}}`})
	if len(r.Items) != 2 || r.Items[0]["part"] != "Base" || r.Items[0]["price"] != 12.5 {
		t.Errorf("the rows are %v", r.Items)
	}
	r = extract(tooltest.Args{"schema": `{"title":"string","price":"number"}`, "multiple": true, "selector": "ul"})
	if len(r.Items) != 2 || r.Items[0]["title"] != "Alpha" || r.Items[0]["price"] != 1234.5 {
		t.Errorf("the records are %v", r.Items)
	}
	for _, schema := range []string{"", "[]", "{}", `{"a":"colour"}`, `{"a":1}`, `{"type":"array","items":3}`} {
		c.ExpectRefusal("INVALID_ARGUMENTS", "extract_data", tooltest.Args{"schema": schema}, "/schema")
	}
	c.ExpectRefusal("NOT_FOUND", "extract_data", tooltest.Args{"schema": `{"a":"string"}`, "selector": "#nowhere"})
}
