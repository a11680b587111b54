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

// changeCount returns how often the list has changed.
func (v *Session) changeCount() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changes
}

// withNewTools adds to a successful result the names of the tools that its call has made available,
// for clients that do not fetch the list after a notification: not for one that has once done so. before
// is the changeCount when the call began. Each change is reported once: not to clients that have fetched
// the list meanwhile, and with the first of several concurrent calls.
func (v dispatcher) withNewTools(res CallResult, before uint64) CallResult {
	if res.Refused || res.Raw != nil {
		return res
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changes == before || v.refetches {
		return res
	}
	tools := v.newlyListed()
	if len(tools) == 0 {
		return res
	}
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	v.sent = v.sent.Union(v.visible)
	res.Content = append(res.Content[:len(res.Content):len(res.Content)],
		Content{Text: "now available: " + strings.Join(names, ", ") + " (their definitions are in tools/list)"})
	return res
}
