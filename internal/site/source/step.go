package source

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/callsheet/callsheet/gen/spec"
	"github.com/callsheet/callsheet/gen/toolkit/yamltree"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/site/instruction"
)

func (r *reader) steps(dst *[]Step) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.ListNode {
			r.Wrong(k, n, "a list of steps")
			return
		}
		for _, item := range n.Items {
			if item.Member("request") != nil {
				*dst = append(*dst, r.requestStep(item)...)
				continue
			}
			*dst = append(*dst, r.step(item)...)
		}
		for i := range *dst {
			(*dst)[i].Number = i + 1
		}
	}
}

// step reads an entry of steps. An English order may be several steps.
func (r *reader) step(n *yamltree.Node) []Step {
	if n.Kind == spec.StringLiteral {
		return r.order(n.Text)
	}
	s := Step{Pos: n.Pos}
	var tool, do spec.Text
	var target *Element
	if !r.Fields(n, "a step", map[string]key{
		"do": r.text(&do), "tool": r.text(&tool), "optional": r.Bool(&s.Optional), "when": r.observation(&s.When), "note": r.string(&s.Note),
		"target": r.element(&target), "targets": r.targets(&s.Targets), "request": nil,
		"args": func(k spec.Text, n *yamltree.Node) {
			if n.Kind != yamltree.MappingNode {
				r.Wrong(k, n, "a mapping of arguments")
				return
			}
			s.Args, s.args = r.json(n), n
		},
		"expect": func(k spec.Text, n *yamltree.Node) { s.Expect, s.expect = r.contract(k, n), n },
	}) {
		return nil
	}
	if do.Set() == tool.Set() {
		if n.Member("do") == nil && n.Member("tool") == nil || do.Set() && tool.Set() {
			r.Errorf(n.Pos, ruleStep, "a step has either do, tool or request").Hint = `such as do: click "Sign in", or tool: interact with args`
		}
		return nil
	}
	if target != nil {
		s.setTarget("/ref", target)
	}
	if do.Set() {
		steps := r.order(do)
		if s.args != nil || target != nil || s.Targets != nil {
			r.Errorf(do.Pos, ruleStep, "do has no args and targets").Hint = "write tool, with args and target"
		}
		for i := range steps {
			steps[i].Optional, steps[i].When, steps[i].Note = s.Optional, s.When, s.Note
		}
		if len(steps) > 0 {
			steps[len(steps)-1].Expect, steps[len(steps)-1].expect = s.Expect, s.expect
		}
		return steps
	}
	s.Tool, s.ToolPos = tool.Value, tool.Pos
	if s.Args == nil {
		s.Args = json.RawMessage("{}")
	}
	return []Step{s}
}

func (s *Step) setTarget(pointer string, e *Element) {
	if s.Targets == nil {
		s.Targets = map[string]*Element{}
	}
	s.Targets[pointer] = e
}

// targets reads elements by the argument that names them: ref, or a JSON pointer such as /fields/0/ref.
func (r *reader) targets(dst *map[string]*Element) key {
	return func(k spec.Text, n *yamltree.Node) {
		if n.Kind != yamltree.MappingNode {
			r.Wrong(k, n, "a mapping of arguments to elements")
			return
		}
		out := map[string]*Element{}
		for _, m := range n.Members {
			var e *Element
			if r.element(&e)(m.Key, m.Value); e != nil {
				out["/"+strings.TrimPrefix(m.Key.Value, "/")] = e
			}
		}
		*dst = out
	}
}

// order reads an English order. Placeholders stand in its texts; a value can never become an order, for
// the order is taken apart before values are filled in.
func (r *reader) order(text spec.Text) []Step {
	parsed, err := instruction.Parse(text.Value)
	if err != nil {
		r.Errorf(text.Pos, ruleOrder, "%v", err).Hint = "write tool and args for anything else"
		return nil
	}
	var out []Step
	for _, p := range parsed {
		s := Step{Pos: text.Pos, ToolPos: text.Pos, Order: text}
		var args any
		switch p.Action {
		case instruction.Click, instruction.DoubleClick, instruction.RightClick, instruction.Hover:
			s.Tool, args = toolset.ToolInteract, map[string]any{"query": p.Query, "action": string(p.Action)}
		case instruction.Set:
			s.Tool, args = toolset.ToolFormInput, map[string]any{"query": p.Query, "value": p.Value}
		case instruction.Navigate:
			s.Tool, args = toolset.ToolNavigate, map[string]any{"url": p.Value}
		default:
			one := map[string]any{"action": string(p.Action)}
			if p.Query != "" {
				one["query"] = p.Query
			}
			if p.Value != "" {
				one["value"] = p.Value
			}
			s.Tool, args = toolset.ToolAct, map[string]any{"steps": []any{one}}
		}
		s.Args, _ = json.Marshal(args) // texts alone
		out = append(out, s)
	}
	return out
}

// pattern checks the pattern of an extraction.
func (r *reader) pattern(t spec.Text) {
	if !t.Set() {
		return
	}
	re, err := regexp.Compile(t.Value)
	switch {
	case err != nil:
		r.Errorf(t.Pos, ruleExtract, "the pattern does not parse: %v", err).Hint = "patterns are RE2: https://github.com/google/re2/wiki/Syntax"
	case re.NumSubexp() != 1:
		r.Errorf(t.Pos, ruleExtract, "the pattern has %d groups, and one is taken", re.NumSubexp()).Hint = `write one group, such as Order #(\d+)`
	}
}
