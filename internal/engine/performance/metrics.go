package performance

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	cdpperformance "github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/read"
	"github.com/callsheet/callsheet/internal/fault"
)

//go:embed metrics.js
var metricsScript string

// worldName names the isolated world of metrics.js, which the page's scripts cannot manipulate.
const worldName = "callsheet-performance"

// Vitals are the Core Web Vitals with TTFB and FCP, in milliseconds; CLS has no unit. nil means
// that it has not occurred.
type Vitals struct {
	TTFB *float64 `json:"ttfb"`
	FCP  *float64 `json:"fcp"`
	LCP  *float64 `json:"lcp"`
	CLS  *float64 `json:"cls"`
	INP  *float64 `json:"inp"`
}

// Resource is a request as PerformanceResourceTiming reports it.
type Resource struct {
	URL    string  `json:"url"`
	Type   string  `json:"type"`
	MS     float64 `json:"ms"`
	Bytes  int64   `json:"bytes"`
	Status int     `json:"status"`
}

// Metrics are the measurements of one document.
type Metrics struct {
	Vitals         Vitals  `json:"vitals"`
	LCPElement     string  `json:"lcpElement"`
	LCPURL         string  `json:"lcpURL"`
	NavigationType string  `json:"kind"` // navigate, reload, back_forward
	LongTasks      int     `json:"longTasks"`
	Blocking       float64 `json:"blocking"` // milliseconds beyond 50 of all long tasks
	// Interactions is the number of interactions that INP covers.
	Interactions  int   `json:"-"`
	Transfer      int64 `json:"transfer"` // bytes of the document
	Resources     int   `json:"resources"`
	ResourceBytes int64 `json:"resourceBytes"`
	// Marks are the entries of PerformanceNavigationTiming by name, in milliseconds from the start
	// of the navigation.
	Marks   map[string]float64 `json:"marks"`
	Slowest []Resource         `json:"slowest"` // at most 20
	// Counters are the metrics of CDP's Performance domain by name, such as Nodes, JSHeapUsedSize
	// in bytes, LayoutCount, and ScriptDuration in seconds.
	Counters map[string]float64 `json:"-"`
}

// Measure reads the metrics of the tab's document. The errors are those of browser.Tab.Do.
func Measure(ctx context.Context, tab *browser.Tab) (Metrics, error) {
	var m Metrics
	err := tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
		interactions, err := p.Read.Interactions(ctx)
		if err != nil {
			return err
		}
		session, err := tab.Protocol(ctx)
		if err != nil {
			return err
		}
		text, err := readTimers(ctx, session)
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			return fmt.Errorf("read the page's timers: %w", err)
		}
		m.Vitals.INP, m.Interactions = inp(interactions), interactions.Count
		m.Counters, err = counters(ctx, session)
		return err
	})
	return m, err
}

// inp returns the Interaction to Next Paint: the slowest interaction, ignoring one per 50
// interactions; nil without any.
func inp(i read.Interactions) *float64 {
	if len(i.MS) == 0 {
		return nil
	}
	return &i.MS[min(len(i.MS)-1, i.Count/50)]
}

func readTimers(ctx context.Context, session cdp.Session) (string, error) {
	tree, err := cdp.Call(ctx, session, cdppage.GetFrameTree, cdp.Empty{})
	if err != nil {
		return "", fmt.Errorf("measure the page: %w", err)
	}
	world, err := cdp.Call(ctx, session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{
		FrameID: tree.FrameTree.Frame.ID, WorldName: worldName,
	})
	if err != nil {
		return "", fmt.Errorf("measure the page: %w", err)
	}
	yes := true
	res, err := cdp.Call(ctx, session, runtime.Evaluate, runtime.EvaluateParams{
		Expression: metricsScript, ContextID: world.ExecutionContextID, ReturnByValue: &yes,
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("measure the page: %w", err)
	case res.ExceptionDetails != nil:
		return "", fault.New(codes.Failed, fmt.Sprintf("measure the page: %s", res.ExceptionDetails.Text))
	}
	var text string
	if json.Unmarshal(res.Result.Value, &text) != nil {
		return "", fault.New(codes.Failed, "measure the page: it has no timers")
	}
	return text, nil
}

func counters(ctx context.Context, session cdp.Session) (map[string]float64, error) {
	if _, err := cdp.Call(ctx, session, cdpperformance.Enable, cdpperformance.EnableParams{}); err != nil {
		return nil, fmt.Errorf("read the browser's counters: %w", err)
	}
	res, err := cdp.Call(ctx, session, cdpperformance.GetMetrics, cdp.Empty{})
	if err != nil {
		return nil, fmt.Errorf("read the browser's counters: %w", err)
	}
	if _, err := cdp.Call(ctx, session, cdpperformance.Disable, cdp.Empty{}); err != nil {
		return nil, fmt.Errorf("read the browser's counters: %w", err)
	}
	out := make(map[string]float64, len(res.Metrics))
	for _, m := range res.Metrics {
		out[m.Name] = m.Value
	}
	return out, nil
}
