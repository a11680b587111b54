package toolkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// gateCheck collects what is wrong with the gates of a command line.
type gateCheck struct{ problems []error }

func (c *gateCheck) err() error { return errors.Join(c.problems...) }

func (c *gateCheck) addf(format string, args ...any) {
	c.problems = append(c.problems, fmt.Errorf(format, args...))
}

// known reports every name that is not one of valid.
func (c *gateCheck) known(flag, kind string, names, valid []string) {
	for _, n := range names {
		if slices.Contains(valid, n) {
			continue
		}
		c.addf("%s: unknown %s %q%s; known: %s", flag, kind, n, didYouMean(n, valid), strings.Join(valid, ", "))
	}
}

// tools resolves tool names, old ones too, to indices within the scope.
func (c *gateCheck) tools(reg *Registry, scope, flag string, names []string) []int {
	var out []int
	for _, n := range names {
		if i, ok := reg.Lookup(n); ok && reg.Tools[i].inScope(scope) {
			out = append(out, i)
			continue
		}
		var valid []string
		for i := range reg.Tools {
			if reg.Tools[i].inScope(scope) {
				valid = append(valid, reg.Tools[i].Name)
			}
		}
		c.addf("%s: unknown tool %q%s; known: %s", flag, n, didYouMean(n, valid), strings.Join(valid, ", "))
	}
	return out
}

// contradictions reports demands that cannot all be met.
func (c *gateCheck) contradictions(reg *Registry, opt Options, only, except []int) {
	for _, name := range opt.ToolsOnly {
		if slices.Contains(opt.DisableTools, name) {
			c.addf("capability %q is in both %s and %s; keep it in one", name, flagToolsOnly, flagDisableTools)
		}
	}
	for n, i := range only {
		t, name := &reg.Tools[i], opt.Tools[min(n, len(opt.Tools)-1)]
		if slices.Contains(except, i) {
			c.addf("tool %q is in both %s and %s; keep it in one", name, flagTools, flagExcludeTools)
			continue
		}
		alone := opt
		alone.Tools, alone.ExcludeTools = nil, nil
		if flag := bar(t, alone, i, nil, nil); flag != "" {
			c.addf("%s asks for %q, which %s excludes (capability %q); drop one of the two", flagTools, name, flag, t.Capability)
		}
	}
	if opt.Slim && opt.AllTools {
		c.addf("%s and %s contradict each other; keep one", flagSlim, flagAllTools)
	}
}

func didYouMean(name string, valid []string) string {
	if near := Nearest(name, valid); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
