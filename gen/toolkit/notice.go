package toolkit

import (
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// SinceLast begins a line about something that no call has caused.
const SinceLast = "since the last answer: "

// maxNotices is how many notices wait for the next result at most; later ones are dropped. maxNotice bounds each in bytes.
const (
	maxNotices = 8
	maxNotice  = 500
)

// AddNotice adds a text to the next result of the client, whatever the call. It is for changes that
// no call has caused, such as the end of a connection: without a notice the client would look for the
// reason in its own calls.
func (v *Session) AddNotice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	text = clipBytes(text, maxNotice)
	if !slices.Contains(v.notices, text) && len(v.notices) < maxNotices {
		v.notices = append(v.notices, text)
	}
}

// withNotices puts the notices since the last result before a result.
func (v dispatcher) withNotices(res CallResult) CallResult {
	if res.Raw != nil {
		return res // the notices wait for a result that can have them
	}
	v.mu.Lock()
	notices := v.notices
	v.notices = nil
	v.mu.Unlock()
	content := slicesx.Map(notices, func(text string) Content { return Content{Text: SinceLast + text} })
	res.Content = append(content, res.Content...)
	return res
}

// NewlyListed lists the tools that became listed since the client last fetched the list, or got
// their names with a result.
func (v *Session) NewlyListed() []*Tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.client.unsent(v.from.reg.Tools, v.visible)
}

// Announced records that the client was notified of the list that the session has now.
func (v *Session) Announced() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.client.announced = v.changes + 1
}

// held returns the tools whose definitions the client has by a list.
func (v *Session) held() Set {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow()
	if v.client.keeps() {
		return v.client.has
	}
	return v.visible
}

// learn records that the client has definitions of tools by an answer, which matters while it keeps a list without them.
func (v *Session) learn(tools Set) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.client.has = v.client.has.Union(tools)
}

// callStart is the state of a session's list when a call began.
type callStart struct {
	changes uint64 // how often the list had changed
	keeps   bool   // the client had not fetched the list that it was notified of
}

func (v dispatcher) callStart() callStart {
	v.mu.Lock()
	defer v.mu.Unlock()
	return callStart{v.changes, v.client.keeps()}
}

// maxInlined bounds the definitions in a result, in bytes.
const maxInlined = 8000

// withNewTools adds to a successful result the names of the tools that its call has made available,
// for clients that do not fetch the list after a notification: not for one that has once done so. Each
// change is reported once: not to clients that have fetched the list meanwhile, and with the first of
// several concurrent calls. Where a client calls on after a notification and has not fetched the list, the
// definitions stand in the result too.
func (v dispatcher) withNewTools(res CallResult, begun callStart, room int) CallResult {
	if res.Refused || res.Raw != nil {
		return res
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.client.refetches {
		return res
	}
	var text string
	if tools := v.client.unsent(v.from.reg.Tools, v.visible); v.changes != begun.changes && len(tools) > 0 {
		text = "now available: " + v.nameNew(tools)
	}
	switch missing := v.client.missing.within(v.visible); {
	case !begun.keeps && text != "":
		text += " (their definitions are in tools/list)"
	case begun.keeps && missing.Len() > 0:
		text += v.inline(text, missing, room)
		v.client.missing = Set{}
	}
	if text != "" {
		res.Content = append(res.Content[:len(res.Content):len(res.Content)], Content{Text: text})
	}
	return res
}

// nameNew lists the names of tools, whose definitions the client lacks from now on. The caller holds mu.
func (v dispatcher) nameNew(tools []*Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
		at, _ := v.from.reg.Lookup(t.Name)
		v.client.missing = v.client.missing.With(at)
	}
	v.client.sent = v.client.sent.Union(v.visible)
	return strings.Join(names, ", ")
}

// inline returns the definitions of tools for the end of a text, or how to get them where a result has no room for them.
// The caller holds mu.
func (v dispatcher) inline(text string, tools Set, room int) string {
	before := "\n"
	if text == "" {
		before = "definitions of tools that your list lacks: "
	}
	if list := v.definitions(tools); len(list) <= min(maxInlined, room) {
		return before + string(list)
	}
	return before + `expand_tools {"name": …} shows the definition of one`
}

// withDefinitions adds the definitions of the tools that a refusal names as the way, for a client that keeps a list without
// them.
func (v dispatcher) withDefinitions(r *Refusal) CallResult {
	res := r.result()
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.client.keeps() {
		return res
	}
	var tools Set
	for _, f := range r.Fields {
		for _, name := range f.tools() {
			if i, ok := v.from.reg.Lookup(name); ok && v.from.allowed.Has(i) && !v.client.has.Has(i) {
				tools = tools.With(i)
			}
		}
	}
	if tools.Len() > 0 {
		res.Content = append(res.Content, Content{Text: v.inline("", tools, maxRefusal-noteRoom/2-len(res.Content[0].Text))})
	}
	return res
}

// tools returns the names of tools in a field of a refusal.
func (f Field) tools() []string {
	names, _ := f.Value.([]string)
	if f.Name != "via" {
		return nil
	}
	return names
}
