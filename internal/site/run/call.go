package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/locate"
	"github.com/callsheet/callsheet/internal/login/secret"
	"github.com/callsheet/callsheet/internal/record/contract"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/text"
)

// alias is the name of the tab in the script of a tool.
const alias = "t1"

// startSeq is the number of the step that opens the start, beyond those of a tool's steps.
const startSeq = 1 << 20

// call is one run of one tool.
type call struct {
	*Runner

	tool     *Tool
	values   map[string]any
	options  Options
	tab      *browser.Tab
	evidence *live.Evidence

	last    int // number of the step that StopBeforeLast does not make
	drift   *Drift
	stopped bool    // before that step, as the caller wanted
	answer  *answer // of the request; nil for a tool without
	skipped []int
}

// script returns the steps as a replay plays them, with values in place of parameters.
func (c *call) script() (replay.Script, error) {
	var s replay.Script
	if c.tool.Start != "" {
		args, err := json.Marshal(map[string]any{"url": c.Site.address(fillAddress(c.tool.Start, c.values))})
		if err != nil {
			return s, err
		}
		s.Steps = append(s.Steps, recorder.Step{Seq: startSeq, Tool: toolset.ToolNavigate, Args: args, Tab: alias})
	}
	for i, step := range c.tool.Steps {
		if step.Request != nil {
			continue // send sends it
		}
		if c.lacksValue(&step) {
			c.skipped = append(c.skipped, i+1)
			continue
		}
		args, err := fillArgs(step.Tool, step.Args, c.values)
		if err != nil {
			return s, fmt.Errorf("step %d: %w", i+1, err)
		}
		if err := c.checkSecrets(&step, args); err != nil {
			return s, err
		}
		out := recorder.Step{Seq: i + 1, Tool: step.Tool, Args: c.absolute(step.Tool, args), Tab: alias}
		if step.URL != "" {
			out.URL = c.Site.address(fillAddress(step.URL, c.values))
		}
		for pointer, id := range step.Targets {
			if out.Targets == nil {
				out.Targets = map[string]locate.Identity{}
			}
			out.Targets[pointer] = fillIdentity(id, c.values)
		}
		if words, ok := queryOf(step); ok {
			out.Targets = map[string]locate.Identity{"/query": fillIdentity(words, c.values)}
		}
		s.Steps = append(s.Steps, out)
	}
	c.last = c.lastActing(s.Steps)
	return s, nil
}

// lacksValue reports whether a step mentions a parameter that has no value, in anything that is filled in.
func (c *call) lacksValue(s *Step) bool {
	return c.mentionsUnfilled(string(s.Args) + string(s.Expect) + compact(s.Targets) + compact(s.When) + s.URL)
}

// mentionsUnfilled reports whether a text mentions a parameter, of the tool or the site, that has no value.
func (c *call) mentionsUnfilled(text string) bool {
	known := map[string]bool{}
	for _, name := range c.Site.Parameters {
		known[name] = true
	}
	for _, p := range c.tool.Parameters {
		known[p.Name] = true
	}
	return unfilled(text, known, c.values) != ""
}

// queryOf returns the element that a step without targets describes in words, which name it as the tool has it.
func queryOf(step Step) (locate.Identity, bool) {
	var args struct {
		Query string          `json:"query"`
		Value json.RawMessage `json:"value"`
	}
	if len(step.Targets) > 0 || json.Unmarshal(step.Args, &args) != nil || args.Query == "" || toolset.TraitsOf(step.Tool).Role("/query") != toolset.RoleQuery {
		return locate.Identity{}, false
	}
	return locate.Identity{Words: args.Query, Field: args.Value != nil}, true
}

// absolute makes the address of a navigation absolute.
func (c *call) absolute(tool string, args json.RawMessage) json.RawMessage {
	if toolset.TraitsOf(tool).Replay != toolset.ReplayNavigate {
		return args
	}
	var all map[string]any
	if json.Unmarshal(args, &all) != nil {
		return args
	}
	if address, ok := all["url"].(string); ok && strings.HasPrefix(address, "/") {
		all["url"] = c.Site.address(address)
		return json.RawMessage(compact(all))
	}
	return args
}

// step returns the tool's step of a number, or nil for the start.
func (c *call) step(seq int) *Step {
	if seq < 1 || seq > len(c.tool.Steps) {
		return nil
	}
	return &c.tool.Steps[seq-1]
}

// number returns the number of a step as a drift has it: 0 for the start.
func (c *call) number(seq int) int {
	if seq == startSeq {
		return 0
	}
	return min(seq, len(c.tool.Steps))
}

