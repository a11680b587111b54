// Package metrics counts the calls of a server, and serves the counts with the state of its sessions, browsers and jobs
// in the format of Prometheus.
//
// It makes nothing before the first call or scrape. Its labels are names of tools, codes of refusals and states of
// jobs: never what a client or a page says.
package metrics

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// Path is the path of the metrics of a server over HTTP.
const Path = "/metrics"

// unknown is the label of a name that is no tool's, and of a code that clients do not meet.
const unknown = "unknown"

// jobsTimeout bounds how long a scrape waits for the database of jobs.
const jobsTimeout = 2 * time.Second

// State is the state of a server at one moment.
type State struct {
	Sessions, Tabs int
	Browsers       []int                                         // process ids of those that run; 0 for an attached one
	Jobs           func(context.Context) (map[string]int, error) // by state; nil where there is no database
}

// Metrics are the metrics of one server. Its methods are safe for concurrent use.
type Metrics struct{ recorded func() *recorded }

// recorded is everything that is counted, made at the first use.
type recorded struct {
	running   prometheus.Gauge
	durations *prometheus.HistogramVec
	refusals  *prometheus.CounterVec
	known     map[toolkit.Code]bool
	handler   http.Handler
}

// New returns the metrics of a server of a version. State is asked at each scrape.
func New(version string, state func() State) *Metrics {
	return &Metrics{sync.OnceValue(func() *recorded {
		r := &recorded{
			running: prometheus.NewGauge(prometheus.GaugeOpts{Name: "callsheet_calls_running", Help: "Calls under way."}),
			durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
				Name: "callsheet_call_duration_seconds", Help: "How long calls took; its count is the number of calls.", Buckets: prometheus.ExponentialBuckets(.005, 3, 9),
			}, []string{"tool"}),
			refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "callsheet_refusals_total", Help: "Refused calls."}, []string{"tool", "code"}),
			known:    make(map[toolkit.Code]bool),
		}
		for _, info := range codes.Table().Codes {
			r.known[info.Code] = true
		}
		build := prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "callsheet_build_info", Help: "Always 1.", ConstLabels: prometheus.Labels{"version": version}}, func() float64 { return 1 })
		registry := prometheus.NewRegistry()
		registry.MustRegister(r.running, r.durations, r.refusals, build, stateCollector(state),
			collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
		r.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
		return r
	})}
}

// ServeHTTP answers a scrape.
func (m *Metrics) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.recorded().handler.ServeHTTP(w, r)
}

// Middleware counts calls.
func (m *Metrics) Middleware(next toolkit.CallHandler) toolkit.CallHandler {
	return func(ctx context.Context, s *toolkit.Session, req toolkit.Request) (toolkit.CallResult, error) {
		r, tool := m.recorded(), unknown
		registry := s.Surface().Registry()
		if i, ok := registry.Lookup(req.Tool); ok {
			tool = registry.Tools[i].Name // not an older one, by which it was called
		}
		r.running.Inc()
		defer r.running.Dec()
		began := time.Now()
		res, err := next(ctx, s, req)
		r.durations.WithLabelValues(tool).Observe(time.Since(began).Seconds())
		switch code := res.RefusalCode(); {
		case err == nil && !res.Refused:
		case r.known[code]:
			r.refusals.WithLabelValues(tool, string(code)).Inc()
		default:
			r.refusals.WithLabelValues(tool, unknown).Inc()
		}
		return res, err
	}
}

// stateCollector collects the state of a server.
type stateCollector func() State

var (
	sessions = prometheus.NewDesc("callsheet_sessions", "Open sessions.", nil, nil)
	tabs     = prometheus.NewDesc("callsheet_tabs", "Open tabs of sessions.", nil, nil)
	browsers = prometheus.NewDesc("callsheet_browsers", "Browsers that run or are attached to.", nil, nil)
	memory   = prometheus.NewDesc("callsheet_browser_resident_memory_bytes", "Resident memory of the processes of launched browsers; what they share counts for each.", nil, nil)
	jobs     = prometheus.NewDesc("callsheet_jobs", "Jobs in the database.", []string{"state"}, nil)
)

// Describe implements prometheus.Collector.
func (stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sessions, tabs, browsers, memory, jobs} {
		out <- d
	}
}

// Collect implements prometheus.Collector. It leaves out what it cannot learn.
func (c stateCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value int, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value), labels...)
	}
	s := c()
	gauge(sessions, s.Sessions)
	gauge(tabs, s.Tabs)
	gauge(browsers, len(s.Browsers))
	if processes, err := chromium.Descendants(s.Browsers); err == nil {
		bytes := 0
		for _, p := range processes {
			bytes += p.ResidentMemory()
		}
		gauge(memory, bytes)
	}
	if s.Jobs == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), jobsTimeout)
	defer cancel()
	byState, err := s.Jobs(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(jobs, err)
	}
	for state, n := range byState {
		gauge(jobs, n, state)
	}
}
