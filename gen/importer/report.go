package importer

import (
	"fmt"
	"io"
	"strings"
)

// Decision is one thing that the manifest says otherwise than the upstream, or that it cannot say.
type Decision struct {
	Tool string `json:"tool"` // the upstream's name; "" of the whole server
	Path string `json:"path"` // JSON pointer into the tool's entry in tools/list
	Kind Kind   `json:"kind"`
	What string `json:"what"`
	Why  string `json:"why"`
	Do   string `json:"do"`
}

// Kind is the effect of a decision on a part of the upstream's list.
type Kind string

// The kinds of decisions. Kept is in the record as the upstream sends it, and not in the manifest.
// Asked is left open: the compiler asks for it.
const (
	Kept    Kind = "kept"
	Changed Kind = "changed"
	Added   Kind = "added"
	Dropped Kind = "dropped"
	Asked   Kind = "asked"
)

// Print writes the report for people: a paragraph for each tool, and the count of each kind.
func Print(w io.Writer, decisions []Decision) error {
	count := map[Kind]int{}
	last := "\x00"
	for _, d := range decisions {
		count[d.Kind]++
		if d.Tool != last {
			last = d.Tool
			name := d.Tool
			if name == "" {
				name = "(the server)"
			}
			if _, err := fmt.Fprintln(w, name); err != nil {
				return err
			}
		}
		if _, err := fmt.Fprintf(w, "  %s %s: %s\n      because %s\n      %s\n", d.Kind, d.Path, d.What, d.Why, d.Do); err != nil {
			return err
		}
	}
	var counts []string
	for _, k := range []Kind{Asked, Dropped, Changed, Added, Kept} {
		if count[k] > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", count[k], k))
		}
	}
	if len(counts) == 0 {
		counts = []string{"nothing was changed"}
	}
	_, err := fmt.Fprintln(w, strings.Join(counts, ", "))
	return err
}
