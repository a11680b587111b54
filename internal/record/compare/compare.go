// Package compare aligns the steps of two recordings and says how they differ.
//
// It must not know how recordings are stored, nor what a single tool does.
package compare

import (
	"encoding/json"
	"slices"

	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
)

// Kind says what became of a step.
type Kind string

// The kinds of rows.
const (
	Same    Kind = "same"
	Changed Kind = "changed" // Row.Differences says in what
	OnlyA   Kind = "onlyA"
	OnlyB   Kind = "onlyB"
)

// What two aligned steps may differ in. A duration is no difference.
const (
	DiffArguments = "arguments" // refs count as the elements that they name
	DiffElement   = "element"
	DiffOutcome   = "outcome"
	DiffVerdict   = "verdict" // of a contract
	DiffAddress   = "address" // of the tab after the step
	DiffTab       = "tab"
)

// Row is a step of one recording, or a pair of steps. A is nil for OnlyB, and B for OnlyA.
type Row struct {
	Kind        Kind     `json:"kind"`
	Differences []string `json:"differences,omitempty"`
	A           *Step    `json:"a,omitempty"`
	B           *Step    `json:"b,omitempty"`
}

// Step has the parts of a recorded step that a comparison shows.
type Step struct {
	Seq      int               `json:"seq"`
	Tool     string            `json:"tool"`
	Args     json.RawMessage   `json:"args"`
	Elements map[string]string `json:"elements,omitempty"` // by the JSON pointer of the argument that names them
	Outcome  string            `json:"outcome"`
	Verdict  string            `json:"verdict,omitempty"`
	URL      string            `json:"url,omitempty"`
	Tab      string            `json:"tab,omitempty"`
	Millis   int64             `json:"ms"`
	Picture  bool              `json:"picture,omitempty"` // a screenshot was stored

	normalized string // the arguments, with elements in place of refs
}

// Steps aligns the steps of two recordings in order: the pairs have the same tool, and of all such
// alignments it takes one with the most similar pairs. Its time and memory grow with the product of
// the numbers of steps.
func Steps(a, b []recorder.Step) []Row {
	left, right := describe(a), describe(b)
	best := scores(left, right)
	var out []Row
	for i, j := 0, 0; i < len(left) || j < len(right); {
		switch {
		case i < len(left) && j < len(right) && similarity(&left[i], &right[j]) > 0 && best[i][j] == best[i+1][j+1]+similarity(&left[i], &right[j]):
			out = append(out, pair(&left[i], &right[j]))
			i, j = i+1, j+1
		case j == len(right) || i < len(left) && best[i][j] == best[i+1][j]:
			out = append(out, Row{Kind: OnlyA, A: &left[i]})
			i++
		default:
			out = append(out, Row{Kind: OnlyB, B: &right[j]})
			j++
		}
	}
	return out
}

// scores returns the best sum of similarities of the steps from i and j on.
func scores(a, b []Step) [][]int32 {
	best := make([][]int32, len(a)+1)
	for i := range best {
		best[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if s := similarity(&a[i], &b[j]); s > 0 {
				best[i][j] = max(best[i][j], best[i+1][j+1]+s)
			}
		}
	}
	return best
}

// similarity is 0 for steps that are no pair.
func similarity(a, b *Step) int32 {
	if a.Tool != b.Tool {
		return 0
	}
	out := int32(4)
	if a.normalized == b.normalized {
		out += 3
	}
	if a.Outcome == b.Outcome {
		out++
	}
	return out
}

func pair(a, b *Step) Row {
	out := Row{Kind: Same, A: a, B: b}
	for _, d := range []struct {
		name    string
		differs bool
	}{
		{DiffArguments, a.normalized != b.normalized},
		{DiffElement, !sameElements(a.Elements, b.Elements)},
		{DiffOutcome, a.Outcome != b.Outcome},
		{DiffVerdict, a.Verdict != b.Verdict},
		{DiffAddress, a.URL != b.URL},
		{DiffTab, a.Tab != b.Tab},
	} {
		if d.differs {
			out.Kind = Changed
			out.Differences = append(out.Differences, d.name)
		}
	}
	if slices.Contains(out.Differences, DiffElement) { // said once
		out.Differences = slices.DeleteFunc(out.Differences, func(d string) bool { return d == DiffArguments && withoutElements(a) == withoutElements(b) })
	}
	return out
}

func sameElements(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for pointer, element := range a {
		if b[pointer] != element {
			return false
		}
	}
	return true
}

func describe(steps []recorder.Step) []Step {
	out := make([]Step, len(steps))
	for i, s := range steps {
		out[i] = Step{
			Seq: s.Seq, Tool: s.Tool, Args: s.Args, Outcome: s.Outcome, Verdict: recorder.VerdictOf(s.Verdict), URL: s.URL, Tab: s.Tab,
			Millis: s.Duration.Milliseconds(), Picture: s.Screenshot != "",
		}
		for pointer, id := range s.Targets {
			if out[i].Elements == nil {
				out[i].Elements = make(map[string]string)
			}
			out[i].Elements[pointer] = id.String()
		}
		out[i].normalized = normalize(s.Args, out[i].Elements)
	}
	return out
}

func withoutElements(s *Step) string {
	none := make(map[string]string, len(s.Elements))
	for pointer := range s.Elements {
		none[pointer] = ""
	}
	return normalize(s.Args, none)
}

// normalize returns arguments with texts in place of what is at some JSON pointers.
func normalize(args json.RawMessage, texts map[string]string) string {
	var v any
	if json.Unmarshal(args, &v) != nil {
		return string(args)
	}
	out, err := json.Marshal(argument.ReplaceTexts(v, func(pointer, text string) string {
		if with, ok := texts[pointer]; ok {
			return with
		}
		return text
	}))
	if err != nil { // what was decoded can be encoded
		return string(args)
	}
	return string(out)
}
