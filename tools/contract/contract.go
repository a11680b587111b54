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
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
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

// verdict is the structured answer of oc_assert.
type verdict struct {
	Verdict  contract.Verdict   `json:"verdict"`
	Failures []contract.Failure `json:"failures,omitempty"`
	Reason   string             `json:"reason,omitempty"`
	// Missing are the assertions without a verdict, when they kept the contract from having one.
	Missing  []missing `json:"missing,omitempty"`
	Left     int       `json:"left_out,omitempty"` // failures that the answer has no room for
	Attempts int       `json:"attempts"`
	MS       int64     `json:"ms"`
	Evidence string    `json:"evidence"`
}

type missing struct {
	Path   string `json:"path"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// maxFailures is how many failures an answer names. The evidence has all.
const maxFailures = 20

// OcAssert judges the tab's page. Whatever the verdict, it is an answer and no error.
func (t *Tools) OcAssert(ctx context.Context, call *toolkit.Call, in contractapi.OcAssertParams) (toolkit.Result, error) {
	c, problems := contract.Parse([]byte(in.Contract))
	if len(problems) > 0 {
		for i := range problems {
			problems[i].Path = "/contract" + problems[i].Path
		}
		return toolkit.Result{}, problems
	}
	session, tab, err := t.sessions.Set(call).Tab(ctx, in.TabID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	options := contract.Options{Progress: func(r contract.Report) {
		call.Progress(0, 0, fmt.Sprintf("%s so far", r.Verdict))
	}}
	if in.TimeoutMs > 0 {
		options.Deadline = time.Now().Add(time.Duration(in.TimeoutMs) * time.Millisecond)
	}
	report := c.Judge(ctx, live.New(session, tab, t.exemplars).WithRedaction(t.redact), options)
	if ctx.Err() != nil {
		return toolkit.Result{}, ctx.Err()
	}
	links, err := t.storeReport(ctx, call, tab, evidence{
		At: time.Now().UTC(), URL: network.RedactURL(tab.URL()), Contract: json.RawMessage(c.String()), Took: report.Duration.Milliseconds(),
		Report: report,
	}, in.Screenshot.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	return assertResult(report, links)
}

// assertResult is the structured answer, and the verdict in a line of text for people.
func assertResult(r contract.Report, links []toolkit.Link) (toolkit.Result, error) {
	out := verdict{Verdict: r.Verdict, Failures: r.Failures, Reason: r.Reason, Attempts: r.Attempts, MS: r.Duration.Milliseconds(), Evidence: links[0].URI}
	if len(out.Failures) > maxFailures {
		out.Left = len(out.Failures) - maxFailures
		out.Failures = out.Failures[:maxFailures]
	}
	if r.Verdict == contract.Inconclusive {
		for _, n := range r.Nodes {
			if n.Verdict == contract.Inconclusive && len(out.Missing) < maxFailures {
				out.Missing = append(out.Missing, missing{n.Path, n.Kind, n.Reason})
			}
		}
		if runes := []rune(out.Reason); len(runes) > 500 {
			out.Reason = string(runes[:499]) + "…"
		}
	}
	text, err := json.Marshal(out)
	if err != nil {
		return toolkit.Result{}, fmt.Errorf("encode the verdict: %w", err)
	}
	res := toolkit.Text(string(text))
	res.Structured, res.Links = text, links
	return res, nil
}

// evidence is what is kept of a judgement.
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
		if picture, err := tab.Screenshot(ctx, browser.ScreenshotOptions{}); err != nil {
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
func (t *Tools) remember(class, phash string) (int, error) {
	mark, err := contract.ParseFingerprint(phash)
	if err != nil {
		return 0, err
	}
	return t.exemplars.Add(class, mark)
}

// classViolation returns an invalid name of a class as a violation, and other errors unchanged.
func classViolation(err error) error {
	if errors.Is(err, live.ErrInvalidClass) {
		return toolkit.Violations{{Path: "/class", Problem: err.Error()}}
	}
	return err
}
