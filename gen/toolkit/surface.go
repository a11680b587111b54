package toolkit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Surface is the set of tools that a process may show to any client: scope ∩ capability filter ∩ per-tool lists
// ∩ flags. Every path to a tool goes through it: list, call and anything that calls on a client's
// behalf. Its gates are fixed; Update gives it another version of its registry.
type Surface struct {
	opt   Options
	scope string
	slim  bool
	run   CallHandler // dispatch and the layers around it
	now   atomic.Pointer[table]

	mu      sync.Mutex
	updated []func() // called after an update that changes what clients are sent
	// resourceUpdated are called with the address of a resource that has other contents.
	resourceUpdated []func(uri string)
}

// table is a registry with the tools that pass the gates. Tables are immutable. A later one has every
// row of an earlier one at the same index, so that an index or a Set stays good.
type table struct {
	reg        *Registry
	lists      Visibility // of sessions
	allowed    Set
	initial    Set      // allowed and listed before anything is revealed, facts aside
	followed   Set      // of initial, the tools that facts do not add to the list of a client that follows it
	core       Set      // of initial, the tools that the core list has in every state
	raised     Set      // of initial, the tools of higher tiers whose capability is asked for by name
	borrowed   []group  // of initial, the tools that another capability than their own has, by their condition
	added      Set      // allowed, and listed where a condition of theirs says so; not those that are raised
	excludedBy []string // per tool: the flag that excludes it, or ""
	prompts    Set      // those that any session may get
	resources  Set      // those that any session may read
	// followsFacts reports that prompts or resources have predicates.
	followsFacts bool
}

func (s *Surface) table() *table { return s.now.Load() }

// NewSurface applies the gates. It fails closed: an unknown capability or tool, a contradiction, or
// gates that leave nothing are errors, all of them at once, each naming the valid values and the
// nearest one. The layers stand around every call, the first outermost.
func NewSurface(reg *Registry, opt Options, layers ...Middleware) (*Surface, error) {
	opt.Visibility = cmp.Or(opt.Visibility, Follow)
	s := &Surface{opt: opt, scope: opt.Scope, slim: opt.Slim, run: chain(layers)}
	if s.scope == "" && len(reg.Scopes) > 0 {
		s.scope = reg.Scopes[0]
	}
	t, err := s.gate(reg)
	if err != nil {
		return nil, err
	}
	s.now.Store(t)
	return s, nil
}

// gate applies the gates to a registry.
func (s *Surface) gate(reg *Registry) (*table, error) {
	var c gateCheck
	opt, t := s.opt, &table{reg: reg, lists: s.opt.Visibility, excludedBy: make([]string, len(reg.Tools))}
	c.known("--scope", "scope", []string{s.scope}, reg.Scopes)
	if opt.Profile != "" {
		c.known(flagProfile, "profile", []string{opt.Profile}, reg.profileNames())
	}
	c.known(flagToolsOnly, "capability", opt.ToolsOnly, reg.capabilityNames())
	c.known(flagDisableTools, "capability", opt.DisableTools, reg.capabilityNames())
	c.known(flagDisableSurfaces, "policy surface", opt.DisableSurfaces, reg.surfaceNames())
	c.known("powers", "power", opt.Powers, reg.powerNames())
	c.known("opt-in", "capability", opt.OptIn, reg.optIns())
	only := c.tools(reg, s.scope, flagTools, opt.Tools)
	except := c.tools(reg, s.scope, flagExcludeTools, opt.ExcludeTools)
	c.contradictions(reg, opt, only, except)
	if err := c.err(); err != nil {
		return nil, err
	}
	for i := range reg.Tools {
		if p := reg.profile(opt.Profile); p != nil && p.excludes(&reg.Tools[i]) {
			t.excludedBy[i] = flagProfile
			continue
		}
		t.excludedBy[i] = reg.excludingFlag(&reg.Tools[i], opt, i, only, except)
		if flag := reg.missing(&reg.Tools[i], opt); flag != "" && t.excludedBy[i] == "" {
			t.excludedBy[i] = flag
		}
	}
	t.allowed.fill(len(reg.Tools), func(i int) bool { return reg.Tools[i].inScope(s.scope) && t.excludedBy[i] == "" })
	t.prompts.fill(len(reg.Prompts), func(i int) bool { return s.admits(reg, &reg.Prompts[i].Entry) })
	t.resources.fill(len(reg.Resources), func(i int) bool { return s.admits(reg, &reg.Resources[i].Entry) })
	t.followsFacts = slices.ContainsFunc(reg.Prompts, func(p Prompt) bool { return p.Visible != nil }) ||
		slices.ContainsFunc(reg.Resources, func(r Resource) bool { return r.Visible != nil })
	t.list(s.scope, opt, only)
	if t.allowed.Len() == 0 {
		return nil, fmt.Errorf("the flags leave no tool to serve; drop one of %s%s", strings.Join(opt.filters(reg), ", "), t.otherScopes(opt.ToolsOnly, s.scope))
	}
	if needs := t.neverListed(); needs != "" && len(opt.filters(reg)) > 0 {
		return nil, fmt.Errorf("the flags leave no tool that could ever be listed: they need %s, and no tool that is left makes that true; drop one of %s",
			needs, strings.Join(opt.filters(reg), ", "))
	}
	opt.ToolsOnly, opt.DisableTools = nil, nil
	t.keepRevealer(s.scope, opt, only, except)
	return t, nil
}

