package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/text/fence"
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
	d := Dialog{Kind: ev.Type.String(), Message: fence.Clean(ev.Message), Default: fence.Clean(ev.DefaultPrompt), URL: fence.Line(ev.URL)}
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
	if err := t.session.waitWhileHeld(ctx); err != nil {
		return err
	}
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

// errNotAttached is the error of an answer for which no session of the page exists.
var errNotAttached = errors.New("the tab is not attached")

// sendDialogAnswer handles a dialog through the session that saw it open.
func (t *Tab) sendDialogAnswer(ctx context.Context, params page.HandleJavaScriptDialogParams) error {
	t.mu.Lock()
	s, attached := t.dialogWatcher, t.attached && t.attachErr == nil
	t.mu.Unlock()
	switch {
	case s != nil:
		return s.send(ctx, page.CommandHandleJavaScriptDialog, params)
	case !attached:
		return errNotAttached
	}
	_, err := protocol.CallWhenActive(ctx, t.cdp, page.HandleJavaScriptDialog, params)
	if protocol.IsInactivePage(err) {
		return t.replaceStuckDocument(ctx)
	}
	return err
}

// replaceStuckDocument navigates a tab whose dialog opened while its document was being replaced.
// Chromium then waits for the dialog before it commits the new document, takes the new one for the
// page, and refuses every answer for the dialog of the old one. A navigation alone closes the
// dialog.
func (t *Tab) replaceStuckDocument(ctx context.Context) error {
	t.mu.Lock()
	address := cmp.Or(t.frame.destination, t.frame.url)
	t.mu.Unlock()
	res, err := cdp.Call(ctx, t.cdp, page.Navigate, page.NavigateParams{URL: address})
	if err != nil {
		return fmt.Errorf("replace the document of the dialog: %w", err)
	}
	t.mu.Lock()
	t.frame.substitute = res.LoaderID
	t.notifyLocked()
	t.mu.Unlock()
	return nil
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

// maxAnswered is how many dialogs are answered in one call. A page with more opens them in an
// endless loop, and its process is ended: Chromium does not terminate such a script.
const maxAnswered = 20

// AnsweredDialogs are the dialogs that a navigation dismissed, or that were answered after another.
type AnsweredDialogs struct {
	Dialogs []Dialog // oldest first, at most maxAnswered
	// Crashed says that the page opened dialogs without end and was ended.
	Crashed bool
}

// dialogPolicy answers dialogs as they open, for the time of one call. Dialogs about leaving the
// page are not answered: what a person typed may be lost.
type dialogPolicy struct {
	accept   bool
	answered AnsweredDialogs
}

// startDialogPolicy answers the open dialog and all that follow, until stopDialogPolicy or until
// another document replaces the page.
func (t *Tab) startDialogPolicy(policy *dialogPolicy) {
	t.mu.Lock()
	t.dialogPolicy = policy
	open := t.dialog
	if open != nil && open.Kind != page.DialogTypeBeforeunload.String() {
		t.dialog = nil
		t.applyDialogPolicy(*open)
		t.notifyLocked()
	}
	t.mu.Unlock()
	t.session.browser.notifyChange(t.session.id)
}

func (t *Tab) stopDialogPolicy(policy *dialogPolicy) AnsweredDialogs {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dialogPolicy == policy {
		t.dialogPolicy = nil
	}
	return policy.answered
}

// applyDialogPolicy answers a dialog by the policy, and reports whether there is one that does. The
// caller holds mu.
func (t *Tab) applyDialogPolicy(d Dialog) bool {
	policy := t.dialogPolicy
	if policy == nil || d.Kind == page.DialogTypeBeforeunload.String() {
		return false
	}
	a := &policy.answered
	if len(a.Dialogs) < maxAnswered {
		a.Dialogs = append(a.Dialogs, d)
	} else {
		a.Crashed = t.attached
	}
	endless := a.Crashed
	go func() {
		ctx, cancel := context.WithTimeout(t.instance.ctx, closeTimeout)
		defer cancel()
		if endless {
			_ = protocol.Exec(ctx, t.cdp, page.Crash, cdp.Empty{}) // a crashed page sends no response
			return
		}
		_ = t.sendDialogAnswer(ctx, page.HandleJavaScriptDialogParams{Accept: policy.accept, PromptText: d.Default})
	}()
	return true
}

// dismissForClose dismisses the open dialog and those that follow while the tab closes: Chromium
// can crash when it closes a page with the dialog of a frame of another site.
func (t *Tab) dismissForClose(ctx context.Context) {
	if t.Dialog() == nil {
		return
	}
	t.startDialogPolicy(&dialogPolicy{})
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	t.isResponsive(ctx)
}

// waitForAttach waits until the tab is attached or has a dialog. A popup shares the process of its
// opener, so it is not attached before the opener's dialog is answered.
func (t *Tab) waitForAttach(ctx context.Context) error {
	for {
		limited, cancel := context.WithTimeout(ctx, responseTimeout)
		err := t.waitFor(limited, func() bool { return t.attached || t.dialog != nil })
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		for _, o := range t.session.TabsWithDialog() {
			if d := o.Dialog(); d != nil && t.inOpenerTreeOf(o) {
				return &DialogError{Tab: o.id, Dialog: *d}
			}
		}
	}
}

// HandleDialogs is HandleDialog for the open dialog and for all that follow until stop is called.
// Prompts that follow are answered with their default text. stop returns those that followed.
func (t *Tab) HandleDialogs(ctx context.Context, accept bool, text string) (stop func() AnsweredDialogs, err error) {
	policy := &dialogPolicy{accept: accept}
	t.mu.Lock()
	t.dialogPolicy = policy
	t.mu.Unlock()
	stop = func() AnsweredDialogs { return t.stopDialogPolicy(policy) }
	if err := t.HandleDialog(ctx, accept, text); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// String names the dialogs in a line: dismissed an alert dialog "x" and 3 more.
func (a AnsweredDialogs) String() string {
	if len(a.Dialogs) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %q", a.Dialogs[0].Describe(), a.Dialogs[0].Message)
	if n := len(a.Dialogs) - 1; n > 0 {
		fmt.Fprintf(&b, " and %d more", n)
	}
	if a.Crashed {
		b.WriteString("; the page opened dialogs without end, so it was ended")
	}
	return b.String()
}
