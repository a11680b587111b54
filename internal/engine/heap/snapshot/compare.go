package snapshot

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
)

// Delta is how a class changed between two snapshots.
type Delta struct {
	Class               string
	Before, Now         int
	New, Deleted        int
	SizeBefore, SizeNow uint64 // bytes
}

// Place is where a function is in its script; line and column from 1.
type Place struct {
	Function, URL string
	Line, Column  int
}

// Finding is a holder whose objects of a class grew in number.
type Finding struct {
	Class       string
	Before, Now int      // objects that the holder has
	Rounds      []int    // objects that each round left behind
	Size        uint64   // bytes of the new objects
	Retained    uint64   // bytes that are freed with them
	Holder      string   // what holds them, as a step of a path
	HolderClass string   // "" where only the browser holds them
	HolderID    uint32   // 0 where only the browser holds them
	ObjectID    uint32   // one of the new objects
	Path        string   // the shortest path to it
	Fields      []string // names of its properties
	Function    *Place   // of a function that was left behind; nil for other objects
	Through     *Place   // the last function on the path, in whose scope the holder is
	IsListener  bool     // they listen to events
	IsDetached  bool     // they are nodes of the DOM in no document
	IsAttached  bool     // they are nodes of a document
}

// Comparison is the difference between two snapshots, or three.
type Comparison struct {
	SizeBefore, SizeNow uint64 // bytes
	Findings            []Finding
	Deltas              []Delta      // largest growth first
	Detached            []ClassTotal // now
}

// Options say what counts as growth.
type Options struct {
	// Min is the least number of objects that a holder must have more, in each round.
	Min int
	// Limit is the most findings and deltas.
	Limit int
}

// comparison is the state of Compare.
type comparison struct {
	a       *Analysis
	before  []*Census // the first one, and one after each round but the last
	o       Options
	holders []uint32
	newIn   []uint8 // by node: the round in which it came, from 1; 0 of older ones
	now     map[string]ClassTotal
	groups  map[group]*growth
	stayed  int // objects that were in the first snapshot
}

// group is like groupKey, by node.
type group struct {
	holder uint32
	class  class
}

// growth is a group with what came to it.
type growth struct {
	rounds []int
	total  int
	size   uint64
	sample Node // a node of the last round
	// sampleRound is the round of sample, from 1.
	sampleRound int
	detached    int
	attached    int
	retained    uint64
}

// ErrUnrelated says that two snapshots have hardly any object in common, or no global object.
var ErrUnrelated = fault.New(codes.Failed, "the snapshots are not of one page")

// Compare compares the snapshot with earlier ones of the same page, oldest first. A holder is named if
// it has gained objects of a class in every round between two of them, that live still. The error is
// ErrUnrelated, or the cause of an ended context.
func (a *Analysis) Compare(ctx context.Context, before []*Census, o Options) (*Comparison, error) {
	c := &comparison{a: a, before: before, o: o, holders: a.holders(), newIn: make([]uint8, len(a.kinds)), now: make(map[string]ClassTotal)}
	s := a.Summary()
	out := &Comparison{SizeBefore: before[0].Size, SizeNow: s.Size, Detached: s.Detached}
	for _, t := range a.totals() {
		c.now[t.Class] = t.ClassTotal
	}
	fresh, err := c.findNew(ctx)
	if err != nil {
		return nil, err
	}
	isKept := func(n Node) bool { return before[0].has(a.ids[n]) }
	if 10*c.stayed < len(before[0].ids) || len(a.roots) > 0 && !slices.ContainsFunc(a.roots, isKept) {
		return nil, ErrUnrelated
	}
	out.Deltas = c.deltas(fresh)
	c.keepGrown()
	c.dropDependent()
	out.Findings = c.findings()
	return out, nil
}

