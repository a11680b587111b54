package toolkit

import "strings"

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
// for clients that do not fetch the list after a notification. before is the changeCount when the
// call began. Each change is reported once: not to clients that have fetched the list meanwhile,
// and with the first of several concurrent calls.
func (v *Session) withNewTools(res Result, before uint64) Result {
	if res.Refused {
		return res
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.changes == before {
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
