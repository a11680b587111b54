// Package audit implements the tool of area audit: what is wrong with a page, for an agent in a few
// lines, and in full as a report for a person and as JSON.
//
// It renders what internal/engine/audit finds, and must not judge pages.
package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/auditapi"
	"github.com/callsheet/callsheet/internal/engine/audit"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	kept     *artifact.Store
	redact   func(string) string
}

// New makes the handlers; reports go to kept, without what redact takes out (nil: nothing).
func New(sessions session.Lookup, kept *artifact.Store, redact func(string) string) *Tools {
	if redact == nil {
		redact = func(text string) string { return text }
	}
	return &Tools{sessions: sessions, kept: kept, redact: redact}
}

var _ auditapi.Handlers = (*Tools)(nil)

// Audit audits the page of a tab.
func (t *Tools) Audit(ctx context.Context, call *toolkit.Call, in auditapi.AuditParams, powers auditapi.AuditPowers) (toolkit.Result, error) {
	if in.Ref.Set && in.Selector.Set {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "give ref or selector, not both")
	}
	options := audit.Options{
		Rules: in.Rules, Ref: in.Ref.Value, Selector: in.Selector.Value, Reload: in.Reload.Value,
		Navigation: powers.Navigation(), Storage: powers.Storage(),
	}
	for _, c := range in.Categories {
		options.Categories = append(options.Categories, audit.Category(c))
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	report, err := audit.Run(ctx, tab, options)
	if err != nil {
		return toolkit.Result{}, err
	}
	links, err := t.keep(ctx, call, report)
	if err != nil {
		return toolkit.Result{}, err
	}
	text := summary(report) + named(report)
	if evidence := offenders(report); evidence != "" {
		text += result.Quote(evidence) + "\n"
	}
	r := toolkit.Text(text + limitations(report) + "\nreport " + links[0].URI + " (HTML), " + links[1].URI + " (JSON)")
	r.Links = links
	return r, nil
}

// keep stores the report for a person, and as JSON.
func (t *Tools) keep(ctx context.Context, call *toolkit.Call, report *audit.Report) ([]toolkit.Link, error) {
	raw, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return nil, fmt.Errorf("encode the report: %w", err)
	}
	page, err := renderHTML(report)
	if err != nil {
		return nil, err
	}
	var links []toolkit.Link
	for _, f := range []struct{ name, mime, text string }{
		{"audit.html", "text/html", string(page)}, {"audit.json", "application/json", string(raw)},
	} {
		a, err := t.kept.Put(ctx, artifact.Meta{Name: f.name, MIME: f.mime, Session: call.Session.ID}, strings.NewReader(t.redact(f.text)))
		if err != nil {
			return nil, fmt.Errorf("keep the report: %w", err)
		}
		links = append(links, result.Link(a))
	}
	return links, nil
}
