package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
)

// before looks at the elements of a step before its call: an element that is recognised by its test id
// must have its name, and what it leads to must be what it led to.
func (c *call) before(ctx context.Context, s *recorder.Step, _ string, found map[string]locate.Relocation) (*replay.Drift, error) {
	stop := c.options.StopBeforeLast && s.Seq == c.last
	step := c.step(s.Seq)
	if step == nil {
		if c.stopped = stop; stop {
			return ended, nil
		}
		return nil, nil
	}
	for _, pointer := range slices.Sorted(maps.Keys(s.Targets)) {
		id, now := s.Targets[pointer], found[pointer]
		if id.Name != "" && now.Name != id.Name {
			c.drift = &Drift{Step: s.Seq, Kind: DriftRenamed, Expected: id.String(), Found: fmt.Sprintf("%s %q", now.Role, now.Name),
				Reason: "the test id is the same and the name is not", Repair: repairMark(mark{s.Seq, pointer, "name"}, step.Targets[pointer].Name, now.Name, "it has the same test id")}
			return ended, nil
		}
		if err := c.checkConsequence(ctx, s.Seq, pointer, id, now.Ref); err != nil || c.drift != nil {
			return ended, err
		}
	}
	if len(s.Targets) == 0 && pressesEnter(s.Args) {
		if err := c.checkConsequence(ctx, s.Seq, "", locate.Identity{}, ""); err != nil || c.drift != nil {
			return ended, err
		}
	}
	if c.stopped = stop; stop {
		return ended, nil
	}
	return nil, nil
}

// ended ends a replay whose drift the call itself keeps.
var ended = &replay.Drift{Kind: "site"}

// pressesEnter reports whether a step without an element presses Enter, also inside of an order.
func pressesEnter(args json.RawMessage) bool {
	var all any
	return json.Unmarshal(args, &all) == nil && hasEnter(all)
}

func hasEnter(v any) bool {
	switch v := v.(type) {
	case string:
		return v == "Enter" || strings.HasSuffix(v, " Enter")
	case []any:
		return slices.ContainsFunc(v, hasEnter)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), hasEnter)
	}
	return false
}

// checkConsequence compares where a click on an element leads with where it led, and looks for fields
// that its form asks for.
func (c *call) checkConsequence(ctx context.Context, seq int, pointer string, id locate.Identity, ref string) error {
	var to locate.Consequence
	err := c.tab.Do(ctx, func(ctx context.Context, p *page.Page) (err error) {
		to, err = p.Locate.Consequence(ctx, ref)
		return err
	})
	if err != nil {
		return fmt.Errorf("step %d: %w", seq, err)
	}
	isField := ref != "" && !to.Submits && to.Method != "" && id.Leads == "" && to.Missing != nil
	u, err := url.Parse(to.URL)
	if err != nil || to.URL == "" || isField {
		return nil
	}
	what := id.String()
	if pointer == "" {
		what = "Enter in the field"
	}
	leads := c.leads(to.Method, u)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil
	case !c.Site.covers(to.URL):
		c.drift = &Drift{Step: seq, Kind: DriftOrigin, Expected: what + ", which leads to " + strings.Join(c.Site.Origins, " or "), Found: "a way to " + u.Scheme + "://" + u.Host,
			Reason: "it would leave the site"}
	case id.Leads != "" && !c.leadsAsBefore(id, to.Method, u):
		c.drift = &Drift{Step: seq, Kind: DriftLeads, Expected: what + ", which leads to " + id.Leads, Found: "a way to " + leads,
			Repair: repairMark(mark{seq, pointer, "leads"}, c.tool.Steps[seq-1].Targets[pointer].Leads, leads, "the element has the same name")}
	case len(to.Missing) > 0 && (to.Submits || pointer == ""):
		c.drift = c.requiredDrift(seq, what, to.Missing)
	}
	return nil
}

