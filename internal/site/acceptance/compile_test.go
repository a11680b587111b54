package acceptance_test

import (
	"testing"

	"github.com/callsheet/callsheet/internal/site/compile"
	"github.com/callsheet/callsheet/tools"
)

// TestSitesCompile compiles the sites of examples/sites. None breaks a rule, every tool can be reached
// and every state left, and each has at least eight tools.
func TestSitesCompile(t *testing.T) {
	t.Parallel()
	for _, a := range applications() {
		c, diags, err := compile.Compile("../../../examples/sites/"+a.dir, compile.Options{Builtin: tools.Registry(tools.Needs{})})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range diags {
			t.Errorf("%s: %s [%s]", d.Pos, d.Message, d.Rule)
		}
		if c == nil {
			continue
		}
		t.Logf("%s: %d tools, %d facts, %d states", a.name, len(c.Set.Tools), len(c.Set.Facts), c.States())
		if len(c.Set.Tools) < 8 {
			t.Errorf("%s has %d tools, want 8", a.name, len(c.Set.Tools))
		}
	}
}
