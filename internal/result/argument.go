package result

import (
	"fmt"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// RequireArgument refuses a call without a parameter that its action requires, where the tool's
// schema does not say so.
func RequireArgument(action, name string, given bool) error {
	if given {
		return nil
	}
	return toolkit.Refuse(toolkit.InvalidArguments, fmt.Sprintf("%q is required for %s", name, action),
		toolkit.Field{Name: "violations", Value: []map[string]string{{"path": "/" + name, "problem": "is required for " + action}}})
}
