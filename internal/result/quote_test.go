package result_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/callsheet/callsheet/internal/result"
)

func TestSharesAreFair(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		sizes  []int
		budget int
		want   []int
	}{
		{nil, 10, []int{}},
		{[]int{1, 2, 3}, 10, []int{1, 2, 3}},
		{[]int{100, 1, 100}, 21, []int{10, 1, 10}},
		{[]int{5, 5}, 0, []int{0, 0}},
		{[]int{5, 5}, -3, []int{0, 0}},
	} {
		if d := cmp.Diff(c.want, result.Shares(c.sizes, c.budget)); d != "" {
			t.Errorf("%v of %d: %s", c.sizes, c.budget, d)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		sizes := rapid.SliceOf(rapid.IntRange(0, 1000)).Draw(rt, "sizes")
		budget := rapid.IntRange(0, 5000).Draw(rt, "budget")
		sum, most := 0, 0
		got := result.Shares(sizes, budget)
		for _, n := range got {
			sum, most = sum+n, max(most, n)
		}
		for i, n := range got {
			if n > sizes[i] || n < sizes[i] && n < most-1 {
				rt.Fatalf("%v of %d gives %v", sizes, budget, got)
			}
		}
		if sum > budget {
			rt.Fatalf("%v of %d gives %v", sizes, budget, got)
		}
	})
}
