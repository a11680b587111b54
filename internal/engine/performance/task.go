package performance

import (
	"cmp"
	"fmt"
	"slices"
)

// longTask is what the web platform calls long, in milliseconds.
const longTask = 50

// minPart is the shortest piece of a task that is told, in milliseconds.
const minPart = 1

// onMain reports whether an event happened on the main thread of the page's process.
func (in *reader) onMain(e parsedEvent) bool {
	if e.PID != in.process {
		return false
	}
	if name, ok := in.threadNames[[2]int64{e.PID, e.TID}]; ok {
		return name == "CrRendererMain"
	}
	return e.PID == e.TID // as on Linux, for a trace that lost the names
}

// task gathers long tasks, and what ran in them. Events come in the order in which they began, so that a piece is told after
// the task that it is in.
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

// finish computes what follows from the events.
func (t *Trace) finish() {
	for i := range t.Tasks {
		task := &t.Tasks[i]
		task.Parts = outermost(task.Parts)
		if end := task.Start + task.Duration; end > t.FCP {
			t.TBT += max(0, end-max(task.Start, t.FCP)-longTask)
		}
	}
	// The worst session window: shifts less than a second apart, five seconds at most (web.dev/articles/cls).
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

// outermost keeps the pieces that are in no other, except that a dispatch or timer says less than the function in it.
func outermost(parts []Part) []Part {
	var out []Part
	for _, p := range parts {
		wrapped := slices.ContainsFunc(out, func(o Part) bool { return p.start >= o.start && p.end <= o.end && o.URL != "" })
		if wrapped {
			continue
		}
		out = slices.DeleteFunc(out, func(o Part) bool { return o.URL == "" && p.URL != "" && p.start >= o.start && p.end <= o.end })
		if !slices.ContainsFunc(out, func(o Part) bool { return p.start >= o.start && p.end <= o.end }) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Part) int { return cmp.Compare(b.Duration, a.Duration) })
	return out
}

// describeShift says from where to where the largest of the shifted nodes went.
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
