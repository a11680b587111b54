package breaking

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit/compat"
)

// The IDs of this package's rules.
const (
	toolNoDelete       = "TOOL_NO_DELETE"
	toolNoRename       = "TOOL_NO_RENAME"
	toolNoDefer        = "TOOL_NO_DEFER"
	toolNoOptIn        = "TOOL_NO_OPT_IN"
	tierNoRaise        = "TIER_NO_RAISE"
	capabilitySame     = "CAPABILITY_SAME"
	askNoNew           = "ASK_NO_NEW"
	paramNoDelete      = "PARAM_NO_DELETE"
	paramNoNewRequired = "PARAM_NO_NEW_REQUIRED"
	paramSameType      = "PARAM_SAME_TYPE"
	paramEnumNoNarrow  = "PARAM_ENUM_NO_NARROW"
	paramBoundsNarrow  = "PARAM_BOUNDS_NO_NARROW"
	effectSame         = "EFFECT_SAME"
	visibilityNoNarrow = "VISIBILITY_NO_NARROW"
	resultNoNarrow     = "RESULT_NO_NARROW"

	ruleUnused      = "unused-allowance"
	ruleBadAllow    = "bad-allowance"
	ruleBadReleased = "bad-release"
	ruleLost        = "release-lost"
)

// Rules is the table of changes that break clients.
func Rules() []diag.Rule[*Input] {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	return []diag.Rule[*Input]{
		{ID: toolNoDelete, Severity: diag.Error, Doc: compat.Doc(toolNoDelete), Check: checkDeleted},
		{ID: toolNoRename, Severity: diag.Error, Doc: compat.Doc(toolNoRename), Check: checkRenamed},
		{ID: toolNoDefer, Severity: diag.Error, Doc: "A tool of the last release is deferred now: calls that worked are refused." + allow, Check: checkDeferred},
		{ID: toolNoOptIn, Severity: diag.Error, Doc: "A tool of the last release is off now unless the operator asks for its capability, or for another one than before: " +
			"servers that are started as they were no longer have it." + allow, Check: checkOptIn},
		{ID: tierNoRaise, Severity: diag.Error, Doc: "A tool of the last release has a higher tier now. Clients are sent tier 1 and what they reveal, so that those which found " +
			"the tool in their list no longer do." + allow, Check: checkTier},
		{ID: capabilitySame, Severity: diag.Error, Doc: "A tool of the last release is of another capability now. A server that is started with the old one alone no longer has the " +
			"tool, and one that turns the old one off has it again." + allow, Check: checkCapability},
		{ID: askNoNew, Severity: diag.Error, Doc: "A tool asks its client for more than in the last release. A client that has not declared the capability is refused, so that calls " +
			"which worked may not." + allow, Check: checkAsks},
		{ID: paramNoDelete, Severity: diag.Error, Doc: compat.Doc(paramNoDelete), Check: checkParamsDeleted},
		{ID: paramNoNewRequired, Severity: diag.Error, Doc: compat.Doc(paramNoNewRequired), Check: checkNewRequired},
		{ID: paramSameType, Severity: diag.Error, Doc: compat.Doc(paramSameType), Check: checkTypes},
		{ID: paramEnumNoNarrow, Severity: diag.Error, Doc: compat.Doc(paramEnumNoNarrow), Check: checkEnums},
		{ID: paramBoundsNarrow, Severity: diag.Error, Doc: compat.Doc(paramBoundsNarrow), Check: checkBounds},
		{ID: effectSame, Severity: diag.Error, Doc: "A tool promises another effect than in the last release. Clients decide by the effects whether to ask a person first." + allow, Check: checkEffects},
		{ID: visibilityNoNarrow, Severity: diag.Error, Doc: "There is a state in which a tool was visible in the last release and is not now. All legal states are " +
			"looked at; a predicate of facts that no longer exist cannot be compared and counts." + allow, Check: checkVisibility},
		{ID: resultNoNarrow, Severity: diag.Error, Doc: compat.Doc(resultNoNarrow), Check: checkResult},
	}
}

