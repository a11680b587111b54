package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/webstorage"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/node"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
)

// Options say what to audit.
type Options struct {
	// Categories to audit; none means all that need no load, and with Reload all.
	Categories []Category
	// Rules limits the audit to these rules of axe, tags of axe and checks. One after a minus sign is
	// left out.
	Rules []string
	// Ref or Selector limits axe to an element and what is in it. The other categories are about the
	// document and are left out then.
	Ref, Selector string
	// Reload loads the page first, with the power Navigation, and records which code it uses.
	Reload     bool
	Navigation power.Navigation
	// Storage reads the flags of cookies; without it they are unknown.
	Storage power.Storage
}

// axeTimeout bounds axe, and idleTimeout the wait after a load; reserve is the part of a deadline that the
// rest of an audit needs.
const (
	axeTimeout  = 60 * time.Second
	idleTimeout = 3 * time.Second
	reserve     = 3 * time.Second
)

// maxAttempts bounds how often an audit begins again because the document was replaced.
const maxAttempts = 3

// Run audits the page of a tab. What cannot be judged is an Unknown of the report. The errors are those
// of the tab, [RuleError], errors of a ref or a selector, and one for a page that keeps navigating.
func Run(ctx context.Context, tab *browser.Tab, o Options) (*Report, error) {
	a := &audit{tab: tab, options: o, began: time.Now(), names: parseNames(o.Rules)}
	a.chooseCategories()
	if err := a.load(ctx); err != nil {
		return nil, err
	}
	if err := a.gather(ctx); err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		err := tab.Do(ctx, a.examine)
		if !node.IsReplaced(err) {
			return a.report, err
		}
		if attempt == maxAttempts || ctx.Err() != nil {
			return nil, fault.New(codes.Failed, "the page navigated during the audit; wait until it has loaded, and audit again")
		}
	}
}

// audit is one run.
type audit struct {
	tab      *browser.Tab
	options  Options
	began    time.Time
	names    names
	evidence evidence
	report   *Report

	categories []Category
}

func (a *audit) chooseCategories() {
	a.categories = a.options.Categories
	if len(a.categories) == 0 {
		a.categories = Categories()
		if !a.options.Reload {
			a.categories = slices.DeleteFunc(a.categories, func(c Category) bool { return c == UnusedCode })
		}
	}
	if a.options.Ref != "" || a.options.Selector != "" {
		a.categories = []Category{Accessibility}
	}
}

func (a *audit) has(c Category) bool { return slices.Contains(a.categories, c) }

// load loads the page, if that is asked for, and records which code it uses.
func (a *audit) load(ctx context.Context) error {
	e := &a.evidence
	if !a.options.Reload {
		e.filesReason = "the page was not loaded under observation; audit with reload"
		return nil
	}
	if err := a.options.Navigation.Check(); err != nil {
		return err
	}
	var used *coverage
	if a.has(UnusedCode) {
		var err error
		if used, err = startCoverage(ctx, a.tab); err != nil {
			return err
		}
		defer used.end(ctx)
	}
	if _, err := a.tab.Reload(ctx, a.options.Navigation, false, browser.NavigateOptions{}); err != nil {
		return err
	}
	idle, cancel := context.WithTimeout(ctx, idleTimeout)
	defer cancel()
	_ = a.tab.Do(idle, func(ctx context.Context, p *page.Page) error { // a page that never rests is audited as it is
		_, err := p.Settle.WaitFor(ctx, settle.WaitOptions{Idle: true})
		return err
	})
	if used == nil {
		return nil
	}
	var err error
	e.files, err = used.take(ctx)
	return err
}

// gather collects the evidence that is not in the document.
func (a *audit) gather(ctx context.Context) error {
	e := &a.evidence
	e.response, e.responseKnown = a.tab.Document.Response()
	said := a.tab.Console().Read(console.Query{Level: console.Error})
	for _, m := range said.Messages {
		if m.Level == console.Error {
			e.errors = append(e.errors, m)
		}
	}
	e.errorsDropped = said.Dropped > 0
	var err error
	if e.issues, err = readIssues(ctx, a.tab); err != nil {
		if ctx.Err() != nil {
			return err
		}
		e.issuesReason = "the browser does not report issues: " + err.Error()
	}
	if a.options.Storage.Check() != nil {
		e.cookiesReason = "cookies are not read here"
	} else if e.cookies, err = webstorage.Cookies(ctx, a.tab, a.options.Storage); err != nil {
		if ctx.Err() != nil {
			return err
		}
		e.cookiesReason = err.Error()
	}
	return nil
}

