package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// resolveTab returns the session's tab for the alias of a step. A new alias is a tab that opened
// meanwhile. For the first alias of a script whose step navigates, resolveTab opens a new tab.
func (r *run) resolveTab(ctx context.Context, s *recorder.Step, end time.Time) (string, *Drift, error) {
	if s.Tab == "" {
		return r.currentTab, nil, nil
	}
	if replayKind(s) == toolset.ReplayOpenTab { // the answer brings the tab
		return "", nil, nil
	}
	if id, ok := r.tabs[s.Tab]; ok {
		r.currentTab = id
		return id, nil, nil
	}
	if len(r.tabs) == 0 && replayKind(s) == toolset.ReplayNavigate {
		return r.openTab(ctx, s.Tab)
	}
	if len(r.tabs) == 0 {
		return "", &Drift{Kind: DriftStart, Expected: "a tab at " + s.URL, Found: "none",
			Reason: "the recording begins on a page that was open already; open it and name its tab"}, nil
	}
	for {
		r.assignAliases()
		if id := r.tabs[s.Tab]; id != "" {
			r.currentTab = id
			return id, nil, nil
		}
		if id := r.claimTab(ctx, s); id != "" {
			r.tabs[s.Tab], r.currentTab = id, id
			return id, nil, nil
		}
		if time.Now().After(end) {
			return "", &Drift{Kind: DriftTab, Expected: "tab " + s.Tab + " at " + s.URL, Found: "no new tab",
				Reason: "no step has opened it"}, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return "", nil, err
		}
	}
}

// openTab opens a tab for an alias, so that a replay does not touch the tabs that are open.
func (r *run) openTab(ctx context.Context, alias string) (string, *Drift, error) {
	c, err := r.Set.Get("")
	if err != nil {
		return "", nil, err
	}
	tab, err := c.Session().OpenBlank(ctx, r.Window)
	if err != nil {
		return "", nil, fmt.Errorf("open a tab: %w", err)
	}
	r.tabs[alias], r.currentTab = tab.ID(), tab.ID()
	return tab.ID(), nil, nil
}

// assignAliases assigns the recorded aliases to newly opened tabs, in the order in which they
// opened.
func (r *run) assignAliases() {
	r.addUnclaimedTabs(r.tabIDs()) // some open a moment after the step that caused them
	for len(r.pendingAliases) > 0 {
		alias := r.pendingAliases[0]
		if r.tabs[alias] == "" {
			if len(r.unclaimedTabs) == 0 {
				return
			}
			r.tabs[alias], r.unclaimedTabs = r.unclaimedTabs[0], r.unclaimedTabs[1:]
		}
		r.pendingAliases = r.pendingAliases[1:]
	}
}

// waitForOpenedTabs waits for the tabs that a step opened and that later steps use.
func (r *run) waitForOpenedTabs(ctx context.Context, s *recorder.Step, end time.Time) (*Drift, error) {
	r.pendingAliases = append(r.pendingAliases, s.OpenedTabs...)
	for r.assignAliases(); ; r.assignAliases() {
		missing := ""
		for _, alias := range s.OpenedTabs {
			if r.tabs[alias] == "" && slices.ContainsFunc(r.steps, func(o recorder.Step) bool { return o.Tab == alias && o.Seq > s.Seq }) {
				missing = alias
			}
		}
		switch {
		case missing == "":
			return nil, nil
		case time.Now().After(end):
			return &Drift{Kind: DriftTab, Expected: "a new tab", Found: "none", Reason: "the step opened a tab then, and opens none now"}, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return nil, err
		}
	}
}

// claimTab returns the tab for a new alias: the one at the recorded address, or the one that opened
// first; "" for none.
func (r *run) claimTab(ctx context.Context, s *recorder.Step) string {
	if len(r.unclaimedTabs) == 0 {
		return ""
	}
	at := 0
	for i, id := range r.unclaimedTabs {
		if url, _ := r.tabURL(ctx, id); sameShape(url, s.URL) {
			at = i
			break
		}
	}
	id := r.unclaimedTabs[at]
	r.unclaimedTabs = slices.Delete(r.unclaimedTabs, at, at+1)
	return id
}

// addUnclaimedTabs adds the tabs that opened during the replay and have no alias.
func (r *run) addUnclaimedTabs(now []string) {
	for _, id := range now {
		if !slices.Contains(r.initialTabs, id) && !slices.Contains(r.unclaimedTabs, id) && !r.hasTab(id) {
			r.unclaimedTabs = append(r.unclaimedTabs, id)
		}
	}
}

func (r *run) hasTab(id string) bool {
	for _, known := range r.tabs {
		if known == id {
			return true
		}
	}
	return false
}

// tabIDs returns the tabs of the active connection.
func (r *run) tabIDs() []string {
	c, err := r.Set.Get("")
	if err != nil {
		return nil
	}
	return c.Session().TabIDs()
}

var (
	downloadPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^download (d[0-9]+) `) })
	createdPattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(t[0-9]+) `) })
)