// otherScopes names a scope that has tools of the capabilities when the one that is served has none, as an alternative.
func (t *table) otherScopes(capabilities []string, served string) string {
	for i := range t.reg.Tools {
		if tool := &t.reg.Tools[i]; slices.Contains(capabilities, tool.Capability) && !tool.inScope(served) && len(tool.Scopes) > 0 {
			return fmt.Sprintf(", or serve --scope %s, which has tools of capability %q", tool.Scopes[0], tool.Capability)
		}
	}
	return ""
}

// excludingFlag names the flag that keeps tool t (index i) off the surface, or "".
func (r *Registry) excludingFlag(t *Tool, opt Options, i int, only, except []int) string {
	switch {
	case len(opt.ToolsOnly) > 0 && !slices.Contains(opt.ToolsOnly, t.Capability) && t.also(opt.ToolsOnly) == nil:
		return flagToolsOnly
	case slices.Contains(opt.DisableTools, t.Capability):
		return flagDisableTools
	case len(opt.Tools) > 0 && !slices.Contains(only, i):
		return flagTools
	case slices.Contains(except, i):
		return flagExcludeTools
	case opt.ReadOnly && !t.Effects.ReadOnly:
		return flagReadOnly
	case opt.withheldAlways(r, t) != "":
		return opt.withheldAlways(r, t)
	case opt.Slim && t.SlimDefinition == "":
		return flagSlim
	}
	return ""
}

// Options returns the gates of the surface. Its lists are shared and must not be changed.
func (s *Surface) Options() Options { return s.opt }

// Registry is the registry behind the surface.
func (s *Surface) Registry() *Registry { return s.table().reg }

// Allowed is the set of tools that any session of this surface may call.
func (s *Surface) Allowed() Set { return s.table().allowed }

// Allows reports whether the surface serves the tool at all, whatever its tier and the session's
// facts.
func (s *Surface) Allows(name string) bool {
	i, ok := s.table().reg.Lookup(name)
	return ok && s.table().allowed.Has(i)
}

// Tool finds a tool of the registry by its name or an old one; nil if there is none.
func (s *Surface) Tool(name string) *Tool {
	i, ok := s.table().reg.Lookup(name)
	if !ok {
		return nil
	}
	return &s.table().reg.Tools[i]
}

// Capabilities lists the capabilities of which the surface serves at least one tool, in manifest
// order.
func (s *Surface) Capabilities() []Capability {
	return slices.DeleteFunc(slices.Clone(s.table().reg.Capabilities), func(c Capability) bool {
		return !slices.ContainsFunc(s.AllowedTools(), func(t *Tool) bool { return t.Capability == c.Name })
	})
}

// AllowedTools lists the tools any session of this surface may call, sorted by name.
func (s *Surface) AllowedTools() []*Tool {
	var out []*Tool
	for i := range s.table().reg.Tools {
		if s.table().allowed.Has(i) {
			out = append(out, &s.table().reg.Tools[i])
		}
	}
	return out
}

// Definitions concatenates the list entries of a set into one JSON array. Entries are compiled
// text: nothing is marshalled.
func (s *Surface) Definitions(set Set) []byte {
	return joinEntries(len(s.table().reg.Tools), set, s.definition)
}

// StaticDefinitions is Definitions for lists that do not follow facts.
func (s *Surface) StaticDefinitions(set Set) []byte {
	return joinEntries(len(s.table().reg.Tools), set, s.staticDefinition)
}

