package doctor

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/running"
)

// attaches reports whether a running browser is used and none is started.
func attaches(s Subject) bool { return s.Browser.CDPEndpoint != "" || s.Browser.Remote != nil }

// checkAttach names the browsers of this user that could be attached to.
func checkAttach(ctx context.Context, _ Subject) (out []Finding) {
	for _, b := range running.Find(ctx) {
		detail := "%s (%s) runs; callsheet attach says how its person can let agents use it"
		if b.Allowed() {
			detail = "%s (%s) lets agents attach: callsheet attach"
		}
		out = append(out, pass(detail, b.Name(), b.Dir)...)
	}
	return out
}
