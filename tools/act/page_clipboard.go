package act

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/actapi"
	"github.com/callsheet/callsheet/internal/engine/browser/clipboard"
	"github.com/callsheet/callsheet/internal/engine/page"
	"github.com/callsheet/callsheet/internal/engine/page/secret"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/text"
)

// fenceRoom is the size of the tags around a text, in bytes.
const fenceRoom = 200

// PageClipboard reads, sets or pastes the clipboard of the client's session.
func (t *Tools) PageClipboard(ctx context.Context, call *toolkit.Call, in actapi.PageClipboardParams) (toolkit.Result, error) {
	own, err := t.sessions.Active(call)
	if err != nil {
		return toolkit.Result{}, err
	}
	switch in.Action {
	case actapi.PageClipboardActionWrite:
		own.Clipboard.Set(map[string]string{clipboard.PlainText: in.Text.Value})
		return toolkit.Text(fmt.Sprintf("the session's clipboard has %d characters", utf8.RuneCountInString(in.Text.Value))), nil
	case actapi.PageClipboardActionRead:
		held := own.Clipboard.Text()
		if held == "" {
			return toolkit.Text("the session's clipboard has no text"), nil
		}
		return toolkit.Text(result.Quote(text.ClipBytes(held, call.ResultBytes()-fenceRoom))), nil
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	out, err := result.ActOn(ctx, call, t.sessions, in.TabID, func(ctx context.Context, p *page.Page) (settle.Effect, error) {
		if tab.IsHeadless() {
			return p.Keyboard.Press(ctx, "Control+v")
		}
		// Control+v would paste the person's clipboard. What a page has copied names no secret.
		return p.Keyboard.Type(secret.With(ctx, nil), own.Clipboard.Text())
	})
	if err != nil {
		return toolkit.Result{}, err
	}
	return toolkit.Text(out.Text("pasted")), nil
}
