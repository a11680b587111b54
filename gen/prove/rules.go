package prove

import "github.com/callsheet/callsheet/gen/diag"

// Rules lists the prover's rules, in the order in which they are explained.
func Rules() []Rule {
	return append(factRules(), spaceRules()...)
}

// factRules are the rules about written declarations: facts, changes, predicates and promises.
func factRules() []Rule {
	return []Rule{
		{ID: "too-many-facts", Severity: diag.Error, Doc: "The prover looks at every combination of facts, so their number is limited to 20 (a million " +
			"combinations). More facts than that are no longer understood by a reader either: derive some, or drop them.",
			Check: from(written, (*Proof).tooManyFacts)},
		{ID: "unset-fact", Severity: diag.Error, Doc: "A fact that no tool and no event ever sets is false for ever. Every predicate over it is a constant " +
			"in disguise. Say who sets it, under changes or events, or remove it.",
			Check: from(written, (*Proof).unsetFact)},
		{ID: "unused-fact", Severity: diag.Error, Doc: "A fact that no visible predicate, no event condition and no invariant mentions changes nothing, yet " +
			"doubles the number of states. Use it or remove it.",
			Check: from(written, (*Proof).unusedFact)},
		{ID: "change-conflict", Severity: diag.Error, Doc: "A change names a fact once: it sets it, clears it, may set it or may clear it. Only may_set and " +
			"may_clear go together, and say that the fact may be either afterwards; any other pair contradicts itself.",
			Check: from(written, (*Proof).changeConflict)},
		{ID: "illegal-initial-state", Severity: diag.Error, Doc: "A session begins with no fact true. An invariant that is false there is broken before the " +
			"first call, and nothing can be proven from such a beginning.",
			Check: from(bounded, (*Proof).illegalInitialState)},
		{ID: "scenario-illegal", Severity: diag.Error, Doc: "A scenario is a legal set of facts: its tools/list is a promise. One that breaks an invariant " +
			"shows a list nobody can ever receive.",
			Check: from(bounded, (*Proof).scenarioIllegal)},
		{ID: "never-true", Severity: diag.Error, Doc: "A predicate that is false in every legal state hides its tool, prompt or resource, or forbids its event, for ever. " +
			"Usually it contradicts an invariant.",
			Check: from(walked, (*Proof).neverTrue)},
		{ID: "always-true", Severity: diag.Error, Doc: "A predicate that is true in every legal state looks like a condition and is none. Write " +
			"\"always\", so that readers and the compiler know.",
			Check: from(walked, (*Proof).alwaysTrue)},
	}
}

// spaceRules are those about the states that can be reached.
func spaceRules() []Rule {
	return []Rule{
		{ID: "unreachable-tool", Severity: diag.Error, Doc: "Every live tool must be visible in at least one state that a session can reach from its " +
			"beginning, by calling tools that are visible on the way and by events. A tool without such a " +
			"state is promised and never delivered, often because the tool that unlocks it is hidden itself.",
			Check: from(walked, (*Proof).unreachableTool)},
		{ID: "unreachable-entry", Severity: diag.Error, Doc: "Every prompt and every resource must be visible in at least one state that a session can reach. One " +
			"without such a state is promised and never delivered.",
			Check: from(walked, (*Proof).unreachableEntry)},
		{ID: "hidden-unlocker", Severity: diag.Error, Doc: "When only tools set a fact, there must be a way to it from wherever it is false. Here every tool " +
			"that sets the fact is hidden in some reachable state, and neither the visible tools nor events lead to a " +
			"state that shows one: the client is locked out and cannot know why.",
			Check: from(walked, (*Proof).hiddenUnlocker)},
		{ID: "trap-state", Severity: diag.Error, Doc: "From every reachable state there must be a way back to the initial one, through visible tools and " +
			"events. A state without it can only be left by ending the server.",
			Check: from(walked, (*Proof).trapState)},
		{ID: "invariant-broken", Severity: diag.Error, Doc: "A change or an event must lead from a legal state to a legal one. Effects that always happen " +
			"must together respect every invariant; an effect that may happen must respect them in at least one combination " +
			"with the others that may happen (combinations that break an invariant are taken to be impossible). Usually a " +
			"dependent fact was forgotten: what clears connected must clear debugger_enabled too.",
			Check: from(walked, (*Proof).invariantBroken)},
		{ID: "scenario-unreachable", Severity: diag.Error, Doc: "A scenario must be a state a session can reach. A snapshot of any other state proves " +
			"nothing about what clients see.",
			Check: from(walked, (*Proof).scenarioUnreachable)},
		{ID: "idle-listing", Severity: diag.Error, Doc: "A listed condition must change a list that a client can be sent: it holds in some reachable state in " +
			"which the tool is visible, and for a tool of tier 1 not in all of them. A joins condition is for a tool that is not in the core list, " +
			"tier 1: it holds in some reachable state in which the tool is visible, and not in the first one, because every session begins with the core list.",
			Check: from(walked, (*Proof).idleListing)},
		{ID: "list-budget", Severity: diag.Error, Doc: "The tools/list of every reachable state must fit the byte budgets, list_bytes with every tier and " +
			"default_list_bytes before anything is revealed, because a client pays for it in context. The worst state is shown. The core list, " +
			"which has the entries of tier 1 for clients that cannot know the state, must fit default_list_bytes too.",
			Check: from(walked, (*Proof).listBudget)},
	}
}
