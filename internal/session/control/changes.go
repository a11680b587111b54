package control

import (
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// maxChanges bounds the changes of one take-over that are kept. Later ones are counted.
const maxChanges = 200

// change is one thing that the person did, or that changed.
type change struct {
	tab    string
	text   string
	key    string // changes in a row with one key are one; "" never is
	target string // key of the element that was acted on
	count  int
	field  *input.PersonTarget // that was typed into
}

func (c change) String() string {
	text := c.text
	if f := c.field; f != nil {
		text = "typed into " + f.String()
		switch {
		case f.Secret:
			text += ", a secret field"
		case f.Editable:
			text += fmt.Sprintf(" = %q", f.Value)
		}
	}
	if c.count > 1 {
		text += fmt.Sprintf(" %d times", c.count)
	}
	return fence.Line(c.tab + ": " + text)
}

// press is a button that is down.
type press struct {
	tab    string
	button input.Button
	at     document.Point
}

// changeLog collects the changes during a take-over. Its methods are safe for concurrent use.
type changeLog struct {
	mu      sync.Mutex
	list    []change
	dropped int
	presses []press
	before  []string // ids of the tabs at the beginning
	stops   []func()
}

// newChangeLog begins a log: it hears the navigations of the tabs until stop.
func newChangeLog(tabs []*browser.Tab) *changeLog {
	l := new(changeLog)
	for _, t := range tabs {
		l.before = append(l.before, t.ID())
		l.stops = append(l.stops, t.Listen(func(event any) { l.observe(t, event) }))
	}
	return l
}

func (l *changeLog) stop() {
	for _, stop := range l.stops {
		stop()
	}
}

// observe notes the navigations of a tab.
func (l *changeLog) observe(t *browser.Tab, event any) {
	url, frame := "", cdp.FrameID("")
	switch event := event.(type) {
	case *cdppage.EventFrameNavigated:
		if event.Frame.ParentID != "" {
			return
		}
		url = event.Frame.URL + event.Frame.URLFragment
	case *cdppage.EventNavigatedWithinDocument:
		if url, frame = event.URL, event.FrameID; !t.Document.IsMainFrame(frame) {
			return
		}
	default:
		return
	}
	l.add(change{tab: t.ID(), key: "navigated", text: "navigated to " + url})
}

// add notes a change. One like the change before it is counted; an address replaces the address before it.
func (l *changeLog) add(c change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.count = 1
	if n := len(l.list); n > 0 && c.key != "" {
		last := &l.list[n-1]
		if last.key == c.key && last.tab == c.tab && last.target == c.target {
			last.count++
			if last.text != c.text {
				last.text, last.count = c.text, 1
			}
			return
		}
	}
	if len(l.list) == maxChanges {
		l.dropped++
		return
	}
	l.list = append(l.list, c)
}

// press notes a press of a button.
func (l *changeLog) press(tab string, target input.PersonTarget, e input.Event) {
	verb := "clicked"
	switch {
	case e.Clicks == 2:
		verb = "double-clicked"
	case e.Clicks == 3:
		verb = "triple-clicked"
	case e.Button != input.ButtonLeft:
		verb = string(e.Button) + "-clicked"
	}
	l.mu.Lock()
	l.presses = slices.DeleteFunc(l.presses, func(p press) bool { return p.tab == tab && p.button == e.Button })
	l.presses = append(l.presses, press{tab, e.Button, document.Point{X: e.X, Y: e.Y}})
	if n := len(l.list); n > 0 && e.Clicks > 1 && l.list[n-1].target == target.Key && l.list[n-1].tab == tab {
		l.list[n-1].text = verb + " " + target.String() // the second press of a double click
		l.mu.Unlock()
		return
	}
	l.mu.Unlock()
	l.add(change{tab: tab, target: target.Key, text: verb + " " + target.String()})
}

// pressedAt returns where a button was pressed, and forgets it.
func (l *changeLog) pressedAt(tab string, button input.Button) (document.Point, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.presses, func(p press) bool { return p.tab == tab && p.button == button })
	if i < 0 {
		return document.Point{}, false
	}
	at := l.presses[i].at
	l.presses = slices.Delete(l.presses, i, i+1)
	return at, true
}

// drag notes that the button came up elsewhere.
func (l *changeLog) drag(tab string, target input.PersonTarget) {
	l.add(change{tab: tab, text: "dragged to " + target.String()})
}

// key notes a key or a text. It reports whether text goes into a field, whose value is noted later.
func (l *changeLog) key(tab string, target input.PersonTarget, e input.Event) bool {
	const commands = 1 | 2 | 4 // Alt, Control and Meta
	printable := e.Kind == input.TextInput || utf8.RuneCountInString(e.Key) == 1 && (e.Modifiers&commands == 0 || e.Modifiers&commands == 3)
	edits := printable || e.Key == "Backspace" || e.Key == "Delete"
	switch {
	case edits && target.Editable:
		l.add(change{tab: tab, key: "typed", target: target.Key, field: &target})
		return true
	case printable: // what was typed may be secret: no field says that it is not
		l.add(change{tab: tab, key: "keys", target: target.Key, text: "typed into " + target.String()})
	case isModifier(e.Key):
	default:
		l.add(change{tab: tab, key: "key " + e.Key, target: target.Key, text: "pressed " + chordName(e) + " in " + target.String()})
	}
	return false
}

func isModifier(key string) bool {
	return slices.Contains([]string{"Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"}, key)
}

func chordName(e input.Event) string {
	name := ""
	for _, m := range []struct {
		bit  int64
		name string
	}{{2, "Control+"}, {1, "Alt+"}, {4, "Meta+"}} {
		if e.Modifiers&m.bit != 0 {
			name += m.name
		}
	}
	return name + e.Key
}

// value notes the value of a field after text was typed into it.
func (l *changeLog) value(tab string, target input.PersonTarget) {
	if target.Key == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.list) - 1; i >= 0; i-- {
		if c := &l.list[i]; c.field != nil && c.tab == tab && c.target == target.Key {
			c.field, c.count = &target, 1
			return
		}
	}
}

// lines renders the changes in order, and those of the tabs; more is how many were not kept.
func (l *changeLog) lines(now []*browser.Tab) (lines []string, more int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.list {
		if c.field != nil {
			c.count = 1
		}
		lines = append(lines, c.String())
	}
	var ids []string
	for _, t := range now {
		ids = append(ids, t.ID())
		if !slices.Contains(l.before, t.ID()) {
			lines = append(lines, fence.Line(fmt.Sprintf("%s: opened at %s %q", t.ID(), t.URL(), t.Title())))
		}
	}
	for _, id := range l.before {
		if !slices.Contains(ids, id) {
			lines = append(lines, id+": closed")
		}
	}
	return lines, l.dropped
}
