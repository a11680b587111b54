// Package jobview is the view of the ui that shows jobs, such as crawls: their progress, the pages that
// failed, and who works on them. A running job can be cancelled.
//
// It must not know how jobs are stored, nor show what pages contain.
package jobview

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"slices"

	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/ui"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// jobsOfPage and linesOfPage are the sizes of pages; maxScanned bounds the results that one request
// reads to find those that failed.
const (
	jobsOfPage  = 50
	linesOfPage = 50
	maxScanned  = 5000
)

// Source supplies the data of the view.
type Source struct {
	Jobs   *jobs.Jobs
	Redact func(string) string // takes secrets out of texts
}

// List is a page of jobs, the newest first.
type List struct {
	Jobs    []jobs.Job    `json:"jobs"`
	Workers []jobs.Worker `json:"workers"`
	Next    int64         `json:"next,omitempty"` // the parameter offset of the next page; 0: this is the last
}

// Line is the result of one address of a crawl, without its content.
type Line struct {
	Seq     int64  `json:"seq"`
	URL     string `json:"url"`
	Outcome string `json:"outcome"`
	Status  int    `json:"status,omitempty"`
	Title   string `json:"title,omitempty"`
	Error   string `json:"error,omitempty"`
	Depth   int64  `json:"depth"`
	Millis  int64  `json:"ms"`
}

// Lines is a page of results in their order.
type Lines struct {
	Lines []Line `json:"lines"`
	Next  int64  `json:"next,omitempty"` // the parameter after of the next page; 0: this is the last
}

// View registers the requests of the view:
//
//	GET  jobs?offset=                   a List
//	GET  jobs/{id}                      crawl.Report
//	GET  jobs/{id}/lines?after=&failed= Lines of a crawl; with failed=true those that failed
//	POST jobs/{id}/cancel               jobs.Job
func View(src Source) ui.View {
	v := &view{src}
	return func(api *ui.API) {
		api.Has("jobs")
		api.Get("jobs", v.list)
		api.Get("jobs/{id}", v.inspect)
		api.Get("jobs/{id}/lines", v.lines)
		api.Post("jobs/{id}/cancel", v.cancel)
	}
}

type view struct{ Source }

func (v *view) list(r *http.Request) (any, error) {
	offset, err := ui.Number(r, "offset", 0, 0, 1_000_000)
	if err != nil {
		return nil, err
	}
	out := List{Jobs: []jobs.Job{}, Workers: []jobs.Worker{}}
	if !v.Jobs.Exists() { // looking creates no database
		return out, nil
	}
	all, err := v.Jobs.List(r.Context(), int(offset)+jobsOfPage+1)
	if err != nil {
		return nil, err
	}
	page := all[min(int(offset), len(all)):]
	if len(page) > jobsOfPage {
		page, out.Next = page[:jobsOfPage], offset+jobsOfPage
	}
	for _, job := range page {
		out.Jobs = append(out.Jobs, v.redacted(job))
	}
	out.Workers, err = v.Jobs.Workers(r.Context())
	return out, err
}

func (v *view) redacted(job jobs.Job) jobs.Job {
	job.Title, job.Note = v.Redact(job.Title), v.Redact(job.Note)
	return job
}

// unknown turns the error for an unknown job into a refusal.
func unknown(err error) error {
	if errors.Is(err, jobs.ErrNotFound) {
		return &ui.Error{Status: http.StatusNotFound, Message: err.Error()}
	}
	return err
}

// existing refuses requests about a job where no job can be: looking creates no database.
func (v *view) existing() error {
	if !v.Jobs.Exists() {
		return unknown(jobs.ErrNotFound)
	}
	return nil
}

func (v *view) inspect(r *http.Request) (any, error) {
	if err := v.existing(); err != nil {
		return nil, err
	}
	report, err := crawl.Inspect(r.Context(), v.Jobs, r.PathValue("id"))
	if err != nil {
		return nil, unknown(err)
	}
	report.Job = v.redacted(report.Job)
	for i := range report.Traps {
		report.Traps[i].Pattern = v.Redact(report.Traps[i].Pattern)
	}
	return report, nil
}

func (v *view) lines(r *http.Request) (any, error) {
	after, err := ui.Number(r, "after", 0, 0, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	if err := v.existing(); err != nil {
		return nil, err
	}
	return v.read(r.Context(), r.PathValue("id"), after, r.URL.Query().Get("failed") == "true")
}

// read returns the results after a sequence number, and reads no more than maxScanned.
func (v *view) read(ctx context.Context, id string, after int64, failed bool) (any, error) {
	out := Lines{Lines: []Line{}}
	var broken error
	scanned := 0
	err := crawl.EachResult(ctx, v.Jobs, id, after, func(seq int64, text []byte) bool {
		if len(out.Lines) == linesOfPage || scanned == maxScanned {
			out.Next = after
			return false
		}
		scanned++
		after = seq
		var p crawl.Page
		if broken = json.Unmarshal(text, &p); broken != nil {
			return false
		}
		if isError := slices.Contains([]string{crawl.OutcomeFailed, crawl.OutcomeRobots}, p.Outcome); !failed || isError {
			out.Lines = append(out.Lines, Line{
				Seq: p.Seq, URL: v.Redact(network.RedactURL(p.URL)), Outcome: p.Outcome, Status: p.Status, Title: v.Redact(p.Title),
				Error: v.Redact(p.Error), Depth: p.Depth, Millis: p.Millis,
			})
		}
		return true
	})
	return out, errors.Join(err, broken)
}

func (v *view) cancel(r *http.Request) (any, error) {
	if err := v.existing(); err != nil {
		return nil, err
	}
	job, err := v.Jobs.Cancel(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, unknown(err)
	}
	return v.redacted(job), nil
}
