package toolkit

import (
	"math/bits"
	"slices"
)

// Facts is a set of facts about one client's session, one bit each; the generated registry assigns
// the bits.
type Facts uint64

// Has reports whether every fact of want holds.
func (f Facts) Has(want Facts) bool { return f&want == want }

// Set is a set of tools, one bit per index in Registry.Tools. The zero value is empty. Sets are
// values: methods that change one return a new set and leave the receiver alone.
type Set struct{ words []uint64 }

// Has reports whether the tool with index i is in the set.
func (s Set) Has(i int) bool {
	return i>>6 < len(s.words) && s.words[i>>6]&(1<<(i&63)) != 0
}

// With returns the set with i added.
func (s Set) With(i int) Set {
	out := Set{words: make([]uint64, max(len(s.words), i>>6+1))}
	copy(out.words, s.words)
	out.words[i>>6] |= 1 << (i & 63)
	return out
}

// Union returns the tools in either set.
func (s Set) Union(t Set) Set {
	out := Set{words: make([]uint64, max(len(s.words), len(t.words)))}
	copy(out.words, s.words)
	for i, w := range t.words {
		out.words[i] |= w
	}
	return out
}

// Len counts the tools in the set.
func (s Set) Len() int {
	n := 0
	for _, w := range s.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// Equal reports whether both sets hold the same tools.
func (s Set) Equal(t Set) bool {
	long, short := s.words, t.words
	if len(long) < len(short) {
		long, short = short, long
	}
	for i, w := range long {
		if i < len(short) && w != short[i] || i >= len(short) && w != 0 {
			return false
		}
	}
	return true
}

// within returns the tools of s that are in t.
func (s Set) within(t Set) Set {
	out := Set{words: slices.Clone(s.words)}
	out.keep(t)
	return out
}

// without returns the tools that are not in t.
func (s Set) without(t Set) Set {
	out := Set{words: slices.Clone(s.words)}
	for i := range min(len(out.words), len(t.words)) {
		out.words[i] &^= t.words[i]
	}
	return out
}

// copyFrom makes s the set t of n tools at most, without allocating when s is large enough.
func (s *Set) copyFrom(t Set, n int) {
	need := (n + 63) >> 6
	if cap(s.words) < need {
		s.words = make([]uint64, need)
	}
	s.words = s.words[:need]
	clear(s.words[copy(s.words, t.words):])
}

// add puts the tools of t into s, which has room for them.
func (s *Set) add(t Set) {
	for i, w := range t.words {
		s.words[i] |= w
	}
}

// keep removes from s the tools that are not in t.
func (s *Set) keep(t Set) {
	for i := range s.words {
		if i < len(t.words) {
			s.words[i] &= t.words[i]
		} else {
			s.words[i] = 0
		}
	}
}

// fill puts into s, without allocating when it is large enough, every index below n that keep
// accepts.
func (s *Set) fill(n int, keep func(i int) bool) {
	need := (n + 63) >> 6
	if cap(s.words) < need {
		s.words = make([]uint64, need)
	}
	s.words = s.words[:need]
	clear(s.words)
	for i := range n {
		if keep(i) {
			s.words[i>>6] |= 1 << (i & 63)
		}
	}
}
