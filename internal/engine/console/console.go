// Package console records the console of a page from its first script on: console calls, uncaught
// errors, and the browser's own messages such as failed requests and violations.
//
// It consumes protocol events and answers queries. It must not call the browser, and knows no tabs
// or tools.
package console

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
)

// Limits per tab. Repeated messages are merged on arrival, so that a page that logs in a loop costs
// no memory and does not push out earlier messages.
const (
	maxMessages    = 400  // messages
	maxTextBytes   = 2000 // bytes of a message or URL; a script can be a data URL
	maxStackFrames = 10   // frames of one stack
)

// Level is the severity of a message.
type Level string

// The levels, most serious first.
const (
	Error   Level = "error"
	Warning Level = "warning"
	Info    Level = "info"
	Log     Level = "log"
	Debug   Level = "debug"
)

// severity orders levels; 0 is the most serious.
func (l Level) severity() int {
	return max(0, slices.Index([]Level{Error, Warning, Info, Log, Debug}, l))
}

// Sources of messages from the page. The browser's own messages have the protocol's source names:
// network, security, violation, deprecation and so on.
const (
	FromConsole   = "console"   // a console call
	FromException = "exception" // an uncaught error or unhandled rejection
)

// Location is a position in a script or resource.
type Location struct {
	Function string // "" outside of functions and in resources
	URL      string // "" for code that has none, such as an evaluated script
	Line     int    // 1-based; 0 if unknown
	Column   int    // 1-based; 0 if unknown
}

// Message is one console message.
type Message struct {
	Level    Level
	Source   string
	Text     string     // as a console shows it, at most 2000 bytes
	Location Location   // position of the call; zero if unknown
	Stack    []Location // innermost first; at most 10
	Time     time.Time
	Count    int // consecutive repeats, from 1
	// Document numbers the documents of the tab, from 0.
	Document int

	// Number numbers the messages of the tab in order of arrival, from 1; of repeats it is the latest, and
	// First the first one.
	Number, First int
}

// Buffer holds the latest messages of one tab. Its methods are safe for concurrent use.
type Buffer struct {
	mu       sync.Mutex
	messages []Message // oldest first
	dropped  int       // messages of the current document that were evicted
	document int
	number   int // of messages that have arrived, with repeats
}

// New returns an empty buffer.
func New() *Buffer { return &Buffer{} }

// StartDocument begins the next document. Messages of earlier ones stay until they are evicted.
func (b *Buffer) StartDocument() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.document++
	b.dropped = 0
}

// Observe records the message of a protocol event and ignores other events. It never blocks.
func (b *Buffer) Observe(event any) {
	switch ev := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if m, ok := messageFromCall(ev); ok {
			b.add(m)
		}
	case *runtime.EventExceptionThrown:
		b.add(messageFromException(ev))
	case *log.EventEntryAdded:
		b.add(messageFromEntry(ev.Entry))
	}
}

func (b *Buffer) add(m Message) {
	m.Text = clip(strings.TrimSpace(m.Text))
	m.Count = 1
	b.mu.Lock()
	defer b.mu.Unlock()
	m.Document = b.document
	b.number++
	m.Number, m.First = b.number, b.number
	if n := len(b.messages); n > 0 && b.messages[n-1].repeats(m) {
		b.messages[n-1].Count++
		b.messages[n-1].Time, b.messages[n-1].Number = m.Time, m.Number
		return
	}
	if len(b.messages) == maxMessages {
		if b.messages[0].Document == b.document {
			b.dropped += b.messages[0].Count
		}
		b.messages = slices.Delete(b.messages, 0, 1)
	}
	b.messages = append(b.messages, m)
}

// repeats reports whether two messages have the same text, level, source and position.
func (m Message) repeats(o Message) bool {
	return m.Document == o.Document && m.Level == o.Level && m.Source == o.Source && m.Text == o.Text &&
		m.Location == o.Location
}

// Mark is a point in the life of a buffer.
type Mark struct{ number, document int }

// Mark returns the present point.
func (b *Buffer) Mark() Mark {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Mark{number: b.number, document: b.document}
}

