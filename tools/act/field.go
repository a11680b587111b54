package act

import (
	"context"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// findField finds the field that a description names. An array is first of all for a transfer list.
func findField(ctx context.Context, p *page.Page, query, value string, wait time.Duration) (string, error) {
	if strings.HasPrefix(value, "[") {
		if ref, err := p.Locate.TransferByLabel(ctx, query); err != nil || ref != "" {
			return ref, err
		}
	}
	return name(ctx, p, query, locate.WantField, wait)
}
