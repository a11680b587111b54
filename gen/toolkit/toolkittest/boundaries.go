package toolkittest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
)

// maxFailures is how many failures of a tool are reported.
const maxFailures = 20

// Boundaries holds the decoder of each tool of a registry against the tool's schema, at its boundaries. The cases come from
// [toolkit.Tool.Schema], Requirements and Traits, and a validator of JSON Schema that did not come out of the compiler says
// which are inside: for each bound of each parameter, at any depth, there is a value just inside and one just outside. A
// value inside is accepted by the decoder; no handler runs. One outside is refused with [toolkit.InvalidArguments], the
// refusal names its place, and where a value is one of several, it offers those and no other.
//
// Tools without a decoder, and those whose schema has keywords that no manifest has, are skipped. A bound that no
// value breaks alone, such as a length that a pattern implies, is logged.
func Boundaries(t *testing.T, reg *toolkit.Registry, opts ...Option) {
	t.Helper()
	c := configOf(t, reg, opts)
	for i := range c.registry.Tools {
		tool := &c.registry.Tools[i]
		t.Run(tool.Name, func(t *testing.T) {
			if tool.Check == nil || tool.Schema == "" {
				t.Skip("the tool has no decoder")
			}
			cases, gaps, err := casesOf(tool, c.samples)
			if err != nil {
				t.Skip(err)
			}
			for _, g := range gaps {
				if g.keyword == noExample {
					t.Errorf("%s: no value is found that the schema allows; give texts that match the pattern with toolkittest.Sample", g.at)
					continue
				}
				t.Logf("%s: no value breaks %s alone", g.at, g.keyword)
			}
			call, err := caller(c.registry, tool)
			if err != nil {
				t.Fatal(err)
			}
			for failures, i := 0, 0; i < len(cases); i++ {
				if problem := cases[i].check(tool, call); problem != "" {
					t.Errorf("%s: %s\narguments: %.500s", cases[i].what, problem, cases[i].args)
					if failures++; failures == maxFailures {
						t.Fatalf("%d of %d cases are left out", len(cases)-i-1, len(cases))
					}
				}
			}
			t.Logf("%d cases", len(cases))
		})
	}
}

// caller returns how a call of a tool is made, in a session in which the tool is visible.
func caller(reg *toolkit.Registry, t *toolkit.Tool) (func(args []byte) (toolkit.CallResult, error), error) {
	opt := toolkit.Options{Scope: t.Scopes[0], AllTools: true}
	for _, c := range reg.Capabilities {
		if c.OptIn {
			opt.OptIn = append(opt.OptIn, c.Name)
		}
	}
	surface, err := toolkit.NewSurface(reg, opt)
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", t.Name, err)
	}
	session := surface.NewStaticSession("boundaries")
	facts, err := factsFor(t)
	if err != nil {
		return nil, err
	}
	session.Replace(facts)
	return func(args []byte) (toolkit.CallResult, error) {
		return session.Dispatch(context.Background(), toolkit.Request{Tool: t.Name, Args: args})
	}, nil
}

// factsFor returns facts with which a tool is visible.
func factsFor(t *toolkit.Tool) (toolkit.Facts, error) {
	if t.Visible == nil {
		return 0, nil
	}
	var named toolkit.Facts
	for _, need := range t.Needs {
		named |= need.Fact
	}
	for facts := named; ; facts = (facts - 1) & named {
		if t.Visible(facts) {
			return facts, nil
		}
		if facts == 0 {
			return 0, fmt.Errorf("%s is visible with no facts: %s", t.Name, t.Requires)
		}
	}
}

// check returns the mistake of the decoder in the case; "" if it makes none.
func (c *argumentsCase) check(t *toolkit.Tool, call func([]byte) (toolkit.CallResult, error)) string {
	err := t.Check(t.Traits.Normalize(c.args))
	var found toolkit.Violations
	switch {
	case err == nil && !c.refused:
		return ""
	case err == nil:
		return "accepted, and the schema does not allow it at " + place(c.at)
	case !c.refused:
		return "refused, and the schema allows it: " + err.Error()
	case !errors.As(err, &found):
		return fmt.Sprintf("refused with %v, which are no violations", err)
	}
	// The decoder refuses it, so that no handler runs.
	res, err := call(c.args)
	if err != nil || res.RefusalCode() != toolkit.InvalidArguments {
		return fmt.Sprintf("answered with code %q and error %v, not with code %s", res.RefusalCode(), err, toolkit.InvalidArguments)
	}
	var envelope struct{ Violations toolkit.Violations }
	if err := json.Unmarshal(res.Structured, &envelope); err != nil || !slices.Equal(envelope.Violations, found) {
		return fmt.Sprintf("the refusal %s does not list the violations %v", res.Structured, found)
	}
	return c.compare(found)
}

// compare returns the mistake in the violations of a refused case; "" for none.
func (c *argumentsCase) compare(found toolkit.Violations) string {
	i := slices.IndexFunc(found, func(v toolkit.Violation) bool { return isWithin(v.Path, c.at) })
	if i < 0 {
		return fmt.Sprintf("the refusal names no place at %s: %v", place(c.at), found)
	}
	if c.choices == nil {
		return ""
	}
	if offered := offers(found[i].Hint); !slices.Equal(offered, sorted(c.choices)) {
		return fmt.Sprintf("the refusal offers %q at %s, and the schema has %q", offered, place(c.at), sorted(c.choices))
	}
	return ""
}

// place is a JSON pointer for people.
func place(pointer string) string {
	if pointer == "" {
		return "the arguments"
	}
	return pointer
}

// isWithin reports whether a violation's place is that of a pointer or within it. A long place ends in an ellipsis.
func isWithin(found, pointer string) bool {
	if cut, ok := strings.CutSuffix(found, "…"); ok {
		return strings.HasPrefix(pointer, cut) || strings.HasPrefix(cut, pointer)
	}
	return found == pointer || strings.HasPrefix(found, pointer+"/")
}

var (
	offeredText   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	offeredNumber = regexp.MustCompile(`(-?\d+) \(`)
)

// offers lists the values that the hint of a violation names, sorted.
func offers(hint string) (out []string) {
	for _, quoted := range offeredText.FindAllString(hint, -1) {
		if text, err := strconv.Unquote(quoted); err == nil {
			out = append(out, text)
		}
	}
	for _, n := range offeredNumber.FindAllStringSubmatch(hint, -1) {
		out = append(out, n[1])
	}
	return sorted(out)
}

// sorted returns a sorted copy without duplicates.
func sorted(values []string) []string { return slices.Compact(slices.Sorted(slices.Values(values))) }
