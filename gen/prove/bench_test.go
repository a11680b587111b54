package prove_test

import (
	"fmt"
	"testing"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/prove"
)

// large is a tool set in which every combination of n facts is legal and reachable: the worst a
// manifest can be. Each fact has a tool that sets and one that clears it, the others look, each
// under a condition over three facts.
func large(n, tools int) *model.Toolset {
	set := &model.Toolset{}
	for i := range n {
		set.Facts = append(set.Facts, &model.Fact{Name: fmt.Sprintf("f%02d", i), Bit: i})
	}
	fact := func(i int) model.Expr { return model.FactExpr{Fact: set.Facts[i%n]} }
	for i := range tools {
		t := &model.Tool{Name: fmt.Sprintf("t%03d", i)}
		e := model.Expr(model.AndExpr{X: fact(i), Y: model.OrExpr{X: fact(i + 1), Y: model.NotExpr{X: fact(i + 5)}}})
		switch one := set.Facts[i%n : i%n+1]; {
		case i < n:
			e, t.Changes.MaySet = model.NotExpr{X: fact(i)}, one
		case i < 2*n:
			e, t.Changes.Clears = fact(i), one
		}
		t.Visible = model.Predicate{Text: text(e), Expr: e}
		set.Tools = append(set.Tools, t)
	}
	return set
}

func BenchmarkCheck(b *testing.B) {
	set := large(12, 60)
	opt := prove.Options{Sizes: func(*model.Tool) int { return 500 }, ListBytes: 1 << 20}
	for b.Loop() {
		if got := prove.Check(set, opt); len(got) > 0 {
			b.Fatal(render(got))
		}
	}
}
