package browser

import (
	"context"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
)

// A page and its popups often share a process, and a dialog in one then blocks the scripts of all.
// The protocol does not report which pages those are, so this file asks each.

// openerTree is the tabs of a session that descend from the same tab as this one.
type openerTree struct{ tab *Tab }

// blockingTab returns the tab whose open dialog blocks this one, or nil.
func (tr *openerTree) blockingTab(ctx context.Context) *Tab {
	for _, o := range tr.tab.session.TabsWithDialog() {
		if o != tr.tab && tr.sharedWith(o) && !tr.tab.Scripts.responsive(ctx) {
			return o
		}
	}
	return nil
}

// interrupt ends the calls on tabs that a dialog of this one blocks.
func (tr *openerTree) interrupt(d dialog.Dialog) {
	tr.tab.session.mu.Lock()
	tabs := append([]*Tab(nil), tr.tab.session.tabs...)
	tr.tab.session.mu.Unlock()
	for _, o := range tabs {
		if o == tr.tab || !tr.sharedWith(o) {
			continue
		}
		o.mu.Lock()
		busy := o.Calls.cancel != nil
		o.mu.Unlock()
		if !busy {
			continue
		}
		go func() {
			if o.Scripts.responsive(tr.tab.instance.ctx) || tr.tab.Dialogs.Open() == nil {
				return
			}
			o.mu.Lock()
			defer o.mu.Unlock()
			o.Calls.interruptLocked(&DialogError{Tab: tr.tab.id, Dialog: d, During: true})
		}()
	}
}

// sharedWith reports whether two tabs of a session descend from the same tab.
func (tr *openerTree) sharedWith(o *Tab) bool {
	tr.tab.session.mu.Lock()
	defer tr.tab.session.mu.Unlock()
	return tr.tab.session == o.session && tr.tab.session.openerRoot(tr.tab.id) == tr.tab.session.openerRoot(o.id)
}

// relatedGuards returns the guards of the other tabs of the opener tree. Scripts of each may reach the
// documents of the others.
func (tr *openerTree) relatedGuards() []*secret.Guard {
	tr.tab.session.mu.Lock()
	tabs := append([]*Tab(nil), tr.tab.session.tabs...)
	tr.tab.session.mu.Unlock()
	var out []*secret.Guard
	for _, o := range tabs {
		if p := o.observer.Load(); o != tr.tab && p != nil && tr.sharedWith(o) {
			out = append(out, p.Secrets)
		}
	}
	return out
}

// openerRoot returns the id of the tab at the root of a tab's opener tree. The caller holds mu.
func (s *Session) openerRoot(id string) string {
	for range len(s.openers) {
		opener := s.openers[id]
		if opener == "" {
			break
		}
		id = opener
	}
	return id
}
