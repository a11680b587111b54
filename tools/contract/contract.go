// Package contract implements the tools of area contract: judging the live page by a contract, and
// keeping evidence of what a tab showed, sent and said.
//
// It turns parameters into judgements and keeps what was looked at; what a contract means is
// internal/record/contract's, and how a page is looked at is its package live's.
package contract

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/contractapi"
	"github.com/callsheet/callsheet/generated/toolset/types"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions  session.Lookup
	kept      *artifact.Store
	exemplars *live.Exemplars
	redact    func(string) string
}

// New makes the handlers; evidence goes to kept, without what redact takes out (nil: nothing).
func New(sessions session.Lookup, kept *artifact.Store, exemplars *live.Exemplars, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{sessions: sessions, kept: kept, exemplars: exemplars, redact: redact}
}

var _ contractapi.Handlers = (*Tools)(nil)

// maxFailures is the number of failures that an answer names, and maxReason how many characters its reason has. The
// evidence has all.
const (
	maxFailures = 20
	maxReason   = 500
)

// OcAssert judges the tab's page. Whatever the verdict, it is an answer and no error.
func (t *Tools) OcAssert(ctx context.Context, call *toolkit.Call, in contractapi.OcAssertParams) (out contractapi.OcAssertResult, err error) {
	c, problems := contract.Parse([]byte(in.Contract))
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Path = "/contract" + problems[i].Path
		}
		return out, problems
	}
	session, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	if err != nil {
		return out, err
	}
	options := contract.Options{Progress: func(r contract.Report) {
		call.Progress(0, 0, fmt.Sprintf("%s so far", r.Verdict))
	}}
	if in.TimeoutMs > 0 {
		options.Deadline = time.Now().Add(time.Duration(in.TimeoutMs) * time.Millisecond)
	}
	report := c.Judge(ctx, live.New(session, tab, t.exemplars).WithRedaction(t.redact), options)
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	links, err := t.storeReport(ctx, call, tab, evidence{
		At: time.Now().UTC(), URL: network.RedactURL(tab.URL()), Contract: json.RawMessage(c.String()), Took: report.Duration.Milliseconds(),
		Report: report,
	}, in.Screenshot.Value)
	if err != nil {
		return out, err
	}
	call.SetContent(toolkit.Result{Links: links})
	return assertResult(report, links[0].URI), nil
}

// assertResult is the answer of a judgement whose report is kept at the address evidence.
func assertResult(r contract.Report, evidence string) contractapi.OcAssertResult {
	out := contractapi.OcAssertResult{
		Verdict: types.Verdict(r.Verdict.String()), Reason: toolkit.NonZero(text.ClipRunes(r.Reason, maxReason)), Attempts: r.Attempts,
		Ms: int(r.Duration.Milliseconds()), Evidence: evidence,
	}
	out.Failures = result.Failures(r.Failures[:min(len(r.Failures), maxFailures)])
	out.LeftOut = toolkit.NonZero(len(r.Failures) - len(out.Failures))
	if r.Verdict != contract.Inconclusive {
		return out
	}
	for _, n := range r.Nodes {
		if n.Verdict == contract.Inconclusive && len(out.Missing) < maxFailures {
			out.Missing = append(out.Missing, contractapi.OcAssertResultMissingItem{Path: n.Path, Kind: n.Kind, Reason: n.Reason})
		}
	}
	return out
}

// evidence is the stored part of a judgement.
type evidence struct {
	At       time.Time       `json:"at"`
	URL      string          `json:"url"`
	Contract json.RawMessage `json:"contract"`
	Took     int64           `json:"ms"`
	Shot     string          `json:"screenshot,omitempty"`
	Fault    string          `json:"screenshot_problem,omitempty"`
	contract.Report
}

// storeReport stores the evidence of a verdict, and with shot a picture, as artifacts. The first
// link is the evidence.
func (t *Tools) storeReport(ctx context.Context, call *toolkit.Call, tab *browser.Tab, e evidence, shot bool) ([]toolkit.Link, error) {
	var links []toolkit.Link
	if shot {
		if picture, err := capture.Screenshot(ctx, tab, capture.Options{}); err != nil {
			e.Fault = err.Error()
		} else {
			a, err := t.kept.Put(ctx, artifact.Meta{Name: "assert.png", MIME: picture.MIME, Session: call.Session.ID}, strings.NewReader(string(picture.Data)))
			if err != nil {
				return nil, fmt.Errorf("keep the picture: %w", err)
			}
			e.Shot = a.URI()
			links = append(links, result.Link(a))
		}
	}
	text, err := json.MarshalIndent(e, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the evidence: %w", err)
	}
	meta := artifact.Meta{Name: "assert.json", MIME: "application/json", Session: call.Session.ID}
	a, err := t.kept.Put(ctx, meta, strings.NewReader(t.redact(string(text))))
	if err != nil {
		return nil, fmt.Errorf("keep the evidence: %w", err)
	}
	return slices.Insert(links, 0, result.Link(a)), nil
}

// remember keeps a fingerprint as one of a class.
func (t *Tools) remember(ctx context.Context, class, phash string) (int, error) {
	mark, err := contract.ParseFingerprint(phash)
	if err != nil {
		return 0, err
	}
	return t.exemplars.Add(ctx, class, mark)
}

// classViolation returns an invalid name of a class as a violation, and other errors unchanged.
func classViolation(err error) error {
	if errors.Is(err, live.ErrInvalidClass) {
		return toolkit.Violations{{Path: "/class", Problem: err.Error()}}
	}
	return err
}
