package toolkit

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Session is one client's view of a surface: its facts, and what it has had revealed. Its methods
// are safe for concurrent use.
type Session struct {
	ID     string
	Client ClientName

	surface *Surface
	lists   Visibility
	changed func() // called without locks after the visible set has changed
	running running

	mu         sync.Mutex
	facts      Facts
	reports    uint64     // how often Change and Replace have set facts
	subjects   uint64     // how often SwitchSubject was called
	factSource FactSource // facts of addressed connections; nil until Judge
	from       *table     // what the sets below were computed from
	revealed   Set
	listable   Set // listed before anything was revealed, or revealed: what facts choose from
	visible    Set
	joined     []int // of visible, the tools behind the core list, in the order in which they came
	scratch    Set
	changes    uint64 // how often visible has become another set
	client     clientList
	list       []byte // the JSON array of visible; nil until asked for
	notices    []string
	entries    []ListEntry // beside the tools of the surface
}

// ClientName is the name that a client gives itself, perhaps after its session has begun. The zero value is "".
type ClientName struct{ name atomic.Value }

// Set keeps a name.
func (n *ClientName) Set(name string) { n.name.Store(name) }

func (n *ClientName) String() string {
	name, _ := n.name.Load().(string)
	return name
}

// NewSession starts a session whose list is of the surface's Visibility; changed is called whenever its
// list has become another one; it may be nil.
func (s *Surface) NewSession(id string, changed func()) *Session {
	return s.newSession(id, s.opt.Visibility, changed)
}

// NewStaticSession starts a session whose list changes with the surface alone, for clients of stateless protocol
// revisions and for those that cannot follow changes. What expand_tools names is callable all the
// same, and predicates guard calls.
func (s *Surface) NewStaticSession(id string) *Session { return s.newSession(id, Static, nil) }

func (s *Surface) newSession(id string, lists Visibility, changed func()) *Session {
	v := &Session{ID: id, surface: s, lists: lists, changed: changed, from: s.table()}
	v.restart()
	v.client.sent, v.client.has = v.visible, v.visible
	return v
}

// restart computes the list from the table anew. What was revealed stays so as long as it is served.
func (v *Session) restart() {
	switch v.lists {
	case Static:
		v.visible = v.from.initial
		return
	case Core:
		v.listable = v.from.raised
	default:
		v.listable = v.from.followed
	}
	v.listable = v.listable.Union(v.revealed.within(v.from.allowed))
	v.visible = v.compute(Set{})
	v.join(v.visible)
}

// join brings joined up to date with what is visible now. What stays keeps its place, so that a list that grows begins with the
// bytes of the one before.
func (v *Session) join(visible Set) {
	if v.lists != Core {
		return
	}
	v.joined = slices.DeleteFunc(v.joined, func(i int) bool { return !visible.Has(i) || v.from.core.Has(i) })
	for i := range v.from.reg.Tools {
		if visible.Has(i) && !v.from.core.Has(i) && !slices.Contains(v.joined, i) {
			v.joined = append(v.joined, i)
		}
	}
}

// listed is the JSON array of the tools that the session sees.
func (v *Session) listed() []byte {
	if v.lists != Core {
		return v.definitions(v.visible)
	}
	list := v.surface.StaticDefinitions(v.from.core)
	for _, i := range v.joined {
		list = joinArrays(list, v.surface.StaticDefinitions(Set{}.With(i)))
	}
	return list
}

// Surface is the surface the session looks at.
func (v *Session) Surface() *Surface { return v.surface }

// Facts returns the session's facts.
func (v *Session) Facts() Facts {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.facts
}

// List is the JSON array of the tools the session sees now, for sending to its client: what is in
// it is no news any more. The bytes are shared and must not be changed.
func (v *Session) List() []byte {
	list, _ := v.Listing()
	return list
}

// Listing is List with what is in it: what is read apart from the list could be that of another moment.
func (v *Session) Listing() (list []byte, shown Shown) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow()
	if v.list == nil {
		v.list = appendEntries(v.listed(), v.shownEntries())
	}
	v.client.fetch(v.visible, v.changes+1)
	return v.list, v.shown()
}

