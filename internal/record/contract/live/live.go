// Package live gathers the evidence of contracts from a tab of the browser.
//
// It reports what it reads and what it cannot read; package contract judges it. It must not change
// the page, and must not know tools or protocols of clients.
package live

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/console"
	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/engine/performance"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/contract"
)

// readTimeout bounds one evaluation in the page. A page that hangs is inconclusive before the
// caller's deadline.
const readTimeout = 10 * time.Second

// Evidence is a tab as contracts see it. Requests and downloads since "start" are those since New.
type Evidence struct {
	session   *browser.Session
	tab       *browser.Tab
	exemplars *Exemplars
	start     browser.Mark
	redact    func(string) string
}

// New returns the evidence of a tab from now on; exemplars may be nil.
func New(session *browser.Session, tab *browser.Tab, exemplars *Exemplars) *Evidence {
	return &Evidence{session: session, tab: tab, exemplars: exemplars, start: tab.Activity.Mark(), redact: func(text string) string { return text }}
}

// WithRedaction returns evidence whose texts pass through redact; nil changes nothing. Without it a
// contract could test a secret part by part.
func (e *Evidence) WithRedaction(redact func(string) string) *Evidence {
	if redact == nil {
		return e
	}
	out := *e
	out.redact = redact
	return &out
}

var _ contract.Evidence = (*Evidence)(nil)

// URL is the address of the document.
func (e *Evidence) URL(context.Context) (full, shown string, err error) {
	if e.tab.Closed() {
		return "", "", fault.New(codes.Failed, "the tab is closed")
	}
	if e.tab.CrashError() != nil {
		return "", "", fault.New(codes.Failed, "the page has crashed")
	}
	full = e.redact(e.tab.URL())
	return full, network.RedactURL(full), nil
}

// Elements queries all selectors in one evaluation.
func (e *Evidence) Elements(ctx context.Context, selectors []string) ([]contract.Elements, error) {
	seen, err := e.queryStates(ctx, selectors)
	if err != nil {
		return nil, err
	}
	out := make([]contract.Elements, len(seen.Results))
	for i, a := range seen.Results {
		out[i] = contract.Elements{Total: a.Total, Problem: a.Problem, Elements: make([]contract.Element, len(a.Elements))}
		for j, w := range a.Elements {
			out[i].Elements[j] = contract.Element{
				Text: e.redact(w.Text), TextTruncated: w.Truncated, Value: e.redact(w.Value), ValueTruncated: w.ValueCut, IsField: w.Field, IsSecret: w.Secret, Name: e.redact(w.Name), Visible: w.Visible, Disabled: w.Disabled,
				Checkable: w.Checkable, Checked: w.Checked, Focused: w.Focused, Editable: w.Editable, Readonly: w.Readonly, Required: w.Required,
			}
		}
	}
	return out, nil
}

func (e *Evidence) queryStates(ctx context.Context, selectors []string) (seen locate.StateReport, err error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	err = e.tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		seen, err = p.Locate.QueryStates(ctx, selectors)
		return err
	})
	return seen, err
}

// Requests returns the requests of the page. A running capture that began earlier also has those of
// out-of-process frames.
func (e *Evidence) Requests(ctx context.Context, since contract.Since) ([]contract.Request, bool, error) {
	from, err := e.startMark(since)
	if err != nil {
		return nil, false, err
	}
	if record := network.CaptureOf(e.tab).Read(); record.Active && !record.Since.After(from.Time) {
		var out []contract.Request
		for _, r := range record.Entries {
			if !r.Started.Before(from.Time) {
				out = append(out, contract.Request{URL: e.redact(r.URL), DisplayURL: e.redact(network.RedactURL(r.URL)), Method: r.Method, Status: r.Status, Failure: r.Failure})
			}
		}
		return out, record.Dropped == 0, nil
	}
	sent, whole := e.tab.Activity.Requests(from)
	out := make([]contract.Request, len(sent))
	for i, r := range sent {
		out[i] = contract.Request{URL: e.redact(r.URL), DisplayURL: e.redact(network.RedactURL(r.URL)), Method: r.Method, Status: r.Status, Failure: r.Failure}
	}
	if whole {
		seen, err := e.queryStates(ctx, []string{"iframe"}) // a look that comes by all frames
		whole = err == nil && seen.RemoteFrames == 0
	}
	return out, whole, nil
}

