package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/browser/dialog"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/text"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// Dialogs are the JavaScript dialogs of a tab.
type Dialogs struct {
	tab     *Tab
	open    *dialog.Dialog
	policy  *dialogPolicy  // answers dialogs during a call, or nil
	watcher *dialogWatcher // of a popup that is not attached yet
}

// Open returns the dialog that is open in the tab, or nil.
func (ds *Dialogs) Open() *dialog.Dialog {
	ds.tab.mu.Lock()
	defer ds.tab.mu.Unlock()
	return ds.open.Clone()
}

// TabsWithDialog lists the session's tabs that have an open dialog, without asking the browser.
func (s *Session) TabsWithDialog() []*Tab {
	s.mu.Lock()
	tabs := slices.Clone(s.tabs)
	s.mu.Unlock()
	return slices.DeleteFunc(tabs, func(t *Tab) bool { return t.Dialogs.Open() == nil })
}

// maxDialogText bounds the text of a dialog, which each result about it has, in bytes.
const maxDialogText = 2000

func (ds *Dialogs) onOpen(ev *page.EventJavascriptDialogOpening) {
	ds.tab.mu.Lock()
	d := dialog.Dialog{Kind: ev.Type.String(), Message: text.ClipBytes(fence.Clean(ev.Message), maxDialogText), Default: fence.Clean(ev.DefaultPrompt), URL: fence.Line(ev.URL)}
	if ds.apply(d) {
		ds.tab.mu.Unlock()
		return
	}
	ds.open = &d
	leaving := ds.tab.closing && ev.Type == page.DialogTypeBeforeunload
	cause := &DialogError{Tab: ds.tab.id, Dialog: d, During: true}
	ds.tab.Calls.interruptLocked(cause)
	ds.tab.Calls.commands.Interrupt(cause)
	ds.tab.changes.notify()
	ds.tab.mu.Unlock()
	ds.tab.session.browser.notifyChange(ds.tab.session.id)
	ds.tab.openerTree.interrupt(&d, cause)
	if leaving {
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
			defer cancel()
			_ = ds.answer(ctx, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

func (ds *Dialogs) onClosed() {
	ds.tab.mu.Lock()
	ds.open = nil
	ds.tab.changes.notify()
	ds.tab.mu.Unlock()
	ds.tab.session.browser.notifyChange(ds.tab.session.id)
}

// Handle accepts or dismisses the open dialog and waits until it is closed. text is the input
// for a prompt. It does not wait for calls on the tab. Without an open dialog it returns
// ErrNoDialog.
func (ds *Dialogs) Handle(ctx context.Context, accept bool, text string) error {
	if err := ds.tab.session.browser.cfg.Holds.Wait(ctx, ds.tab.session.id); err != nil {
		return err
	}
	ds.tab.mu.Lock()
	dialog := ds.open
	ds.tab.mu.Unlock()
	if dialog == nil {
		return ErrNoDialog
	}
	err := ds.answer(ctx, page.HandleJavaScriptDialogParams{Accept: accept, PromptText: text})
	if err != nil {
		return fmt.Errorf("handle the %s dialog of tab %s: %w", dialog.Kind, ds.tab.id, ds.tab.explain(ctx, ctx, err))
	}
	return ds.tab.waitFor(ctx, func() bool { return ds.open != dialog })
}

// errNotAttached is the error of an answer for which no session of the page exists.
var errNotAttached = errors.New("the tab is not attached")

// answer handles a dialog through the session that saw it open.
func (ds *Dialogs) answer(ctx context.Context, params page.HandleJavaScriptDialogParams) error {
	ds.tab.mu.Lock()
	s, attached := ds.watcher, ds.tab.attachment.finished && ds.tab.attachment.err == nil
	ds.tab.mu.Unlock()
	switch {
	case s != nil:
		return s.session.Send(ctx, page.CommandHandleJavaScriptDialog, params)
	case !attached:
		return errNotAttached
	}
	_, err := protocol.CallWhenActive(ctx, ds.tab.cdp, page.HandleJavaScriptDialog, params)
	if protocol.IsInactivePage(err) {
		return ds.replaceStuckDocument(ctx)
	}
	return err
}

// replaceStuckDocument navigates a tab whose dialog opened while its document was being replaced.
// Chromium then waits for the dialog before it commits the new document, takes the new one for the
// page, and refuses every answer for the dialog of the old one. A navigation alone closes the
// dialog.
func (ds *Dialogs) replaceStuckDocument(ctx context.Context) error {
	ds.tab.mu.Lock()
	address := cmp.Or(ds.tab.Document.state.destination, ds.tab.Document.state.url)
	ds.tab.mu.Unlock()
	res, err := cdp.Call(ctx, ds.tab.cdp, page.Navigate, page.NavigateParams{URL: address})
	if err != nil {
		return fmt.Errorf("replace the document of the dialog: %w", err)
	}
	ds.tab.mu.Lock()
	ds.tab.Document.state.substitute = res.LoaderID
	ds.tab.changes.notify()
	ds.tab.mu.Unlock()
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
		changed := t.changes.wait()
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

// dialogPolicy answers dialogs as they open, for the time of one call. Dialogs about leaving the
// page are not answered: what a person typed may be lost.
type dialogPolicy struct {
	accept   bool
	answered dialog.Answered
}

// startPolicy answers the open dialog and all that follow, until stopDialogPolicy or until
// another document replaces the page.
func (ds *Dialogs) startPolicy(policy *dialogPolicy) {
	ds.tab.mu.Lock()
	ds.policy = policy
	open := ds.open
	if open != nil && open.Kind != page.DialogTypeBeforeunload.String() {
		ds.open = nil
		ds.apply(*open)
		ds.tab.changes.notify()
	}
	ds.tab.mu.Unlock()
	ds.tab.session.browser.notifyChange(ds.tab.session.id)
}

func (ds *Dialogs) stopPolicy(policy *dialogPolicy) dialog.Answered {
	ds.tab.mu.Lock()
	defer ds.tab.mu.Unlock()
	if ds.policy == policy {
		ds.policy = nil
	}
	return policy.answered
}

// apply answers a dialog by the policy, and reports whether there is one that does. The
// caller holds mu.
func (ds *Dialogs) apply(d dialog.Dialog) bool {
	policy := ds.policy
	if policy == nil || d.Kind == page.DialogTypeBeforeunload.String() {
		return false
	}
	a := &policy.answered
	if len(a.Dialogs) < maxAnswered {
		a.Dialogs = append(a.Dialogs, d)
	} else {
		a.Crashed = ds.tab.attachment.finished
	}
	endless := a.Crashed
	go func() {
		ctx, cancel := context.WithTimeout(ds.tab.instance.ctx, closeTimeout)
		defer cancel()
		if endless {
			_ = protocol.Exec(ctx, ds.tab.cdp, page.Crash, cdp.Empty{}) // a crashed page sends no response
			return
		}
		_ = ds.answer(ctx, page.HandleJavaScriptDialogParams{Accept: policy.accept, PromptText: d.Default})
	}()
	return true
}

// dismissForClose dismisses the open dialog and those that follow while the tab closes: Chromium
// can crash when it closes a page with the dialog of a frame of another site.
func (ds *Dialogs) dismissForClose(ctx context.Context) {
	if ds.Open() == nil {
		return
	}
	ds.startPolicy(&dialogPolicy{})
	ctx, cancel := context.WithTimeout(ctx, responseTimeout)
	defer cancel()
	ds.tab.Scripts.responsive(ctx)
}

// HandleAll is HandleDialog for the open dialog and for all that follow until stop is called.
// Prompts that follow are answered with their default text. stop returns those that followed.
func (ds *Dialogs) HandleAll(ctx context.Context, accept bool, text string) (stop func() dialog.Answered, err error) {
	policy := &dialogPolicy{accept: accept}
	ds.tab.mu.Lock()
	ds.policy = policy
	ds.tab.mu.Unlock()
	stop = func() dialog.Answered { return ds.stopPolicy(policy) }
	if err := ds.Handle(ctx, accept, text); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}
