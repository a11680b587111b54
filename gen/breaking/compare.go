package breaking

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
)

// The TabIDs of this package's rules.
const (
	toolNoDelete       = "TOOL_NO_DELETE"
	toolNoRename       = "TOOL_NO_RENAME"
	toolNoDefer        = "TOOL_NO_DEFER"
	toolNoOptIn        = "TOOL_NO_OPT_IN"
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
)

// Rules lists what this package can report.
func Rules() []diag.Rule {
	const allow = " If it is meant, allow it in manifest/allowances.yaml and say why."
	rules := []diag.Rule{
		{ID: toolNoDelete, Doc: "A tool of the last release is gone, or has left a scope that promised it." + allow},
		{ID: toolNoRename, Doc: "A tool of the last release is gone, and a new one has the same contract: it was renamed. Write the old name under " +
			"was, and calls by it keep working."},
		{ID: toolNoDefer, Doc: "A tool of the last release is deferred now: calls that worked are refused." + allow},
		{ID: toolNoOptIn, Doc: "A tool of the last release is off now unless the operator asks for its capability, or for another one than before: " +
			"servers that are started as they were no longer have it." + allow},
		{ID: paramNoDelete, Doc: "A parameter of the last release is gone. Arguments are strict, so calls that give it are refused." + allow},
		{ID: paramNoNewRequired, Doc: "A parameter has become required, alone or under a condition, so that calls which worked are refused. Give a " +
			"new parameter a default instead." + allow},
		{ID: paramSameType, Doc: "A parameter has another type than in the last release." + allow},
		{ID: paramEnumNoNarrow, Doc: "A parameter no longer takes a value of its enum, or has got an enum." + allow},
		{ID: paramBoundsNarrow, Doc: "A limit of a parameter is tighter than in the last release: its least or greatest value, length or number of " +
			"items, or a pattern. Of two patterns nobody can say which is wider, so any other one counts." + allow},
		{ID: effectSame, Doc: "A tool promises another effect than in the last release. Clients decide by the effects whether to ask a person first." + allow},
		{ID: visibilityNoNarrow, Doc: "There is a state in which a tool was visible in the last release and is not now. All legal states are " +
			"looked at; a predicate of facts that no longer exist cannot be compared and counts." + allow},
		{ID: resultNoNarrow, Doc: "A member of a tool's result is gone, no longer sure to be there, or of another type, or the result is free text " +
			"now." + allow},
		{ID: ruleUnused, Doc: "An allowance allows nothing: no change breaks the rule for the tool. After a release the allowances are spent; delete " +
			"them, or they would cover what nobody has decided."},
		{ID: ruleBadAllow, Doc: "An allowance names a rule that does not exist, or gives no reason."},
		{ID: ruleBadReleased, Doc: "manifest/released.json cannot be read. \"toolgen release VERSION\" writes it, and nothing else does."},
	}
	for i := range rules {
		rules[i].Severity = diag.Error
	}
	return rules
}

// BadRelease is the diagnostic of a record that cannot be read.
func BadRelease(file string, err error) diag.List {
	var diags diag.List
	diags.Errorf(diag.Pos{File: file}, ruleBadReleased, "%v", err).Hint = "restore it, or run: go tool toolgen release VERSION"
	return diags
}

// Change is one thing that a client of the old surface could trip over.
type Change struct {
	Rule    string `json:"rule"`
	Tool    string `json:"tool"`
	Message string `json:"message"`
	Allowed string `json:"allowed,omitempty"` // why it is meant; "" when nobody said so
}

// Narrows reports whether there is a state in which the old predicate holds and the new one does not.
type Narrows func(was, now string) (bool, error)

// Compare lists what has changed for the worse, by tool and then in the order of the rules. Deferred are the names that
// the new set defers.
func Compare(was, now Surface, deferred []string, narrows Narrows) []Change {
	c := &comparer{deferred: deferred, narrows: narrows, now: now}
	c.fresh = slices.DeleteFunc(slices.Clone(now.Tools), func(t Tool) bool {
		return slices.ContainsFunc(was.Tools, func(o Tool) bool { return o.Name == t.Name || slices.Contains(t.Was, o.Name) })
	})
	for _, t := range was.Tools {
		c.tool = t.Name
		c.compare(t)
	}
	return c.changes
}

type comparer struct {
	tool     string
	changes  []Change
	deferred []string
	fresh    []Tool // tools that the old surface did not have
	now      Surface
	narrows  Narrows
}

func (c *comparer) add(rule, format string, args ...any) {
	c.changes = append(c.changes, Change{Rule: rule, Tool: c.tool, Message: fmt.Sprintf(format, args...)})
}

// find is the tool that answers to the name now.
func (c *comparer) find(name string) (Tool, bool) {
	for _, t := range c.now.Tools {
		if t.Name == name || slices.Contains(t.Was, name) {
			return t, true
		}
	}
	return Tool{}, false
}

func (c *comparer) compare(was Tool) {
	now, ok := c.find(was.Name)
	if !ok {
		c.gone(was)
		return
	}
	for _, s := range was.Scopes {
		if !slices.Contains(now.Scopes, s) {
			c.add(toolNoDelete, "%q has left scope %q", was.Name, s)
		}
	}
	for _, old := range was.Was {
		if !slices.Contains(now.Was, old) && now.Name != old {
			c.add(toolNoRename, "%q no longer answers to its old name %q", was.Name, old)
		}
	}
	if now.OptIn != "" && now.OptIn != was.OptIn {
		c.add(toolNoOptIn, "%q is off unless the operator asks for %q", was.Name, now.OptIn)
	}
	c.properties("", was.Input, now.Input)
	c.requirements(was, now)
	if was.Effects != now.Effects {
		c.add(effectSame, "the effects of %q were %+v and are %+v", was.Name, was.Effects, now.Effects)
	}
	c.visibility(was, now)
	c.result(was, now)
}

// gone says what became of a tool that is not there: deferred, renamed or deleted.
func (c *comparer) gone(was Tool) {
	if slices.Contains(c.deferred, was.Name) {
		c.add(toolNoDefer, "%q was live and is deferred", was.Name)
		return
	}
	var like []string
	for _, t := range c.fresh {
		if reflect.DeepEqual(t.Input, was.Input) && reflect.DeepEqual(t.Output, was.Output) && t.Effects == was.Effects {
			like = append(like, t.Name)
		}
	}
	if len(like) > 0 {
		near := diag.Nearest(was.Name, like)
		if near == "" {
			near = like[0]
		}
		c.add(toolNoRename, "%q seems to be called %q now, without \"was: [%s]\"", was.Name, near, was.Name)
		return
	}
	c.add(toolNoDelete, "%q is gone", was.Name)
}

func (c *comparer) visibility(was, now Tool) {
	if was.Visible == now.Visible {
		return
	}
	narrower, err := c.narrows(was.Visible, now.Visible)
	switch {
	case err != nil:
		c.add(visibilityNoNarrow, "when %q was visible (%s) cannot be compared with now (%s): %v", was.Name, was.Visible, now.Visible, err)
	case narrower:
		c.add(visibilityNoNarrow, "%q was visible when %s, and is when %s", was.Name, was.Visible, now.Visible)
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
