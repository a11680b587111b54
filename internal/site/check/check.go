// Package check runs every tool of a site with its examples, and reports where the site has drifted.
//
// It must not know the files of a site, nor open browsers: the caller passes what runs a tool.
package check

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/callsheet/callsheet/internal/site/run"
	"github.com/callsheet/callsheet/internal/site/traffic"
)

// Status is how a tool was found.
type Status string

// The statuses.
const (
	Passed    Status = "passed"    // the tool did what it says
	Prepared  Status = "prepared"  // everything up to the last step that acts fits, which was not made
	Drifted   Status = "drifted"   // the site no longer fits: a breaking change
	Failed    Status = "failed"    // the check could not be made
	Stale     Status = "stale"     // the recording lacks requests of the tool, so that it says nothing about the site
	Unchecked Status = "unchecked" // the tool has no examples, or cannot be reached from here
)

// Tool is the report of one tool with one example.
type Tool struct {
	Tool     string          `json:"tool"`
	Example  json.RawMessage `json:"example,omitempty"`
	Status   Status          `json:"status"`
	Reason   string          `json:"reason,omitempty"`
	Drift    *run.Drift      `json:"drift,omitempty"`
	Evidence []run.Evidence  `json:"evidence,omitempty"`
	// Missing are the requests that the recording of the site's traffic lacked.
	Missing []traffic.Request `json:"missing,omitempty"`
	Millis  int64             `json:"ms"`

	hidden bool // by the state of the site
}

// Report is the report of a site.
type Report struct {
	Site  string `json:"site"`
	Tools []Tool `json:"tools"`
}

// Options are the options of Check.
type Options struct {
	// Run are the options of each run. Auto is always set.
	Run run.Options
	// Acts also makes the last step of destructive tools that acts. The tools that lead to another one are
	// run whole in any case.
	Acts bool
	// Only are the tools that are checked; nil: all.
	Only []string
	// Missing returns the requests that the recording lacked since the last call, where one is replayed in
	// place of the site; nil for a live site.
	Missing func() []traffic.Request
	// Progress is called before each run; nil for no calls.
	Progress func(done, total int, tool string)
}

// Check runs the tools in the order of the site, each with its examples one after the other, and first the
// tools that lead to it. A tool without examples is run without arguments where it needs none. The error is
// that of the context.
func Check(ctx context.Context, runs run.Runs, site *run.Site, o Options) (Report, error) {
	out := Report{Site: site.Name, Tools: []Tool{}}
	o.Run.Auto = true
	passed := map[string]bool{} // on the way to another tool
	for i := range site.Tools {
		t := &site.Tools[i]
		if o.Only != nil && !slices.Contains(o.Only, t.Name) {
			continue
		}
		if o.Progress != nil {
			o.Progress(i, len(site.Tools), t.Name)
		}
		examples := t.Examples
		if len(examples) == 0 {
			if missing := required(t); len(missing) > 0 {
				out.Tools = append(out.Tools, Tool{Tool: t.Name, Status: Unchecked, Reason: "it has no examples, and needs " + strings.Join(missing, ", ")})
				continue
			}
			examples = []json.RawMessage{json.RawMessage("{}")}
		}
		for _, example := range examples {
			one, via := check(ctx, runs, t, example, o)
			if ctx.Err() != nil {
				return out, context.Cause(ctx)
			}
			for _, name := range via {
				passed[name] = true
			}
			out.Tools = append(out.Tools, one)
		}
	}
	for i := range out.Tools {
		if t := &out.Tools[i]; t.Status == Unchecked && passed[t.Tool] {
			t.Status, t.Reason = Passed, "on the way to another tool"
		}
	}
	return out, nil
}

func required(t *run.Tool) (out []string) {
	for _, p := range t.Parameters {
		if p.Required && p.Default == nil {
			out = append(out, p.Name)
		}
	}
	return out
}

