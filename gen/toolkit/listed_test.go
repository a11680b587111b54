package toolkit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// listingRegistry has tools with a condition on being listed, and capabilities whose tools are all of a higher tier.
func listingRegistry() *toolkit.Registry {
	r := debugger()
	click := tool("click", "core", 1, says("click"))
	click.Listing, click.Listed = "connected", func(f toolkit.Facts) bool { return f.Has(factConnected) }
	watch := gated("watch", "connected", 2, func(f toolkit.Facts) bool { return f.Has(factConnected) })
	watch.Listing, watch.Listed = "paused", func(f toolkit.Facts) bool { return f.Has(factPaused) }
	watch.StaticDefinition = `{"name":"watch","description":"needs connected"}`
	crawl, status := tool("crawl", "crawl", 2, says("crawl")), tool("crawl_status", "crawl", 3, says("status"))
	r.Tools = append([]toolkit.Tool{click, crawl, status}, append(r.Tools, watch)...)
	last := len(r.Tools) - 1
	for i := range r.Tools[:last] {
		if r.Tools[i].Name == "step" {
			r.Tools[i].Capability = "stepping"
		}
	}
	r.Capabilities = []toolkit.Capability{{Name: "core"}, {Name: "crawl"}, {Name: "stepping"}}
	return r.Index()
}

// listedNames returns the names of a list, in its order.
func listedNames(v *toolkit.Session) string {
	var names []string
	for i := range v.Surface().Registry().Tools {
		if v.Visible().Has(i) {
			names = append(names, v.Surface().Registry().Tools[i].Name)
		}
	}
	return strings.Join(names, " ")
}

func TestListsFollowTheirConditions(t *testing.T) {
	t.Parallel()
	s, err := toolkit.NewSurface(listingRegistry(), toolkit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	changed := 0
	v := s.NewSession("s", func() { changed++ })
	for _, step := range []struct {
		facts toolkit.Facts
		want  string
		news  int
	}{
		{0, "connect", 0},
		{factConnected, "click connect enable", 1},
		{factConnected | factDebugging, "click connect enable", 1},
		{factConnected | factDebugging | factPaused, "click connect enable step watch", 2},
		{factConnected, "click connect enable", 3},
	} {
		v.Replace(step.facts)
		if got := listedNames(v); got != step.want || changed != step.news {
			t.Errorf("in %b %q is listed after %d changes, want %q after %d", step.facts, got, changed, step.want, step.news)
		}
	}
	if _, err := v.Expand(toolkit.Selection{Name: "watch"}); err != nil {
		t.Fatal(err)
	}
	if got := listedNames(v); got != "click connect enable watch" {
		t.Errorf("with watch revealed, %q is listed", got)
	}

	static := s.NewStaticSession("t")
	static.Replace(factConnected)
	if got := listedNames(static); got != "click connect enable step" {
		t.Errorf("a list that follows no facts has %q", got)
	}
	x, err := static.Expand(toolkit.Selection{Name: "watch"})
	if err != nil || !strings.Contains(string(x.Definition), "needs connected") {
		t.Errorf("Expand in a session with a static list returns %s, %v", x.Definition, err)
	}
}

func TestCapabilitiesAskedForByNameAreListed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		opt       toolkit.Options
		want, err string
		revealer  string
	}{
		"a capability without tools of tier 1": {opt: toolkit.Options{ToolsOnly: []string{"crawl"}}, want: "crawl", err: ""},
		"tools of tier 3 alone are left out":   {opt: toolkit.Options{ToolsOnly: []string{"crawl"}}, want: "crawl", revealer: "connect"},
		"nothing is left to reveal":            {opt: toolkit.Options{ToolsOnly: []string{"crawl"}, AllTools: true}, want: "crawl crawl_status", revealer: "connect"},
		"a tool that was excluded by name":     {toolkit.Options{ToolsOnly: []string{"crawl"}, ExcludeTools: []string{"connect"}}, "crawl", "", "connect"},
		"tools that no state will ever show":   {opt: toolkit.Options{ToolsOnly: []string{"stepping"}}, want: "", err: "they need paused, and no tool that is left makes that true; drop one of --tools-only"},
	} {
		reg := listingRegistry()
		reg.Revealer = c.revealer
		s, err := toolkit.NewSurface(reg, c.opt)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, listedNames(s.NewSession("s", nil))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A client that has been notified and calls on without fetching the list is sent the definitions that its list lacks: of what
// became available, of what a refusal names as the way, and of what it asks for by name.
func TestDefinitionsReachClientsThatKeepTheirList(t *testing.T) {
	t.Parallel()
	v := debuggerSession(t, toolkit.Options{})
	says := func(tool, want string) {
		t.Helper()
		var got []string
		for _, c := range call(t, v, tool, "").Content[1:] {
			got = append(got, c.Text)
		}
		if d := cmp.Diff(want, strings.Join(got, "|")); d != "" {
			t.Errorf("%s: -want +got\n%s", tool, d)
		}
	}
	definition := func(name string) string {
		return v.Surface().Tool(name).Definition
	}
	v.List()
	v.Change(factConnected, 0)
	if len(v.NewlyListed()) != 1 {
		t.Fatal("enable is not new")
	}
	v.Announced()
	says("step", "definitions of tools that your list lacks: ["+definition("enable")+"]") // the way to step
	x, err := v.Expand(toolkit.Selection{Name: "enable"})
	if err != nil || string(x.Definition) != "["+definition("enable")+"]" {
		t.Errorf("Expand returns %s, %v", x.Definition, err)
	}
	v.List() // the client fetches after all
	says("step", "")
	if x, err = v.Expand(toolkit.Selection{Name: "enable"}); err != nil || string(x.Definition) != "["+definition("enable")+"]" {
		t.Errorf("Expand of a listed tool returns %s, %v", x.Definition, err)
	}
}
