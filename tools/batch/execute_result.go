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

// overview is the first content of the result; the texts of the tasks follow it, under their
// numbers.
type overview struct {
	Total       int    `json:"total"`
	Succeeded   int    `json:"succeeded"`
	Failed      int    `json:"failed"`
	NotRun      int    `json:"notRun,omitempty"`
	Stopped     string `json:"stopped,omitempty"`
	DurationMs  int64  `json:"durationMs"`
	WorkMs      int64  `json:"workMs"` // of all tasks together
	Concurrency int    `json:"concurrency"`
	Results     []row  `json:"results"`
}

type row struct {
	Task       int          `json:"task"`
	TabID      string       `json:"tabId,omitempty"`
	Tool       string       `json:"tool"`
	Status     state        `json:"status"`
	Code       toolkit.Code `json:"code,omitempty"`
	DurationMs int64        `json:"durationMs"`
	Bytes      int          `json:"bytes,omitempty"` // of its text
	Shown      int          `json:"shown,omitempty"` // of these, when it was cut
	Whole      string       `json:"whole,omitempty"` // where all of it is
}

// taskResult is the shown part of one task's result.
type taskResult struct {
	row   row
	text  string
	links []toolkit.Link
}

// result makes the answer: the overview, then the text of each task, within the budget. Every text
// gets a fair share; of what is cut the whole is an artifact.
func (t *Tools) result(ctx context.Context, b *batch, why error) (toolkit.Result, error) {
	head := b.overview(why)
	all := make([]taskResult, len(b.items))
	sizes := make([]int, len(all))
	for i, it := range b.items {
		all[i] = t.show(ctx, b.call, it)
		sizes[i] = len(all[i].text)
	}
	if errors.Is(why, context.Canceled) { // the client may have cancelled the call
		_, _ = t.store(ctx, b.call, "batch.txt", textMIME, []byte(joinTexts(all))) // the best that can be done
	}
	const rowBytes, frame, note = 190, 400, 120 // of a row at most, of what is around rows, and of what is said about a cut
	shares := result.Shares(sizes, b.call.ResultBytes()-frame-rowBytes*len(all))
	var res toolkit.Result
	for i := range all {
		a := &all[i]
		if shares[i] < sizes[i] {
			link, err := t.store(ctx, b.call, fmt.Sprintf("task-%d.txt", a.row.Task), textMIME, []byte(a.text))
			if err != nil {
				return res, err
			}
			a.row.Whole = link.URI()
			a.text = truncate(a.text, max(0, shares[i]-note))
			a.row.Shown = len(a.text)
			a.text += fmt.Sprintf("\n[cut: %d of %d bytes; the whole is %s]", len(a.text), a.row.Bytes, link.URI())
			a.links = append(a.links, result.Link(link))
		}
		head.Results = append(head.Results, a.row)
		res.Content = append(res.Content, toolkit.Content{Text: fmt.Sprintf("[%d] %s", a.row.Task, a.text)})
		res.Links = append(res.Links, a.links...)
	}
	return withSummary(res, head)
}

// overview counts the tasks of a batch by their state.
func (b *batch) overview(why error) overview {
	head := overview{Total: len(b.items), DurationMs: time.Since(b.begun).Milliseconds(), Concurrency: b.most}
	for _, it := range b.items {
		head.WorkMs += it.took.Milliseconds()
		switch it.state {
		case done:
			head.Succeeded++
		case failed:
			head.Failed++
		case cancelled:
			head.Failed++
			head.Stopped = stopReason(why)
		case notRun:
			head.NotRun++
			head.Stopped = stopReason(why)
		}
	}
	return head
}

// stopReason says why not every task was run.
func stopReason(why error) string {
	switch {
	case why == nil:
		return ""
	case errors.Is(why, errFailFast):
		return errFailFast.Error()
	case errors.Is(why, context.DeadlineExceeded):
		return "the time of the whole batch was over"
	}
	return "the call was cancelled"
}

// show makes texts and links of what a task returned. Pictures become artifacts.
func (t *Tools) show(ctx context.Context, call *toolkit.Call, it *item) taskResult {
	a := taskResult{row: row{
		Task: it.number, TabID: it.tab, Tool: it.tool, Status: it.state, Code: it.code, DurationMs: it.took.Milliseconds(),
	}, links: it.res.Links}
	switch {
	case it.state == notRun:
		a.text = "not run"
	case it.state != done:
		a.text = string(it.code)
		if it.message != "" {
			a.text = it.message
		}
	default:
		a.text = result.TextOf(it.res)
	}
	for _, c := range it.res.Content {
		if c.Data == nil {
			continue
		}
		kept, err := t.store(ctx, call, fmt.Sprintf("task-%d%s", it.number, extension(c.MIME)), c.MIME, c.Data)
		if err != nil {
			a.text += "\n" + err.Error()
			continue
		}
		a.text += "\n" + kept.Line()
		a.links = append(a.links, result.Link(kept))
	}
	a.text = strings.TrimPrefix(a.text, "\n")
	a.row.Bytes = len(a.text)
	return a
}

// extension is the end of a file's name by its type.
func extension(mime string) string {
	if _, kind, ok := strings.Cut(mime, "image/"); ok {
		return "." + kind
	}
	return ""
}

// joinTexts is every text at its full length.
func joinTexts(all []taskResult) string {
	var b strings.Builder
	for _, a := range all {
		fmt.Fprintf(&b, "[%d] %s %s: %s\n%s\n\n", a.row.Task, a.row.Tool, a.row.TabID, a.row.Status, a.text)
	}
	return b.String()
}
