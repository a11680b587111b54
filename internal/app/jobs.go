package app

import (
	"context"
	"errors"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit/grant/operator"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/pool"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/work/crawl"
	"github.com/callsheet/callsheet/internal/work/crawl/render"
	"github.com/callsheet/callsheet/internal/work/jobs"
)

// resumeDelay is the time for which a server runs before it looks for unfinished jobs, so that they do not
// delay its start.
const resumeDelay = time.Second

// JobRunner works on jobs with the browsers of the configuration, without serving tools.
type JobRunner struct {
	Jobs *jobs.Jobs

	crawler *crawl.Crawler
	owned   *pool.Pool // Close ends its browsers; nil where others own them
}

// NewJobRunner returns a runner with a browser of its own. It starts nothing.
func NewJobRunner(cfg Config) (*JobRunner, error) {
	dir, err := statedir.New(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	guard, err := newEnforcer(cfg, &profileUser{id: cfg.SharedSession})
	if err != nil {
		return nil, err
	}
	own := cfg.ownBrowser()
	own.Guard = guard
	all := []*browser.Browser{browser.New(own)}
	for _, endpoint := range cfg.Endpoints {
		own.CDPEndpoint, own.Remote = endpoint, nil
		all = append(all, browser.New(own))
	}
	browsers := pool.New(all...)
	r := newJobRunner(cfg, dir, browsers, guard)
	r.owned = browsers
	return r, nil
}

// newJobRunner returns a runner that uses a pool of browsers, and starts none until a job needs it.
func newJobRunner(cfg Config, dir statedir.Dir, browsers *pool.Pool, guard *enforce.Enforcer) *JobRunner {
	r := &JobRunner{}
	r.crawler = crawl.New(render.New(browsers, renderPowers()), cfg.logger())
	r.crawler.Guard(guard.Transport)
	r.Jobs = jobs.New(jobs.Config{
		Dir: dir, URL: cfg.Database, Slots: cfg.JobSlots, Kinds: []jobs.Kind{r.crawler}, Logger: cfg.logger(),
	})
	return r
}

// Close ends the work of this process and its browsers. Unfinished jobs stay for the next process.
func (r *JobRunner) Close(ctx context.Context) error {
	errs := []error{r.Jobs.Close(ctx)}
	if r.owned != nil {
		errs = append(errs, r.owned.Close(ctx))
	}
	return errors.Join(errs...)
}

// ResumeJobs continues the jobs that an earlier process left unfinished, after resumeDelay. It
// returns at once.
func (a *App) ResumeJobs(ctx context.Context) {
	timer := time.AfterFunc(resumeDelay, func() {
		if err := a.jobs.Jobs.Resume(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("resume jobs", "error", err)
		}
	})
	context.AfterFunc(ctx, func() { timer.Stop() })
}

// renderPowers are granted to crawls by the operator who runs their workers: a crawl outlives the call
// that began it.
func renderPowers() render.Powers {
	g := operator.Grant("crawl")
	return render.Powers{Window: power.NewWindow(g), Navigation: power.NewNavigation(g), Script: power.NewScript(g)}
}
