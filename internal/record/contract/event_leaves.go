package contract

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/callsheet/callsheet/internal/text"
)

// ---- requests

type networkLeaf struct {
	url    matcher
	method string
	status string // such as 200, 2xx, failed or answered; "" is any
	count  bounds
	since  Since
}

func readNetwork(f *memberReader) leaf {
	if !f.open(contains, equals, matches, "method", "status", "since", "eq", "min", "max") {
		return nil
	}
	l := networkLeaf{url: f.matcher(false), method: strings.ToUpper(f.text("method")), since: f.since(), count: f.bounds(true)}
	if !l.count.isSet {
		l.count.min = 1
	}
	switch v := f.members["status"].(type) {
	case nil:
	case float64:
		l.status = strconv.FormatFloat(v, 'f', -1, 64)
	default:
		l.status = f.text("status")
	}
	if l.status != "" && !isStatus(l.status) {
		f.problem(f.memberPath("status"), "expected a status such as 200, 2xx or failed, got %s", typeOf(f.members["status"]))
	}
	if !l.url.isSet() && l.method == "" && l.status == "" {
		f.problem(f.path, "give a part of the address (contains, equals or matches), method or status")
	}
	return l
}

func isStatus(text string) bool {
	if text == "failed" {
		return true
	}
	if len(text) != 3 || text[0] < '1' || text[0] > '5' {
		return false
	}
	if text[1:] == "xx" {
		return true
	}
	_, err := strconv.Atoi(text)
	return err == nil
}

func (l networkLeaf) expected() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s requests", l.count)
	if l.method != "" {
		b.WriteString(" " + l.method)
	}
	if l.url.isSet() {
		b.WriteString(" whose address " + l.url.String())
	}
	if l.status != "" {
		b.WriteString(" with status " + l.status)
	}
	return b.String() + " since " + string(l.since)
}

// judge counts. What is not in an incomplete record may have happened all the same, and a request
// without an answer may still get the one that is asked for.
func (l networkLeaf) judge(s *observation) finding {
	record, err := s.requestsSince(l.since)
	if err != nil {
		return inconclusive(err)
	}
	n, open, near := 0, 0, ""
	for _, r := range record.list {
		if !l.url.accepts(r.URL) || l.method != "" && r.Method != l.method {
			continue
		}
		near = r.String()
		switch {
		case l.status == "" || r.hasStatus(l.status):
			n++
		case r.Status == 0 && r.Failure == "":
			open++
		}
	}
	where := strconv.Itoa(n) + " of " + strconv.Itoa(len(record.list)) + " requests"
	if near != "" {
		where += ", such as " + near
	}
	most := float64(n + open)
	switch {
	case record.isComplete && open == 0:
		return compared(l.count.contains(float64(n)), where, "")
	case float64(n) > l.count.max: // more can only make it worse
		return compared(false, where, "")
	case float64(n) >= l.count.min && (l.count.max == noMaximum || record.isComplete && most <= l.count.max):
		return compared(true, where, "")
	case record.isComplete && most < l.count.min:
		return compared(false, where, "")
	case record.isComplete:
		return finding{reason: fmt.Sprintf("%d requests have no answer yet", open)}
	}
	return finding{reason: "not all requests since then were recorded"}
}

// hasStatus compares the outcome of a request.
func (r Request) hasStatus(status string) bool {
	switch {
	case status == "failed":
		return r.Failure != ""
	case r.Failure != "":
		return false
	case strings.HasSuffix(status, "xx"):
		return r.Status/100 == int(status[0]-'0')
	}
	return strconv.Itoa(r.Status) == status
}

// String tells a request in a line.
func (r Request) String() string {
	outcome := "no answer yet"
	switch {
	case r.Failure != "":
		outcome = r.Failure
	case r.Status != 0:
		outcome = strconv.Itoa(r.Status)
	}
	return r.Method + " " + text.ClipRunes(r.DisplayURL, maxShownRunes/2) + " " + outcome
}

// ---- the console

type consoleLeaf struct {
	level string
	text  matcher
	count bounds
}

// messageLevels are those of messages, the most serious first.
func messageLevels() []string { return []string{"error", "warning", "info", "log", "debug"} }

func readConsole(f *memberReader) leaf {
	if !f.open("level", contains, equals, matches, "eq", "min", "max") {
		return nil
	}
	l := consoleLeaf{text: f.matcher(false), count: f.bounds(true)}
	known := messageLevels()
	if l.text.isSet() {
		slices.Reverse(known) // what is looked for may be said at any level
	}
	l.level = f.choice("level", known)
	switch {
	case l.count.isSet:
	case l.text.isSet():
		l.count.min = 1
	default:
		l.count.max = 0
	}
	return l
}

func (l consoleLeaf) expected() string {
	text := l.count.String() + " messages of level " + l.level + " or worse"
	if l.text.isSet() {
		text += " whose text " + l.text.String()
	}
	return text
}

func (l consoleLeaf) judge(s *observation) finding {
	record, err := s.consoleMessages()
	if err != nil {
		return inconclusive(err)
	}
	n, first := 0, ""
	for _, m := range record.list {
		if slices.Index(messageLevels(), m.Level) > slices.Index(messageLevels(), l.level) || !l.text.accepts(m.Text) {
			continue
		}
		if n == 0 {
			first = m.Level + ": " + m.Text
		}
		n += max(1, m.Count)
	}
	actual := strconv.Itoa(n)
	if first != "" {
		actual += ", " + text.ClipRunes(first, maxShownRunes)
	}
	switch {
	case record.isComplete, float64(n) > l.count.max, float64(n) >= l.count.min && l.count.max == noMaximum:
		return compared(l.count.contains(float64(n)), actual, "")
	}
	return finding{reason: "the page has said more than is kept"}
}

// ---- downloads

type downloadLeaf struct {
	name  matcher
	bytes bounds
	since Since
}

func readDownload(f *memberReader) leaf {
	if !f.open(contains, equals, matches, "eq", "min", "max", "since") {
		return nil
	}
	return downloadLeaf{f.matcher(false), f.bounds(true), f.since()}
}

func (l downloadLeaf) expected() string {
	text := "a file arrived"
	if l.name.isSet() {
		text += " whose name " + l.name.String()
	}
	if l.bytes.isSet {
		text += " of " + l.bytes.String() + " bytes"
	}
	return text + " since " + string(l.since)
}

func (l downloadLeaf) judge(s *observation) finding {
	list, err := s.downloadsSince(l.since)
	if err != nil {
		return inconclusive(err)
	}
	actual, running := "no download", ""
	for _, d := range list {
		if !l.name.accepts(d.Name) {
			continue
		}
		actual = fmt.Sprintf("%q %s, %d bytes", text.ClipRunes(d.Name, maxShownRunes), d.State, d.Bytes)
		switch {
		case d.State == "running":
			running = actual
		case d.State == "done" && l.bytes.contains(float64(d.Bytes)):
			return compared(true, actual, "")
		}
	}
	if running != "" {
		return finding{reason: running}
	}
	return compared(false, actual, "")
}
