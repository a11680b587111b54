package control

import (
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

const (
	// maxReports is the number of take-overs that a result reports; of earlier ones it has the count.
	maxReports = 8
	// maxReportBytes bounds the changes in one report, and maxLineBytes one of them.
	maxReportBytes = 3000
	maxLineBytes   = 400
	// maxNote bounds the note of a person, in characters.
	maxNote = 2000
)

// report describes one take-over in a result.
type report struct {
	outcome

	from, to time.Time
	lines    []string
	more     int // changes that were not kept
	earlier  int // take-overs before, of which no report is left
}

// addReport keeps a report for the next result. The caller holds mu.
func (c *controller) addReport(r report) {
	if len(c.reports) == maxReports {
		c.reports[1].earlier = c.reports[0].earlier + 1
		c.reports = c.reports[1:]
	}
	c.reports = append(c.reports, r)
}

// String renders the report. What comes from pages is fenced, the words of the person are not.
func (r report) String() string {
	var b strings.Builder
	if r.earlier > 0 {
		fmt.Fprintf(&b, "a person had control %d more times before; look at the page\n", r.earlier)
	}
	fmt.Fprintf(&b, "a person had control for %s, until %s UTC, and ", r.to.Sub(r.from).Round(time.Second/10), r.to.UTC().Format(time.TimeOnly))
	if r.reason != "" {
		b.WriteString("it came back because " + r.reason)
	} else {
		b.WriteString("handed back")
	}
	if note := text.ClipRunes(strings.TrimSpace(fence.Clean(r.note)), maxNote); note != "" {
		fmt.Fprintf(&b, " with this note:\n%s", note)
	}
	lines, left := clipLines(r.lines)
	if left += r.more; len(lines) == 0 {
		b.WriteString("\nnothing was changed meanwhile")
		return b.String()
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more changes, which are left out", left))
	}
	b.WriteString("\nchanges meanwhile:\n" + fence.Quote(strings.Join(lines, "\n")))
	return b.String()
}

// clipLines keeps the lines that fit maxReportBytes, the first and the last ones, and counts the others.
func clipLines(lines []string) (kept []string, left int) {
	room := maxReportBytes
	for _, l := range lines {
		room -= min(len(l), maxLineBytes) + 1
	}
	drop := 0
	for room < 0 { // from the middle on
		room += min(len(lines[len(lines)/2+drop%2]), maxLineBytes) + 1
		at := len(lines) / 2
		lines = append(lines[:at:at], lines[at+1:]...)
		drop++
	}
	for _, l := range lines {
		kept = append(kept, text.ClipBytes(l, maxLineBytes))
	}
	return kept, drop
}

// take returns the unreported changes as content of the agent's next result.
func (c *controller) take() []toolkit.Content {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := slicesx.Map(c.reports, func(r report) toolkit.Content { return toolkit.Content{Text: r.String()} })
	for _, a := range c.annotations {
		out = append(out, a.content()...)
	}
	if c.hold != nil {
		out = append(out, toolkit.Content{Text: "a person has had control since " + c.hold.Since.UTC().Format(time.TimeOnly) + " UTC; calls that act wait until it is handed back"})
	}
	if len(c.reports)+len(c.annotations) > 0 {
		c.reports, c.annotations = nil, nil
		c.concernLocked()
		c.notifyLocked()
	}
	return out
}