// Visible is the set of tools the session sees now.
func (v *Session) Visible() Set {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow()
	return v.visible
}

// Change sets and clears facts and, when another set of tools is visible after it, announces that.
func (v *Session) Change(set, clear Facts) {
	v.mu.Lock()
	v.facts = v.facts&^clear | set
	v.reports++
	moved := v.recompute() || v.from.followsFacts
	v.mu.Unlock()
	v.notifyChange(moved)
}

// Replace sets all facts at once, when another connection has become the active one or the active
// one has changed; what is announced is as with Change.
func (v *Session) Replace(facts Facts) {
	v.mu.Lock()
	v.facts = facts
	v.reports++
	moved := v.recompute() || v.from.followsFacts
	v.mu.Unlock()
	v.notifyChange(moved)
}

// SwitchSubject says that the facts that follow are those of another subject: another connection
// became the active one without a call. They are no change of the facts before.
func (v *Session) SwitchSubject() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.subjects++
}

// subjectCount returns how often the subject was switched.
func (v *Session) subjectCount() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.subjects
}

// Reveal adds tools to the session's list, for a client that asked for them and has their
// definitions; tools outside the surface are ignored.
func (v *Session) Reveal(tools Set) {
	v.mu.Lock()
	v.follow()
	tools = tools.within(v.from.allowed)
	v.revealed = v.revealed.Union(tools)
	v.listable = v.listable.Union(tools)
	moved := v.recompute()
	v.client.sent = v.client.sent.Union(tools.within(v.visible)) // the others will be news once their predicate holds
	v.mu.Unlock()
	v.notifyChange(moved)
}

func (v *Session) notifyChange(moved bool) {
	if moved && v.changed != nil {
		v.changed()
	}
}

// recompute brings visible up to date and reports whether it is another set. The caller holds mu.
func (v *Session) recompute() bool {
	v.follow()
	if v.lists == Static {
		return false
	}
	v.scratch = v.compute(v.scratch)
	if v.scratch.Equal(v.visible) {
		return false
	}
	v.join(v.scratch)
	v.visible, v.scratch = v.scratch, Set{} // sets are values: the old one may be in use elsewhere
	v.changes++
	v.list = nil
	return true
}

// compute fills into with the tools that are visible under the session's facts.
func (v *Session) compute(into Set) Set {
	reg := v.from.reg
	into.copyFrom(reg.always, len(reg.Tools))
	for i := range reg.groups {
		if g := &reg.groups[i]; g.holds(v.facts) {
			into.add(g.tools)
		}
	}
	var joined Set
	for _, g := range reg.added(v.lists) {
		if g.holds(v.facts) {
			joined = joined.Union(g.tools.within(v.from.added))
		}
	}
	listable := v.listable.Union(joined)
	for _, g := range v.from.borrowed {
		if g.holds(v.facts) {
			listable = listable.Union(g.tools)
		}
	}
	into.keep(listable)
	if v.lists == Core { // a state that forbids a call refuses it, so that lists do not change for that
		into.add(v.from.core.Union(joined))
	}
	return into
}

// Selection picks tools for Expand; exactly one field is set.
type Selection struct {
	Name, Capability, Query string
	Tier                    int // this tier and those above it in the list, that is with smaller numbers
	// Bytes bounds Definition, 0 does not. A query reveals only the best matches that fit, and always
	// the first; a capability is revealed whole, without definitions where they do not fit.
	Bytes int
}

// Expansion is the result of Expand.
type Expansion struct {
	Tools      []*Tool // what was asked for and is served, sorted by name; best match first for a query
	Shown      []*Tool // those of Tools that were not listed before
	Waiting    []*Tool // revealed, but listed only once their predicate holds
	More       []*Tool // further matches of a query, which are not revealed
	Withheld   []*Tool // asked for, but excluded by the command line
	Definition []byte  // JSON array of the full definitions of Shown, and of a tool that is asked for by name
}

// maxMatches is the most tools that a query reveals: more would defeat its purpose.
const maxMatches = 8

