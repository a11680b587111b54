package act

import (
	"context"
	"errors"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/engine/page"
)

// findField finds the field that a description means. Where no field has it as its name, or several
// do, the visible text of that wording labels one.
func findField(ctx context.Context, p *page.Page, query string, wait time.Duration) (string, error) {
	m, err := findOne(ctx, p, query, 0, isField)
	if err == nil {
		return m.Ref, nil
	}
	var refusal *toolkit.Refusal
	if !errors.As(err, &refusal) {
		return "", err
	}
	if ref, err := p.FieldByLabel(ctx, query); err != nil || ref != "" {
		return ref, err
	}
	if refusal.Code == toolkit.NotFound {
		m, err = findOne(ctx, p, query, wait, isField)
	}
	return m.Ref, err
}
