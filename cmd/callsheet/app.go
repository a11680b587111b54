package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// app is what is served: a surface, and what stands behind its handlers.
type app struct {
	surface *toolkit.Surface
	ended   func(sessionID string)      // a client has gone; what its session owned can go
	close   func(context.Context) error // everything goes
}

// build joins configuration, browser and tools. Nothing is started before the first call needs it. Its errors are
// mistakes in the configuration.
func build(cfg config, _ *slog.Logger) (app, error) {
	about := toolkit.Tool{
		Name: "about", Description: "Name and version of this server.", Capability: "core", Scopes: []string{"default"},
		Tier: 1, Effects: toolkit.Effects{ReadOnly: true, Idempotent: true}, ResultBytes: 1000, Timeout: time.Second,
		Definition: `{"name":"about","description":"Name and version of this server.",` +
			`"inputSchema":{"type":"object","properties":{},"additionalProperties":false}}`,
		Invoke: func(context.Context, *toolkit.Call, []byte) (toolkit.Result, error) {
			return toolkit.Text("callsheet " + version), nil
		},
	}
	registry := &toolkit.Registry{
		Tools: []toolkit.Tool{about}, Capabilities: []toolkit.Capability{{Name: "core"}}, Scopes: []string{"default"},
	}
	surface, err := toolkit.NewSurface(registry.Index(), cfg.Surface)
	if err != nil {
		return app{}, err
	}
	return app{
		surface: surface,
		ended:   func(string) {},
		close:   func(context.Context) error { return nil },
	}, nil
}
