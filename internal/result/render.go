package result

import (
	"context"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/grant"
)

// Render makes every tool of a registry return its errors as [Refusal] renders them, so that
// handlers return the errors of the engine and of look-ups unchanged. It changes and returns reg,
// which must not be in use.
func Render(reg *toolkit.Registry) *toolkit.Registry {
	reg.Unmet = map[string]string{"dialog_open": "no JavaScript dialog is open"}
	for i := range reg.Tools {
		invoke := reg.Tools[i].Invoke
		reg.Tools[i].Invoke = func(ctx context.Context, call *toolkit.Call, g grant.Grant, args []byte) (toolkit.CallResult, error) {
			res, err := invoke(ctx, call, g, args)
			return res, Refusal(call, err)
		}
	}
	return reg
}

// TextOf joins the texts of a result.
func TextOf(res toolkit.CallResult) string {
	var parts []string
	for _, c := range res.Content {
		if c.Text != "" {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}
