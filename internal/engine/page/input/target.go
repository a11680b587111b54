package input

import (
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// Target is the target of an action: a ref, or else a bare point.
type Target struct {
	Ref   string
	Point *document.Point
	// Moving has the pointer aim at where an element that keeps moving will be; else it is waited for.
	Moving bool
}
