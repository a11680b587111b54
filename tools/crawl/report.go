package crawl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

const (
	// shownBytes is how much of the pages an answer shows, pageShown of one page. All of it is in
	// the artifact.
	shownBytes, pageShown = 12_000, 1_500
	// fileBytes is how much one artifact holds; the next call with its cursor gives the rest.
	fileBytes = 256 << 20
	// fileMIME is the media type of JSON Lines.
	fileMIME = "application/x-ndjson"
)

// report tells how far a crawl is, shows the first pages after the cursor, and keeps all of them as
// an artifact.
func (t *Tools) report(ctx context.Context, call *toolkit.Call, id string, after int64) (toolkit.Result, error) {
	r, err := crawl.Inspect(ctx, t.jobs, id)
	if err != nil {
		return toolkit.Result{}, jobError(err, id)
	}
	var shown strings.Builder
	kept, cursor, more, err := t.storeResults(ctx, call, id, after, &shown)
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	summary(&b, r)
	fmt.Fprintf(&b, "cursor %d", cursor)
	switch {
	case more:
		b.WriteString("; there is more: call again with it")
	case r.State == jobs.StateRunning:
		fmt.Fprintf(&b, "; it goes on: call %s with job and cursor for what comes", toolset.ToolCrawl)
	}
	b.WriteByte('\n')
	if kept == nil {
		b.WriteString("no result after the cursor\n")
		return toolkit.Text(b.String()), nil
	}
	fmt.Fprintf(&b, "results %d to %d as JSON lines: %s\n", after+1, cursor, kept.Line())
	b.WriteString(result.Quote(shown.String()))
	out := toolkit.Text(b.String())
	out.Links = []toolkit.Link{{URI: kept.URI(), Name: kept.Name, MIME: kept.MIME, Size: kept.Size}}
	return out, nil
}

// summary says in a few lines what came of a crawl.
func summary(b *strings.Builder, r crawl.Report) {
	took := time.Since(r.Created)
	if !r.Finished.IsZero() {
		took = r.Finished.Sub(r.Created)
	}
	fmt.Fprintf(b, "job %s %s: %d of %d known pages in %s, depth %d\n", r.ID, r.State, r.Done, r.Total, took.Round(100*time.Millisecond), r.Depth)
	var parts []string
	for _, what := range slices.Sorted(maps.Keys(r.Outcomes)) {
		parts = append(parts, fmt.Sprintf("%s %d", what, r.Outcomes[what]))
	}
	if len(parts) > 0 {
		fmt.Fprintln(b, strings.Join(parts, ", "))
	}
	for _, trap := range r.Traps {
		fmt.Fprintf(b, "left out %d addresses like %s, which lead on without end (max_per_pattern)\n", trap.Dropped, trap.Pattern)
	}
	if r.Note != "" {
		fmt.Fprintln(b, r.Note)
	}
}

// storeResults writes the results after a cursor to an artifact, and shows the first of them.
// Without results there is no artifact. more says that the artifact was full.
func (t *Tools) storeResults(ctx context.Context, call *toolkit.Call, id string, after int64, shown *strings.Builder) (a *artifact.Artifact, cursor int64, more bool, err error) {
	cursor = after
	any := false
	if err := crawl.EachResult(ctx, t.jobs, id, after, func(int64, []byte) bool { any = true; return false }); err != nil || !any {
		return nil, after, false, err
	}
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		size := 0
		var failed error
		err := crawl.EachResult(ctx, t.jobs, id, after, func(seq int64, line []byte) bool {
			if size += len(line) + 1; size > fileBytes {
				more = true
				return false
			}
			show(shown, line)
			if _, failed = w.Write(append(line, '\n')); failed != nil {
				return false
			}
			cursor = seq
			return true
		})
		err = errors.Join(err, failed)
		w.CloseWithError(err)
		done <- err
	}()
	kept, err := t.artifacts.Put(ctx, artifact.Meta{Name: "crawl-" + id[:8] + ".jsonl", MIME: fileMIME, Session: call.Session.ID}, r)
	_ = r.Close() // so that the writing ends when keeping failed
	if failed := <-done; failed != nil && err == nil {
		err = failed
	}
	if err != nil {
		return nil, after, false, fmt.Errorf("keep the results: %w", err)
	}
	return &kept, cursor, more, nil
}

// show adds a result to what an answer shows, while there is room.
func show(b *strings.Builder, line []byte) {
	var p crawl.Page
	if b.Len() > shownBytes || json.Unmarshal(line, &p) != nil {
		return
	}
	fmt.Fprintf(b, "\n%d %s %s", p.Seq, p.Outcome, p.URL)
	if p.Title != "" {
		fmt.Fprintf(b, " %q", p.Title)
	}
	for _, more := range []string{p.To, p.Of, p.Error} {
		if more != "" {
			fmt.Fprintf(b, " → %s", more)
		}
	}
	switch {
	case p.Source != "":
		b.WriteString(" as the site's own Markdown, " + p.Source)
	case strings.HasSuffix(p.Type, "markdown"):
		b.WriteString(" as the site's own Markdown")
	}
	b.WriteByte('\n')
	content := p.Content
	if p.Data != nil {
		if fields, err := json.Marshal(p.Data); err == nil {
			content = string(fields)
		}
	}
	if content != "" {
		fmt.Fprintln(b, text.ClipBytes(content, pageShown))
	}
}
