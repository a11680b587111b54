// Package operator grants powers to work that no call dispatches: what the command line does on its own,
// and jobs that outlive the call that began them. Only composition roots and tests may import it. It
// must not know tools.
package operator

import (
	"github.com/callsheet/callsheet/gen/toolkit/grant"
	"github.com/callsheet/callsheet/gen/toolkit/internal/key"
)

// Grant grants every power, without an end, to the named work.
func Grant(work string) grant.Grant { return grant.NewUnlimited(key.New(), work) }
