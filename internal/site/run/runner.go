package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/record/contract/live"
	"github.com/callsheet/callsheet/internal/record/replay"
)

const (
	settleTime   = time.Second           // how long a page may take until it shows the facts that a tool needs
	lookInterval = 60 * time.Millisecond // between two looks at a page
)

// Options are the options of a run.
type Options struct {
	// Auto runs the tools of the path first, where they need no arguments but those with a default.
	Auto bool
	// Tab is the tab of the session that the tool acts on; "" is the current one, or a new one.
	Tab string
	// Window opens a tab where the session has none.
	Window power.Window
	// Network lets a tool send a request.
	Network power.Network
	// Wait bounds how long a step waits for its element, and the postcondition for its verdict; 0 is
	// replay.DefaultWait.
	Wait time.Duration
	// StopBeforeLast plays the steps before the last one that acts on the page, of which everything is
	// checked: for a check of a tool whose effect is not wanted.
	StopBeforeLast bool
	// Progress is called before each step; nil for no calls.
	Progress func(done, total int, message string)
}

// Runner runs the tools of one site in one session.
type Runner struct {
	Site *Site
	// Player makes the calls of the steps, in the session that owns the tabs.
	Player *replay.Player
	// Keep stores evidence; nil keeps none.
	Keep func(ctx context.Context, name, mime string, data []byte) (Evidence, error)
	// Redact removes secrets from a text that leaves the server; nil changes nothing.
	Redact func(string) string
}

// Runs is how a registry's handler calls the runner.
type Runs interface {
	// Run runs a tool with the JSON object of its arguments, which are valid by the tool's schema.
	// The error is a NotVisibleError, that of the context, or a defect; a drift is no error.
	Run(ctx context.Context, tool string, args json.RawMessage, o Options) (Result, error)
	// Observe observes every fact of the site on a tab; "" is the current one.
	Observe(ctx context.Context, tab string) (Facts, error)
}

var _ Runs = (*Runner)(nil)

// Run runs a tool. See Runs.
func (r *Runner) Run(ctx context.Context, name string, args json.RawMessage, o Options) (Result, error) {
	t := r.Site.tool(name)
	if t == nil {
		return Result{}, fault.New(codes.NotFound, fmt.Sprintf("the site %s has no tool %q", r.Site.Name, name))
	}
	values, err := r.Site.values(t, args)
	if err != nil {
		return Result{}, err
	}
	o.Wait = cmp.Or(o.Wait, replay.DefaultWait)
	if o.Tab, err = r.openTab(ctx, t, o); err != nil {
		return Result{}, err
	}
	via, err := r.makeVisible(ctx, t, o)
	if err != nil {
		return Result{Via: via.Via, Drift: via.Drift}, err
	}
	if via.Drift != nil {
		return via, nil
	}
	out, err := r.play(ctx, t, values, o)
	out.Via = via.Via
	return out, err
}

// tool returns the tool of a name, or nil.
func (s *Site) tool(name string) *Tool {
	if i := slices.IndexFunc(s.Tools, func(t Tool) bool { return t.Name == name }); i >= 0 {
		return &s.Tools[i]
	}
	return nil
}

// openTab returns the tab that the tool acts on. Where the session has none it opens one. A tool with a
// condition, and one without a start, needs a page of the site: the first origin is opened then.
func (r *Runner) openTab(ctx context.Context, t *Tool, o Options) (string, error) {
	_, tab, err := r.Player.Set.Tab(ctx, o.Tab)
	var none *browser.NoTabError
	if errors.As(err, &none) && o.Tab == "" {
		c, failed := r.Player.Set.Get("")
		if failed != nil {
			return "", failed
		}
		tab, err = c.Session().OpenBlank(ctx, o.Window)
	}
	if err != nil {
		return "", fmt.Errorf("find the tab of %s: %w", t.Name, err)
	}
	if r.Site.covers(tab.URL()) || t.Visible == nil && t.Start != "" {
		return tab.ID(), nil
	}
	return tab.ID(), r.open(ctx, tab.ID(), r.Site.address("/"))
}

// open opens an address in a tab by the generic tool, so that the operator's policy judges it.
func (r *Runner) open(ctx context.Context, tab, address string) error {
	args, err := json.Marshal(map[string]any{"url": address, "tabId": tab})
	if err != nil {
		return err
	}
	res, err := r.Player.Dispatch(ctx, toolset.ToolNavigate, args)
	if err != nil {
		return fmt.Errorf("open %s: %w", address, err)
	}
	if res.Refused {
		return fault.New(codes.Failed, fmt.Sprintf("open %s: %s", address, contentText(res)))
	}
	return nil
}

