package batch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/result"
)

// summary is the first content of the result of a series; the pages follow it.
type summary struct {
	Captured   int       `json:"captured"`
	Strategy   string    `json:"strategy"`
	Stopped    string    `json:"stopped"`
	DurationMs int64     `json:"durationMs"`
	Pages      []pageRow `json:"pages"`
	Whole      string    `json:"whole,omitempty"` // the text of all pages, when some were cut
}

type pageRow struct {
	Page       int    `json:"page"`
	URL        string `json:"url"`
	Bytes      int    `json:"bytes,omitempty"`
	Shown      int    `json:"shown,omitempty"` // of these, when it was cut
	Screenshot string `json:"screenshot,omitempty"`
}

// maxURL bounds an address in the summary, in bytes.
const maxURL = 200

// seriesResult makes the answer. Pages share the budget fairly; if one is cut, all of them are in an
// artifact.
func (s *series) seriesResult(ctx context.Context, why error, took time.Duration) (toolkit.Result, error) {
	head := summary{Captured: len(s.sheets), Strategy: string(s.in.Strategy), Stopped: s.stopReason(why), DurationMs: took.Milliseconds()}
	var res toolkit.Result
	sizes, rows := make([]int, len(s.sheets)), 0
	for i, sh := range s.sheets {
		sizes[i] = len(sh.text)
		row := pageRow{Page: sh.number, URL: truncate(sh.url, maxURL), Bytes: len(sh.text)}
		rows += len(row.URL)
		if sh.shot.ID != "" {
			row.Screenshot = sh.shot.URI()
			res.Links = append(res.Links, result.Link(sh.shot))
		}
		head.Pages = append(head.Pages, row)
	}
	const rowBytes, frame = 180, 1000 // of a row and its page's head without the address, and of what is around them
	shares := result.Shares(sizes, s.call.ResultBytes()-frame-rows-rowBytes*len(s.sheets))
	short := false
	for i, sh := range s.sheets {
		if sh.text == "" {
			continue
		}
		shown := truncate(sh.text, shares[i])
		text := fmt.Sprintf("page %d\n%s", sh.number, result.Quote(shown))
		if len(shown) < len(sh.text) {
			short, head.Pages[i].Shown = true, len(shown)
			text += fmt.Sprintf("\n[cut: %d of %d bytes]", len(shown), len(sh.text))
		}
		res.Content = append(res.Content, toolkit.Content{Text: text})
	}
	if short || ctx.Err() != nil { // the client may have cancelled the call
		kept, err := s.t.store(ctx, s.call, "pages.md", "text/markdown; charset=utf-8", []byte(s.joinTexts()))
		if err != nil {
			return res, err
		}
		head.Whole = kept.URI()
		res.Links = append([]toolkit.Link{result.Link(kept)}, res.Links...)
	}
	return withSummary(res, head)
}

// stopReason says what ended the series, also when that was a failure: what was read until then is
// no less true.
func (s *series) stopReason(err error) string {
	var e seriesEnd
	var r *toolkit.Refusal
	switch {
	case errors.As(err, &e):
		return string(e)
	case errors.Is(err, context.DeadlineExceeded):
		return "the time of the call was over"
	case errors.As(result.Refusal(s.call, err), &r):
		return r.Error()
	}
	return err.Error()
}

// joinTexts is the text of every page.
func (s *series) joinTexts() string {
	var b strings.Builder
	for _, sh := range s.sheets {
		fmt.Fprintf(&b, "## Page %d: %s\n\n%s\n\n", sh.number, sh.url, sh.text)
	}
	return b.String()
}
