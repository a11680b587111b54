package locate

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// FieldByLabel returns the ref of the field that a visible text labels, also where the page does
// not say so: the next field that follows the text. It returns "" where there is none.
func (l *Locator) FieldByLabel(ctx context.Context, label string) (string, error) {
	return l.refByLabel(ctx, "fieldByLabel", label)
}

// TransferByLabel returns the ref of a list of a transfer list: the one that a visible text is the
// title of, or the target of the transfer list that the text labels. It returns "" where there is
// none.
func (l *Locator) TransferByLabel(ctx context.Context, label string) (string, error) {
	return l.refByLabel(ctx, "transferByLabel", label)
}

// refByLabel returns the first ref that an operation finds for a label, in the page before its frames.
func (l *Locator) refByLabel(ctx context.Context, operation, label string) (string, error) {
	ref := ""
	err := l.doc.EvaluateAll(ctx, operation, map[string]any{"query": label}, func(w *document.World, result json.RawMessage) error {
		var found document.Element
		if err := json.Unmarshal(result, &found); err != nil {
			return fmt.Errorf("reading the field: %w", err)
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
