package contract

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"
)

// HeapUsage is the memory of a page after a garbage collection, in bytes.
type HeapUsage struct {
	Now int64
	// Before is the usage of the same document at its baseline, if HasBaseline.
	Before      int64
	HasBaseline bool
}

// bound is an upper limit of bytes.
type bound struct {
	text      string // as it was written
	bytes     float64
	inclusive bool
	isSet     bool
}

// boundForm is a bound as it is written: < 1 MB, <= 500 kB.
var boundForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(<=?)\s*(-?\d+(?:\.\d+)?)\s*(B|kB|KB|MB|GB|KiB|MiB|GiB)?\s*$`)
})

// unitBytes is the size of a unit of a bound.
func unitBytes(unit string) float64 {
	switch unit {
	case "kB", "KB":
		return 1e3
	case "MB":
		return 1e6
	case "GB":
		return 1e9
	case "KiB":
		return 1 << 10
	case "MiB":
		return 1 << 20
	case "GiB":
		return 1 << 30
	}
	return 1
}

// readBound reads a member that bounds a number of bytes.
func (r *memberReader) readBound(name string) bound {
	if !r.has(name) {
		return bound{}
	}
	text := r.text(name)
	parts := boundForm().FindStringSubmatch(text)
	if parts == nil {
		if text != "" {
			r.problem(r.memberPath(name), `expected a bound such as "< 1 MB" or "<= 500 kB", got %s`, typeOf(text))
		}
		return bound{}
	}
	n, _ := strconv.ParseFloat(parts[2], 64) // digits, by the form
	return bound{text: text, bytes: n * unitBytes(parts[3]), inclusive: parts[1] == "<=", isSet: true}
}

func (b bound) holds(n int64) bool {
	return float64(n) < b.bytes || b.inclusive && float64(n) == b.bytes
}

type heapLeaf struct{ growth, size bound }

func readHeap(f *memberReader) leaf {
	if !f.open("growth", "size") {
		return nil
	}
	if !f.has("growth") && !f.has("size") {
		f.problem(f.path, `give growth, such as "< 1 MB", or size`)
	}
	return heapLeaf{f.readBound("growth"), f.readBound("size")}
}

func (l heapLeaf) expected() string {
	switch {
	case !l.size.isSet:
		return "the page's memory grows by " + l.growth.text
	case !l.growth.isSet:
		return "the page's memory is " + l.size.text
	}
	return fmt.Sprintf("the page's memory is %s and grows by %s", l.size.text, l.growth.text)
}

func (l heapLeaf) judge(s *observation) finding {
	u, err := s.heap.get(func() (HeapUsage, error) { return s.evidence.Heap(s.ctx) })
	if err != nil {
		return inconclusive(err)
	}
	actual := fmt.Sprintf("%d bytes", u.Now)
	if l.size.isSet && !l.size.holds(u.Now) {
		return compared(false, actual, "")
	}
	if !l.growth.isSet {
		return compared(true, actual, "")
	}
	if !u.HasBaseline {
		return finding{reason: "the document has no earlier measure; the present one is kept for the next assertion"}
	}
	return compared(l.growth.holds(u.Now-u.Before), fmt.Sprintf("%s, %+d since the baseline", actual, u.Now-u.Before), "")
}
