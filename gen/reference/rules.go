package reference

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed rules.txt
var table string

// readRules returns the rules about each key. Those of every key are under "*", and those of none
// under "-".
func readRules() (map[string][]string, error) {
	out := map[string][]string{}
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		if len(words) == 1 {
			return nil, fmt.Errorf("rules.txt: rule %s names no key", words[0])
		}
		for _, k := range words[1:] {
			out[k] = append(out[k], words[0])
		}
	}
	for _, rules := range out {
		slices.Sort(rules)
	}
	return out, nil
}
