package toolkit_test

import (
	"math"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// TestEnvelopesHaveTheValuesOfFields holds the JSON of fields: lists are lists also where they are empty, members are
// in the order of their names, text is not escaped for HTML, and what has no JSON is null.
func TestEnvelopesHaveTheValuesOfFields(t *testing.T) {
	type change struct {
		Old string `json:"old,omitzero"`
		New string `json:"new"`
	}
	r := toolkit.Refuse(toolkit.Failed, "no", []toolkit.Field{
		{Name: "none", Value: []string(nil)}, {Name: "empty", Value: map[string]int(nil)}, {Name: "absent", Value: (*change)(nil)},
		{Name: "text", Value: "<b> & \xff"}, {Name: "numbers", Value: map[string]int{"b": 2, "a": 1}}, {Name: "nan", Value: math.NaN()},
		{Name: "changes", Value: []change{{New: "a>b"}}}, {Name: "ms", Value: int64(5)},
	}...)
	want := `{"code":"FAILED","none":[],"empty":{},"absent":null,"text":"<b> & \ufffd","numbers":{"a":1,"b":2},"nan":null,` +
		`"changes":[{"new":"a>b"}],"ms":5,"message":"no"}`
	if got := string(r.Envelope()); got != want {
		t.Errorf("the envelope is\n%s, want\n%s", got, want)
	}
}
