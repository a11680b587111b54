// Package performance implements the tools of area performance: how fast a page is, measured by the
// browser.
//
// It renders measurements; the engine measures and reads traces.
package performance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/performanceapi"
	"github.com/callsheet/callsheet/internal/engine/emulation"
	"github.com/callsheet/callsheet/internal/engine/network"
	pagesecret "github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/performance"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/session"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/text"
)

// traceName is the name of this area's artifacts.
const traceName = "trace.json.gz"

// Tools are the handlers of the area.
type Tools struct {
	sessions  session.Lookup
	artifacts *artifact.Store
}

// New makes the handlers; traces are kept as artifacts.
func New(sessions session.Lookup, artifacts *artifact.Store) *Tools {
	return &Tools{sessions: sessions, artifacts: artifacts}
}

var _ performanceapi.Handlers = (*Tools)(nil)

// PerformanceMetrics measures the page as it is.
func (t *Tools) PerformanceMetrics(ctx context.Context, call *toolkit.Call, in performanceapi.PerformanceMetricsParams) (toolkit.Result, error) {
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	m, err := performance.Measure(ctx, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	vital := func(name string, value *float64, good, poor float64, unit string) {
		switch {
		case value == nil:
			fmt.Fprintf(&b, "%s none yet\n", name)
		case unit == "":
			fmt.Fprintf(&b, "%s %.3f %s\n", name, *value, vitalRating(*value, good, poor))
		default:
			fmt.Fprintf(&b, "%s %.0f %s %s\n", name, *value, unit, vitalRating(*value, good, poor))
		}
	}
	vital("LCP", m.Vitals.LCP, 2500, 4000, "ms")
	vital("CLS", m.Vitals.CLS, 0.1, 0.25, "")
	vital("INP", m.Vitals.INP, 200, 500, "ms")
	vital("FCP", m.Vitals.FCP, 1800, 3000, "ms")
	vital("TTFB", m.Vitals.TTFB, 800, 1800, "ms")
	if m.LCPElement != "" {
		fmt.Fprintf(&b, "LCP element: %s %s\n", m.LCPElement, network.RedactURL(m.LCPURL))
	}
	fmt.Fprintf(&b, "%s: interactive %.0f ms, DOMContentLoaded %.0f ms, load %.0f ms\n", m.NavigationType, m.Marks["domInteractive"], m.Marks["domContentLoadedEventEnd"], m.Marks["loadEventEnd"])
	fmt.Fprintf(&b, "%d interactions, %d long tasks, %.0f ms blocking\n", m.Interactions, m.LongTasks, m.Blocking)
	fmt.Fprintf(&b, "%d resources, %d bytes; document %d bytes\n", m.Resources, m.ResourceBytes, m.Transfer)
	c := m.Counters
	fmt.Fprintf(&b, "heap %.1f MB of %.1f, %.0f nodes, %.0f documents, %.0f listeners\n", c["JSHeapUsedSize"]/1e6, c["JSHeapTotalSize"]/1e6, c["Nodes"], c["Documents"], c["JSEventListeners"])
	fmt.Fprintf(&b, "script %.0f ms, layout %.0f ms in %.0f, style %.0f ms in %.0f, tasks %.0f ms",
		c["ScriptDuration"]*1000, c["LayoutDuration"]*1000, c["LayoutCount"], c["RecalcStyleDuration"]*1000, c["RecalcStyleCount"], c["TaskDuration"]*1000)
	if in.Resources.Value {
		for _, r := range m.Slowest {
			fmt.Fprintf(&b, "\n%.0f ms %s %s %d, %d bytes", r.MS, r.Type, text.ClipRunes(network.RedactURL(r.URL), 200), r.Status, r.Bytes)
		}
	}
	return toolkit.Text(b.String()), nil
}

// vitalRating says how a vital is judged (web.dev/articles/vitals).
func vitalRating(value, good, poor float64) string {
	switch {
	case value <= good:
		return "good"
	case value <= poor:
		return "needs improvement"
	}
	return "poor"
}

// OcPerformanceInsights records a trace and sums it up.
func (t *Tools) OcPerformanceInsights(ctx context.Context, call *toolkit.Call, in performanceapi.OcPerformanceInsightsParams, powers performanceapi.OcPerformanceInsightsPowers) (toolkit.Result, error) {
	recipe := performance.RecordOptions{URL: in.URL.Value, Reload: in.Reload.Value, CPU: in.CpuThrottling.Value, After: time.Duration(in.Ms) * time.Millisecond}
	if in.URL.Set && in.Reload.Value {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "give url or reload, not both")
	}
	if in.Network.Set {
		conditions := emulation.Networks()[string(in.Network.Value)]
		recipe.Network = &conditions
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var kept artifact.Artifact
	err = performance.Record(ctx, powers.Navigation(), tab, recipe, func(ctx context.Context, r io.Reader) error {
		clean, w := io.Pipe()
		whole := func(event []byte) []byte { return secret.JSON(pagesecret.Shown(ctx), event) }
		go func() { w.CloseWithError(performance.Clean(w, r, network.RedactURL, network.RedactHeader, whole)) }()
		var err error
		kept, err = t.artifacts.Put(ctx, artifact.Meta{Name: traceName, MIME: "application/gzip", Session: call.Session.ID}, clean)
		_ = clean.Close() // so that the copying ends when keeping failed
		return err
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	trace, err := t.read(kept.ID, call.Session.ID)
	if err != nil {
		return toolkit.Result{}, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "trace_id %s\n%s", kept.ID, trace.Summary())
	for _, f := range trace.Insights() {
		mark := " "
		if f.Bad {
			mark = "!"
		}
		fmt.Fprintf(&b, "\n%s %s: %s", mark, f.Name, f.Text)
	}
	r := toolkit.Text(b.String())
	r.Links = []toolkit.Link{{URI: kept.URI(), Name: kept.Name, MIME: kept.MIME, Size: kept.Size}}
	return r, nil
}

// OcPerformanceAnalyze tells one insight of a recorded trace in full. It needs no browser.
func (t *Tools) OcPerformanceAnalyze(_ context.Context, call *toolkit.Call, in performanceapi.OcPerformanceAnalyzeParams) (toolkit.Result, error) {
	trace, err := t.read(in.TraceID, call.Session.ID)
	if err != nil {
		return toolkit.Result{}, err
	}
	f, ok := trace.Insight(string(in.Insight))
	if !ok {
		return toolkit.Result{}, fmt.Errorf("insight %s is declared and not made", in.Insight)
	}
	return toolkit.Text(strings.Join(append([]string{f.Text}, f.Details...), "\n")), nil
}

// read opens a trace of the client. One of another is as if there were none.
func (t *Tools) read(id, session string) (*performance.Trace, error) {
	a, file, err := t.artifacts.Open(strings.TrimPrefix(id, artifact.Scheme))
	if err == nil && (a.Session != session || a.Name != traceName) {
		err = errors.Join(fs.ErrNotExist, file.Close())
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("open the trace: %w", err)
		}
		known := []string{}
		if list, err := t.artifacts.List(session); err == nil {
			for _, a := range list {
				if a.Name == traceName {
					known = append(known, a.ID)
				}
			}
		}
		text := fmt.Sprintf("no trace %q", text.ClipRunes(id, 60))
		if near := toolkit.Nearest(id, known); near != "" {
			text += fmt.Sprintf(", did you mean %q?", near)
		}
		return nil, toolkit.Refuse(codes.NotFound, text, toolkit.Field{Name: "traces", Value: known})
	}
	defer func() { _ = file.Close() }()
	trace, err := performance.Read(file)
	if err != nil {
		return nil, toolkit.Refuse(toolkit.Failed, fmt.Sprintf("trace %s cannot be read (%v); record it again", a.ID, err))
	}
	return trace, nil
}
