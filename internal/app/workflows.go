package app

import (
	"net/http"
	"os"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/policy/enforce"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
	"github.com/callsheet/callsheet/internal/workflow"
	"github.com/callsheet/callsheet/internal/workflow/summary"
)

// Workflows says which workflows are offered as tools. The zero value offers none.
type Workflows struct {
	Path   string                     // a directory of workflows or one file; "" means none
	Locked bool                       // refuse servers whose tools differ from servers.lock.json
	Browse func(address string) error // shows an address to the user during a login
}

// withWorkflows opens the workflows of the configuration and adds them to the registry.
func (a *App) withWorkflows(cfg Config, registry *toolkit.Registry) (*toolkit.Registry, error) {
	if cfg.Workflows.Path == "" {
		return registry, nil
	}
	set, err := openWorkflows(cfg, a.Artifacts, a.Policy)
	if err != nil {
		return nil, err
	}
	a.Workflows = set
	return set.Compose(registry)
}

// watchWorkflows brings every surface up to date when the files of workflows change.
func (a *App) watchWorkflows() {
	if a.Workflows == nil {
		return
	}
	a.Workflows.Watch(a.replaceRows)
}

// OpenWorkflows reads the workflows of the configuration. No server is started.
func OpenWorkflows(cfg Config, artifacts *artifact.Store) (*workflow.Set, error) {
	guard, err := newEnforcer(cfg, &profileUser{id: cfg.SharedSession})
	if err != nil {
		return nil, err
	}
	return openWorkflows(cfg, artifacts, guard)
}

func openWorkflows(cfg Config, artifacts *artifact.Store, guard *enforce.Enforcer) (*workflow.Set, error) {
	dir, err := statedir.New(cfg.StateDir)
	if err != nil {
		return nil, err
	}
	output, _, err := cfg.directories(dir, &profileUser{id: cfg.SharedSession})
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
		Guard: guard, Transport: guard.Transport(http.DefaultTransport.(*http.Transport).Clone()),
	})
}
