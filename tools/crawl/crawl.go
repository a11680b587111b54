// Package crawl implements the tools of area crawl: whole sites, read by jobs that outlive the
// call.
//
// It turns arguments into a crawl and its progress into words; what a crawl does is
// internal/work/crawl's, and how it survives is internal/work/jobs'.
package crawl

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/crawlapi"
	"github.com/callsheet/callsheet/internal/engine/browser/address"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// Tools are the handlers of the area.
type Tools struct {
	jobs      *jobs.Jobs
	crawler   *crawl.Crawler
	artifacts *artifact.Store
}

// New makes the handlers. Results are kept as artifacts too.
func New(all *jobs.Jobs, crawler *crawl.Crawler, artifacts *artifact.Store) *Tools {
	return &Tools{jobs: all, crawler: crawler, artifacts: artifacts}
}

var _ crawlapi.Handlers = (*Tools)(nil)

// secretMark begins a secret's name in an argument.
const secretMark = "{secret:"

// Crawl begins a crawl, or reports on one.
func (t *Tools) Crawl(ctx context.Context, call *toolkit.Call, in crawlapi.CrawlParams, powers crawlapi.CrawlPowers) (toolkit.Result, error) {
	wait := time.Duration(in.Wait) * time.Millisecond
	switch {
	case in.URL.Set == in.Job.Set:
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "give url to begin a crawl, or job to follow one")
	case in.URL.Set && (in.Cursor.Set || in.Cancel.Set):
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, "cursor and cancel are for a crawl that has begun; give its job")
	case in.Cancel.Value:
		if _, err := t.find(ctx, in.Job.Value); err != nil {
			return toolkit.Result{}, err
		}
		if _, err := t.jobs.Cancel(ctx, in.Job.Value); err != nil {
			return toolkit.Result{}, jobError(err, in.Job.Value)
		}
		return t.report(ctx, call, in.Job.Value, int64(in.Cursor.Value))
	case in.Job.Set:
		job, err := t.find(ctx, in.Job.Value)
		if err != nil {
			return toolkit.Result{}, err
		}
		if job.State == jobs.StateRunning {
			if err := t.jobs.Work(ctx, false); err != nil {
				return toolkit.Result{}, jobError(err, job.ID)
			}
		}
		return t.follow(ctx, call, job.ID, int64(in.Cursor.Value), wait)
	}
	spec := crawl.Spec{
		URL: in.URL.Value, MaxDepth: in.MaxDepth, MaxPages: int64(in.MaxPages), Include: in.IncludePatterns, Exclude: in.ExcludePatterns,
		PerPattern: int64(in.MaxPerPattern.Value), PerHost: int64(in.MaxPerHost.Value), Strip: in.StripTracking.Value,
		Format: crawl.Format(in.OutputFormat), Render: crawl.Render(in.Render), Robots: in.RespectRobots, DelayMS: int64(in.DelayMs), Concurrency: in.Concurrency,
	}
	if in.Scope.Set {
		spec.Scope = []string{in.Scope.Value}
	}
	return t.begin(ctx, call, powers.Network(), spec, wait)
}

// CrawlSitemap begins a crawl of what a sitemap lists.
func (t *Tools) CrawlSitemap(ctx context.Context, call *toolkit.Call, in crawlapi.CrawlSitemapParams, powers crawlapi.CrawlSitemapPowers) (toolkit.Result, error) {
	spec := crawl.Spec{
		URL: in.URL, MaxPages: int64(in.MaxPages), Since: in.Since.Value,
		Format: crawl.Format(in.OutputFormat), Render: crawl.Render(in.Render), Robots: in.RespectRobots, DelayMS: int64(in.DelayMs), Concurrency: in.Concurrency,
	}
	if in.Filter.Set {
		spec.Include = []string{in.Filter.Value}
	}
	if err := checkAddress(&spec.URL); err != nil {
		return toolkit.Result{}, err
	}
	if in.SitemapURL.Set {
		address := in.SitemapURL.Value
		if err := checkAddress(&address); err != nil {
			return toolkit.Result{}, err
		}
		spec.Sitemaps = []string{address}
	} else {
		found, err := t.crawler.FindSitemaps(ctx, powers.Network(), spec.URL)
		var none *crawl.NoSitemapError
		if errors.As(err, &none) {
			message := none.Error() + "; give sitemap_url"
			if call.Session.Surface().Allows(toolset.ToolCrawl) {
				message += ", or follow the site's links with " + toolset.ToolCrawl
			}
			return toolkit.Result{}, toolkit.Refuse(codes.NotFound, message, toolkit.Field{Name: "tried", Value: none.Tried})
		}
		if err != nil {
			return toolkit.Result{}, err
		}
		spec.Sitemaps = found
	}
	return t.begin(ctx, call, powers.Network(), spec, time.Duration(in.Wait)*time.Millisecond)
}

