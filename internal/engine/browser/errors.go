package browser

import (
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/fault"
)

// Errors without values of their own.
var (
	// ErrNoTab is returned for the current tab of a session without tabs.
	ErrNoTab = fault.New(codes.NoTab, "no tab is open")
	// ErrNoDialog is returned by HandleDialog when no dialog is open.
	ErrNoDialog = fault.New(codes.NotFound, "no dialog is open")
	// ErrNoHistory is returned by Back on the first and Forward on the last entry of a tab's
	// history.
	ErrNoHistory = fault.New(codes.Failed, "there is no page in that direction of the tab's history")
)

// NoTabError is ErrNoTab together with the reason.
type NoTabError struct {
	// BrowserGone reports that the browser exited under the session. The next tab that is opened
	// starts another browser.
	BrowserGone bool
}

func (e *NoTabError) Error() string {
	if e.BrowserGone {
		return (&BrowserGoneError{}).Error()
	}
	return ErrNoTab.Error()
}

// Is makes the error equal to ErrNoTab.
func (e *NoTabError) Is(target error) bool { return target == ErrNoTab }

// Unwrap returns a BrowserGoneError if the browser exited, else nil.
func (e *NoTabError) Unwrap() error {
	if e.BrowserGone {
		return &BrowserGoneError{}
	}
	return nil
}

// Code is fault.BrowserGone if the browser exited, else fault.NoTab.
func (e *NoTabError) Code() codes.Code {
	if e.BrowserGone {
		return codes.BrowserGone
	}
	return codes.NoTab
}

// LaunchError reports that Chromium did not start, or that the browser to attach to did not
// respond.
type LaunchError struct {
	Location string // the path of the executable, or the endpoint
	Err      error
}

func (e *LaunchError) Error() string { return fmt.Sprintf("start browser %s: %v", e.Location, e.Err) }

// Unwrap returns the cause, which holds Chromium's own output.
func (e *LaunchError) Unwrap() error { return e.Err }

// Code is fault.NoBrowser.
func (*LaunchError) Code() codes.Code { return codes.NoBrowser }

// BrowserGoneError reports that the browser exited during a call. The next call that needs a
// browser starts another.
type BrowserGoneError struct{ Reason string }

func (e *BrowserGoneError) Error() string {
	if e.Reason == "" {
		return "the browser exited"
	}
	return "the browser exited: " + e.Reason
}

// Code is fault.BrowserGone.
func (*BrowserGoneError) Code() codes.Code { return codes.BrowserGone }

// ClosedError reports that a tab is closed.
type ClosedError struct {
	Tab    string
	Reason string
}

func (e *ClosedError) Error() string { return fmt.Sprintf("tab %s is closed: %s", e.Tab, e.Reason) }

// Code is fault.NoTab.
func (*ClosedError) Code() codes.Code { return codes.NoTab }

// The reasons why a tab has no page.
const (
	Crashed   = "crashed"                      // its renderer process exited
	Discarded = "was discarded to save memory" // the browser dropped the page and kept the tab
)

// CrashedError reports that a tab has no page. Navigate and Reload recover it.
type CrashedError struct {
	Tab    string
	Reason string // Crashed or Discarded
}

func (e *CrashedError) Error() string {
	return fmt.Sprintf("the page in tab %s %s; reload it or navigate to recover", e.Tab, e.Reason)
}

// Code is fault.TabCrashed.
func (*CrashedError) Code() codes.Code { return codes.TabCrashed }

// Fields returns the tab's id.
func (e *CrashedError) Fields() []fault.Field { return []fault.Field{{Name: "tabId", Value: e.Tab}} }

// DialogError reports that an open JavaScript dialog blocks a tab.
type DialogError = dialog.Error

// UnknownTabError reports that a tab id names no open tab of the session.
type UnknownTabError struct {
	ID     string
	Closed string   // why it was closed, if it was a tab of this session
	Open   []string // ids of the session's open tabs, in opening order
	Pinned bool     // it was the current tab, to which the session is pinned
}

func (e *UnknownTabError) Error() string {
	var b strings.Builder
	if e.Closed != "" {
		fmt.Fprintf(&b, "tab %s is closed: %s", e.ID, e.Closed)
	} else {
		fmt.Fprintf(&b, "unknown tab %q", e.ID)
	}
	if len(e.Open) == 0 {
		b.WriteString("; the session has no open tab")
	} else {
		b.WriteString("; open tabs: " + strings.Join(e.Open, ", "))
	}
	if e.Pinned {
		b.WriteString("; the session is pinned to its tab and uses another when a call opens one or names it by tabId")
	}
	return b.String()
}

// Code is fault.TabGone of a pinned tab, else fault.NoTab.
func (e *UnknownTabError) Code() codes.Code {
	if e.Pinned {
		return codes.TabGone
	}
	return codes.NoTab
}

// Fields returns the ids of the open tabs, never null.
func (e *UnknownTabError) Fields() []fault.Field {
	return []fault.Field{{Name: "tabs", Value: append([]string{}, e.Open...)}}
}

// NavigationError reports that the browser could not load a URL.
type NavigationError struct {
	ErrorText string // Chromium's, such as "net::ERR_CONNECTION_REFUSED"
	URL       string
}

func (e *NavigationError) Error() string {
	return fmt.Sprintf("navigate to %s: %s", e.URL, e.ErrorText)
}

// Code is fault.NavigationFailed.
func (*NavigationError) Code() codes.Code { return codes.NavigationFailed }

// Fields returns Chromium's error text.
func (e *NavigationError) Fields() []fault.Field {
	return []fault.Field{{Name: "error", Value: e.ErrorText}}
}

// TimeoutError reports that a deadline passed during a navigation, and how far the load had come.
// The page stays usable.
type TimeoutError struct {
	URL string
	// Committed reports that the new document replaced the old one. Otherwise the load was stopped,
	// and the old document is still shown.
	Committed bool
	// Ready reports that DOMContentLoaded fired, so the document can be read and acted on.
	Ready bool
	Err   error
}

func (e *TimeoutError) Error() string {
	state := "the server sent no page, and the previous document is still shown"
	switch {
	case e.Ready:
		state = "the document is ready, but its load event was not seen"
	case e.Committed:
		state = "the document has begun to arrive, but is not complete"
	}
	return fmt.Sprintf("timeout loading %s: %s", e.URL, state)
}

// Unwrap returns the context's error.
func (e *TimeoutError) Unwrap() error { return e.Err }

// Code is fault.Timeout.
func (*TimeoutError) Code() codes.Code { return codes.Timeout }

// Fields returns whether the document is ready.
func (e *TimeoutError) Fields() []fault.Field { return []fault.Field{{Name: "ready", Value: e.Ready}} }