// AllowanceRules is the table about the records of a release: its surface, which has no Check
// because it is read before anything can be compared, and the allowances.
func AllowanceRules() []diag.Rule[*Judgement] {
	return []diag.Rule[*Judgement]{
		{ID: ruleUnused, Severity: diag.Error, Doc: "An allowance allows nothing: no change breaks the rule for the tool. After a release the allowances are spent; delete " +
			"them, or they would cover what nobody has decided.", Check: checkUnused},
		{ID: ruleBadAllow, Severity: diag.Error, Doc: "An allowance names a rule that does not exist, or gives no reason.", Check: checkMalformed},
		{ID: ruleBadReleased, Severity: diag.Error, Doc: "manifest/released.json cannot be read. \"toolgen release VERSION\" writes it, and nothing else does."},
		{ID: ruleLost, Severity: diag.Error, Doc: "manifest/released.json is gone, or is not the record of the release that the lock knows. Without it nothing would be " +
			"promised, and every change would pass. \"toolgen release VERSION\" writes both."},
	}
}

// Change is one change that breaks a client of the old surface.
type Change struct {
	Rule string `json:"rule"`
	Tool string `json:"tool,omitempty"`
	Code string `json:"code,omitempty"` // in place of a tool, where a code of refusals changed
	// Prompt and Resource stand in place of a tool, where one of those changed.
	Prompt   string `json:"prompt,omitempty"`
	Resource string `json:"resource,omitempty"`
	List     string `json:"list,omitempty"` // in place of a tool, where the style of lists changed: annotations
	// Successor is the new name of a tool that seems to be renamed.
	Successor string `json:"successor,omitempty"`
	Message   string `json:"message"`
	Allowed   string `json:"allowed,omitempty"` // the reason of an allowance; "" without one
}

// Position is where the entry of a tool says what the change is about.
func (c Change) Position(t *model.Tool) diag.Pos {
	switch c.Rule {
	case tierNoRaise:
		return t.At.Tier
	case capabilitySame, toolNoOptIn:
		return t.CapabilityPos
	case visibilityNoNarrow:
		return t.At.Visible
	}
	return t.Pos
}

// Narrows reports whether there is a state in which the old predicate holds and the new one does
// not.
type Narrows func(was, now string) (bool, error)

// Compare lists what has changed for the worse, by tool and then in the order of the rules, then codes, prompts and resources.
// Deferred are the names that the new set defers.
func Compare(was, now Surface, deferred []string, narrows Narrows) []Change {
	fresh := slices.DeleteFunc(slices.Clone(now.Tools), func(t Tool) bool {
		return slices.ContainsFunc(was.Tools, func(o Tool) bool { return o.Name == t.Name || slices.Contains(t.Was, o.Name) })
	})
	var changes []Change
	for _, t := range was.Tools {
		in := &Input{was: t, added: fresh, deferred: slices.Contains(deferred, t.Name), narrows: narrows}
		if in.now = find(now, t.Name); in.now != nil {
			t = t.renamed(in.now.Input)
			in.was = t
			in.properties("", t.Input, in.now.Input)
		}
		for _, d := range diag.Check(Rules(), in) {
			c := Change{Rule: d.Rule, Tool: t.Name, Message: d.Message}
			if c.Rule == toolNoRename && in.now == nil {
				c.Successor = in.successor()
			}
			changes = append(changes, c)
		}
	}
	return slices.Concat(changes, compareCodes(was, now), compareEntries(was, now, narrows), compareLists(was, now))
}

// Input is the input of the rules about tools: one tool of the old surface, and the same of the new one.
type Input struct {
	was      Tool
	now      *Tool  // nil when nothing answers to the name
	added    []Tool // tools that the old surface did not have
	deferred bool   // now
	narrows  Narrows
	params   []paramPair
	types    []typePair
}

// find returns the tool that answers to the name; nil when there is none.
func find(in Surface, name string) *Tool {
	for i, t := range in.Tools {
		if t.Name == name || slices.Contains(t.Was, name) {
			return &in.Tools[i]
		}
	}
	return nil
}

func checkDeleted(in *Input, report diag.Report) {
	if in.now == nil {
		if !in.deferred && in.successor() == "" {
			report(diag.Pos{}, "%q is gone", in.was.Name)
		}
		return
	}
	for _, s := range in.was.Scopes {
		if !slices.Contains(in.now.Scopes, s) {
			report(diag.Pos{}, "%q has left scope %q", in.was.Name, s)
		}
	}
}