// checkAddress completes an address as navigating would, and holds it against the same policy.
func checkAddress(raw *string) error {
	if strings.Contains(*raw, secretMark) {
		return toolkit.Refuse(toolkit.InvalidArguments, "a crawl keeps its addresses, so they cannot hold a secret")
	}
	full, err := address.Resolve(*raw, false)
	if err != nil {
		return err
	}
	if !strings.HasPrefix(strings.ToLower(full), "http") {
		return toolkit.Refuse(toolkit.PolicyDenied, fmt.Sprintf("address %.100q: only http and https are crawled", full), toolkit.Field{Name: "surface", Value: "navigation"})
	}
	*raw = full
	return nil
}

func (t *Tools) begin(ctx context.Context, call *toolkit.Call, n power.Network, spec crawl.Spec, wait time.Duration) (toolkit.Result, error) {
	if err := checkAddress(&spec.URL); err != nil {
		return toolkit.Result{}, err
	}
	if err := spec.Complete(); err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.InvalidArguments, err.Error())
	}
	job, err := crawl.Start(ctx, n, t.jobs, spec)
	if err != nil {
		return toolkit.Result{}, jobError(err, "")
	}
	res, err := t.follow(ctx, call, job.ID, 0, wait)
	if errors.Is(err, context.Canceled) { // the client never learned the id, so it cannot end the job
		_, _ = t.jobs.Cancel(context.WithoutCancel(ctx), job.ID)
	}
	return res, err
}

// find is a crawl of the principal by the id that a caller gives.
func (t *Tools) find(ctx context.Context, id string) (jobs.Job, error) {
	if !t.jobs.Exists() {
		return jobs.Job{}, jobError(jobs.ErrNotFound, id)
	}
	job, err := t.jobs.Get(ctx, id)
	if err == nil && (job.Kind != crawl.KindName || !crawl.IsOwn(ctx, job)) {
		err = jobs.ErrNotFound
	}
	return job, jobError(err, id)
}

// jobError gives an error of the job queue a code. The error of an unknown job names its id.
func jobError(err error, id string) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, jobs.ErrNotFound):
		return fault.New(codes.NotFound, fmt.Sprintf("there is no crawl %.40q; finished ones are kept for two weeks", id))
	}
	return fault.New(codes.Failed, "the database of jobs: "+err.Error())
}

const (
	// margin is the time between the writing of the answer and the call's deadline.
	margin = 5 * time.Second
	// pollInterval is how often a job is looked at while the call waits.
	pollInterval = 200 * time.Millisecond
)

// follow waits for a crawl as long as it may, and reports.
func (t *Tools) follow(ctx context.Context, call *toolkit.Call, id string, after int64, wait time.Duration) (toolkit.Result, error) {
	end := time.Now().Add(wait)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-margin).Before(end) {
		end = deadline.Add(-margin)
	}
	told := int64(-1)
	for {
		job, err := t.jobs.Get(ctx, id)
		if err != nil {
			return toolkit.Result{}, jobError(err, id)
		}
		if job.Done != told {
			told = job.Done
			call.Progress(float64(job.Done), float64(max(job.Total, job.Done)), fmt.Sprintf("%d of %d known pages, %d failed", job.Done, job.Total, job.Failed))
		}
		left := time.Until(end)
		if job.State != jobs.StateRunning || left <= 0 {
			return t.report(ctx, call, id, after)
		}
		select {
		case <-ctx.Done():
			return toolkit.Result{}, context.Cause(ctx)
		case <-time.After(min(pollInterval, left)):
		}
	}
}