// Expand reveals tools to the session and returns their definitions. It can never reach beyond the
// surface: a single excluded tool or capability is a Refusal, and so is a name that does not exist.
func (v *Session) Expand(sel Selection) (Expansion, error) {
	chosen, err := toolFinder{v}.choose(sel)
	if err != nil {
		return Expansion{}, err
	}
	var out Expansion
	var reveal, show Set
	held, facts := v.held(), v.Facts()
	for _, i := range chosen {
		t := &v.surface.table().reg.Tools[i]
		if sel.Tier != 0 && strings.HasPrefix(v.surface.table().excludedBy[i], missingFlag) {
			continue // an opt-in capability must be asked for by name
		}
		if !v.surface.table().allowed.Has(i) {
			out.Withheld = append(out.Withheld, t)
			continue
		}
		if sel.Query != "" && !held.Has(i) && out.Shown != nil && (out.More != nil || v.exceeds(show.With(i), sel.Bytes)) {
			out.More = append(out.More, t)
			continue
		}
		out.Tools = append(out.Tools, t)
		switch reveal = reveal.With(i); {
		case t.Visible != nil && !t.Visible(facts):
			out.Waiting = append(out.Waiting, t)
		case !held.Has(i):
			out.Shown = append(out.Shown, t)
			show = show.With(i)
		}
	}
	if len(out.Tools) == 0 && len(out.Withheld) > 0 {
		i, _ := v.surface.table().reg.Lookup(out.Withheld[0].Name)
		return Expansion{}, v.surface.excluded(i)
	}
	if sel.Query != "" || !v.exceeds(show, sel.Bytes) {
		out.Definition = v.definitions(show)
	}
	if sel.Name != "" {
		out.Definition = v.definitions(reveal)
		if full := v.surface.fullDefinition(chosen); full != nil {
			out.Definition = full
		}
	}
	v.Reveal(reveal)
	if sel.Tier == 0 && len(out.Definition) > 0 {
		v.learn(show)
	}
	return out, nil
}

// definitions concatenates the list entries of a set. A list that cannot follow facts names those that a tool
// needs.
func (v *Session) definitions(set Set) []byte {
	if v.lists == Follow {
		return v.surface.Definitions(set)
	}
	return v.surface.CoreDefinitions(set)
}

// exceeds reports whether the definitions of a set are longer than a limit; 0 is no limit.
func (v *Session) exceeds(set Set, limit int) bool {
	return limit > 0 && len(v.definitions(set)) > limit
}

// choose lists the indices a selection means, within the scope.
func (v toolFinder) choose(sel Selection) ([]int, error) {
	reg := v.surface.table().reg
	switch {
	case sel.Name != "":
		i, ok := reg.Lookup(sel.Name)
		if !ok || !reg.Tools[i].inScope(v.surface.scope) {
			return nil, v.unknown(sel.Name).refusal()
		}
		return []int{i}, nil
	case sel.Capability != "":
		if names := reg.capabilityNames(); !slices.Contains(names, sel.Capability) {
			return nil, Refuse(UnknownCapability, fmt.Sprintf("unknown capability %q%s; known: %s",
				sel.Capability, didYouMean(sel.Capability, names), strings.Join(names, ", ")))
		}
		return v.toolsWhere(func(t *Tool) bool { return t.Capability == sel.Capability }), nil
	case sel.Query != "":
		return v.search(sel.Query), nil
	}
	return v.toolsWhere(func(t *Tool) bool { return t.Tier <= sel.Tier }), nil
}

func (v toolFinder) toolsWhere(keep func(*Tool) bool) []int {
	var out []int
	for i := range v.surface.table().reg.Tools {
		if t := &v.surface.table().reg.Tools[i]; t.inScope(v.surface.scope) && keep(t) {
			out = append(out, i)
		}
	}
	return out
}

// follow takes over the surface's latest table. The caller holds mu. What was revealed stays so as
// long as it is served.
func (v *Session) follow() {
	now := v.surface.table()
	if now == v.from {
		return
	}
	v.from, v.list = now, nil
	v.restart()
	if v.lists != Static {
		v.changes++
	}
}
