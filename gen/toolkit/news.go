package toolkit

import "strings"

// News lists the tools that became listed since the client last fetched the list or was told of them.
func (v *Session) News() []*Tool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.news()
}

// news is News for who holds mu.
func (v *Session) news() []*Tool {
	var out []*Tool
	for i := range v.surface.reg.Tools {
		if v.visible.Has(i) && !v.known.Has(i) {
			out = append(out, &v.surface.reg.Tools[i])
		}
	}
	return out
}

// moved counts how often the list has become another one.
func (v *Session) moved() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.moves
}

// withNews adds to a successful result which tools its call has made available, for clients that do not fetch the list
// again when they are told to. Moves is what moved returned when the call began. Each change is told once: clients that
// have fetched the list meanwhile, and all but the first of several calls at once, hear nothing.
func (v *Session) withNews(res Result, moves uint64) Result {
	if res.Refused {
		return res
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.moves == moves {
		return res
	}
	news := v.news()
	if len(news) == 0 {
		return res
	}
	names := make([]string, len(news))
	for i, t := range news {
		names[i] = t.Name
	}
	v.known = v.known.Union(v.visible)
	res.Content = append(res.Content[:len(res.Content):len(res.Content)],
		Content{Text: "now available: " + strings.Join(names, ", ") + " (their definitions are in tools/list)"})
	return res
}
