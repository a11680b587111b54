package browser

import (
	"fmt"
	"runtime"
	"strings"
)

// Error is a constant error of this package.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrNoTab is the answer to "the current tab" in a session that has none.
	ErrNoTab Error = "the session has no tab"
	// ErrNoDialog is the answer to handling a dialog where none is open.
	ErrNoDialog Error = "no dialog is open"
	// ErrNoHistory is the answer to Back on the first and Forward on the last
	// entry of a tab's history.
	ErrNoHistory Error = "there is no page in that direction of the tab's history"
	// ErrOpaqueOrigin is the answer to web storage in a document that has none,
	// such as about:blank or a data: address.
	ErrOpaqueOrigin Error = "the document has no storage, because its origin is opaque"
	// ErrNavigated is the answer to a script whose document was replaced before
	// it finished.
	ErrNavigated Error = "the page navigated away before the script finished"
)

// NoTabError is the answer to "the current tab" in a session that has none; it is
// ErrNoTab.
type NoTabError struct {
	// BrowserGone: there were tabs, until the browser ended by itself. The next tab
	// that is opened starts another.
	BrowserGone bool
}

func (e *NoTabError) Error() string {
	if e.BrowserGone {
		return (&BrowserGoneError{}).Error()
	}
	return string(ErrNoTab)
}

// Is makes the error equal to ErrNoTab.
func (e *NoTabError) Is(target error) bool { return target == ErrNoTab }

// Unwrap returns a BrowserGoneError if that is why.
func (e *NoTabError) Unwrap() error {
	if e.BrowserGone {
		return &BrowserGoneError{}
	}
	return nil
}

// NoBrowserError says that no Chromium was found.
type NoBrowserError struct {
	// Candidates are the names and paths that were tried, in order.
	Candidates []string
}

func (e *NoBrowserError) Error() string {
	how := "install Google Chrome or Chromium"
	switch runtime.GOOS {
	case "linux":
		how = "on Debian or Ubuntu run: apt-get install chromium (Fedora: dnf install chromium, Arch: pacman -S chromium, Alpine: apk add chromium)"
	case "darwin":
		how = "install Google Chrome, or run: brew install --cask chromium"
	case "windows":
		how = "install Google Chrome, or run: winget install Google.Chrome"
	}
	return fmt.Sprintf("no Chromium found (looked for %s): %s; or point CHROME_PATH or --browser to one",
		strings.Join(e.Candidates, ", "), how)
}

// LaunchError says that a Chromium was found and did not start, or that the browser
// to attach to did not answer.
type LaunchError struct {
	// Location is the executable or the endpoint.
	Location string
	Err      error
}

func (e *LaunchError) Error() string { return fmt.Sprintf("start browser %s: %v", e.Location, e.Err) }

// Unwrap returns the cause, which holds Chromium's own output.
func (e *LaunchError) Unwrap() error { return e.Err }

// BrowserGoneError says that the browser ended under a call. The next call that
// needs a browser starts a new one.
type BrowserGoneError struct{ Reason string }

func (e *BrowserGoneError) Error() string {
	if e.Reason == "" {
		return "the browser exited"
	}
	return "the browser exited: " + e.Reason
}

// ClosedError says that a tab is closed.
type ClosedError struct {
	Tab    string
	Reason string
}

func (e *ClosedError) Error() string { return fmt.Sprintf("tab %s is closed: %s", e.Tab, e.Reason) }

// Reason a tab can lose its page.
const (
	Crashed   = "crashed"                      // the process that renders it died
	Discarded = "was discarded to save memory" // by the browser, which kept the tab
)

// CrashedError says that a tab has lost its page. Navigate and Reload bring it back.
type CrashedError struct {
	Tab    string
	Reason string // Crashed or Discarded
}

func (e *CrashedError) Error() string {
	return fmt.Sprintf("the page in tab %s %s; reload it or navigate to recover", e.Tab, e.Reason)
}

// DialogError says that an open JavaScript dialog blocks a tab.
type DialogError struct {
	Tab string
	Dialog
	// During: it opened while the call was under way, and so may be its effect.
	During bool
}

func (e *DialogError) Error() string {
	if e.During {
		return fmt.Sprintf("a %s dialog opened in tab %s during the call: %q", e.Kind, e.Tab, e.Message)
	}
	return fmt.Sprintf("a %s dialog is open in tab %s: %q", e.Kind, e.Tab, e.Message)
}

// UnknownTabError says that a tab id does not name an open tab of the session.
type UnknownTabError struct {
	ID     string
	Closed string   // why it was closed, if it once was this session's
	Open   []string // the session's own open tabs, in opening order
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
	return b.String()
}

// NavigationError says that the browser could not load an address.
type NavigationError struct {
	// Code is Chromium's, such as "net::ERR_CONNECTION_REFUSED".
	Code string
	URL  string
}

func (e *NavigationError) Error() string { return fmt.Sprintf("navigate to %s: %s", e.URL, e.Code) }

// TimeoutError says that a deadline passed during a navigation and how far the page
// had come. The page stays usable.
type TimeoutError struct {
	URL string
	// Committed: the new document replaced the old one. If not, the load was
	// stopped and the old document is still there.
	Committed bool
	// Ready: its DOMContentLoaded event was seen, so it can be read and acted on.
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

// ScriptError is what a script threw.
type ScriptError struct {
	Text   string // such as "TypeError: x is not a function"
	Stack  string // "" when a value that is not an Error was thrown
	Line   int    // 1-based, in the code that was given; 0 if unknown
	Column int    // 1-based; 0 if unknown
}

func (e *ScriptError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("script threw at line %d: %s", e.Line, e.Text)
	}
	return "script threw: " + e.Text
}
