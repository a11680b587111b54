package toolkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Options are the filters of the command line. The zero value serves the first scope, unfiltered.
type Options struct {
	Scope        string   // "" means the registry's first
	Profile      string   // "" means none
	ToolsOnly    []string // capabilities: only these
	DisableTools []string // capabilities: all but these
	OptIn        []string // opt-in capabilities that are on
	Tools        []string // tools: only these, listed whatever their tier
	ExcludeTools []string // tools: all but these
	ReadOnly     bool     // only tools that promise to change nothing
	// DisableSurfaces are policy surfaces: no call has a power that belongs to one.
	DisableSurfaces []string
	// Powers are the only powers that a call may have; nil stands for every power.
	Powers        []string
	Slim          bool       // the short list
	AllTools      bool       // every tier listed from the start
	Visibility    Visibility // "" is Follow
	MaxResult     int        // bytes of text in the result of a call; 0 is DefaultMaxResult
	OutputSchemas bool       // lists have the schemas of outputs, also where the manifest leaves them out; the short list never has
}

// Visibility says what changes the lists of sessions. Stateless clients are sent Static lists whatever it is.
type Visibility string

// The kinds of visibility.
const (
	// Follow lists in each state what makes sense there: tools come and go.
	Follow Visibility = "follow"
	// Core lists the core, which is tier 1, in every state, and behind it what the state adds and what was revealed.
	Core Visibility = "core"
	// Static lists never change: facts are guards only, and reveals show in answers only.
	Static Visibility = "static"
)

// Visibilities lists the kinds of visibility.
func Visibilities() []Visibility { return []Visibility{Core, Follow, Static} }

// Flags by which a tool can be excluded, as refusals and start-up errors name them.
const (
	flagProfile      = "--profile"
	flagToolsOnly    = "--tools-only"
	flagDisableTools = "--disable-tools"
	flagTools        = "--tools"
	flagExcludeTools = "--exclude-tools"
	flagReadOnly     = "--read-only"
	flagSlim         = "--slim"
	flagAllTools     = "--all-tools"
	// flagPowers names the limit of one caller's powers, which no flag sets.
	flagPowers = "limited powers for this caller"
	// flagDisableSurfaces names a policy surface that has no flag of its own.
	flagDisableSurfaces = "--disable-surfaces"
)

// filters lists the gates that are in use.
func (o Options) filters(reg *Registry) []string {
	var out []string
	add := func(used bool, flag string) {
		if used {
			out = append(out, flag)
		}
	}
	add(o.Profile != "", flagProfile)
	add(len(o.ToolsOnly) > 0, flagToolsOnly)
	add(len(o.DisableTools) > 0, flagDisableTools)
	add(len(o.Tools) > 0, flagTools)
	add(len(o.ExcludeTools) > 0, flagExcludeTools)
	add(o.ReadOnly, flagReadOnly)
	for _, s := range o.DisableSurfaces {
		add(true, reg.surfaceFlag(s))
	}
	add(o.Powers != nil, flagPowers)
	add(o.Slim, flagSlim)
	return out
}

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
	for _, name := range opt.ToolsOnly {
		if slices.Contains(reg.optIns(), name) && !slices.Contains(opt.OptIn, name) {
			c.addf("%s asks for capability %q, which is off without --%s; add that", flagToolsOnly, name, name)
		}
	}
	for n, i := range only {
		t, name := &reg.Tools[i], opt.Tools[min(n, len(opt.Tools)-1)]
		if slices.Contains(except, i) {
			c.addf("tool %q is in both %s and %s; keep it in one", name, flagTools, flagExcludeTools)
			continue
		}
		alone := opt
		alone.Tools, alone.ExcludeTools, alone.Powers = nil, nil, nil
		if flag := reg.excludingFlag(t, alone, i, nil, nil); flag != "" {
			c.addf("%s asks for %q, which %s excludes (capability %q); drop one of the two", flagTools, name, flag, t.Capability)
		} else if flag := reg.missing(t, opt); flag != "" {
			c.addf("%s asks for %q, whose capability is off %s; add that", flagTools, name, flag)
		}
	}
	if opt.Slim && opt.AllTools {
		c.addf("%s and %s contradict each other; keep one", flagSlim, flagAllTools)
	}
}

// missingFlag is how a bar begins that a flag would lift; the others are flags themselves.
const missingFlag = "without "

// missing names the flag that a tool of an opt-in capability waits for, or is "".
func (r *Registry) missing(t *Tool, opt Options) string {
	for _, c := range r.Capabilities {
		if c.Name == t.Capability && c.OptIn && !slices.Contains(opt.OptIn, c.Name) {
			return missingFlag + "--" + c.Name
		}
	}
	return ""
}

// optIns lists the capabilities that are off unless they are asked for, in manifest order.
func (r *Registry) optIns() []string {
	out := []string{}
	for _, c := range r.Capabilities {
		if c.OptIn {
			out = append(out, c.Name)
		}
	}
	return out
}

func didYouMean(name string, valid []string) string {
	if near := Nearest(name, valid); near != "" {
		return fmt.Sprintf(", did you mean %q?", near)
	}
	return ""
}
