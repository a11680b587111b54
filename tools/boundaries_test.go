package tools_test

import (
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit/toolkittest"
	"github.com/callsheet/callsheet/tools"
)

// TestBoundaries holds the decoder of each tool against its schema at every boundary.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	toolkittest.Boundaries(t, tools.Registry(tools.Needs{}))
}