// examine audits the document that the tab shows, into a new report.
func (a *audit) examine(ctx context.Context, p *page.Page) error {
	a.report = &Report{
		URL: network.RedactURL(a.tab.URL()), Title: a.tab.Title(), At: a.began.UTC(), Categories: a.categories,
		Findings: []Finding{}, Passed: map[Category][]string{}, Inapplicable: map[Category][]string{}, Files: a.evidence.files,
	}
	s, err := open(ctx, p, a.options)
	if err != nil {
		return err
	}
	defer s.close(ctx)
	a.evidence.facts, a.evidence.factsReason = nil, ""
	if err := a.readFacts(ctx, s); err != nil {
		return err
	}
	if a.has(Accessibility) {
		if err := a.runAxe(ctx, s); err != nil {
			return err
		}
	}
	if !a.has(Accessibility) {
		a.names.known = []string{}
	}
	if err := a.names.check(); err != nil {
		return err
	}
	if err := a.judge(ctx, s); err != nil {
		return err
	}
	a.report.sort()
	a.report.MS = time.Since(a.began).Milliseconds()
	return nil
}

// readFacts reads the facts of the top document, and why there are none.
func (a *audit) readFacts(ctx context.Context, s *scope) error {
	e := &a.evidence
	if s.top == nil {
		e.factsReason = errNoDocument.Error()
		return nil
	}
	has, err := s.top.call(ctx, "hasRoot", true)
	if err != nil {
		return err
	}
	if string(has.Value) != "true" {
		e.factsReason = errNoDocument.Error()
		return nil
	}
	var f facts
	if err := s.top.decode(ctx, &f, "facts"); err != nil {
		if ctx.Err() != nil || node.IsReplaced(err) {
			return err
		}
		e.factsReason, e.factsDetail = "the document could not be read", err.Error()
		return nil
	}
	a.report.ContentType = f.ContentType
	if f.ContentType != "text/html" && f.ContentType != "application/xhtml+xml" {
		e.factsReason = fmt.Sprintf("the document is %s, not HTML", f.ContentType)
		return nil
	}
	e.facts = &f
	return nil
}

// judge runs the checks of the categories and describes the elements that they name.
func (a *audit) judge(ctx context.Context, s *scope) error {
	var indices []int
	type place struct{ finding, offender int }
	var places []place
	r := a.report
	for _, c := range checks() {
		if !a.has(c.category) || !a.names.selects(c.id) {
			continue
		}
		got := c.run(&a.evidence)
		switch got.state {
		case holds:
			r.Passed[c.category] = append(r.Passed[c.category], c.id)
		case inapplicable:
			r.Inapplicable[c.category] = append(r.Inapplicable[c.category], c.id)
		case unknown:
			r.Unknown = append(r.Unknown, Unknown{ID: c.id, Category: c.category, Reason: got.reason, Detail: a.evidence.detailOf(got.reason)})
		case fails:
			f := Finding{ID: c.id, Category: c.category, Impact: c.impact, Doc: c.doc, Try: c.try, Total: got.causes.Total}
			for i, cause := range got.causes.Items {
				f.Offenders = append(f.Offenders, Offender{Detail: cause.Detail})
				if cause.Element >= 0 && i < maxRefs {
					indices, places = append(indices, cause.Element), append(places, place{len(r.Findings), i})
				}
			}
			r.Findings = append(r.Findings, f)
		}
	}
	if len(indices) == 0 {
		return nil
	}
	elements, err := s.elements(ctx, indices)
	if err != nil {
		return err
	}
	for i, e := range elements {
		r.Findings[places[i].finding].Offenders[places[i].offender].Element = e
	}
	return nil
}
