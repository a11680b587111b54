// Package contract judges pages: a tree of assertions, parsed from JSON, is compared with evidence
// that the caller gathers.
//
// A verdict has three values. An assertion passes or fails by evidence. Without evidence it is
// inconclusive, and so is its negation. The package must not know browsers or where evidence comes
// from; package live gathers it from a tab. Of the tools it knows only the violations of
// gen/toolkit, in which it reports problems of a contract.
package contract

import (
	"encoding"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/text"
)

// Verdict is a value of Kleene's strong logic of indeterminacy (Introduction to Metamathematics, §
// 64). The zero value is Inconclusive.
type Verdict int8

// The verdicts, ordered by how true they are.
const (
	Fail         Verdict = -1
	Inconclusive Verdict = 0
	Pass         Verdict = 1
)

// And is the less true of two verdicts: one failure decides, and only without one does missing
// evidence count.
func (v Verdict) And(o Verdict) Verdict { return min(v, o) }

// Or is the truer of two verdicts.
func (v Verdict) Or(o Verdict) Verdict { return max(v, o) }

// Not swaps pass and fail. What is inconclusive stays so.
func (v Verdict) Not() Verdict { return -v }

// String names the verdict.
func (v Verdict) String() string {
	switch v {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	}
	return "inconclusive"
}

var (
	_ encoding.TextMarshaler   = Verdict(0)
	_ encoding.TextUnmarshaler = (*Verdict)(nil)
)

// MarshalText writes the name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the name.
func (v *Verdict) UnmarshalText(text []byte) error {
	for _, known := range []Verdict{Pass, Fail, Inconclusive} {
		if string(text) == known.String() {
			*v = known
			return nil
		}
	}
	return fault.New(codes.Failed, fmt.Sprintf("%q is no verdict", text))
}

// Contract is a parsed tree of assertions. It is immutable and may be judged many times, also at
// the same time.
type Contract struct {
	raw       string
	root      *node
	selectors []string // of all leaves, each once; a leaf has the index
}

// String is the contract as it was written.
func (c *Contract) String() string { return c.raw }

// Report is the result of judging a contract.
type Report struct {
	Verdict Verdict `json:"verdict"`
	// Failures are the leaves, and the negations, that made a contract fail. There are none of
	// another verdict.
	Failures []Failure `json:"failures,omitempty"`
	// Reason says in a line what was missing for a verdict; "" unless it is inconclusive.
	Reason string `json:"reason,omitempty"`
	// Nodes are all leaves as last seen, in the order of writing.
	Nodes    []Node        `json:"nodes"`
	Attempts int           `json:"attempts"` // looks at the evidence
	Duration time.Duration `json:"-"`
}

// Failure is one assertion that does not hold.
type Failure struct {
	Path     string `json:"path"` // JSON pointer into the contract, such as /and/0/dom_text
	Kind     string `json:"kind"`
	Expected string `json:"expected"`
	Actual   string `json:"actual"`
	Location string `json:"location,omitempty"` // where on the page: a selector, an address
}

// Node is one leaf with what was seen.
type Node struct {
	Path     string  `json:"path"`
	Kind     string  `json:"kind"`
	Verdict  Verdict `json:"verdict"`
	Expected string  `json:"expected"`
	Actual   string  `json:"actual,omitempty"`
	Location string  `json:"location,omitempty"`
	Reason   string  `json:"reason,omitempty"` // why it is inconclusive
}

// node is an inner node or a leaf of the tree.
type node struct {
	path     string
	kind     string // "and", "or", "not" or a kind of leaf
	children []*node
	leaf     leaf // nil for inner nodes
	index    int  // of a leaf among all leaves
	isCostly bool // looking at it takes long, or somewhere below
}

// leaf is one thing to look at.
type leaf interface {
	// expected says in words what must hold.
	expected() string
	// judge looks and compares.
	judge(s *observation) finding
}

// finding is the observation of a leaf. An inconclusive one has a reason.
type finding struct {
	verdict          Verdict
	actual, location string
	reason           string
}

func inconclusive(err error) finding {
	return finding{reason: text.ClipRunes(err.Error(), maxShownRunes)}
}

// compared returns pass or fail with the observed value.
func compared(ok bool, actual, location string) finding {
	f := finding{verdict: Fail, actual: text.ClipRunes(actual, maxShownRunes), location: text.ClipRunes(location, maxShownRunes)}
	if ok {
		f.verdict = Pass
	}
	return f
}

// maxShownRunes bounds a text of the page in a report, in characters.
const maxShownRunes = 200
