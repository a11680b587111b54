package contract

import (
	"context"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/text"
)

// How often the evidence is looked at while a contract does not pass: soon at first, because most
// pages are there at once, and then less often.
const (
	minPause = 50 * time.Millisecond
	maxPause = 500 * time.Millisecond
)

// Options bound a judgement.
type Options struct {
	// Deadline is until when a contract that does not pass is looked at again; the zero time looks
	// once. The end of the context ends it too.
	Deadline time.Time
	// Progress is called after each attempt that did not pass; nil for no calls.
	Progress func(Report)
}

// Judge judges the evidence until the contract passes or the deadline is over, and reports the last
// attempt. Between the first and the last attempt it gathers costly evidence, such as screenshots
// and measures, only while nothing else fails.
func (c *Contract) Judge(ctx context.Context, e Evidence, o Options) Report {
	begun := time.Now()
	pause := minPause
	for attempt := 1; ; attempt++ {
		last := o.Deadline.IsZero() || ctx.Err() != nil || !time.Now().Before(o.Deadline)
		r := c.judgeOnce(ctx, e, last || attempt == 1)
		r.Attempts, r.Duration = attempt, time.Since(begun)
		if r.Verdict == Pass || last {
			return r
		}
		if o.Progress != nil {
			o.Progress(r)
		}
		_ = settle.Pause(ctx, min(pause, time.Until(o.Deadline))) // the end of ctx makes the next attempt the last one
		pause = min(2*pause, maxPause)
	}
}

// judgeOnce judges once. Unless everything is asked for, costly leaves are left out at first:
// Kleene's connectives are monotone, so a contract that fails without them fails with them.
func (c *Contract) judgeOnce(ctx context.Context, e Evidence, everything bool) Report {
	s := &observation{ctx: ctx, evidence: e, selectors: c.selectors}
	found := make([]finding, c.root.leafCount())
	if c.root.isCostly && !everything {
		if v := c.root.judge(s, found, cheapLeaves); v == Fail {
			return c.report(v, found)
		}
		return c.report(c.root.judge(s, found, costlyLeaves), found)
	}
	return c.report(c.root.judge(s, found, allLeaves), found)
}

// Which leaves a pass over the tree looks at.
const (
	cheapLeaves  = 1 << iota // and takes the others for inconclusive
	costlyLeaves             // and the others as they were found
	allLeaves    = cheapLeaves | costlyLeaves
)

func (n *node) leafCount() int {
	if n.leaf != nil {
		return 1
	}
	total := 0
	for _, child := range n.children {
		total += child.leafCount()
	}
	return total
}

// judge fills in the findings of the leaves and combines them.
func (n *node) judge(s *observation, found []finding, which int) Verdict {
	if n.leaf != nil {
		switch mine := n.isCostly; {
		case mine && which&costlyLeaves != 0, !mine && which&cheapLeaves != 0:
			found[n.index] = n.leaf.judge(s)
		case mine:
			found[n.index] = finding{reason: "not looked at: other assertions failed before it"}
		}
	}
	for _, child := range n.children {
		child.judge(s, found, which)
	}
	return n.verdict(found)
}

func (n *node) verdict(found []finding) Verdict {
	switch n.kind {
	case kindAnd:
		v := Pass
		for _, child := range n.children {
			v = v.And(child.verdict(found))
		}
		return v
	case kindOr:
		v := Fail
		for _, child := range n.children {
			v = v.Or(child.verdict(found))
		}
		return v
	case kindNot:
		return n.children[0].verdict(found).Not()
	}
	return found[n.index].verdict
}

func (c *Contract) report(v Verdict, found []finding) Report {
	r := Report{Verdict: v, Nodes: make([]Node, 0, len(found))}
	c.root.eachLeaf(func(n *node) {
		f := found[n.index]
		r.Nodes = append(r.Nodes, Node{
			Path: n.path, Kind: n.kind, Verdict: f.verdict, Expected: n.leaf.expected(), Actual: f.actual, Location: f.location, Reason: f.reason,
		})
	})
	switch v {
	case Fail:
		c.root.collectFailures(found, &r.Failures)
	case Inconclusive:
		r.Reason = strings.Join(inconclusiveReasons(r.Nodes), "; ")
	case Pass:
	}
	return r
}

func (n *node) eachLeaf(fn func(leaf *node)) {
	if n.leaf != nil {
		fn(n)
	}
	for _, child := range n.children {
		child.eachLeaf(fn)
	}
}

// collectFailures appends the leaves that made a node fail. A failed negation is a failure of its
// own: its child holds.
func (n *node) collectFailures(found []finding, out *[]Failure) {
	switch {
	case n.kind == kindNot:
		failure := Failure{Path: n.path, Kind: kindNot, Expected: "not: " + n.children[0].describe(), Actual: "it holds"}
		if child := n.children[0]; child.leaf != nil {
			failure.Actual, failure.Location = found[child.index].actual, found[child.index].location
		}
		*out = append(*out, failure)
	case n.leaf != nil:
		f := found[n.index]
		*out = append(*out, Failure{Path: n.path, Kind: n.kind, Expected: n.leaf.expected(), Actual: f.actual, Location: f.location})
	default:
		for _, child := range n.children {
			if child.verdict(found) == Fail {
				child.collectFailures(found, out)
			}
		}
	}
}

// describe returns what a node expects, in words.
func (n *node) describe() string {
	if n.leaf != nil {
		return n.leaf.expected()
	}
	if n.kind == kindNot {
		return "not: " + n.children[0].describe()
	}
	parts := slicesx.List(n.children, func(child *node) string { return child.describe() })
	return text.ClipRunes("("+strings.Join(parts, " "+n.kind+" ")+")", 2*maxShownRunes)
}

// inconclusiveReasons returns the reasons of the inconclusive leaves, each once.
func inconclusiveReasons(nodes []Node) []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range nodes {
		if n.Verdict == Inconclusive && !seen[n.Reason] {
			seen[n.Reason] = true
			out = append(out, n.Kind+": "+n.Reason)
		}
	}
	return out
}
