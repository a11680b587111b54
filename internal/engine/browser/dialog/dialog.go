// Package dialog describes JavaScript dialogs, and lets commands fail that one keeps a page from
// answering.
//
// It must not know tabs or how dialogs are answered.
package dialog

import (
	"fmt"
	"strings"
)

// Dialog is an open JavaScript dialog. It blocks its page until it is handled. This package handles
// only the beforeunload dialog of a tab that it closes.
type Dialog struct {
	Kind    string // alert, confirm, prompt or beforeunload
	Message string
	Default string // the default text of a prompt
	URL     string // URL of the frame that opened it
}

// Describe names the dialog with its article: an alert dialog.
func (d Dialog) Describe() string {
	if strings.HasPrefix(d.Kind, "a") {
		return "an " + d.Kind + " dialog"
	}
	return "a " + d.Kind + " dialog"
}

// Clone returns a copy; that of nil is nil.
func (d *Dialog) Clone() *Dialog {
	if d == nil {
		return nil
	}
	c := *d
	return &c
}

// Answered are the dialogs that a navigation dismissed, or that were answered after another.
type Answered struct {
	Dialogs []Dialog // oldest first, at most twenty
	// Crashed says that the page opened dialogs without end and was ended.
	Crashed bool
}

// String names the dialogs in a line: dismissed an alert dialog "x" and 3 more.
func (a Answered) String() string {
	if len(a.Dialogs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q", a.Dialogs[0].Describe(), a.Dialogs[0].Message)
	if n := len(a.Dialogs) - 1; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	if a.Crashed {
		b.WriteString("; the page opened dialogs without end, so it was ended")
	}
	return b.String()
}
