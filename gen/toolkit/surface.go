package toolkit

import (
	"fmt"
	"slices"
	"strconv"
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
	NoEvaluate   bool     // no tool that runs script of the caller in a page
	Slim         bool     // the short list
	AllTools     bool     // every tier listed from the start
}

// Flags by which a tool can be excluded, as refusals and start-up errors name them.
const (
	flagProfile      = "--profile"
	flagToolsOnly    = "--tools-only"
	flagDisableTools = "--disable-tools"
	flagTools        = "--tools"
	flagExcludeTools = "--exclude-tools"
	flagReadOnly     = "--read-only"
	flagNoEvaluate   = "--no-evaluate"
	flagSlim         = "--slim"
	flagAllTools     = "--all-tools"
)

// surfaceEvaluate is the policy surface of script that a caller brings.
const surfaceEvaluate = "evaluate"

// Surface is what a process may ever show to any client: scope ∩ capability filter ∩ per-tool lists
// ∩ flags. It is immutable, and every path to a tool goes through it: list, call and anything that
// calls on a client's behalf.
type Surface struct {
	reg        *Registry
	scope      string
	slim       bool
	script     bool // callers may bring script
	allowed    Set
	initial    Set         // allowed and listed before anything is revealed, facts aside
	excludedBy []string    // per tool: the flag that excludes it, or ""
	run        CallHandler // dispatch and the layers around it
}

// NewSurface applies the gates. It fails closed: an unknown capability or tool, a contradiction, or
// gates that leave nothing are errors, all of them at once, each naming the valid values and the
// nearest one. The layers stand around every call, the first outermost.
func NewSurface(reg *Registry, opt Options, layers ...Middleware) (*Surface, error) {
	s := &Surface{
		reg: reg, scope: opt.Scope, slim: opt.Slim, script: !opt.NoEvaluate, excludedBy: make([]string, len(reg.Tools)), run: chain(layers),
	}
	var c gateCheck
	if s.scope == "" && len(reg.Scopes) > 0 {
		s.scope = reg.Scopes[0]
	}
	c.known("--scope", "scope", []string{s.scope}, reg.Scopes)
	if opt.Profile != "" {
		c.known(flagProfile, "profile", []string{opt.Profile}, reg.profileNames())
	}
	c.known(flagToolsOnly, "capability", opt.ToolsOnly, reg.capabilityNames())
	c.known(flagDisableTools, "capability", opt.DisableTools, reg.capabilityNames())
	c.known("opt-in", "capability", opt.OptIn, reg.optIns())
	only := c.tools(reg, s.scope, flagTools, opt.Tools)
	except := c.tools(reg, s.scope, flagExcludeTools, opt.ExcludeTools)
	c.contradictions(reg, opt, only, except)
	if err := c.err(); err != nil {
		return nil, err
	}
	for i := range reg.Tools {
		if p := reg.profile(opt.Profile); p != nil && p.excludes(&reg.Tools[i]) {
			s.excludedBy[i] = flagProfile
			continue
		}
		s.excludedBy[i] = excludingFlag(&reg.Tools[i], opt, i, only, except)
		if flag := reg.missing(&reg.Tools[i], opt); flag != "" && s.excludedBy[i] == "" {
			s.excludedBy[i] = flag
		}
	}
	s.allowed.fill(len(reg.Tools), func(i int) bool { return reg.Tools[i].inScope(s.scope) && s.excludedBy[i] == "" })
	s.initial.fill(len(reg.Tools), func(i int) bool {
		return s.allowed.Has(i) && (opt.AllTools || opt.Slim || reg.Tools[i].Tier <= 1 || slices.Contains(only, i))
	})
	if s.allowed.Len() == 0 {
		return nil, fmt.Errorf("the flags leave no tool to serve; drop one of %s", strings.Join(opt.filters(), ", "))
	}
	return s, nil
}