// ErrorsSince returns the errors that the document of a mark reported after it, oldest first,
// without those about failed requests.
func (b *Buffer) ErrorsSince(m Mark) (list []Message) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, o := range b.messages {
		if o.Number > m.number && o.Document == m.document && o.Level == Error && o.Source != string(log.EntrySourceNetwork) {
			list = append(list, o)
		}
	}
	return list
}

// Summary returns the text of a message in one line, without the stack.
func (m Message) Summary() string {
	text := m.Text
	if before, after, found := strings.Cut(text, stackStart); found {
		_, rest, _ := strings.Cut(after, "[cause: ")
		text = before
		if rest != "" {
			text += " [cause: " + rest
		}
	}
	return strings.Join(strings.Fields(text), " ")
}

// Clear drops all messages and returns their number.
func (b *Buffer) Clear() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		n += m.Count
	}
	b.messages, b.dropped = nil, 0
	return n
}

// Query selects messages. The zero value selects all of the current document, with repeats merged.
type Query struct {
	Contains     string // substring of the text, ignoring case
	AllDocuments bool   // include messages of earlier documents
	Level        Level  // this level and more serious ones; "" selects all
	Limit        int    // the newest messages only; 0 selects all
	Unfolded     bool   // do not merge messages that differ in numbers only

	Since   int                 // messages with a higher number
	Pattern *regexp.Regexp      // of the text; nil selects all
	Shown   func(string) string // what Contains, Pattern and URL may match of a text; nil is all of it
	Source  string              // such as console, exception or network; "" selects all
	URL     string              // substring of the address of the script or resource
}

// Message returns the message with a number, also one of an earlier document. ok is false if it is not
// kept.
func (b *Buffer) Message(number int) (m Message, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.messages {
		if m.First <= number && number <= m.Number {
			return m, true
		}
	}
	return Message{}, false
}

// Result is the outcome of a query.
type Result struct {
	Messages []Message // oldest first
	Omitted  int       // entries beyond the limit
	Dropped  int       // messages of the document that were evicted
	// Counts has the number of messages of the current document by level, whatever the query
	// selects.
	Counts map[Level]int
	// Earlier is the number of messages of earlier documents that the query does not select.
	Earlier int
}

// Read returns the messages that a query selects.
func (b *Buffer) Read(q Query) Result {
	b.mu.Lock()
	r := Result{Dropped: b.dropped, Counts: map[Level]int{}}
	var found []Message
	for _, m := range b.messages {
		if m.Document != b.document && !q.AllDocuments {
			r.Earlier += m.Count
			continue
		}
		if q.matches(m) {
			found = append(found, m)
		}
		r.Counts[m.Level] += m.Count
	}
	b.mu.Unlock()
	if !q.Unfolded {
		found = fold(found)
	}
	if q.Limit > 0 && len(found) > q.Limit {
		r.Omitted = len(found) - q.Limit
		found = found[r.Omitted:]
	}
	r.Messages = found
	return r
}

func (q Query) matches(m Message) bool {
	said, address := m.Text, m.Location.URL
	if q.Shown != nil && (q.Contains != "" || q.Pattern != nil || q.URL != "") {
		said, address = q.Shown(said), q.Shown(address)
	}
	return (q.Level == "" || m.Level.severity() <= q.Level.severity()) &&
		(q.Contains == "" || strings.Contains(strings.ToLower(said), strings.ToLower(q.Contains))) &&
		m.Number > q.Since && (q.Pattern == nil || q.Pattern.MatchString(said)) && (q.Source == "" || q.Source == m.Source) &&
		strings.Contains(address, q.URL)
}

// fold merges messages that differ in numbers only, and keeps the newest of each.
func fold(messages []Message) []Message {
	type key struct {
		level    Level
		source   string
		shape    string
		place    Location
		document int
	}
	at := map[key]int{}
	var out []Message
	for _, m := range messages {
		k := key{m.Level, m.Source, foldDigits(m.Text), m.Location, m.Document}
		if i, ok := at[k]; ok {
			m.Count, m.First = m.Count+out[i].Count, out[i].First
			out[i] = m
			continue
		}
		at[k] = len(out)
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b Message) int { return a.Time.Compare(b.Time) })
	return out
}

