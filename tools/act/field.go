package act

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
)

// findField finds the field that a description means. Where no field has it as its name, or several
// do, the visible text of that wording labels one. An array is first of all for a transfer list.
func findField(ctx context.Context, p *page.Page, query, value string, wait time.Duration) (string, error) {
	if strings.HasPrefix(value, "[") {
		if ref, err := p.Locate.TransferByLabel(ctx, query); err != nil || ref != "" {
			return ref, err
		}
	}
	m, err := findOne(ctx, p, query, 0, isField)
	if err == nil {
		return m.Ref, nil
	}
	_, isMissing := errors.AsType[*locate.NoMatchError](err)
	if _, isAmbiguous := errors.AsType[*locate.AmbiguousError](err); !isMissing && !isAmbiguous {
		return "", err
	}
	if ref, err := p.Locate.FieldByLabel(ctx, query); err != nil || ref != "" {
		return ref, err
	}
	if isMissing {
		m, err = findOne(ctx, p, query, wait, isField)
	}
	return m.Ref, err
}
