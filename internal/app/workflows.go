package app

import (
	"os"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

// Workflows says which workflows are offered as tools. The zero value offers none.
type Workflows struct {
	Path   string                     // a directory of workflows or one file; "" is none
	Locked bool                       // refuse servers whose tools differ from servers.lock.json
	Browse func(address string) error // shows an address to the user during a login
}

// withWorkflows opens the workflows of the configuration and adds them to the registry.
func (a *App) withWorkflows(cfg Config, registry *toolkit.Registry) (*toolkit.Registry, error) {
	if cfg.Workflows.Path == "" {
		return registry, nil
	}
	set, err := OpenWorkflows(cfg, a.Artifacts)
	if err != nil {
		return nil, err
	}
	a.Workflows = set
	return set.Compose(registry)
}

// OpenWorkflows reads the workflows of the configuration. No server is started.
func OpenWorkflows(cfg Config, artifacts *artifact.Store) (*workflow.Set, error) {
	dir, err := statedir.New(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	output, _, err := cfg.directories(dir)
	if err != nil {
		return nil, err
	}
	model, err := summary.FromEnvironment(os.Getenv)
	if err != nil {
		return nil, err
	}
	return workflow.Open(workflow.Config{
		Path: cfg.Workflows.Path, State: dir, Locked: cfg.Workflows.Locked, Artifacts: artifacts, Output: output, Model: model,
		Log: cfg.logger(), Version: cfg.Version, Browse: cfg.Workflows.Browse,
	})
}
