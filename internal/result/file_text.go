package result

import (
	"context"
	"errors"
	"io"

	"github.com/callsheet/callsheet/internal/text/plain"
)

// maxFileText bounds the text of a file in a result, in bytes.
const maxFileText = 4000

// FileText returns the text of a file between the tags of the fence, and says what is left out; "" of a type without
// text.
func FileText(ctx context.Context, f io.ReaderAt, size int64) string {
	text, more, err := plain.Text(ctx, f, size, maxFileText)
	switch {
	case errors.Is(err, plain.ErrNoText):
		return ""
	case err != nil:
		return "[its text is not shown: " + Quote(err.Error()) + "]"
	case more:
		return Quote(text) + "\n[cut; the resource has the whole]"
	}
	return Quote(text)
}
