package recorder

import "encoding/json"

// VerdictOf returns the verdict of a report; "" without one.
func VerdictOf(report json.RawMessage) string {
	var v struct {
		Verdict string `json:"verdict"`
	}
	if json.Unmarshal(report, &v) != nil {
		var word string
		_ = json.Unmarshal(report, &word) // a verdict may be kept as its word
		return word
	}
	return v.Verdict
}
