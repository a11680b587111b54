package slicesx_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/callsheet/callsheet/gen/slicesx"
)

func TestMap(t *testing.T) {
	if got := slicesx.Map([]int{1, 2}, strconv.Itoa); !slices.Equal(got, []string{"1", "2"}) {
		t.Errorf("Map returns %q", got)
	}
	if got := slicesx.Map(nil, strconv.Itoa); got != nil {
		t.Errorf("of no items, Map returns %#v", got)
	}
	if got := slicesx.List(nil, strconv.Itoa); got == nil || len(got) != 0 {
		t.Errorf("of no items, List returns %#v", got)
	}
}

func TestFilter(t *testing.T) {
	even := func(n int) bool { return n%2 == 0 }
	if got := slicesx.Filter([]int{1, 2, 4, 5}, even); !slices.Equal(got, []int{2, 4}) {
		t.Errorf("Filter returns %v", got)
	}
	if got := slicesx.Filter([]int{1}, even); got != nil {
		t.Errorf("of no even number, Filter returns %#v", got)
	}
}
