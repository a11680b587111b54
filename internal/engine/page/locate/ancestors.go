package locate

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Ancestors returns the elements that stand so many levels above a ref's element in the composed
// tree; 0 is the element itself. Levels above the root are left out.
func (l *Locator) Ancestors(ctx context.Context, ref string, levels []int) (map[int]document.ElementInfo, error) {
	var found []struct {
		Level int `json:"level"`
		document.ElementInfo
	}
	_, err := l.doc.EvaluateRef(ctx, ref, "ancestors", map[string]any{"levels": levels}, &found)
	out := make(map[int]document.ElementInfo, len(found))
	for _, f := range found {
		out[f.Level] = f.ElementInfo
	}
	return out, err
}
