package policy

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
)

// decisionRule is one line of decisions. An empty list matches everything.
type decisionRule struct {
	powers    []string
	tools     []string // may contain *; a name with a colon is SERVER:TOOL
	workflows []string // may contain *
	origins   []pattern
	verdict   Verdict
	rule      Rule
	all       bool // it names no power, tool, workflow or origin
}

func (r *reader) decisions(p *Policy, key yamltree.Text, n *yamltree.Node) {
	if n.Kind != yamltree.ListNode {
		r.diags.Errorf(n.Pos, ruleValue, "%s must be a list, not %s", key.Value, n.Kind)
		return
	}
	for _, item := range n.Items {
		r.decision(p, item)
	}
}

func (r *reader) decision(p *Policy, item *yamltree.Node) {
	var d decisionRule
	var origins *patternList
	r.Fields(item, "a decision", map[string]yamltree.NodeField{
		"power": r.known(&d.powers, "power", r.names.Powers), "tool": r.tools(&d.tools), "workflow": r.workflows(&d.workflows),
		"origin": r.patterns(&origins, "decisions.origin"),
		"decision": func(_ yamltree.Text, n *yamltree.Node) {
			d.verdict = Verdict(n.Text.Value)
			if valid := []string{string(Allow), string(Ask), string(Deny)}; !slices.Contains(valid, n.Text.Value) {
				r.suggest(r.diags.Errorf(n.Pos, ruleValue, "decision cannot be %q", n.Text.Value), n.Text.Value, valid)
			}
		},
	})
	if item.Kind != yamltree.MappingNode {
		return
	}
	if item.Member("decision") == nil {
		r.diags.Errorf(item.Pos, ruleMissing, "the decision is missing").Hint = "add decision: allow, ask or deny"
	}
	if origins != nil {
		d.origins = origins.patterns
	}
	if i := slices.IndexFunc(p.decisions, func(o decisionRule) bool { return o.all }); i >= 0 {
		w := r.diags.Warnf(item.Pos, ruleDuplicate, "this decision is never reached")
		w.Related = &diag.Related{Pos: p.decisions[i].rule.Pos, Message: "this one decides about every call"}
	}
	if len(d.powers) > 0 && slices.ContainsFunc(d.tools, isServerTool) {
		r.diags.Warnf(item.Pos, ruleUnchecked, "the powers of servers' tools are not known, so this decision matches none of their calls")
	}
	d.rule, d.all = ruleAt(item.Pos, d.text()), len(item.Members) == 1 && item.Member("decision") != nil
	p.decisions = append(p.decisions, d)
}

// known reads names and reports those that the vocabulary lacks.
func (r *reader) known(dst *[]string, what string, valid []string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		for _, item := range r.texts(key, n) {
			r.addKnown(dst, what, valid, item)
		}
	}
}

func (r *reader) addKnown(dst *[]string, what string, valid []string, item yamltree.Text) {
	if !slices.ContainsFunc(valid, func(name string) bool { return glob(item.Value, name) }) {
		r.suggest(r.diags.Errorf(item.Pos, ruleName, "there is no %s %q", what, item.Value), item.Value, valid)
		return
	}
	*dst = append(*dst, item.Value)
}

// isServerTool reports whether a name is that of a tool of a server that workflows call, SERVER:TOOL.
func isServerTool(name string) bool { return strings.Contains(name, ":") }

// tools reads names of tools. Those of servers are known when the servers run.
func (r *reader) tools(dst *[]string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		for _, item := range r.texts(key, n) {
			if !isServerTool(item.Value) {
				r.addKnown(dst, "tool", r.names.Tools, item)
				continue
			}
			if server, tool, _ := strings.Cut(item.Value, ":"); server == "" || tool == "" {
				r.diags.Errorf(item.Pos, ruleName, "%q is no tool of a server", item.Value).Hint = "write SERVER:TOOL, as the steps of workflows do"
				continue
			}
			r.diags.Warnf(item.Pos, ruleUnchecked, "%s is not checked: the tools of servers are known when those run", item.Value)
			*dst = append(*dst, item.Value)
		}
	}
}

// workflows reads names of workflows, which come and go while the server runs.
func (r *reader) workflows(dst *[]string) yamltree.NodeField {
	return func(key yamltree.Text, n *yamltree.Node) {
		for _, item := range r.texts(key, n) {
			r.diags.Warnf(item.Pos, ruleUnchecked, "workflow %s is not checked: workflows are known when the server runs", item.Value)
			*dst = append(*dst, item.Value)
		}
	}
}

func (d decisionRule) text() string {
	var parts []string
	if len(d.powers) > 0 {
		parts = append(parts, "power "+strings.Join(d.powers, ", "))
	}
	if len(d.tools) > 0 {
		parts = append(parts, "tool "+strings.Join(d.tools, ", "))
	}
	if len(d.workflows) > 0 {
		parts = append(parts, "workflow "+strings.Join(d.workflows, ", "))
	}
	for _, o := range d.origins {
		parts = append(parts, strings.TrimPrefix(o.rule.Text, "decisions."))
	}
	return "decisions: " + strings.Join(append(parts, string(d.verdict)), " ")
}

// Call is a call of a tool to decide about.
type Call struct {
	Tool     string // SERVER:TOOL for a step's call of a server
	Workflow bool   // the tool is a workflow
	Powers   []string
	Origin   string // the address of the tab's document, or ""
}

