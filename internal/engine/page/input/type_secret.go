package input

import (
	"context"
	"errors"
	"fmt"

	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// insertSecret inserts text at the focus of a document, in the place of what is selected, unless another
// document has the focus, or one of another origin. The engine inserts it, and not the browser: a frame
// that takes the focus meanwhile gets nothing.
func (k *Keyboard) insertSecret(ctx context.Context, w *document.World, text, origin string) error {
	err := k.doc.EvaluateIn(ctx, w, "insertSecret", map[string]any{"text": text, "origin": origin}, nil)
	if r, ok := errors.AsType[*document.EngineError](err); ok && r.Kind == "focusElsewhere" {
		return &document.NotEditableError{Reason: "the focus went to another document, which gets no secret"}
	}
	if err != nil {
		return fmt.Errorf("typing a secret: %w", err)
	}
	return nil
}

// typeSecret types text with secrets at the focus, one character after the other, so that fields for a code
// that have a box for each digit pass the focus on. Line ends and tabs are keys.
func (k *Keyboard) typeSecret(ctx context.Context, w *document.World, text string) error {
	filled, origin, err := k.guard.FillFor(ctx, w, "focusOrigin", nil, text)
	if err != nil {
		return k.doc.Translate(ctx, "", err)
	}
	for _, r := range filled {
		switch r {
		case '\r':
		case '\n', '\t':
			err = k.typeText(ctx, string(r))
		default:
			err = k.insertSecret(ctx, w, string(r), origin)
		}
		if err != nil {
			return k.doc.Translate(ctx, "", err)
		}
	}
	return nil
}