func (c *call) requiredDrift(seq int, what string, missing []document.Element) *Drift {
	d := &Drift{Step: seq, Kind: DriftRequired, Expected: what + " of a complete form", Found: "fields that no step fills", Repair: &Repair{Why: "the form asks for it"}}
	names := make([]string, len(missing))
	taken := slices.Clone(c.Site.Parameters)
	for _, p := range c.tool.Parameters {
		taken = append(taken, p.Name)
	}
	for i, field := range missing {
		names[i] = fmt.Sprintf("%s %q", field.Role, field.Name)
		parameter := freeName(cmp.Or(argument.ParameterName(field.Name), "value"), taken)
		taken = append(taken, parameter)
		d.Repair.Changes = append(d.Repair.Changes,
			Change{Op: "add", Path: "/input/" + parameter, New: map[string]any{"type": "string", "required": true, "description": field.Name + "."}},
			Change{Op: "add", Path: fmt.Sprintf("/steps/%d", seq-1), New: map[string]any{"tool": toolset.ToolFormInput, "args": map[string]any{"value": "{" + parameter + "}"},
				"targets": map[string]any{"/ref": map[string]any{"role": field.Role, "name": field.Name}}}})
	}
	if slices.ContainsFunc(missing, func(field document.Element) bool { return holdsPlaceholder(field.Name) }) {
		d.Repair = nil
	}
	d.Reason = "the form asks for " + strings.Join(names, ", ")
	return d
}

// freeName returns a name that is not taken: the wanted one, or that with a number.
func freeName(wanted string, taken []string) string {
	name := wanted
	for n := 2; slices.Contains(taken, name); n++ {
		name = fmt.Sprintf("%s_%d", wanted, n)
	}
	return name
}

// after looks at the page after a call: for a dialog that no later step answers, and for another origin.
func (c *call) after(ctx context.Context, s *recorder.Step, _ string) (*replay.Drift, error) {
	if c.drift = c.checkPage(ctx, s.Seq); c.drift != nil {
		return ended, nil
	}
	if step := c.step(s.Seq); step != nil && len(step.Expect) > 0 {
		var out Result
		if err := c.judge(ctx, "what the step expects", step.Expect, time.Now().Add(c.options.Wait), &out); err != nil || c.drift != nil {
			if c.drift != nil {
				c.drift.Step = s.Seq
			}
			return ended, err
		}
	}
	return nil, nil
}

// checkPage returns the drift of a page that asks something or is outside of the site. A dialog is
// dismissed: what it asks about does not happen.
func (c *call) checkPage(ctx context.Context, seq int) *Drift {
	if d := c.tab.Dialogs.Open(); d != nil && !c.answersNext(seq) {
		_ = c.tab.Dialogs.Handle(ctx, d.Kind == "beforeunload", "") // it may have closed meanwhile
		return &Drift{Step: c.number(seq), Kind: DriftDialog, Expected: "no dialog", Found: fmt.Sprintf("a %s: %q", d.Kind, d.Message), Reason: "it was dismissed", Acted: true}
	}
	if at := c.tab.URL(); strings.HasPrefix(at, "http") && !c.Site.covers(at) {
		u, err := url.Parse(at)
		if err != nil {
			return nil
		}
		return &Drift{Step: c.number(seq), Kind: DriftOrigin, Expected: "a page of " + strings.Join(c.Site.Origins, " or "), Found: u.Scheme + "://" + u.Host, Acted: true}
	}
	return nil
}

// answersNext reports whether the step after seq answers dialogs.
func (c *call) answersNext(seq int) bool {
	next := c.step(c.number(seq) + 1)
	return next != nil && isDialogTool(next.Tool)
}

// fromReplay describes the drift at which a replay stopped.
func (c *call) fromReplay(ctx context.Context, d *replay.Drift) *Drift {
	out := &Drift{Step: c.number(d.Step), Kind: d.Kind, Expected: d.Expected, Found: d.Found, Reason: d.Reason, Near: d.Similar, Acted: d.Kind == replay.DriftAddress}
	if d.Step == startSeq {
		out.Action, out.Expected = d.Tool, "the start of the tool"
	}
	if dialog := c.tab.Dialogs.Open(); dialog != nil {
		if asked := c.checkPage(ctx, d.Step); asked != nil {
			asked.Step = max(out.Step-1, min(out.Step, 1)) // the step before has opened it
			return asked
		}
	}
	out.Repair = c.repairElement(d)
	return out
}

func asNotRelocated(err error) *locate.NotRelocatedError {
	var gone *locate.NotRelocatedError
	if errors.As(err, &gone) {
		return gone
	}
	return nil
}
