package main

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"

	"github.com/callsheet/callsheet/examples/minimal/generated/registry"
)

// TestBoundaries gives every parameter of every tool values just inside and just outside of what the manifest allows.
// No handler runs.
func TestBoundaries(t *testing.T) {
	toolkittest.Boundaries(t, registry.New(registry.Handlers{}))
}