// excludingFlag names the flag that keeps tool t (index i) off the surface, or "".
func excludingFlag(t *Tool, opt Options, i int, only, except []int) string {
	switch {
	case len(opt.ToolsOnly) > 0 && !slices.Contains(opt.ToolsOnly, t.Capability):
		return flagToolsOnly
	case slices.Contains(opt.DisableTools, t.Capability):
		return flagDisableTools
	case len(opt.Tools) > 0 && !slices.Contains(only, i):
		return flagTools
	case slices.Contains(except, i):
		return flagExcludeTools
	case opt.ReadOnly && !t.Effects.ReadOnly:
		return flagReadOnly
	case opt.NoEvaluate && slices.Contains(t.Surfaces, surfaceEvaluate):
		return flagNoEvaluate
	case opt.Slim && t.SlimDefinition == "":
		return flagSlim
	}
	return ""
}

// filters lists the gates that are in use.
func (o Options) filters() []string {
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
	add(o.NoEvaluate, flagNoEvaluate)
	add(o.Slim, flagSlim)
	return out
}

// Registry is the registry behind the surface.
func (s *Surface) Registry() *Registry { return s.reg }

// Allowed is the set of tools that any session of this surface may call.
func (s *Surface) Allowed() Set { return s.allowed }

// Allows reports whether the surface serves the tool at all, whatever its tier and the session's
// facts.
func (s *Surface) Allows(name string) bool {
	i, ok := s.reg.Lookup(name)
	return ok && s.allowed.Has(i)
}

// Tool finds a tool of the registry by its name or an old one; nil if there is none.
func (s *Surface) Tool(name string) *Tool {
	i, ok := s.reg.Lookup(name)
	if !ok {
		return nil
	}
	return &s.reg.Tools[i]
}

// Scripts reports whether callers may bring script of their own. Tools that exist for it are not
// served otherwise; one that takes script among other things asks here.
func (s *Surface) Scripts() bool { return s.script }

// Capabilities lists the capabilities of which the surface serves at least one tool, in manifest
// order.
func (s *Surface) Capabilities() []Capability {
	return slices.DeleteFunc(slices.Clone(s.reg.Capabilities), func(c Capability) bool {
		return !slices.ContainsFunc(s.AllowedTools(), func(t *Tool) bool { return t.Capability == c.Name })
	})
}

// AllowedTools lists the tools any session of this surface may call, sorted by name.
func (s *Surface) AllowedTools() []*Tool {
	var out []*Tool
	for i := range s.reg.Tools {
		if s.allowed.Has(i) {
			out = append(out, &s.reg.Tools[i])
		}
	}
	return out
}

// Definitions concatenates the list entries of a set into one JSON array. Entries are compiled
// text: nothing is marshalled.
func (s *Surface) Definitions(set Set) []byte {
	size := 2
	for i := range s.reg.Tools {
		if set.Has(i) {
			size += len(s.definition(i)) + 1
		}
	}
	out := append(make([]byte, 0, size), '[')
	for i := range s.reg.Tools {
		if !set.Has(i) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, s.definition(i)...)
	}
	return append(out, ']')
}

func (s *Surface) definition(i int) string {
	if s.slim {
		return s.reg.Tools[i].SlimDefinition
	}
	return s.reg.Tools[i].Definition
}

// excluded explains a tool that is in scope but barred.
func (s *Surface) excluded(i int) *Refusal {
	t, flag := &s.reg.Tools[i], s.excludedBy[i]
	if optIn, ok := strings.CutPrefix(flag, missingFlag); ok {
		r := Refuse(CapabilityDisabled, fmt.Sprintf("capability %q is off unless the server is started with %s; only its operator can turn it on",
			t.Capability, optIn), Field{"capability", t.Capability}, Field{"flag", optIn})
		r.Tool = t.Name
		return r
	}
	if flag == flagToolsOnly || flag == flagDisableTools {
		r := Refuse(CapabilityDisabled, fmt.Sprintf("capability %q is off in this server (%s); %s",
			t.Capability, flag, "only its operator can turn it on"), Field{"capability", t.Capability})
		r.Tool = t.Name
		return r
	}
	r := Refuse(ToolDisabled, fmt.Sprintf("this server was started so that %s is not served (%s); only its operator can change that",
		strconv.Quote(t.Name), flag), Field{"flag", flag})
	r.Tool = t.Name
	return r
}
