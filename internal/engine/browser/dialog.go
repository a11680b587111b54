package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/page"
)

// Dialog is an open JavaScript dialog. It blocks its page until it is handled. This package handles
// only the beforeunload dialog of a tab that it closes.
type Dialog struct {
	Kind    string // alert, confirm, prompt or beforeunload
	Message string
	Default string // the default text of a prompt
	URL     string // URL of the frame that opened it
}

// Describe names the dialog with its article: an alert dialog.
func (d Dialog) Describe() string {
	if strings.HasPrefix(d.Kind, "a") {
		return "an " + d.Kind + " dialog"
	}
	return "a " + d.Kind + " dialog"
}

func (d *Dialog) clone() *Dialog {
	if d == nil {
		return nil
	}
	c := *d
	return &c
}

// Dialog returns the dialog that is open in the tab, or nil.
func (t *Tab) Dialog() *Dialog {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.dialog.clone()
}

// TabsWithDialog lists the session's tabs that have an open dialog, without asking the browser.
func (s *Session) TabsWithDialog() []*Tab {
	s.mu.Lock()
	tabs := slices.Clone(s.tabs)
	s.mu.Unlock()
	return slices.DeleteFunc(tabs, func(t *Tab) bool { return t.Dialog() == nil })
}

func (t *Tab) onDialog(ev *page.EventJavascriptDialogOpening) {
	t.mu.Lock()
	d := Dialog{Kind: ev.Type.String(), Message: ev.Message, Default: ev.DefaultPrompt, URL: ev.URL}
	if t.applyDialogPolicy(d) {
		t.mu.Unlock()
		return
	}
	t.dialog = &d
	leaving := t.closing && ev.Type == page.DialogTypeBeforeunload
	t.interruptLocked(&DialogError{Tab: t.id, Dialog: *t.dialog, During: true})
	t.notifyLocked()
	t.mu.Unlock()
	t.session.browser.notifyChange(t.session.id)
	t.interruptOpenerTree(d)
	if leaving {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
			defer cancel()
			_ = t.sendDialogAnswer(ctx, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

func (t *Tab) onDialogClosed() {
	t.mu.Lock()
	t.dialog = nil
	t.notifyLocked()
	t.mu.Unlock()
	t.session.browser.notifyChange(t.session.id)
}

// HandleDialog accepts or dismisses the open dialog and waits until it is closed. text is the input
// for a prompt. It does not wait for calls on the tab. Without an open dialog it returns
// ErrNoDialog.
func (t *Tab) HandleDialog(ctx context.Context, accept bool, text string) error {
	t.mu.Lock()
	dialog := t.dialog
	t.mu.Unlock()
	if dialog == nil {
		return ErrNoDialog
	}
	err := t.sendDialogAnswer(ctx, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	if err != nil {
		return fmt.Errorf("handle the %s dialog of tab %s: %w", dialog.Kind, t.id, t.explain(ctx, ctx, err))
	}
	return t.waitFor(ctx, func() bool { return t.dialog != dialog })
}

// sendDialogAnswer handles a dialog through the session that saw it open.
func (t *Tab) sendDialogAnswer(ctx context.Context, params page.HandleJavaScriptDialogParams) error {
	t.mu.Lock()
	s := t.dialogWatcher
	t.mu.Unlock()
	if s != nil {
		return s.send(ctx, page.CommandHandleJavaScriptDialog, params)
	}
	return call(ctx, t.cdp, page.HandleJavaScriptDialog, params)
}

// waitFor waits until cond holds, which is called with mu held. It returns early when the tab ends.
func (t *Tab) waitFor(ctx context.Context, cond func() bool) error {
	for {
		t.mu.Lock()
		if cond() {
			t.mu.Unlock()
			return nil
		}
		if t.endCause != nil {
			t.mu.Unlock()
			return t.endError()
		}
		changed := t.nextChangeLocked()
		t.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