// startMark returns the mark of a moment that a contract names.
func (e *Evidence) startMark(since contract.Since) (browser.Mark, error) {
	switch since {
	case contract.SinceStart:
		return e.start, nil
	case contract.SinceCall:
		if m := e.tab.Activity.Action(); !m.Time.IsZero() {
			return m, nil
		}
		return browser.Mark{}, fault.New(codes.Failed, "nothing has acted on the tab yet")
	case contract.SinceLoad:
		if m := e.tab.Activity.Load(); !m.Time.IsZero() {
			return m, nil
		}
		return browser.Mark{}, fault.New(codes.Failed, "the load of the page was not seen")
	}
	return browser.Mark{}, fault.New(codes.Failed, fmt.Sprintf("unknown moment %q", since))
}

// Messages lists what the document has said.
func (e *Evidence) Messages(context.Context) ([]contract.Message, bool, error) {
	reading := e.tab.Console().Read(console.Query{Unfolded: true})
	out := make([]contract.Message, len(reading.Messages))
	for i, m := range reading.Messages {
		out[i] = contract.Message{Level: string(m.Level), Text: e.redact(m.Text), Count: m.Count}
	}
	return out, reading.Dropped == 0, nil
}

// Measures reads the page's timers.
func (e *Evidence) Measures(ctx context.Context) (map[string]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, readTimeout)
	defer cancel()
	m, err := performance.Measure(ctx, e.tab)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{
		"long_tasks": float64(m.LongTasks), "blocking": m.Blocking, "resources": float64(m.Resources), "resource_bytes": float64(m.ResourceBytes),
		"document_bytes": float64(m.Transfer), "heap_bytes": m.Counters["JSHeapUsedSize"], "nodes": m.Counters["Nodes"],
	}
	for name, value := range map[string]*float64{"lcp": m.Vitals.LCP, "cls": m.Vitals.CLS, "inp": m.Vitals.INP, "fcp": m.Vitals.FCP, "ttfb": m.Vitals.TTFB} {
		if value != nil {
			out[name] = *value
		}
	}
	for name, mark := range map[string]string{"interactive": "domInteractive", "dom_content_loaded": "domContentLoadedEventEnd", "load": "loadEventEnd"} {
		if at := m.Marks[mark]; at > 0 { // 0 has not happened
			out[name] = at
		}
	}
	return out, nil
}

// Downloads lists the session's downloads since a moment.
func (e *Evidence) Downloads(ctx context.Context, since contract.Since) ([]contract.Download, error) {
	from, err := e.startMark(since)
	if err != nil {
		return nil, err
	}
	list := e.tab.Activity.DownloadsSince(ctx, from.Downloads)
	out := make([]contract.Download, len(list))
	for i, d := range list {
		out[i] = contract.Download{Name: e.redact(d.Name), Bytes: d.Received, State: string(d.State)}
	}
	return out, nil
}

// Dialog describes the dialog that blocks the page: its own, or that of another tab.
func (e *Evidence) Dialog(context.Context) (string, error) {
	if e.tab.Closed() {
		return "", fault.New(codes.Failed, "the tab is closed")
	}
	waiting := e.session.TabsWithDialog()
	if i := slices.IndexFunc(waiting, func(t *browser.Tab) bool { return t == e.tab }); i >= 0 {
		waiting = waiting[i : i+1]
	}
	for _, t := range waiting {
		if d := t.Dialogs.Open(); d != nil {
			return fmt.Sprintf("a %s in tab %s: %q", d.Kind, t.ID(), e.redact(d.Message)), nil
		}
	}
	return "", nil
}