// makeVisible observes the facts until the tool's condition holds. Where it does not, it runs the tools
// of the path that the prover knows, if the caller allows it.
func (r *Runner) makeVisible(ctx context.Context, t *Tool, o Options) (Result, error) {
	facts, err := r.observeUntil(ctx, o.Tab, t.Visible.Holds, settleTime)
	if err != nil || t.Visible.Holds(facts) {
		return Result{Facts: facts}, err
	}
	refusal := &NotVisibleError{Tool: t.Name, Needs: t.Needs, Facts: facts}
	if r.Site.Path != nil {
		if path, ok := r.Site.Path(facts, t.Name); ok {
			refusal.Path = slices.DeleteFunc(slices.Clone(path), func(name string) bool { return name == t.Name })
		}
	}
	for _, name := range refusal.Path {
		if step := r.Site.tool(name); step != nil {
			for _, p := range step.Parameters {
				if p.Required && p.Default == nil {
					if refusal.Missing == nil {
						refusal.Missing = map[string][]string{}
					}
					refusal.Missing[name] = append(refusal.Missing[name], p.Name)
				}
			}
		}
	}
	if !o.Auto || len(refusal.Path) == 0 || len(refusal.Missing) > 0 {
		return Result{}, refusal
	}
	out := Result{}
	for _, name := range refusal.Path {
		step := o
		step.Auto, step.StopBeforeLast = false, false
		done, err := r.Run(ctx, name, nil, step)
		if out.Via = append(out.Via, name); err != nil || done.Drift != nil {
			out.Drift, out.Evidence = done.Drift, done.Evidence
			return out, err
		}
	}
	if facts, err = r.observeUntil(ctx, o.Tab, t.Visible.Holds, settleTime); err == nil && !t.Visible.Holds(facts) {
		err = &NotVisibleError{Tool: t.Name, Needs: t.Needs, Facts: facts}
	}
	return out, err
}

// observeUntil observes the facts until they are as wanted, or the time is over.
func (r *Runner) observeUntil(ctx context.Context, tab string, wanted func(Facts) bool, most time.Duration) (Facts, error) {
	for end := time.Now().Add(most); ; {
		facts, err := r.Observe(ctx, tab)
		if err != nil || wanted == nil || wanted(facts) || !time.Now().Before(end) {
			return facts, err
		}
		if err := settle.Pause(ctx, lookInterval); err != nil {
			return facts, err
		}
	}
}

// play plays the steps of a tool whose condition holds, and looks at what they led to.
func (r *Runner) play(ctx context.Context, t *Tool, values map[string]any, o Options) (Result, error) {
	session, tab, err := r.Player.Set.Tab(ctx, o.Tab)
	if err != nil {
		return Result{}, err
	}
	c := &call{Runner: r, tool: t, values: values, options: o, tab: tab}
	c.evidence = live.New(session, tab, nil).WithRedaction(r.Redact)
	script, err := c.script()
	if err != nil {
		return Result{}, err
	}
	report, err := r.Player.Play(ctx, script, replay.Options{
		Tab: o.Tab, Window: o.Window, Wait: o.Wait, Progress: o.Progress,
		Hooks: replay.Hooks{Skip: c.skip, Before: c.before, After: c.after},
	})
	if err != nil {
		return Result{}, err
	}
	if c.drift == nil && !c.stopped && report.Drift != nil {
		c.drift = c.fromReplay(ctx, report.Drift)
	}
	if c.drift == nil && !c.stopped {
		if err := c.send(ctx); err != nil {
			return Result{}, err
		}
	}
	out := Result{Skipped: c.skipped}
	if c.drift == nil && !c.stopped {
		if err := c.conclude(ctx, &out); err != nil {
			return out, err
		}
	}
	if out.Drift = c.drift; out.Drift != nil {
		c.complete(out.Drift)
	}
	c.keepEvidence(ctx, &out)
	return out, nil
}

// conclude judges the postcondition, observes the facts and reads the output.
func (c *call) conclude(ctx context.Context, out *Result) error {
	if c.drift = c.checkPage(ctx, len(c.tool.Steps)); c.drift != nil {
		return nil
	}
	end := time.Now().Add(c.options.Wait)
	if err := c.judge(ctx, "the postcondition", c.tool.Postcondition, end, out); err != nil || c.drift != nil {
		return err
	}
	if err := c.checkFacts(ctx, time.Until(end), out); err != nil || c.drift != nil {
		return err
	}
	if c.answer != nil {
		out.Output, c.drift = c.answer.extract(c.tool.Outputs)
		return nil
	}
	var err error
	out.Output, c.drift, err = c.extract(ctx, c.tab, c.tool.Outputs, c.values, end)
	return err
}