// Call decides about a call: for each of its powers the first rule that matches, and of those the
// strictest. A rule without a power matches every call, one with a power only calls that use it.
func (p *Policy) Call(c Call) Decision {
	from, _ := parseTarget(c.Origin)
	out, decided := Decision{Verdict: Allow, Rule: Rule{Text: "no decision names this call"}}, false
	powers := c.Powers
	if len(powers) == 0 {
		powers = []string{""}
	}
	for _, power := range powers {
		i := slices.IndexFunc(p.decisions, func(d decisionRule) bool { return d.matches(c, power, from) })
		d := decisionRule{verdict: Ask, rule: Rule{Text: "a person is asked about the power " + power}}
		switch {
		case i >= 0:
			d = p.decisions[i]
		case !slices.Contains(p.asks, power):
			continue
		}
		if !decided || severity(d.verdict) > severity(out.Verdict) {
			out, decided = Decision{Verdict: d.verdict, Rule: d.rule}, true
		}
	}
	switch {
	case out.Verdict != Allow && out.Rule.IsDefault():
		out.Remedy = "add a decision that allows it to " + p.where()
	case out.Verdict != Allow:
		out.Remedy = "put a decision that allows it before " + out.Rule.String()
	}
	return out
}

func severity(v Verdict) int { return slices.Index([]Verdict{Allow, Ask, Deny}, v) }

func (d decisionRule) matches(c Call, power string, from target) bool {
	named := func(names []string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return glob(name, c.Tool) })
	}
	return (len(d.powers) == 0 || slices.ContainsFunc(d.powers, func(p string) bool { return glob(p, power) && power != "" })) &&
		(len(d.tools)+len(d.workflows) == 0 || named(d.tools) || c.Workflow && named(d.workflows)) &&
		(len(d.origins) == 0 || slices.ContainsFunc(d.origins, func(o pattern) bool { return o.matches(from) }))
}

// DecidesCalls reports whether a call that uses powers may need a decision.
func (p *Policy) DecidesCalls(powers []string) bool {
	return len(p.decisions) > 0 || p.AsksAbout(powers)
}

// Navigation decides about the address of a document, in a tab or a frame.
func (p *Policy) Navigation(address string) Decision {
	return p.address(address, p.navigation, "origins")
}

// Subresource decides about any other request of a page.
func (p *Policy) Subresource(address string) Decision {
	t, ok := parseTarget(address)
	if ok && t.opaque { // data:, blob: and about: reach nothing
		if t.scheme != "file" {
			return Decision{Verdict: Allow, Rule: Rule{Text: t.scheme + ": reaches no network"}}
		}
	}
	return p.address(address, p.subresources, "origins.subresources")
}

func (p *Policy) address(address string, lists originLists, key string) Decision {
	t, ok := parseTarget(address)
	if !ok {
		return Decision{Verdict: Deny, Rule: Rule{Text: "only addresses that browsers can parse are loaded"}, Remedy: "correct the address"}
	}
	if t.opaque && t.scheme != "data" && t.scheme != "file" {
		return Decision{Verdict: Allow, Rule: Rule{Text: t.scheme + ": reaches no network"}}
	}
	d := p.listed(lists, key, t.origin(), func(o pattern) bool { return o.matches(t) })
	if d.Verdict == Deny || t.opaque {
		return d
	}
	if host := p.hostDecision(t.host); host.Verdict == Deny {
		return host
	}
	return d
}

// listed holds a target against the lists: block wins, and an allow list allows nothing else.
func (p *Policy) listed(lists originLists, key, origin string, match func(pattern) bool) Decision {
	if found, ok := lists.block.find(match); ok {
		return Decision{Verdict: Deny, Rule: found.rule, Remedy: "remove it from " + key + ".block in " + p.where()}
	}
	if found, ok := lists.allow.find(match); ok {
		return Decision{Verdict: Allow, Rule: found.rule}
	}
	if lists.allow != nil {
		return Decision{Verdict: Deny, Rule: lists.allow.rule, Remedy: "add " + origin + " to " + key + ".allow in " + p.where()}
	}
	return Decision{Verdict: Allow, Rule: Rule{Text: "no list of origins names it"}}
}

// Endpoint decides about a connection of a page to a host and port, before it is resolved. It is
// allowed if a document or a subresource may come from there.
func (p *Policy) Endpoint(host, port string) Decision {
	host = canonicalHost(host)
	match := func(o pattern) bool { return o.matchesEndpoint(host, port) }
	d := p.listed(p.navigation, "origins", host+":"+port, match)
	if d.Verdict == Deny {
		if sub := p.listed(p.subresources, "origins.subresources", host+":"+port, match); sub.Verdict == Allow {
			d = sub
		}
	}
	if d.Verdict == Deny {
		return d
	}
	if h := p.hostDecision(host); h.Verdict == Deny {
		return h
	}
	return d
}

// RestrictsOrigins reports whether a list of origins is set.
func (p *Policy) RestrictsOrigins() bool {
	return p.navigation.restricts() || p.subresources.restricts()
}

// Attach decides about browsers that were launched elsewhere, whose connections no gateway of this
// process makes.
func (p *Policy) Attach() Decision {
	remedy := "set attached_browsers: allow in " + p.where()
	switch {
	case p.attached != nil && p.attached.allow:
		return Decision{Verdict: Allow, Rule: p.attached.rule}
	case p.attached != nil:
		return Decision{Verdict: Deny, Rule: p.attached.rule, Remedy: remedy}
	case p.RestrictsOrigins() || !p.networks.private.allow || !p.networks.loopback.allow:
		return Decision{Verdict: Deny, Remedy: remedy,
			Rule: Rule{Text: "where origins or networks are restricted, no browser is attached that was launched elsewhere"}}
	}
	return Decision{Verdict: Allow, Rule: Rule{Text: "browsers that were launched elsewhere may be attached"}}
}