// findNew finds the objects that came in each round, and counts them by class.
func (c *comparison) findNew(ctx context.Context) (fresh map[class]int, err error) {
	a := c.a
	fresh = make(map[class]int)
	c.groups = make(map[group]*growth)
	for i, n := range a.order {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !a.isOwn(Node(n)) {
			continue
		}
		round := 0
		for round < len(c.before) && !c.before[round].has(a.ids[n]) {
			round++
		}
		if round == 0 {
			c.stayed++
			continue
		}
		cl := a.classOf(Node(n))
		fresh[cl]++
		c.newIn[n] = uint8(round) // a few rounds
		k := group{c.holders[n], cl}
		grown := c.groups[k]
		if grown == nil {
			grown = &growth{rounds: make([]int, len(c.before))}
			c.groups[k] = grown
		}
		grown.add(a.Graph, Node(n), round)
	}
	return fresh, nil
}

func (w *growth) add(g *Graph, n Node, round int) {
	w.rounds[round-1]++
	w.total++
	w.size += uint64(g.sizes[n])
	if round > w.sampleRound { // and the first of the round, which holds later ones of its class
		w.sample, w.sampleRound = n, round
	}
	if g.isDetached(n) {
		w.detached++
	}
	if g.kinds[n]&attachedBit != 0 {
		w.attached++
	}
}

// keepGrown keeps the groups that grew in every round. A holder that was there before must have more
// than it had; of one that was made anew, the class must have.
func (c *comparison) keepGrown() {
	inGroup := make(map[group]int)
	for _, n := range c.a.order {
		k := group{c.holders[n], c.a.classOf(Node(n))}
		if c.groups[k] != nil && c.a.isOwn(Node(n)) {
			inGroup[k]++
		}
	}
	for k, grown := range c.groups {
		if slices.Min(grown.rounds) < c.o.Min || !c.hasGrown(k, inGroup[k]) {
			delete(c.groups, k)
		}
	}
}

func (c *comparison) hasGrown(k group, now int) bool {
	name := c.a.className(k.class)
	isText := k.class/2 == classString || k.class/2 == classSymbol
	if isText && k.holder == noNode || strings.HasPrefix(name, "Performance") { // tables of the browser, which have bounds
		return false
	}
	isOld := k.holder != noNode && c.before[0].has(c.a.ids[k.holder])
	for i := range c.before {
		had, has := c.before[i].classes[name].Count, c.now[name].Count
		if i+1 < len(c.before) {
			has = c.before[i+1].classes[name].Count
		}
		if isOld {
			had, has = c.before[i].count(c.a.ids[k.holder], name), now
			if i+1 < len(c.before) {
				has = c.before[i+1].count(c.a.ids[k.holder], name)
			}
		}
		if has-had < c.o.Min {
			return false
		}
	}
	return true
}

// dropDependent drops groups that are only there because their holder is a new object of another
// group, and computes what the rest retains.
func (c *comparison) dropDependent() {
	a := c.a
	below := make([]bool, len(a.kinds))
	for _, n := range a.order {
		if n != 0 {
			below[n] = below[a.idom[n]]
		}
		if c.newIn[n] > 0 && c.groups[group{c.holders[n], a.classOf(Node(n))}] != nil {
			below[n] = true
		}
	}
	for k := range c.groups {
		if k.holder != noNode && below[k.holder] {
			delete(c.groups, k)
		}
	}
	for _, n := range a.order {
		grown := c.groups[group{c.holders[n], a.classOf(Node(n))}]
		if grown == nil || c.newIn[n] == 0 {
			continue
		}
		if up := a.idom[n]; c.newIn[up] == 0 || a.classOf(Node(up)) != a.classOf(Node(n)) || c.holders[up] != c.holders[n] {
			grown.retained += a.retained[n]
		}
	}
}

func (c *comparison) findings() []Finding {
	keys := make([]group, 0, len(c.groups))
	for k := range c.groups {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(x, y group) int {
		return cmp.Or(cmp.Compare(c.groups[y].retained, c.groups[x].retained), cmp.Compare(x.holder, y.holder), cmp.Compare(x.class, y.class))
	})
	return slicesx.Map(keys[:min(len(keys), c.o.Limit)], c.finding)
}

