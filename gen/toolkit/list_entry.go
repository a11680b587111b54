package toolkit

import (
	"slices"
	"strings"
)

// ListEntry is an entry of the list of one session beside those of the registry: a call of its name is a call
// of Tool. All that holds for calls of Tool holds for it, and so do layers and journals.
type ListEntry struct {
	Name       string
	Definition string // as in Tool.Definition
	Tool       string // a tool of the registry; the entry is listed where that is
	// Bind returns the arguments of the call of Tool for arguments of the entry, a JSON object or nothing.
	Bind func(args []byte) []byte
}

// Shown is the content of a list: the tools of the registry, and the entries of the session.
type Shown struct {
	Tools   Set
	Entries string // their definitions
}

// Equal reports whether two lists are the same.
func (s Shown) Equal(o Shown) bool { return s.Entries == o.Entries && s.Tools.Equal(o.Tools) }

// SetEntries replaces the session's own entries, and announces another list. It leaves out entries whose name
// is not free, or whose tool the surface does not serve. A session that does not follow changes has none.
func (v *Session) SetEntries(entries []ListEntry) {
	reg := v.surface.Registry()
	var kept []ListEntry
	for _, e := range entries {
		taken := slices.ContainsFunc(kept, func(o ListEntry) bool { return o.Name == e.Name })
		if !taken && reg.Free(e.Name) == nil && v.surface.Allows(e.Tool) {
			kept = append(kept, e)
		}
	}
	v.mu.Lock()
	if v.lists == Static || v.surface.slim {
		v.mu.Unlock()
		return
	}
	before := v.shown()
	v.entries = kept
	moved := !v.shown().Equal(before)
	if moved {
		v.list = nil
		v.changes++
	}
	v.mu.Unlock()
	v.notifyChange(moved)
}

// Shown returns the content of the session's list.
func (v *Session) Shown() Shown {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.follow()
	return v.shown()
}

// shown is Shown; the caller holds mu.
func (v *Session) shown() Shown {
	var all strings.Builder
	for _, e := range v.shownEntries() {
		all.WriteString(e.Definition)
	}
	return Shown{Tools: v.visible, Entries: all.String()}
}

// shownEntries lists the entries whose tool is listed. The caller holds mu.
func (v *Session) shownEntries() []ListEntry {
	return slices.DeleteFunc(slices.Clone(v.entries), func(e ListEntry) bool {
		i, ok := v.surface.table().reg.Lookup(e.Tool)
		return !ok || !v.visible.Has(i)
	})
}

// appendEntries adds entries to a JSON array of definitions.
func appendEntries(list []byte, entries []ListEntry) []byte {
	for _, e := range entries {
		list = list[:len(list)-1]
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(append(list, e.Definition...), ']')
	}
	return list
}

// resolveEntry turns a call of an entry into the call of its tool.
func (v *Session) resolveEntry(req Request) Request {
	v.mu.Lock()
	i := slices.IndexFunc(v.entries, func(e ListEntry) bool { return e.Name == req.Tool })
	var found ListEntry
	if i >= 0 {
		found = v.entries[i]
	}
	v.mu.Unlock()
	if i >= 0 {
		req.Tool, req.Args = found.Tool, found.Bind(req.Args)
	}
	return req
}
