package compat

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/diag"
	"github.com/callsheet/callsheet/gen/toolkit/subschema"
)

// say is a finding with a message.
func say(format string, args ...any) []Finding {
	return []Finding{{Message: fmt.Sprintf(format, args...)}}
}

func checkDeleted(s *subject) []Finding {
	if s.now != nil || s.kind == "tool" && s.successor() != "" || s.moved() != nil {
		return nil
	}
	return say("it is gone")
}

func checkRenamed(s *subject) []Finding {
	if name := s.successor(); name != "" {
		return say("it seems to be called %q now, which has the same schemas", name)
	}
	return nil
}

// contract is equal for tools with the same schemas.
func (e *entry) contract() string {
	key := e.input().Key() + "\x00"
	if e.Output != nil {
		key += e.output().Key()
	}
	return key
}

// isLike reports whether another tool has the same contract, and, where that is so small that many have
// it, a similar name.
func (e *entry) isLike(other *entry) bool {
	if e.contract() != other.contract() {
		return false
	}
	return len(e.annotated()) > 1 || e.Description != "" && e.Description == other.Description || diag.Nearest(e.name, []string{other.name}) != "" ||
		strings.Contains(other.name, e.name) || strings.Contains(e.name, other.name)
}

func checkAdded(s *subject) []Finding {
	if s.was != nil {
		return nil
	}
	return say("it is new")
}

// findings are the differences of one kind.
func findings(list []subschema.Difference, kinds ...subschema.Kind) []Finding {
	var out []Finding
	for _, d := range list {
		if slices.Contains(kinds, d.Kind) {
			out = append(out, Finding{Path: d.Path, Message: d.Message, Was: d.Was, Now: d.Now})
		}
	}
	return out
}

func inputsOf(kind subschema.Kind) func(*subject) []Finding {
	return func(s *subject) []Finding {
		s.schemas()
		return findings(s.inputs, kind)
	}
}

func checkResults(s *subject) []Finding {
	if s.both() && s.was.Output != nil && s.now.Output == nil {
		return say("it no longer has an output schema, and clients that have the old one expect structured content")
	}
	s.schemas()
	return findings(s.results, subschema.Deleted, subschema.Required, subschema.Type, subschema.Enum, subschema.Bounds)
}

func checkUnknownResults(s *subject) []Finding {
	s.schemas()
	return findings(s.results, subschema.Unknown)
}

// checkWider lists the values that the new input takes and the old one did not.
func checkWider(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	s.schemas()
	var out []Finding
	for _, d := range subschema.Inputs(s.now.input(), s.was.input()) {
		message := ""
		switch d.Kind {
		case subschema.Deleted:
			message = "it is a new parameter"
			if slices.ContainsFunc(s.inputs, func(o subschema.Difference) bool { return o.Path == d.Path }) {
				continue // reported as required
			}
		case subschema.Required:
			message = "it was required and is optional"
			if _, still := s.now.annotated()[d.Path]; !still {
				continue // reported as gone
			}
		case subschema.Type:
			message = "it takes other types than before"
		case subschema.Enum:
			message = "it takes values that it did not take"
		case subschema.Bounds:
			message = "its limits are looser"
		default:
			continue // the other direction reports it, or it only lost a constraint
		}
		out = append(out, Finding{Path: d.Path, Message: message})
	}
	return out
}

func checkNarrower(s *subject) []Finding {
	switch {
	case !s.both() || s.now.Output == nil:
		return nil
	case s.was.Output == nil:
		return say("it has an output schema now")
	}
	var out []Finding
	for _, d := range subschema.Results(s.now.output(), s.was.output()) {
		switch d.Kind {
		case subschema.Deleted:
			out = append(out, Finding{Path: d.Path, Message: "it is a new member of the result"})
		case subschema.Required:
			out = append(out, Finding{Path: d.Path, Message: "it is always in the result now"})
		}
	}
	return out
}

// checkDefaults compares the defaults of values that are on both sides. One that is stated for the first time,
// or no longer, is a text: the server may have had it before.
func checkDefaults(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	var out []Finding
	was, now := s.was.annotated(), s.now.annotated()
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if w, n := was[path].standard, now[path].standard; w != "" && n != "" && w != n {
			out = append(out, Finding{Path: path, Message: fmt.Sprintf("its default was %s and is %s", w, n)})
		}
	}
	return out
}

func checkTasks(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	was, now := cmp.Or(s.was.Execution.TaskSupport, "forbidden"), cmp.Or(s.now.Execution.TaskSupport, "forbidden")
	if was == now || now == "optional" {
		return nil
	}
	return say("taskSupport was %s and is %s", was, now)
}

// hint is a hint's effective value, and whether true is the safe one.
type hint struct {
	name        string
	value, safe bool
}

// hints are the values that hold for clients, with the protocol's defaults.
func hints(a annotations) []hint {
	value := func(p *bool, standard bool) bool {
		if p == nil {
			return standard
		}
		return *p
	}
	return []hint{
		{"readOnlyHint", value(a.ReadOnly, false), true}, {"destructiveHint", value(a.Destructive, true), false},
		{"idempotentHint", value(a.Idempotent, false), true}, {"openWorldHint", value(a.OpenWorld, true), false},
	}
}

// changedHints lists the hints that changed, to the dangerous side or to the safe one. Whether a tool destroys
// or may be repeated means nothing while it only reads.
func changedHints(s *subject, weaker bool) []Finding {
	if !s.both() {
		return nil
	}
	var out []Finding
	was, now := hints(s.was.Annotations), hints(s.now.Annotations)
	reads := was[0].value || now[0].value
	for i, w := range was {
		if reads && (w.name == "destructiveHint" || w.name == "idempotentHint") {
			continue
		}
		if w.value != now[i].value && (w.value == w.safe) == weaker {
			out = append(out, Finding{Path: w.name, Message: fmt.Sprintf("it was %v and is %v", w.value, now[i].value)})
		}
	}
	return out
}

func checkWeaker(s *subject) []Finding { return changedHints(s, true) }

func checkSafer(s *subject) []Finding { return changedHints(s, false) }

// checkTexts names the texts that have changed, and shows the description.
func checkTexts(s *subject) []Finding {
	if !s.both() {
		return nil
	}
	var out []Finding
	if s.was.Title != s.now.Title || s.was.Annotations.Title != s.now.Annotations.Title {
		out = append(out, Finding{Message: "its title changed", Was: cmp.Or(s.was.Title, s.was.Annotations.Title), Now: cmp.Or(s.now.Title, s.now.Annotations.Title)})
	}
	if s.was.Description != s.now.Description {
		out = append(out, Finding{Message: "its description changed", Was: s.was.Description, Now: s.now.Description})
	}
	var paths []string
	was, now := s.was.annotated(), s.now.annotated()
	for _, path := range slices.Sorted(maps.Keys(was)) {
		w := was[path]
		n, still := now[path]
		if still && (w.title != n.title || w.description != n.description || (w.standard == "") != (n.standard == "")) {
			paths = append(paths, path)
		}
	}
	if len(paths) > 0 {
		out = append(out, say("the words or stated defaults of %s changed", strings.Join(paths, ", "))...)
	}
	return out
}
