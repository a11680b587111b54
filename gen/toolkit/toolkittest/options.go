package toolkittest

import (
	"maps"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/toolkit/code"
)

// Option is a setting of New, Dial or Boundaries.
type Option func(*config)

// config is the settings of a kit, which options change.
type config struct {
	registry  *toolkit.Registry
	area      string
	names     []string // of facts
	facts     toolkit.Facts
	filters   toolkit.Options
	principal string
	layers    []toolkit.Middleware
	revision  string
	overHTTP  bool
	handle    *handleStore // nil where the client forgets the handle of its state
	client    mcp.ClientOptions
	roots     []string
	codes     *code.Table
	samples   samples
}

// Area leaves out the tools, prompts and resources of other areas.
func Area(name string) Option { return func(c *config) { c.area = name } }

// Facts are true in the session from its beginning.
func Facts(names ...string) Option { return func(c *config) { c.names = names } }

// Scope serves a scope; without it the first one is served.
func Scope(name string) Option { return func(c *config) { c.filters.Scope = name } }

// Filters are those of the command line. A scope among them counts when no option Scope follows.
func Filters(opt toolkit.Options) Option { return func(c *config) { c.filters = opt } }

// Principal is on whose behalf the client calls; without it that is "stdio".
func Principal(name string) Option { return func(c *config) { c.principal = name } }

// Layers stand around each call, the first outermost.
func Layers(layers ...toolkit.Middleware) Option { return func(c *config) { c.layers = layers } }

// Revision is that of the protocol; without it WithSessions.
func Revision(version string) Option { return func(c *config) { c.revision = version } }

// OverHTTP connects in the revision without sessions over HTTP, where each call may reach the server alone. sendsBack says
// whether the client sends back the handle of its state, as [mcpserver.Options] describes it; without it each call has a
// state of its own. The methods about facts are then of the last call.
func OverHTTP(sendsBack bool) Option {
	return func(c *config) {
		c.overHTTP, c.revision, c.handle = true, Stateless, nil
		if sendsBack {
			c.handle = &handleStore{}
		}
	}
}

// Client is how the client answers questions, and its handlers of notifications.
func Client(opt mcp.ClientOptions) Option { return func(c *config) { c.client = opt } }

// Roots are the addresses of directories that the client declares.
func Roots(uris ...string) Option { return func(c *config) { c.roots = uris } }

// Codes has the table of codes that the generated package codes has: the envelope of each refusal is held against it.
func Codes(table code.Table) Option { return func(c *config) { c.codes = &table } }

// Sample gives texts that match a pattern of the manifest, for Boundaries, which otherwise draws some. It fails where it can
// draw none.
func Sample(pattern string, texts ...string) Option {
	return func(c *config) {
		if c.samples == nil {
			c.samples = samples{}
		}
		c.samples[pattern] = texts
	}
}

func configOf(t testing.TB, reg *toolkit.Registry, opts []Option) *config {
	t.Helper()
	if reg == nil {
		reg = new(toolkit.Registry).Index()
	}
	c := &config{registry: reg, revision: WithSessions}
	for _, o := range opts {
		o(c)
	}
	c.facts = factsOf(t, reg, c.names)
	if c.area != "" {
		c.registry = areaOf(t, reg, c.area)
	}
	return c
}

// areaOf returns a registry without the rows of other areas.
func areaOf(t testing.TB, reg *toolkit.Registry, area string) *toolkit.Registry {
	t.Helper()
	one, areas := *reg, map[string]bool{}
	one.Tools = slices.DeleteFunc(slices.Clone(reg.Tools), func(x toolkit.Tool) bool { areas[x.Area] = true; return x.Area != area })
	one.Prompts = slices.DeleteFunc(slices.Clone(reg.Prompts), func(x toolkit.Prompt) bool { return x.Area != area })
	one.Resources = slices.DeleteFunc(slices.Clone(reg.Resources), func(x toolkit.Resource) bool { return x.Area != area })
	if !areas[area] {
		t.Fatalf("no tool is of the area %q%s", area, known(area, slices.Sorted(maps.Keys(areas))))
	}
	return one.Index()
}
