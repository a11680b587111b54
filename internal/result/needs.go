package result

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Needs refuses a call whose action lacks a parameter that it cannot do without, where the definition leaves unsaid what
// anyone expects: that setting takes a value.
func Needs(action, name string, given bool) error {
	if given {
		return nil
	}
	return toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("%q is required for %s", name, action),
		toolkit.Field{Name: "violations", Value: []map[string]string{{"path": "/" + name, "problem": "is required for " + action}}})
}
