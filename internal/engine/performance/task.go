package performance

import (
	"cmp"
	"fmt"
	"slices"
)

// longTask is the duration of a long task as the Long Tasks API defines it, in milliseconds.
const longTask = 50

// minPart is the shortest reported part of a task, in milliseconds.
const minPart = 1

// onMain reports whether an event happened on the main thread of the page's process.
func (in *reader) onMain(e parsedEvent) bool {
	if e.PID != in.process {
		return false
	}
	if name, ok := in.threadNames[[2]int64{e.PID, e.TID}]; ok {
		return name == "CrRendererMain"
	}
	return e.PID == e.TID // on Linux both are equal, for a trace without thread names
}

// task collects long tasks and their parts. Events are ordered by their start, so a part follows
// its task.
func (in *reader) task(t *Trace, e parsedEvent, at float64) {
	if e.Phase != "X" || !in.onMain(e) {
		return
	}
	ms := e.Dur / 1000
	if e.Name == "RunTask" {
		t.Tasks = append(t.Tasks, Task{Start: at, Duration: ms})
		return
	}
	if ms < minPart || len(t.Tasks) == 0 {
		return
	}
	last := &t.Tasks[len(t.Tasks)-1]
	if at < last.Start || at >= last.Start+last.Duration {
		return
	}
	p := Part{Name: e.Name, URL: cmp.Or(e.args.Data.URL, e.args.Begin.URL), Duration: ms, start: at, end: at + ms}
	if e.args.Data.Function != "" {
		p.Name += " " + e.args.Data.Function
	}
	last.Parts = append(last.Parts, p)
}

// finish computes TBT, CLS and the outermost parts of tasks.
func (t *Trace) finish() {
	for i := range t.Tasks {
		task := &t.Tasks[i]
		task.Parts = outermost(task.Parts)
		if end := task.Start + task.Duration; end > t.FCP {
			t.TBT += max(0, end-max(task.Start, t.FCP)-longTask)
		}
	}
	// The worst session window: shifts less than a second apart, five seconds at most
	// (web.dev/articles/cls).
	var window, first, last float64
	for i, s := range t.Shifts {
		if i > 0 && s.At-last < 1000 && s.At-first < 5000 {
			window += s.Score
		} else {
			window, first = s.Score, s.At
		}
		last = s.At
		t.CLS = max(t.CLS, window)
	}
}

// outermost removes parts that another part contains. A part without a URL, such as a timer, gives
// way to one with a URL within it.
func outermost(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		within := func(o Part) bool { return p.start >= o.start && p.end <= o.end }
		if slices.ContainsFunc(out, func(o Part) bool { return within(o) && o.URL != "" }) {
			continue
		}
		out = slices.DeleteFunc(out, func(o Part) bool { return within(o) && o.URL == "" && p.URL != "" })
		if !slices.ContainsFunc(out, within) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Duration, a.Duration) })
	return out
}

// describeShift returns the rectangles of the largest shifted node before and after.
func describeShift(nodes []impactedNode) string {
	if len(nodes) == 0 {
		return ""
	}
	n := slices.MaxFunc(nodes, func(a, b impactedNode) int {
		size := func(n impactedNode) float64 { return max(n.Old[2]*n.Old[3], n.New[2]*n.New[3]) }
		return cmp.Compare(size(a), size(b))
	})
	rect := func(r [4]float64) string { return fmt.Sprintf("%gx%g at %g,%g", r[2], r[3], r[0], r[1]) }
	return rect(n.Old) + " → " + rect(n.New)
}
