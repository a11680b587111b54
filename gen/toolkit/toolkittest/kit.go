package toolkittest

import (
	"slices"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// Option changes what New and Boundaries make.
type Option func(*config)

// config is what the options have chosen.
type config struct {
	registry *toolkit.Registry
	area     string
}

// Area leaves out the tools, prompts and resources of other areas, whose handlers may then be missing.
func Area(name string) Option { return func(c *config) { c.area = name } }

func configOf(t testing.TB, reg *toolkit.Registry, opts []Option) *config {
	t.Helper()
	c := &config{registry: reg}
	for _, o := range opts {
		o(c)
	}
	if c.area != "" {
		one := *reg
		one.Tools = slices.DeleteFunc(slices.Clone(reg.Tools), func(x toolkit.Tool) bool { return x.Area != c.area })
		if len(one.Tools) == 0 {
			t.Fatalf("no tool is of the area %q", c.area)
		}
		c.registry = one.Index()
	}
	return c
}
