package dialog

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Error reports that an open JavaScript dialog blocks a tab.
type Error struct {
	Tab string
	Dialog
	// During reports that the dialog opened during the call, which may have caused it.
	During bool
}

func (e *Error) Error() string {
	if e.During {
		return fmt.Sprintf("%s opened in tab %s during the call: %q", e.Describe(), e.Tab, e.Message)
	}
	return fmt.Sprintf("%s is open in tab %s: %q", e.Describe(), e.Tab, e.Message)
}

// Code is codes.DialogOpen.
func (*Error) Code() codes.Code { return codes.DialogOpen }

// Fields returns the tab's id and the dialog's kind and text.
func (e *Error) Fields() []fault.Field {
	return []fault.Field{{Name: "tabId", Value: e.Tab}, {Name: "kind", Value: e.Kind}, {Name: "text", Value: e.Message}}
}
