package browser

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
)

// A page and its popups often share a process, and a dialog in one then blocks the scripts of all.
// The protocol does not report which pages those are, so this file asks each.

// openerTree is the tabs of a session that descend from the same tab as this one.
type openerTree struct {
	tab       *Tab
	blockedBy atomic.Pointer[dialog.Dialog] // of another tab: the last that was found to block this one
}

// dialogError returns the error of the dialog of another tab that blocks this one, or nil.
func (tr *openerTree) dialogError(ctx context.Context) error {
	for _, o := range tr.tab.session.TabsWithDialog() {
		if o == tr.tab || !tr.sharedWith(o) {
			continue
		}
		o.mu.Lock()
		d := o.Dialogs.open
		o.mu.Unlock()
		if d != nil && tr.isBlockedBy(ctx, d) {
			return &DialogError{Tab: o.id, Dialog: *d}
		}
	}
	return nil
}

// isBlockedBy reports whether the page answers nothing while the dialog is open.
func (tr *openerTree) isBlockedBy(ctx context.Context, d *dialog.Dialog) bool {
	if tr.blockedBy.Load() == d {
		return true
	}
	if tr.tab.Scripts.responsive(ctx) {
		return false
	}
	tr.blockedBy.Store(d)
	return true
}

// interrupt ends the calls on tabs that a dialog of this one blocks.
func (tr *openerTree) interrupt(d *dialog.Dialog, cause error) {
	for _, o := range tr.related() {
		go func() {
			if o.openerTree.isBlockedBy(tr.tab.instance.ctx, d) && tr.tab.Dialogs.Open() != nil {
				o.mu.Lock()
				defer o.mu.Unlock()
				o.Calls.interruptLocked(cause)
				o.Calls.commands.Interrupt(cause)
			}
		}()
	}
}

// related returns the other tabs of the tree.
func (tr *openerTree) related() []*Tab {
	tr.tab.session.mu.Lock()
	tabs := slices.Clone(tr.tab.session.tabs)
	tr.tab.session.mu.Unlock()
	return slices.DeleteFunc(tabs, func(o *Tab) bool { return o == tr.tab || !tr.sharedWith(o) })
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
	var out []*secret.Guard
	for _, o := range tr.related() {
		if p := o.observer.Load(); p != nil {
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
