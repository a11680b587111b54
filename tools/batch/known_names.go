package batch

import (
	"context"
	"encoding/json"

	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/record/argument"
	"github.com/callsheet/callsheet/internal/session"
)

// knownTab is a tab with the names under which the caller of a batch knows the refs of its tasks.
type knownTab struct {
	*browser.Tab
	refs  []string
	names *document.KnownNames // nil where the tab does not answer, which is the matter of its tasks
}

// know keeps the present names of the refs of tasks. Tasks with refs belong to a tab, also those that name none.
func know(ctx context.Context, set *session.Set, items []*item) {
	tabs := map[string]*knownTab{}
	for _, it := range items {
		var args map[string]any
		_ = json.Unmarshal(it.args, &args)
		for pointer, role := range argument.Roles(it.tool, args) {
			if ref, ok := argument.ValueAt(args, pointer).(string); ok && role == toolset.RoleRef && document.IsRef(ref) {
				it.refs = append(it.refs, ref)
			}
		}
		tab := set.Peek("", it.tab)
		if tab == nil || len(it.refs) == 0 {
			continue
		}
		if tabs[tab.ID()] == nil {
			tabs[tab.ID()] = &knownTab{Tab: tab}
		}
		it.tab, it.known = tab.ID(), tabs[tab.ID()]
		it.known.refs = append(it.known.refs, it.refs...)
	}
	for _, t := range tabs {
		_ = t.Do(ctx, func(_ context.Context, p *page.Page) error {
			t.names = p.Document.KnownNames(t.refs)
			return nil
		})
	}
}

// eachRef calls a method of the names with the refs of a task.
func (it *item) eachRef(ctx context.Context, method func(*document.KnownNames, context.Context, string)) {
	if it.known == nil || it.known.names == nil {
		return
	}
	_ = it.known.Do(ctx, func(ctx context.Context, _ *page.Page) error {
		for _, ref := range it.refs {
			method(it.known.names, ctx, ref)
		}
		return nil
	})
}