func checkRenamed(in *Input, report diag.Report) {
	if in.now == nil {
		if name := in.successor(); !in.deferred && name != "" {
			report(diag.Pos{}, "%q seems to be called %q now", in.was.Name, name)
		}
		return
	}
	for _, old := range in.was.Was {
		if !slices.Contains(in.now.Was, old) && in.now.Name != old {
			report(diag.Pos{}, "%q no longer answers to its old name %q", in.was.Name, old)
		}
	}
}

// successor names the new tool with the contract of one that is gone; "" when there is none.
func (in *Input) successor() string {
	var like []string
	for _, t := range in.added {
		if reflect.DeepEqual(t.Input, in.was.Input) && reflect.DeepEqual(t.Output, in.was.Output) && t.Effects == in.was.Effects {
			like = append(like, t.Name)
		}
	}
	if len(like) == 0 {
		return ""
	}
	return cmp.Or(diag.Nearest(in.was.Name, like), like[0])
}

func checkDeferred(in *Input, report diag.Report) {
	if in.now == nil && in.deferred {
		report(diag.Pos{}, "%q was live and is deferred", in.was.Name)
	}
}

func checkOptIn(in *Input, report diag.Report) {
	if in.now != nil && in.now.OptIn != "" && in.now.OptIn != in.was.OptIn {
		report(diag.Pos{}, "%q is off unless the operator asks for %q", in.was.Name, in.now.OptIn)
	}
}

// checkTier passes a record that has no tiers: it promised no list.
func checkTier(in *Input, report diag.Report) {
	if in.now != nil && in.was.Tier > 0 && in.now.Tier > in.was.Tier {
		report(diag.Pos{}, "%q was in tier %d and is in tier %d, so fewer clients are sent it", in.was.Name, in.was.Tier, in.now.Tier)
	}
}

func checkAsks(in *Input, report diag.Report) {
	if in.now == nil {
		return
	}
	for _, kind := range in.now.Asks {
		if !slices.Contains(in.was.Asks, kind) {
			report(diag.Pos{}, "%q asks its client for %s now", in.was.Name, kind)
		}
	}
}

func checkCapability(in *Input, report diag.Report) {
	isOff := in.now != nil && in.now.OptIn != "" && in.now.OptIn != in.was.OptIn // reported as that
	if in.now != nil && !isOff && in.was.Capability != "" && in.now.Capability != in.was.Capability {
		report(diag.Pos{}, "%q was of capability %q and is of %q", in.was.Name, in.was.Capability, in.now.Capability)
	}
}

func checkEffects(in *Input, report diag.Report) {
	if in.now == nil || in.was.Effects == in.now.Effects {
		return
	}
	was, now := in.was.Effects, in.now.Effects
	var changed []string
	for _, e := range []struct {
		name     string
		was, now bool
	}{
		{"read_only", was.ReadOnly, now.ReadOnly}, {"destructive", was.Destructive, now.Destructive},
		{"idempotent", was.Idempotent, now.Idempotent}, {"open_world", was.OpenWorld, now.OpenWorld},
	} {
		if e.was != e.now {
			changed = append(changed, fmt.Sprintf("%s was %v and is %v", e.name, e.was, e.now))
		}
	}
	report(diag.Pos{}, "%q promises other effects: %s", in.was.Name, strings.Join(changed, ", "))
}

func checkVisibility(in *Input, report diag.Report) {
	if in.now == nil || in.was.Visible == in.now.Visible {
		return
	}
	was, now := in.was.Visible, in.now.Visible
	switch narrower, err := in.narrows(was, now); {
	case err != nil:
		report(diag.Pos{}, "when %q was visible (%s) cannot be compared with now (%s): %v", in.was.Name, was, now, err)
	case narrower:
		report(diag.Pos{}, "%q was visible when %s, and is when %s", in.was.Name, was, now)
	}
}

// Implies decides by looking at every legal state.
func Implies(facts []*model.Fact, legal []uint64) Narrows {
	return func(was, now string) (bool, error) {
		old, err := predicate(was, facts)
		if err != nil {
			return false, err
		}
		new, err := predicate(now, facts)
		if err != nil {
			return false, err
		}
		return slices.ContainsFunc(legal, func(s uint64) bool { return old.Holds(s) && !new.Holds(s) }), nil
	}
}

func predicate(text string, facts []*model.Fact) (model.Predicate, error) {
	if strings.TrimSpace(text) == always {
		return model.Predicate{}, nil
	}
	return model.ParsePredicate(text, facts)
}