// CoreDefinitions is StaticDefinitions with the core first, so that a list that has more begins with the same bytes.
func (s *Surface) CoreDefinitions(set Set) []byte {
	core := set.within(s.table().core)
	return joinArrays(s.StaticDefinitions(core), s.StaticDefinitions(set.without(core)))
}

// joinArrays concatenates two JSON arrays into the memory of the first.
func joinArrays(a, b []byte) []byte {
	switch {
	case len(b) == len("[]"):
		return a
	case len(a) == len("[]"):
		return b
	}
	return append(append(a[:len(a)-1], ','), b[1:]...)
}

// staticDefinition is the entry of a list that does not follow facts: it says which state the tool needs.
func (s *Surface) staticDefinition(i int) string {
	if t := &s.table().reg.Tools[i]; t.StaticDefinition != "" && !s.slim {
		return s.withOutput(t, t.StaticDefinition)
	}
	return s.definition(i)
}

// joinEntries writes the entries of a set, out of n, as a JSON array.
func joinEntries(n int, set Set, entry func(int) string) []byte {
	size := 2
	for i := range n {
		if set.Has(i) {
			size += len(entry(i)) + 1
		}
	}
	out := append(make([]byte, 0, size), '[')
	for i := range n {
		if !set.Has(i) {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, entry(i)...)
	}
	return append(out, ']')
}

func (s *Surface) definition(i int) string {
	if s.slim {
		return s.table().reg.Tools[i].SlimDefinition
	}
	t := &s.table().reg.Tools[i]
	return s.withOutput(t, t.Definition)
}

// withOutput is an entry with the schema of the output, if the operator wants it and the entry leaves it out.
func (s *Surface) withOutput(t *Tool, entry string) string {
	if !s.opt.OutputSchemas || t.UnlistedOutput == "" {
		return entry
	}
	return strings.TrimSuffix(entry, "}") + `,"outputSchema":` + t.UnlistedOutput + "}"
}

// ListsOutput reports whether lists have the schema of a tool's structured content.
func (s *Surface) ListsOutput(name string) bool {
	t := s.Tool(name)
	return t != nil && !s.slim && t.OutputSchema != "" && (t.UnlistedOutput == "" || s.opt.OutputSchemas)
}

// fullDefinition is the entry of one tool with the parameters that lists leave out, as a JSON array; nil
// when there are none.
func (s *Surface) fullDefinition(chosen []int) []byte {
	if len(chosen) != 1 || s.slim || !s.table().allowed.Has(chosen[0]) {
		return nil
	}
	if t := &s.table().reg.Tools[chosen[0]]; t.FullDefinition != "" {
		return []byte("[" + s.withOutput(t, t.FullDefinition) + "]")
	}
	return nil
}

// excluded explains a tool that is in scope but barred.
func (s *Surface) excluded(i int) *Refusal {
	t, flag := &s.table().reg.Tools[i], s.table().excludedBy[i]
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

// OnUpdate has f called after each update that changes the lists of clients.
func (s *Surface) OnUpdate(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.updated = append(s.updated, f)
}

// Update serves another version of the registry, made by Replace of the one before. Calls under way
// end with the version that they began with. An error, such as a flag that names a tool which is
// gone, leaves the surface as it is.
func (s *Surface) Update(reg *Registry) error {
	next, err := s.gate(reg)
	if err != nil {
		return err
	}
	was := s.now.Swap(next)
	if s.sendsSame(was, next) {
		return nil
	}
	s.mu.Lock()
	updated := slices.Clone(s.updated)
	s.mu.Unlock()
	for _, f := range updated {
		f()
	}
	return nil
}

// sendsSame reports whether clients are sent the same of both tables.
func (s *Surface) sendsSame(was, now *table) bool {
	if !was.allowed.Equal(now.allowed) || !was.initial.Equal(now.initial) || !was.followed.Equal(now.followed) || !was.core.Equal(now.core) {
		return false
	}
	for i := range was.reg.Tools {
		a, b := &was.reg.Tools[i], &now.reg.Tools[i]
		if now.allowed.Has(i) && (a.Definition != b.Definition || a.SlimDefinition != b.SlimDefinition || a.StaticDefinition != b.StaticDefinition) {
			return false
		}
	}
	same := func(a, b Entry) bool { return a.Definition == b.Definition }
	return slices.EqualFunc(was.reg.Prompts, now.reg.Prompts, func(a, b Prompt) bool { return same(a.Entry, b.Entry) }) &&
		slices.EqualFunc(was.reg.Resources, now.reg.Resources, func(a, b Resource) bool { return same(a.Entry, b.Entry) })
}
