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
	a.site = cfg.Site
	return cfg.Site.Compose(registry, host.Host{
		Sessions: a.Connections.Set, Artifacts: a.Artifacts, Redact: cfg.Vault.Redact,
		Guard: func(t *toolkit.Tool) {
			a.Connections.RefreshAfterCall(t)
			a.Policy.WrapWorkflow(t)
		},
		Refusal: result.Refusal,
		Update:  a.replaceRows,
	})
}

// replaceRows has every surface serve other rows of an area.
func (a *App) replaceRows(area string, rows []toolkit.Tool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	reg, err := a.Surface.Registry().Replace(area, rows)
	if err != nil {
		return err
	}
	if err := a.Surface.Update(reg); err != nil {
		return err
	}
	for _, s := range a.surfaces {
		if err := s.Update(reg); err != nil {
			a.log.Warn("a scope keeps the tools from before", "error", err)
		}
	}
	return nil
}
