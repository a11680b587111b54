package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// dialogWatcher watches the dialogs of a popup until its tab is attached. Attaching asks the page a
// question, which a page that opens a dialog in its first script never answers. A dialog that
// opened before the Page domain was enabled can neither be seen nor handled. The watcher therefore
// enables it with the first message to the new page. It needs a session of its own, addressed
// through the browser's, because chromedp attaches in one step.
type dialogWatcher struct {
	tab     *Tab
	session target.SessionID
}

// watchDialogs starts a watcher; stop ends it.
func watchDialogs(ctx context.Context, t *Tab) (s *dialogWatcher, stop func(), err error) {
	conn := t.instance.conn
	messages, unsubscribe := conn.Subscribe("Target.receivedMessageFromTarget")
	res, err := cdp.Call(ctx, conn, target.AttachToTarget, target.AttachToTargetParams{TargetID: t.target})
	if err != nil {
		unsubscribe()
		return nil, nil, fmt.Errorf("watch the dialogs of tab %s: %w", t.id, err)
	}
	s = &dialogWatcher{tab: t, session: res.SessionID}
	t.mu.Lock()
	t.dialogWatcher = s // before the first event, which may need an answer
	t.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for raw := range messages {
			s.receive(raw)
		}
	}()
	stop = func() {
		unsubscribe()
		<-done
		t.mu.Lock()
		t.dialogWatcher = nil
		t.mu.Unlock()
		_ = protocol.Exec(ctx, conn, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.session})
	}
	if err := s.send(ctx, page.CommandEnable, page.EnableParams{}); err != nil {
		stop()
		return nil, nil, fmt.Errorf("watch the dialogs of tab %s: %w", t.id, err)
	}
	return s, stop, nil
}

// send sends a command and does not wait for its result.
func (s *dialogWatcher) send(ctx context.Context, method string, params any) error {
	message, err := json.Marshal(map[string]any{"id": 1, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("encode %s: %w", method, err)
	}
	return s.tab.instance.conn.Call(ctx, "Target.sendMessageToTarget", map[string]any{
		"sessionId": s.session, "message": string(message),
	}, nil)
}

func (s *dialogWatcher) receive(raw []byte) {
	var event struct {
		SessionID target.SessionID `json:"sessionId"`
		Message   string           `json:"message"`
	}
	if json.Unmarshal(raw, &event) != nil || event.SessionID != s.session {
		return
	}
	var message struct {
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	if json.Unmarshal([]byte(event.Message), &message) != nil {
		return
	}
	switch message.Method {
	case page.JavascriptDialogOpening.Method:
		var dialog page.EventJavascriptDialogOpening
		if json.Unmarshal(message.Params, &dialog) == nil {
			s.tab.onDialog(&dialog)
		}
	case page.JavascriptDialogClosed.Method:
		s.tab.onDialogClosed()
	}
}
