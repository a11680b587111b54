package toolkit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// entryStart matches the line that begins an entry of a manifest's file: a section of the root file, an item of
// a list with a name, or such an item of the record of a release.
var entryStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([a-z_]+):| {0,4}- \{?[a-z]+: "?([\w.:/{}-]+)"?.*| {2,6}\{"name":"(\w+)".*)`)
})

// SourceDigests lists the entries of a manifest's files with a digest of each. Generated code has the list of what
// it was generated from, so that a release can refuse to start when it was built from stale code.
//
// A name and its digest are lines of their own, so that changes of two entries merge. A digest covers the name of
// the entry before, so that the order counts; the ends of lines do not.
func SourceDigests(files map[string][]byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		before := ""
		for _, e := range entriesOf(files[name]) {
			sum := sha256.Sum256([]byte(before + "\n" + e.text))
			fmt.Fprintf(&b, "%s %s\n\t%s\n", name, e.name, hex.EncodeToString(sum[:12]))
			before = e.name
		}
	}
	return b.String()
}

// sourceEntry is a part of a file.
type sourceEntry struct{ name, text string }

// entriesOf splits a file before each line that begins an entry.
func entriesOf(data []byte) []sourceEntry {
	out := []sourceEntry{{name: "(head)"}}
	for line := range strings.Lines(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n")))) {
		if m := entryStart().FindStringSubmatch(strings.TrimSuffix(line, "\n")); m != nil {
			out = append(out, sourceEntry{name: m[1] + m[2] + m[3]})
		}
		out[len(out)-1].text += line
	}
	return out
}

// factsTried is the most facts whose states RowDigests tries with each predicate: 1,024 states.
const factsTried = 10

// RowDigests lists the tools of a table, in its order, with a digest of what a row says and of the states in which its
// predicates hold, of which there are 1<<facts. Handlers and readers of arguments are functions, which it leaves out.
func RowDigests(tools []Tool, facts int) string {
	var b strings.Builder
	for _, t := range tools {
		sum := sha256.New()
		fmt.Fprintf(sum, "%q %q %q %q %d %v %q %v %q\n", t.Name, t.Description, t.Area, t.Capability, t.Tier, t.Effects, t.Surfaces, t.Powers, t.Was)
		fmt.Fprintf(sum, "%q %q %q %v %q %d %d\n", t.Scopes, t.Requires, t.Listing, t.Changes, t.Joining, t.ResultBytes, t.Timeout)
		fmt.Fprintf(sum, "%q %q %q %q %q %q\n", t.Schema, t.Definition, t.StaticDefinition, t.FullDefinition, t.SlimDefinition, t.OutputSchema)
		predicates := []func(Facts) bool{t.Visible, t.Listed, t.Joins}
		for _, a := range t.Also {
			fmt.Fprintf(sum, "%q %q\n", a.Capability, a.When)
			predicates = append(predicates, a.Holds)
		}
		for _, holds := range predicates {
			for state := Facts(0); holds != nil && state < 1<<min(facts, factsTried); state++ {
				fmt.Fprint(sum, holds(state))
			}
		}
		fmt.Fprintf(&b, "%s\n\t%s\n", t.Name, hex.EncodeToString(sum.Sum(nil)[:12]))
	}
	return b.String()
}