func check(ctx context.Context, runs run.Runs, t *run.Tool, example json.RawMessage, o Options) (out Tool, via []string) {
	begun := time.Now()
	out = Tool{Tool: t.Name, Status: Passed}
	if string(example) != "{}" {
		out.Example = example
	}
	how := o.Run
	if how.StopBeforeLast = t.Destructive && !o.Acts; how.StopBeforeLast {
		out.Status = Prepared
	}
	res, err := runs.Run(ctx, t.Name, example, how)
	out.Drift, out.Evidence, out.Millis = res.Drift, res.Evidence, time.Since(begun).Milliseconds()
	var hidden *run.NotVisibleError
	var missing *run.MissingArgumentsError
	switch {
	case errors.As(err, &hidden):
		out.Status, out.Reason, out.hidden = Unchecked, err.Error(), true
	case errors.As(err, &missing):
		out.Status, out.Reason = Failed, "example: "+err.Error()
	case err != nil:
		out.Status, out.Reason = Failed, err.Error()
	case res.Drift != nil:
		out.Status = Drifted
	}
	if o.Missing != nil {
		out.judgeRecording(o.Missing())
	}
	return out, res.Via
}

// judgeRecording keeps the requests that the recording lacked. A tool that did not pass, also one that a page hides,
// and lacked one on which a page depends, says nothing about the site.
func (t *Tool) judgeRecording(missing []traffic.Request) {
	t.Missing = missing
	if (t.Status == Drifted || t.Status == Failed || t.Status == Unchecked) && slices.ContainsFunc(missing, traffic.Request.Essential) {
		t.Status = Stale
		if t.Reason == "" {
			t.Reason = "the recording lacks requests of it; record the site again"
		}
	}
}

// Hidden says why no tool at all was run: each needs a state that nothing here leads to, as a person who is signed in.
// It is "" where one was.
func (r *Report) Hidden() string {
	if len(r.Tools) == 0 || r.Count(Unchecked) < len(r.Tools) {
		return ""
	}
	for _, t := range r.Tools {
		if t.hidden {
			return t.Reason
		}
	}
	return ""
}

// Count returns how many runs have a status.
func (r *Report) Count(status Status) (n int) {
	for _, t := range r.Tools {
		if t.Status == status {
			n++
		}
	}
	return n
}

// Repairs returns the proposed repairs, each once.
func (r *Report) Repairs() []*run.Repair {
	var out []*run.Repair
	for _, t := range r.Tools {
		if t.Status != Drifted || t.Drift == nil || t.Drift.Repair == nil {
			continue
		}
		proposed := t.Drift.Repair
		if !slices.ContainsFunc(out, func(o *run.Repair) bool { return o.Tool == proposed.Tool && o.String() == proposed.String() }) {
			out = append(out, proposed)
		}
	}
	return out
}

// Text returns the report for readers: a line for each run, drifts with what was expected and found.
func (r *Report) Text() string {
	var b strings.Builder
	for _, t := range r.Tools {
		fmt.Fprintf(&b, "%-9s %s", t.Status, t.Tool)
		if len(t.Example) > 0 {
			fmt.Fprintf(&b, " %s", t.Example)
		}
		if t.Reason != "" {
			fmt.Fprintf(&b, ": %s", t.Reason)
		}
		b.WriteByte('\n')
		if t.Drift != nil {
			b.WriteString("  " + strings.ReplaceAll(t.Drift.String(), "\n", "\n  ") + "\n")
		}
		for _, q := range t.Missing {
			if q.Essential() {
				b.WriteString("  not in the recording: " + q.String() + "\n")
			}
		}
		for _, e := range t.Evidence {
			if t.Status == Drifted || t.Status == Stale {
				fmt.Fprintf(&b, "  %s %s\n", e.Name, e.URI)
			}
		}
	}
	fmt.Fprintf(&b, "%s: %d passed, %d prepared, %d drifted, %d failed, ", r.Site, r.Count(Passed), r.Count(Prepared), r.Count(Drifted), r.Count(Failed))
	if n := r.Count(Stale); n > 0 {
		fmt.Fprintf(&b, "%d stale, ", n)
	}
	fmt.Fprintf(&b, "%d unchecked\n", r.Count(Unchecked))
	return b.String()
}
