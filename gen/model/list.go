package model

import (
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/paramschema"
)

// Extent says which values of a kind lists have.
type Extent = paramschema.Extent

// The extents.
const (
	DistinctEntries = paramschema.DistinctEntries
	EveryEntry      = paramschema.EveryEntry
	NoEntry         = paramschema.NoEntry
)

// distinct is how a manifest writes DistinctEntries.
const distinct = "distinct"

// ListStyle says how lists are written. The zero value is the usual way.
type ListStyle struct {
	Titles      Extent // of tools, prompts and resources
	Annotations Extent // hints of tools
	FullSchemas bool   // the schemas of inputs have limits and defaults, and say that objects are closed
}

// String returns the parts that differ from the default, as a lock has them; "" for none.
func (s ListStyle) String() string {
	var parts []string
	if s.Titles != DistinctEntries {
		parts = append(parts, "titles "+string(s.Titles))
	}
	if s.Annotations != DistinctEntries {
		parts = append(parts, "annotations "+string(s.Annotations))
	}
	if s.FullSchemas {
		parts = append(parts, "schemas full")
	}
	return strings.Join(parts, ", ")
}

// listStyle resolves how lists are written.
func (r settings) listStyle(in spec.ListStyle) {
	r.set.List.Titles = r.extent("titles", in.Titles)
	r.set.List.Annotations = r.extent("annotations", in.Annotations)
	r.set.List.FullSchemas = r.choice("schemas", in.Schemas, "brief", "full") == "full"
	r.set.ListPos = in.Pos
}

func (r settings) extent(key string, in spec.Text) Extent {
	if word := r.choice(key, in, distinct, string(EveryEntry), string(NoEntry)); word != distinct {
		return Extent(word)
	}
	return DistinctEntries
}

// choice returns one of the words that a key takes: the first where it is not written or is another.
func (r settings) choice(key string, in spec.Text, words ...string) string {
	for _, w := range words {
		if in.Value == w {
			return w
		}
	}
	if in.Set() {
		d := r.errorf(in.Pos, ruleBadListStyle, "%s %q is none of %s", key, in.Value, strings.Join(words, ", "))
		if !d.Misspelt(in.Pos, in.Value, words) {
			d.Hint = "write " + key + ": " + words[0] + ", or leave it out"
		}
	}
	return words[0]
}