// readIDs reads from a step's result the ids that later steps may name: of the tab that it created,
// and of downloads.
func (r *run) readIDs(s *recorder.Step, text string) {
	if replayKind(s) == toolset.ReplayOpenTab && s.Tab != "" {
		if m := createdPattern().FindStringSubmatch(text); m != nil {
			r.tabs[s.Tab], r.currentTab = m[1], m[1]
		}
	}
	was, now := downloadPattern().FindAllStringSubmatch(s.Summary, -1), downloadPattern().FindAllStringSubmatch(text, -1)
	for i := range min(len(was), len(now)) {
		r.downloads[was[i][1]] = now[i][1]
	}
}

// ownTabParameter returns the parameter in which a step's call gets the step's own tab; "" when it
// gets none. A list of tabs says all that a call is about.
func (r *run) ownTabParameter(s *recorder.Step, args map[string]any) string {
	own := r.tabParameter(s.Tool)
	if _, given := args[own]; given {
		return own
	}
	for name, value := range args {
		if _, list := value.([]any); list && r.traits(s.Tool).Role("/"+argument.Escape(name)+"/0") == toolset.RoleTab {
			return ""
		}
	}
	return own
}

// replaceIDs exchanges the names that the recording has for tabs and downloads for those of this
// session.
func (r *run) replaceIDs(s *recorder.Step, args map[string]any) {
	replaceByRole(s.Tool, args, toolset.RoleTab, func(alias string) string { return r.tabs[alias] })
	replaceByRole(s.Tool, args, toolset.RoleDownload, func(id string) string {
		if now, ok := r.downloads[id]; ok {
			return now
		}
		return id
	})
}

// waitForNamedTabs waits for the tabs that arguments name besides the step's own. An alias without
// a tab is a drift: as an id, it may belong to any other tab of the session.
func (r *run) waitForNamedTabs(ctx context.Context, s *recorder.Step, args map[string]any, end time.Time) (*Drift, error) {
	for {
		strange := ""
		replaceByRole(s.Tool, args, toolset.RoleTab, func(alias string) string {
			if r.tabs[alias] == "" {
				strange = alias
			}
			return alias
		})
		switch {
		case strange == "":
			return nil, nil
		case time.Now().After(end):
			return &Drift{Kind: DriftTab, Expected: "tab " + strange, Found: "no such tab", Reason: "no step has opened it"}, nil
		}
		if err := waitForPoll(ctx); err != nil {
			return nil, err
		}
		r.assignAliases()
	}
}

// replaceByRole replaces every string in arguments that has a role, also in the arguments of nested
// calls.
func replaceByRole(tool string, args map[string]any, role toolkit.Role, exchange func(string) string) {
	for pointer, r := range argument.Roles(tool, args) {
		if r != role {
			continue
		}
		in, last, err := findParent(args, pointer)
		if err != nil { // the pointer comes from these arguments
			continue
		}
		switch v := in.(type) {
		case map[string]any:
			v[last] = exchange(v[last].(string))
		case []any:
			if i, err := strconv.Atoi(last); err == nil {
				v[i] = exchange(v[i].(string))
			}
		}
	}
}

// traits returns the traits of a tool; zero when there is no such tool.
func (r *run) traits(tool string) toolkit.Traits {
	i, ok := r.Registry.Lookup(tool)
	if !ok {
		return toolkit.Traits{}
	}
	return r.Registry.Tools[i].Traits
}

// tabParameter returns the parameter by which a tool's calls name one tab, or "".
func (r *run) tabParameter(tool string) string {
	for _, p := range r.traits(tool).Roles {
		if name := p.Path[1:]; p.Role == toolset.RoleTab && !strings.Contains(name, "/") {
			return name
		}
	}
	return ""
}

// targets returns the elements that a step needs: the recorded ones, or the one that the result of
// a call by query names. A replay must not repeat the query, which matches by similarity.
func (r *run) targets(s *recorder.Step, args map[string]any) map[string]locate.Identity {
	out := s.Targets
	if _, words := args["query"].(string); words && toolset.TraitsOf(s.Tool).Role("/query") == toolset.RoleQuery && len(out) == 0 {
		if id, ok := ActedElement(s.Summary); ok {
			out = map[string]locate.Identity{"/query": id}
		}
	}
	return out
}

// actedPattern matches the beginning of an action's result: clicked button "Save" [e5].
var actedPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z-]+ ([a-z]+) ("(?:[^"\\]|\\.)*") \[e[0-9]+\]`)
})

// ActedElement returns the element that an action's result names, by role and name.
func ActedElement(summary string) (id locate.Identity, ok bool) {
	m := actedPattern().FindStringSubmatch(summary)
	if m == nil {
		return id, false
	}
	id.Role = m[1]
	return id, json.Unmarshal([]byte(m[2]), &id.Name) == nil && id.Name != ""
}

func asUnrecognised(err error, no **locate.NotRelocatedError) bool { return errors.As(err, no) }

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}