// foldDigits replaces runs of digits by #, so that counters, times and ids do not tell messages
// apart.
func foldDigits(text string) string {
	var b strings.Builder
	digits := false
	for _, r := range text {
		digit := r >= '0' && r <= '9'
		switch {
		case digit && !digits:
			b.WriteByte('#')
		case !digit:
			b.WriteRune(r)
		}
		digits = digit
	}
	return b.String()
}

func messageFromCall(ev *runtime.EventConsoleAPICalled) (Message, bool) {
	m := Message{Level: Log, Source: FromConsole, Time: eventTime(ev.Timestamp), Text: format(ev.Args)}
	switch ev.Type {
	case runtime.ConsoleAPICalledTypeError:
		m.Level = Error
	case runtime.ConsoleAPICalledTypeAssert:
		m.Level, m.Text = Error, "Assertion failed: "+m.Text
	case runtime.ConsoleAPICalledTypeWarning:
		m.Level = Warning
	case runtime.ConsoleAPICalledTypeInfo:
		m.Level = Info
	case runtime.ConsoleAPICalledTypeDebug:
		m.Level = Debug
	case runtime.ConsoleAPICalledTypeClear, runtime.ConsoleAPICalledTypeEndGroup,
		runtime.ConsoleAPICalledTypeProfile, runtime.ConsoleAPICalledTypeProfileEnd:
		return m, false
	}
	m.Stack, m.Location = stackFrames(ev.StackTrace)
	return m, true
}

// messageFromException describes an uncaught error as a console does, with the stack apart from the
// text.
func messageFromException(ev *runtime.EventExceptionThrown) Message {
	d := ev.ExceptionDetails
	m := Message{Level: Error, Source: FromException, Time: eventTime(ev.Timestamp), Text: d.Text}
	if x := d.Exception; x != nil {
		text := describe(x)
		if x.Subtype == runtime.RemoteObjectSubtypeError {
			text, _, _ = strings.Cut(x.Description, stackStart)
			text += cause(x)
		}
		m.Text += " " + text
	}
	m.Stack, m.Location = stackFrames(d.StackTrace)
	if m.Location.URL == "" && d.URL != "" {
		m.Location = Location{URL: clip(d.URL), Line: int(d.LineNumber) + 1, Column: int(d.ColumnNumber) + 1}
	}
	return m
}

func messageFromEntry(e *log.Entry) Message {
	m := Message{Level: Info, Source: string(e.Source), Time: eventTime(e.Timestamp), Text: e.Text}
	switch e.Level {
	case log.EntryLevelError:
		m.Level = Error
	case log.EntryLevelWarning:
		m.Level = Warning
	case log.EntryLevelVerbose:
		m.Level = Debug
	case log.EntryLevelInfo:
	}
	m.Stack, m.Location = stackFrames(e.StackTrace)
	if m.Location.URL == "" && e.URL != "" {
		m.Location = Location{URL: clip(e.URL)}
		if e.LineNumber > 0 || e.Source == log.EntrySourceJavascript {
			m.Location.Line = int(e.LineNumber) + 1
		}
	}
	return m
}

func stackFrames(s *runtime.StackTrace) ([]Location, Location) {
	var stack []Location
	for ; s != nil && len(stack) < maxStackFrames; s = s.Parent {
		for _, f := range s.CallFrames {
			if len(stack) < maxStackFrames {
				stack = append(stack, frameLocation(f))
			}
		}
	}
	if len(stack) == 0 {
		return nil, Location{}
	}
	return stack, stack[0]
}

func frameLocation(f *runtime.CallFrame) Location {
	return Location{Function: f.FunctionName, URL: clip(f.URL), Line: int(f.LineNumber) + 1,
		Column: int(f.ColumnNumber) + 1}
}

// eventTime converts the protocol's milliseconds since the epoch. An event without a time gets the
// current time.
func eventTime(t runtime.Timestamp) time.Time {
	return time.UnixMicro(int64(cmp.Or(float64(t)*1000, float64(time.Now().UnixMicro()))))
}
