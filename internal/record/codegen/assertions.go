package codegen

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

// assertionOps returns ops for the leaves of a contract that passed, and comments for those that a test
// cannot repeat.
func assertionOps(s recorder.Step, contract string) (out []op) {
	var leaves map[string]json.RawMessage
	_ = json.Unmarshal([]byte(contract), &leaves) // what is no object has no leaves
	for _, name := range slices.Sorted(maps.Keys(leaves)) {
		o, ok := leafOp(name, leaves[name])
		if !ok {
			o = op{Kind: opComment, Value: fmt.Sprintf("%d %s: not translated: %s %s", s.Seq, s.Tool, name, oneLine(string(leaves[name])))}
		}
		o.Tab = s.Tab
		out = append(out, o)
	}
	return out
}

// leafOp translates one leaf.
func leafOp(name string, leaf json.RawMessage) (op, bool) {
	var text string
	if json.Unmarshal(leaf, &text) == nil {
		switch name {
		case "url":
			return op{Kind: opWaitURL, Value: text}, true
		case "dom_text":
			return op{Kind: opWaitText, Value: text}, true
		}
		return op{}, false
	}
	var members map[string]any
	if json.Unmarshal(leaf, &members) != nil {
		return op{}, false
	}
	selector, _ := members["selector"].(string)
	if selector == "" || len(members) != 2 {
		return op{}, false
	}
	o := op{Kind: opCheck, Selector: selector}
	member := func(name string) (found bool) {
		o.Value, found = members[name].(string)
		return found
	}
	switch {
	case name == "element" && member("state") && slices.Contains([]string{"visible", "checked", "unchecked"}, o.Value):
		o.Check, o.Value = o.Value, ""
		return o, true
	case name == "dom_text" && member("contains"):
		o.Check = "text"
		return o, true
	case name == "value" && member("equals"):
		o.Check = "value"
		return o, true
	case name == "dom_count":
		n, isNumber := members["eq"].(float64)
		o.Check, o.Value = "count", strconv.FormatFloat(n, 'f', -1, 64)
		return o, isNumber
	}
	return op{}, false
}
