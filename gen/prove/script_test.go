package prove_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// A script is a tool set in few words, one declaration a line, so that a test shows what it is
// about and diagnostics have real positions:
//
//	facts     connected paused
//	invariant paused -> connected
//	tool      connect 483: always | sets connected     (483: bytes in tools/list)
//	event     stopped: connected | may_set paused
//	scenario  cold:
//	prompt    review: connected                        (resource likewise)
//	tool      step: paused; tier 2; listed !dialog; joins paused
//	budget    9000
//	default_budget 900
//
// Blank lines and lines that begin with # are skipped.
type script struct {
	t     *testing.T
	set   *model.Toolset
	opt   prove.Options
	facts map[string]*model.Fact
	line  string
	no    int
}

func parse(t *testing.T, text string) (*model.Toolset, prove.Options) {
	t.Helper()
	sizes := map[*model.Tool]int{}
	s := &script{t: t, set: &model.Toolset{}, facts: map[string]*model.Fact{}}
	s.opt.Sizes = func(tool *model.Tool) int { return sizes[tool] }
	for i, line := range strings.Split(text, "\n") {
		s.line, s.no = line, i+1
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case word == "" || strings.HasPrefix(word, "#"):
		case word == "facts":
			for _, name := range strings.Fields(rest) {
				f := &model.Fact{Name: name, Bit: len(s.set.Facts), Pos: s.pos(name)}
				s.set.Facts = append(s.set.Facts, f)
				s.facts[name] = f
			}
		case word == "invariant":
			s.set.Invariants = append(s.set.Invariants,
				&model.Invariant{Text: rest, Predicate: s.predicate(rest), Pos: s.pos(rest)})
		case word == "budget":
			s.opt.ListBytes = s.number(rest)
		case word == "default_budget":
			s.opt.DefaultListBytes = s.number(rest)
		default:
			s.named(word, rest, sizes)
		}
	}
	slices.SortFunc(s.set.Tools, func(a, b *model.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return s.set, s.opt
}

// load parses a script that several tests share.
func load(t *testing.T, file string) (*model.Toolset, prove.Options) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, string(text))
}

// named reads "name [bytes]: condition | changes".
func (s *script) named(word, rest string, sizes map[*model.Tool]int) {
	s.t.Helper()
	head, tail, ok := strings.Cut(rest, ":")
	if !ok {
		s.t.Fatalf("line %d: %q has no colon", s.no, s.line)
	}
	name, size, _ := strings.Cut(head, " ")
	cond, changes, _ := strings.Cut(tail, " | ")
	cond, joins, _ := strings.Cut(cond, "; joins ")
	cond, listed, _ := strings.Cut(cond, "; listed ")
	tier := 1
	if rest, ok := strings.CutSuffix(cond, "; tier 2"); ok {
		cond, tier = rest, 2
	}
	switch word {
	case "tool":
		tool := &model.Tool{Name: name, Tier: tier, Visible: s.predicate(cond), Changes: s.change(changes), Pos: s.pos(name)}
		if listed != "" {
			when := s.predicate(listed)
			tool.Listed, tool.At.Listed = &when, s.pos(listed)
		}
		if joins != "" {
			when := s.predicate(joins)
			tool.Joins, tool.At.Joins = &when, s.pos(joins)
		}
		sizes[tool] = 100
		if size != "" {
			sizes[tool] = s.number(size)
		}
		s.set.Tools = append(s.set.Tools, tool)
	case "prompt":
		s.set.Prompts = append(s.set.Prompts, &model.Prompt{Entry: s.entry(name, cond)})
	case "resource":
		s.set.Resources = append(s.set.Resources, &model.Resource{Entry: s.entry(name, cond)})
	case "event":
		s.set.Events = append(s.set.Events,
			&model.Event{Name: name, When: s.predicate(cond), Changes: s.change(changes), Pos: s.pos(name)})
	case "scenario":
		s.set.Scenarios = append(s.set.Scenarios, &model.Scenario{Name: name, Facts: s.list(tail), Pos: s.pos(name)})
	default:
		s.t.Fatalf("line %d: unknown word %q", s.no, word)
	}
}

func (s *script) entry(name, cond string) model.Entry {
	return model.Entry{Name: name, Visible: s.predicate(cond), Pos: s.pos(name), VisiblePos: s.pos(strings.TrimSpace(cond))}
}

