package webmcp

import (
	"fmt"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// maxErrorText bounds the words of a page in an error, in bytes.
const maxErrorText = 1000

// UnsupportedError reports that the browser has no tools of pages.
type UnsupportedError struct{ Err error }

func (e *UnsupportedError) Error() string {
	return "the browser has no tools of pages: they need Chromium 149 with --enable-features=WebMCP"
}

// Unwrap returns the words of the browser.
func (e *UnsupportedError) Unwrap() error { return e.Err }

// Code is codes.PageToolUnusable.
func (*UnsupportedError) Code() codes.Code { return codes.PageToolUnusable }

// Fields returns the reason.
func (e *UnsupportedError) Fields() []fault.Field {
	return []fault.Field{{Name: "reason", Value: "unsupported"}}
}

// GoneError reports that the page does not offer a tool, or not as it was.
type GoneError struct{ Name, Reason string }

func (e *GoneError) Error() string {
	return fmt.Sprintf("the page has no tool %q now: %s", clip(e.Name), clip(e.Reason))
}

// Code is codes.PageToolGone.
func (*GoneError) Code() codes.Code { return codes.PageToolGone }

// Fields returns nil.
func (*GoneError) Fields() []fault.Field { return nil }

// FailedError reports that a tool failed, or that the page cancelled the call. Text is the page's message.
type FailedError struct {
	Name, Text string
	Cancelled  bool
}

func (e *FailedError) Error() string {
	what := "failed"
	if e.Cancelled {
		what = "was cancelled by the page"
	}
	return fmt.Sprintf("the tool %q of the page %s", clip(e.Name), what)
}

// Code is codes.PageToolFailed.
func (*FailedError) Code() codes.Code { return codes.PageToolFailed }

// Fields returns the words of the page.
func (e *FailedError) Fields() []fault.Field {
	if e.Text == "" {
		return nil
	}
	return []fault.Field{{Name: "page", Value: fence.Quote(text.ClipBytes(e.Text, maxErrorText))}}
}

func clip(s string) string { return text.ClipBytes(fence.Line(s), 200) }
