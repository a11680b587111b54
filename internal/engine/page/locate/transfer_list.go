package locate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// TransferByLabel returns the ref of a list of a transfer list: the one that a visible text is the
// title of, or the target of the transfer list that the text labels, in the page before its frames. It
// returns "" where there is none.
func (l *Locator) TransferByLabel(ctx context.Context, label string) (string, error) {
	ref := ""
	err := l.doc.EvaluateAll(ctx, "transferByLabel", map[string]any{"query": label}, func(w *document.World, result json.RawMessage) error {
		var found document.Element
		if err := json.Unmarshal(result, &found); err != nil {
			return fmt.Errorf("reading the list: %w", err)
		}
		if w.Parent == nil {
			ref = ""
		}
		if ref == "" {
			ref = found.Ref
		}
		return nil
	})
	return ref, l.doc.Translate(ctx, "", err)
}
