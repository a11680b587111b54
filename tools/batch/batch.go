// Package batch implements the tools of area batch: many calls, or many pages, in one call.
//
// What a task does is the business of the tool that it names: each goes through the same dispatcher
// as a call of the client's own. The package must not know what other areas do, and it decides
// nothing about pages but when a series of them has come to its end.
package batch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/batchapi"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	kept     *artifact.Store
}

// New makes the handlers; what does not fit into an answer goes to kept.
func New(sessions session.Lookup, kept *artifact.Store) *Tools {
	return &Tools{sessions: sessions, kept: kept}
}

var _ batchapi.Handlers = (*Tools)(nil)

// store makes an artifact of what is too large. It does so although the call may be over: what was
// collected stays.
func (t *Tools) store(ctx context.Context, call *toolkit.Call, name, mime string, data []byte) (artifact.Artifact, error) {
	meta := artifact.Meta{Name: time.Now().Format("20060102-150405-") + name, MIME: mime, Session: call.Session.ID}
	a, err := t.kept.Put(context.WithoutCancel(ctx), meta, bytes.NewReader(data))
	if err != nil {
		return a, fmt.Errorf("keep %s: %w", name, err)
	}
	return a, nil
}

// textMIME is the MIME type of what is kept as text.
const textMIME = "text/plain; charset=utf-8"

// truncate shortens a text to a number of bytes at a character's boundary.
func truncate(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most]
}

// withSummary puts a value as JSON before the content of a result.
func withSummary(res toolkit.Result, summary any) (toolkit.Result, error) {
	first, err := json.Marshal(summary)
	if err != nil {
		return res, fmt.Errorf("encode the summary: %w", err)
	}
	res.Content = append([]toolkit.Content{{Text: string(first)}}, res.Content...)
	return res, nil
}
