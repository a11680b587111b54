package browser

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// dialogWatcher watches the dialogs of a popup until its tab is attached. Attaching asks the page a
// question, which a page that opens a dialog in its first script never answers. A dialog that
// opened before the Page domain was enabled can neither be seen nor handled. The watcher therefore
// enables it with the first message to the new page. It needs a session of its own, whose commands
// return before they are answered.
type dialogWatcher struct{ session *protocol.Session }

// watchDialogs starts a watcher; stop ends it.
func watchDialogs(ctx context.Context, t *Tab) (w *dialogWatcher, stop func(), err error) {
	s, err := t.instance.conn.Attach(ctx, t.target)
	if err != nil {
		return nil, nil, fmt.Errorf("watch the dialogs of tab %s: %w", t.id, err)
	}
	w = &dialogWatcher{session: s}
	t.mu.Lock()
	t.Dialogs.watcher = w // before the first event, which may need an answer
	t.mu.Unlock()
	s.Listen(func(event any) {
		switch ev := event.(type) {
		case *page.EventJavascriptDialogOpening:
			t.Dialogs.onOpen(ev)
		case *page.EventJavascriptDialogClosed:
			t.Dialogs.onClosed()
		}
	})
	stop = func() {
		t.mu.Lock()
		t.Dialogs.watcher = nil
		t.mu.Unlock()
		s.Close(ctx)
	}
	if err := s.Send(ctx, page.CommandEnable, page.EnableParams{}); err != nil {
		stop()
		return nil, nil, fmt.Errorf("watch the dialogs of tab %s: %w", t.id, err)
	}
	return w, stop, nil
}

// isWatched reports whether a watcher handles the dialogs.
func (ds *Dialogs) isWatched() bool {
	ds.tab.mu.Lock()
	defer ds.tab.mu.Unlock()
	return ds.watcher != nil
}
