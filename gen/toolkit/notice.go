package toolkit

import (
	"slices"
	"strings"
)

// SinceLast begins a line about something that no call has caused.
const SinceLast = "since the last answer: "

// maxNotices is how many notices wait for the next result at most; later ones are dropped.
const maxNotices = 8

// AddNotice adds a text to the next result of the client, whatever the call. It is for changes that
// no call has caused, such as the end of a connection: without a notice the client would look for the
// reason in its own calls.
func (v *Session) AddNotice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
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
	var content []Content
	for _, text := range notices {
		content = append(content, Content{Text: SinceLast + text})
	}
	res.Content = append(content, res.Content...)
	return res
}

// NewlyListed lists the tools that became listed since the client last fetched the list, or got
// their names with a result.
func (v *Session) NewlyListed() []*Tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.newlyListed()
}

// newlyListed is NewlyListed for callers that hold mu.
func (v *Session) newlyListed() []*Tool {
	var out []*Tool
	for i := range v.from.reg.Tools {
		if v.visible.Has(i) && !v.sent.Has(i) {
			out = append(out, &v.from.reg.Tools[i])
		}
	}
	return out
}

// Announced records that the client was notified of the list that the session has now.
func (v *Session) Announced() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.announced = v.changes + 1
}

// keepsList reports whether the client has not fetched the list that it was last notified of. The caller holds mu.
func (v *Session) keepsList() bool { return v.announced > v.fetched }

// seen is the set of tools of which the client has definitions by a list.
func (v *Session) seen() Set {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow()
	if v.keepsList() {
		return v.has
	}
	return v.visible
}

// callStart is what a session had when a call began.
type callStart struct {
	changes uint64 // how often the list had changed
	keeps   bool   // the client had not fetched the list that it was notified of
}

func (v *Session) callStart() callStart {
	v.mu.Lock()
	defer v.mu.Unlock()
	return callStart{v.changes, v.keepsList()}
}

// maxInlined bounds the definitions in a result, in bytes.
const maxInlined = 8000

// withNewTools adds to a successful result the names of the tools that its call has made available,
// for clients that do not fetch the list after a notification: not for one that has once done so. Each
// change is reported once: not to clients that have fetched the list meanwhile, and with the first of
// several concurrent calls. Where a client calls on after a notification and has not fetched the list, the
// definitions stand in the result too.
func (v dispatcher) withNewTools(res CallResult, begun callStart) CallResult {
	if res.Refused || res.Raw != nil {
		return res
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.refetches {
		return res
	}
	var text string
	if tools := v.newlyListed(); v.changes != begun.changes && len(tools) > 0 {
		text = "now available: " + v.nameNew(tools)
	}
	switch missing := v.missing.within(v.visible); {
	case !begun.keeps && text != "":
		text += " (their definitions are in tools/list)"
	case begun.keeps && missing.Len() > 0:
		text += v.inline(text, missing)
		v.missing = Set{}
	}
	if text != "" {
		res.Content = append(res.Content[:len(res.Content):len(res.Content)], Content{Text: text})
	}
	return res
}

// nameNew lists the names of tools, whose definitions the client lacks from now on. The caller holds mu.
func (v *Session) nameNew(tools []*Tool) string {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
		at, _ := v.from.reg.Lookup(t.Name)
		v.missing = v.missing.With(at)
	}
	v.sent = v.sent.Union(v.visible)
	return strings.Join(names, ", ")
}

// inline returns the definitions of tools for the end of a text, or how to get them where they are too long. The caller
// holds mu.
func (v *Session) inline(text string, tools Set) string {
	before := "\n"
	if text == "" {
		before = "definitions of tools that your list lacks: "
	}
	if list := v.definitions(tools); len(list) <= maxInlined {
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
	if !v.keepsList() {
		return res
	}
	var tools Set
	for _, f := range r.Fields {
		for _, name := range f.tools() {
			if i, ok := v.from.reg.Lookup(name); ok && v.from.allowed.Has(i) && !v.has.Has(i) {
				tools = tools.With(i)
			}
		}
	}
	if tools.Len() > 0 {
		res.Content = append(res.Content, Content{Text: v.inline("", tools)})
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
