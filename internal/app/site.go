package app

import (
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/site/host"
)

// withSite adds the tools of the configured site to the registry.
func (a *App) withSite(cfg Config, registry *toolkit.Registry) (*toolkit.Registry, error) {
	if cfg.Site == nil {
		return registry, nil
	}
	return cfg.Site.Compose(registry, host.Host{
		Sessions: a.Connections.Set, Artifacts: a.Artifacts, Redact: cfg.Vault.Redact, Guard: a.Policy.WrapWorkflow,
		Refusal: func(call *toolkit.Call, err error) error { return result.Refusal(call, err) },
	})
}
