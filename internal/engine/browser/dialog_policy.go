package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

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
			_ = call(ctx, t.cdp, page.Crash, cdp.Empty{}) // a crashed page sends no response
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
