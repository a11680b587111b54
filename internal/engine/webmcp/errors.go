package webmcp

import (
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// maxErrorText bounds the words of a page in an error, in bytes.
const maxErrorText = 1000

// unsupported returns the error of a browser that has no tools of pages.
func unsupported() error {
	return fault.Errorf(codes.PageToolUnusable,
		"the browser has no tools of pages: they need Chromium 149 with --enable-features=WebMCP").With("reason", "unsupported")
}

// gone returns the error of a tool that the page does not offer, or not as it was.
func gone(name, reason string) error {
	return fault.Errorf(codes.PageToolGone, "the page has no tool %q now: %s", clip(name), clip(reason))
}

// failed returns the error of a tool that failed, or whose call the page cancelled. said is the page's message.
func failed(name, said string, cancelled bool) error {
	what := "failed"
	if cancelled {
		what = "was cancelled by the page"
	}
	err := fault.Errorf(codes.PageToolFailed, "the tool %q of the page %s", clip(name), what)
	if said == "" {
		return err
	}
	return err.With("page", fence.Quote(text.ClipBytes(said, maxErrorText)))
}

func clip(s string) string { return text.ClipBytes(fence.Line(s), 200) }
