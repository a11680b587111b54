package proxy

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/callsheet/callsheet/gen/model"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/gen/upstream"
)

// ChangedError says that forwarded tools are not what was recorded.
type ChangedError struct{ Changes []upstream.Change }

// Error shows each change, and what to do.
func (e *ChangedError) Error() string {
	var b strings.Builder
	b.WriteString("the upstream is not what was recorded:\n")
	for _, c := range e.Changes {
		b.WriteString(c.String() + "\n")
	}
	b.WriteString(`review the changes and run "toolgen import --update", or serve the other tools alone: toolgen proxy --unchanged-only`)
	return b.String()
}

// Compare holds what the upstream offers now against the record, as far as tools are forwarded.
// Changed are the tools that cannot be served as recorded, and fresh the names of those that the record
// does not have.
func Compare(set *model.Toolset, was, now upstream.List) (changed []upstream.Change, fresh []string) {
	for _, c := range upstream.Compare(was, now) {
		switch {
		case c.Kind == upstream.Added:
			fresh = append(fresh, c.Name)
		case slices.ContainsFunc(set.Tools, func(t *model.Tool) bool { return t.Forward != nil && t.Forward.Name == c.Name }):
			changed = append(changed, c)
		}
	}
	return changed, fresh
}

// ErrNothingForwarded says that a manifest forwards no tool.
var ErrNothingForwarded = errors.New("the manifest forwards no tool")

// New makes the registry of a checked set over an upstream. The tools whose upstream names are in without
// are left out. A live tool that is not forwarded is an error: nothing would run it.
func New(set *model.Toolset, to Upstream, without []upstream.Change) (*toolkit.Registry, error) {
	served := *set
	served.Tools = nil
	for _, t := range set.Tools {
		switch {
		case t.Forward == nil:
			return nil, fmt.Errorf("%s: tool %q is not forwarded, and a proxy has no handlers; forward it, or generate Go", t.Pos, t.Name)
		case !slices.ContainsFunc(without, func(c upstream.Change) bool { return c.Name == t.Forward.Name }):
			served.Tools = append(served.Tools, t)
		}
	}
	if len(served.Tools) == 0 {
		return nil, ErrNothingForwarded
	}
	return registry(&served, func(t *model.Tool) (runner, error) { return forwarder(t, to) })
}
