package settle

import (
	"github.com/callsheet/callsheet/internal/engine/page/document"
)

// WrongTargetError says that an input hit another element and was stopped before the page saw it.
// The action had no effect. element is nil when the input arrived nowhere.
type WrongTargetError struct{ Element *document.Element }

func (*WrongTargetError) Error() string {
	return "the input arrived at another element and was stopped"
}