// skip leaves out a step whose condition does not hold, and an optional one whose elements are not
// there.
func (c *call) skip(ctx context.Context, s *recorder.Step, _ string) (string, error) {
	step := c.step(s.Seq)
	if step == nil {
		return "", nil
	}
	if step.When != nil {
		held, err := c.observeAll(ctx, c.tab, []*Observation{fillObservation(step.When, c.values)})
		if err != nil {
			return "", err
		}
		if !held[0] {
			c.skipped = append(c.skipped, s.Seq)
			return "its condition does not hold", nil
		}
	}
	if !step.Optional {
		return "", nil
	}
	for _, id := range s.Targets {
		err := c.tab.Do(ctx, func(ctx context.Context, p *page.Page) error {
			_, err := p.Locate.Relocate(ctx, id)
			return err
		})
		if gone := asNotRelocated(err); gone != nil && gone.Drift == locate.DriftGone {
			c.skipped = append(c.skipped, s.Seq)
			return "it is optional, and its element is not there", nil
		}
	}
	return "", nil
}

// judge judges a contract until it passes or the time is over.
func (c *call) judge(ctx context.Context, what string, raw json.RawMessage, end time.Time, out *Result) error {
	if len(raw) == 0 {
		return nil
	}
	parsed, err := fillContract(raw, c.values)
	if err != nil {
		return err
	}
	report := parsed.Judge(ctx, c.evidence, contract.Options{Deadline: end})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	out.Verdict = &report
	if report.Verdict == contract.Pass {
		return nil
	}
	d := &Drift{Step: len(c.tool.Steps) + 1, Kind: DriftContract, Expected: what, Found: report.Verdict.String(), Reason: report.Reason, Acted: true}
	if len(report.Failures) > 0 {
		f := report.Failures[0]
		d.Expected, d.Found = f.Expected, f.Actual
	}
	c.drift = d
	return nil
}

// checkFacts observes that the tool changed the facts that it declares to change.
func (c *call) checkFacts(ctx context.Context, most time.Duration, out *Result) error {
	changed := func(f Facts) bool {
		return !slices.ContainsFunc(c.tool.Sets, func(name string) bool { return !f[name] }) &&
			!slices.ContainsFunc(c.tool.Clears, func(name string) bool { return f[name] })
	}
	facts, err := c.observeUntil(ctx, c.tab.ID(), changed, most)
	if out.Facts = facts; err != nil || changed(facts) {
		return err
	}
	for _, name := range c.tool.Sets {
		if !facts[name] {
			c.drift = &Drift{Step: len(c.tool.Steps) + 1, Kind: DriftFact, Expected: name + ", which the tool sets", Found: "a page that does not show it", Acted: true}
			return nil
		}
	}
	for _, name := range c.tool.Clears {
		if facts[name] {
			c.drift = &Drift{Step: len(c.tool.Steps) + 1, Kind: DriftFact, Expected: "no " + name + ", which the tool clears", Found: "a page that shows it", Acted: true}
		}
	}
	return nil
}

// complete fills in the common fields of a drift, and removes texts that must not leave the server.
func (c *call) complete(d *Drift) {
	d.Tool = c.tool.Name
	if step := c.step(d.Step); step != nil {
		d.Action = step.Tool
		if d.Pos == "" {
			d.Pos = step.Pos
		}
	}
	if d.Step == 0 && d.Kind == DriftOutput {
		d.Step, d.Acted = len(c.tool.Steps)+1, len(c.tool.Steps) > 0
	}
	if d.Repair != nil {
		d.Repair.Tool, d.Repair.File, d.Repair.Pos = c.tool.Name, c.tool.File, d.Pos
	}
	if c.Redact == nil {
		return
	}
	if d.Repair != nil && c.Redact(d.Repair.String()) != d.Repair.String() {
		d.Repair = nil // it would write a secret into the file
	}
	d.Expected, d.Found, d.Reason = c.Redact(d.Expected), c.Redact(d.Found), c.Redact(d.Reason)
	for i := range d.Near {
		d.Near[i] = c.Redact(d.Near[i])
	}
}

// keepEvidence keeps the picture of the page and the verdict. A picture that cannot be had is left out:
// the answer matters more.
func (c *call) keepEvidence(ctx context.Context, out *Result) {
	if c.Keep == nil {
		return
	}
	keep := func(name, mime string, data []byte, err error) {
		if err != nil {
			return
		}
		if kept, err := c.Keep(ctx, name, mime, data); err == nil {
			out.Evidence = append(out.Evidence, kept)
		}
	}
	if out.Verdict != nil || out.Drift != nil {
		data, err := json.Marshal(map[string]any{"tool": c.tool.Name, "verdict": out.Verdict, "drift": out.Drift, "url": c.tab.URL()})
		if c.Redact != nil {
			data = secret.JSON(c.Redact, data)
		}
		keep(c.tool.Name+".json", "application/json", data, err)
	}
	shot, err := capture.Screenshot(ctx, c.tab, capture.Options{})
	keep(c.tool.Name+".png", "image/png", shot.Data, err)
}

func contentText(res toolkit.CallResult) string {
	var b strings.Builder
	for _, part := range res.Content {
		b.WriteString(part.Text)
	}
	return text.ClipRunes(b.String(), 300)
}