func (c *comparison) finding(k group) Finding {
	a, grown := c.a, c.groups[k]
	f := Finding{
		Class: a.className(k.class), Rounds: grown.rounds, Size: grown.size, Retained: grown.retained, ObjectID: a.ids[grown.sample],
		Path: a.Path(grown.sample), Fields: a.fields(grown.sample), Holder: "the browser", Function: a.place(grown.sample),
		IsDetached: 2*grown.detached > grown.total, IsAttached: 2*grown.attached > grown.total,
	}
	if f.IsDetached {
		f.Class = "Detached " + f.Class
	}
	f.Now = grown.total
	if k.holder != noNode {
		f.HolderID, f.Holder, f.HolderClass = a.ids[k.holder], a.holderName(Node(k.holder)), a.className(a.classOf(Node(k.holder)))
		if c.before[0].has(f.HolderID) {
			f.Before = c.before[0].count(f.HolderID, a.className(k.class))
		}
		f.Now += f.Before
	}
	for at := grown.sample; a.pathEdge[at] != seedEdge && a.pathEdge[at] != noEdge; {
		at = a.edgeFrom(a.pathEdge[at])
		if f.Through == nil {
			f.Through = a.place(at)
		}
		f.IsListener = f.IsListener || a.classNames[a.classOf(at)/2] == "V8EventListener"
	}
	return f
}

// holderName is the step of a path that leads to a node.
func (a *Analysis) holderName(n Node) string {
	if step := a.step(n, true); step != "" {
		return step
	}
	return a.Name(n)
}

// place is where a function is written; nil for other objects and where it is unknown.
func (g *Graph) place(n Node) *Place {
	if g.kindOf(n) != kindClosure {
		return nil
	}
	p := &Place{Function: g.className(g.classOf(n))}
	if l, ok := g.locationOf(n); ok {
		p.URL, p.Line, p.Column = g.scriptURL(l), int(l.line)+1, int(l.column)+1
	}
	return p
}

// maxFields is the most properties that are named of an object.
const maxFields = 8

// fields are the names of an object's own properties.
func (g *Graph) fields(n Node) (out []string) {
	if g.kindOf(n) != kindObject {
		return nil
	}
	from, to := g.edges(n)
	for e := from; e < to && len(out) < maxFields; e++ {
		if g.edgeKind(e) == edgeProperty {
			if name := g.edgeLabel(e); name != "__proto__" {
				out = append(out, name)
			}
		}
	}
	return out
}

// deltas lists how classes changed, the largest growth in bytes first.
func (c *comparison) deltas(fresh map[class]int) []Delta {
	var out []Delta
	byName := make(map[string]int, len(fresh))
	for cl, n := range fresh {
		byName[c.a.className(cl)] = n
	}
	add := func(name string) {
		was, is := c.before[0].classes[name], c.now[name]
		d := Delta{Class: name, Before: was.Count, Now: is.Count, New: byName[name], SizeBefore: was.Size, SizeNow: is.Size}
		if name == "(array)" { // arrays are not followed: growing moves them
			d.New = max(is.Count-was.Count, 0)
		}
		d.Deleted = was.Count - (is.Count - d.New)
		if internalClass(name) && name != "(array)" {
			return
		}
		if d.New > 0 || d.Deleted > 0 || d.SizeBefore != d.SizeNow {
			out = append(out, d)
		}
	}
	for name := range c.now {
		add(name)
	}
	for name := range c.before[0].classes {
		if _, ok := c.now[name]; !ok {
			add(name)
		}
	}
	grownBy := func(d Delta) int64 { return int64(d.SizeNow) - int64(d.SizeBefore) } // sizes of a file below 4 GB
	slices.SortFunc(out, func(x, y Delta) int {
		return cmp.Or(cmp.Compare(grownBy(y), grownBy(x)), cmp.Compare(y.Now-y.Before, x.Now-x.Before), cmp.Compare(x.Class, y.Class))
	})
	return out[:min(len(out), c.o.Limit)]
}
