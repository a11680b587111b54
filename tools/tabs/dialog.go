package tabs

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/browser/dialog"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset/tabsapi"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
)

// afterDialog is the time for which the page is observed once its dialog is answered.
const afterDialog = 5 * time.Second

// Dialog answers an open dialog and tells what the page did then.
func (t *Tools) Dialog(ctx context.Context, call *toolkit.Call, in tabsapi.DialogParams) (toolkit.Result, error) {
	session, tab, err := t.waiting(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	dialog := tab.Dialogs.Open()
	if dialog == nil {
		return toolkit.Result{}, browser.ErrNoDialog
	}
	text := dialog.Default
	if in.Text.Set {
		text = in.Text.Value
	}
	before := tab.URL()
	following, err := answer(ctx, tab, in, text)
	if err != nil {
		return toolkit.Result{}, err
	}
	verb := "dismissed"
	if in.Accept {
		verb = "accepted"
	}
	limited, cancel := context.WithTimeout(ctx, afterDialog)
	defer cancel()
	out, err := result.Act(limited, call, session, tab, func(ctx context.Context, p *page.Page) (settle.Effect, error) { return p.Settle.WaitForStable(ctx) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s the %s dialog of tab %s", verb, dialog.Kind, tab.ID())
	if more := following().String(); more != "" {
		b.WriteString(", and then " + more)
	}
	switch next := tab.Dialogs.Open(); {
	case next != nil:
		b.WriteString("\n" + result.Dialog(call, tab.ID(), *next))
		if next.Message == dialog.Message {
			b.WriteString(`; {"accept":false,"following":true} answers all that follow`)
		}
	case tab.Closed():
		b.WriteString("\nthe tab has closed")
	case err != nil && ctx.Err() != nil:
		return toolkit.Result{}, err
	case err != nil: // it was answered all the same
		fmt.Fprintf(&b, "\nthe page has not come to rest: %v", err)
	default:
		out.Navigated = out.URL != before
		b.WriteString(out.Text(""))
	}
	return toolkit.Text(b.String()), nil
}

// answer answers the open dialog. With following, those that follow are answered until the returned
// function is called, which returns them.
func answer(ctx context.Context, tab *browser.Tab, in tabsapi.DialogParams, text string) (func() dialog.Answered, error) {
	if in.Following {
		return tab.Dialogs.HandleAll(ctx, in.Accept, text)
	}
	return func() dialog.Answered { return dialog.Answered{} }, tab.Dialogs.Handle(ctx, in.Accept, text)
}

// waiting finds the tab whose dialog a call answers: the one named, else the current one, else the
// only one with a dialog.
func (t *Tools) waiting(ctx context.Context, call *toolkit.Call, id toolkit.Opt[string]) (*browser.Session, *browser.Tab, error) {
	set := t.sessions.Set(call)
	session, tab, err := set.Tab(ctx, id.Value)
	if err == nil && (id.Set || tab.Dialogs.Open() != nil) {
		return session, tab, nil
	}
	if id.Set || err != nil && !errors.Is(err, browser.ErrNoTab) {
		return nil, nil, err
	}
	open := set.TabsWithDialog()
	if len(open) == 1 {
		session, tab, err = set.Tab(ctx, open[0].ID())
		return session, tab, err
	}
	if len(open) == 0 {
		return nil, nil, browser.ErrNoDialog
	}
	ids := slicesx.List(open, func(o *browser.Tab) string { return o.ID() })
	return nil, nil, toolkit.Refuse(codes.Ambiguous, "dialogs are open in tabs "+strings.Join(ids, ", ")+"; choose one by tabId",
		toolkit.Field{Name: "tabs", Value: ids})
}
