package app

import (
	"context"
	"errors"

	"github.com/callsheet/callsheet/internal/app/metrics"
	"github.com/callsheet/callsheet/internal/engine/chromium"
)

// maxCountedJobs bounds the jobs of which metrics tell the states, the newest first.
const maxCountedJobs = 10_000

// state is the state of the server for its metrics.
func (a *App) state() (s metrics.State) {
	s.Sessions, s.Tabs, s.Browsers = a.Connections.Usage()
	if a.jobs.Jobs.Exists() {
		s.Jobs = a.countJobs
	}
	return s
}

func (a *App) countJobs(ctx context.Context) (map[string]int, error) {
	all, err := a.jobs.Jobs.List(ctx, maxCountedJobs)
	byState := make(map[string]int)
	for _, job := range all {
		byState[job.State]++
	}
	return byState, err
}

// Ready returns what keeps calls from succeeding: that there is no browser to launch, that the state directory cannot be
// written, that the database of jobs does not answer. It starts nothing.
func (a *App) Ready(ctx context.Context) error {
	_, err := a.subject.State.Make()
	if launches := a.subject.Browser; launches.CDPEndpoint == "" && launches.Remote == nil {
		_, missing := chromium.FindExecutable(launches.Executable)
		err = errors.Join(err, missing)
	}
	if a.jobs.Jobs.Exists() {
		_, late := a.jobs.Jobs.List(ctx, 1)
		err = errors.Join(err, late)
	}
	return err
}