func (s *script) pos(name string) diag.Pos {
	return diag.Pos{File: "tools.yaml", Line: s.no, Col: strings.Index(s.line, " "+name) + 2}
}

func (s *script) number(text string) int {
	n, err := strconv.Atoi(strings.TrimSpace(text))
	if err != nil {
		s.t.Fatalf("line %d: %v", s.no, err)
	}
	return n
}

func (s *script) list(text string) []*model.Fact {
	var out []*model.Fact
	for _, name := range strings.Fields(text) {
		out = append(out, s.fact(name))
	}
	return out
}

func (s *script) fact(name string) *model.Fact {
	f, ok := s.facts[name]
	if !ok {
		s.t.Fatalf("line %d: unknown fact %q", s.no, name)
	}
	return f
}

// change reads "sets a b | may_clear c".
func (s *script) change(text string) model.Change {
	var c model.Change
	for part := range strings.SplitSeq(text, " | ") {
		word, names, _ := strings.Cut(strings.TrimSpace(part), " ")
		switch word {
		case "":
			continue
		case "sets":
			c.Sets = s.list(names)
		case "clears":
			c.Clears = s.list(names)
		case "may_set":
			c.MaySet = s.list(names)
		case "may_clear":
			c.MayClear = s.list(names)
		default:
			s.t.Fatalf("line %d: unknown change %q", s.no, word)
		}
		c.Pos = s.pos(word)
	}
	return c
}

// predicate reads "always", an expression, or "a -> b".
func (s *script) predicate(text string) model.Predicate {
	text = strings.TrimSpace(text)
	if text == "always" {
		return model.Predicate{}
	}
	if from, to, ok := strings.Cut(text, "->"); ok {
		return model.Predicate{Text: text, Expr: model.OrExpr{X: model.NotExpr{X: s.expr(from)}, Y: s.expr(to)}}
	}
	return model.Predicate{Text: text, Expr: s.expr(text)}
}

func (s *script) expr(text string) model.Expr {
	e, err := parser.ParseExpr(strings.TrimSpace(text))
	if err != nil {
		s.t.Fatalf("line %d: %v", s.no, err)
	}
	return s.node(e)
}

func (s *script) node(e ast.Expr) model.Expr {
	switch e := e.(type) {
	case *ast.Ident:
		return model.FactExpr{Fact: s.fact(e.Name)}
	case *ast.ParenExpr:
		return s.node(e.X)
	case *ast.UnaryExpr:
		return model.NotExpr{X: s.node(e.X)}
	case *ast.BinaryExpr:
		if e.Op == token.LAND {
			return model.AndExpr{X: s.node(e.X), Y: s.node(e.Y)}
		}
		return model.OrExpr{X: s.node(e.X), Y: s.node(e.Y)}
	}
	s.t.Fatalf("line %d: %T in a predicate", s.no, e)
	return nil
}

// render prints diagnostics in the form the golden files hold.
func render(l diag.List) string {
	var b strings.Builder
	for _, d := range l {
		b.WriteString(d.Pos.String() + ": " + d.Message + " [" + d.Rule + "]\n")
		if d.Hint != "" {
			b.WriteString("\thint: " + d.Hint + "\n")
		}
		if d.Related != nil {
			b.WriteString("\t" + d.Related.Pos.String() + ": " + d.Related.Message + "\n")
		}
	}
	return b.String()
}

func tool(t *testing.T, set *model.Toolset, name string) *model.Tool {
	t.Helper()
	at := slices.IndexFunc(set.Tools, func(tool *model.Tool) bool { return tool.Name == name })
	if at < 0 {
		t.Fatalf("no tool %q", name)
	}
	return set.Tools[at]
}

// state reads "connected paused".
func state(t *testing.T, set *model.Toolset, names string) prove.State {
	t.Helper()
	var facts []*model.Fact
	for _, name := range strings.Fields(names) {
		at := slices.IndexFunc(set.Facts, func(f *model.Fact) bool { return f.Name == name })
		if at < 0 {
			t.Fatalf("no fact %q", name)
		}
		facts = append(facts, set.Facts[at])
	}
	return prove.StateOf(facts)
}
