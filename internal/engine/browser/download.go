package browser

import (
	"context"
	"fmt"
	"path/filepath"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/text/fence"
)

// downloadReceiver stores what the pages of a browser download. The instance's mu guards its fields.
type downloadReceiver struct {
	instance *instance
	// handlers has the running downloads by GUID.
	handlers       map[string]func(*cdpbrowser.EventDownloadProgress)
	incoming       string // directory for unfinished downloads; "" until downloads are allowed
	removeIncoming func() error
	err            error // why no directory for unfinished downloads could be made
}

// allow sets the download behavior of a browser context; "" is the default one. An
// attached browser keeps its own directory. Without a download.Store downloads are refused.
func (dr *downloadReceiver) allow(ctx context.Context, in cdp.BrowserContextID) error {
	yes := true
	params := cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: in, EventsEnabled: &yes,
	}
	switch store := dr.instance.owner.cfg.Downloads; {
	case dr.instance.remote != nil:
		params.Behavior = cdpbrowser.SetDownloadBehaviorBehaviorDefault
	case store != nil:
		dr.instance.mu.Lock()
		dir := dr.incoming
		dr.instance.mu.Unlock()
		if dir == "" {
			dir = dr.makeIncoming(store)
		}
		if dir != "" {
			params.Behavior, params.DownloadPath = cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, dir
		}
	}
	if err := protocol.Exec(ctx, dr.instance.conn, cdpbrowser.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("allow downloads: %w", err)
	}
	return nil
}

// makeIncoming creates the directory for unfinished downloads. It returns "" when the directory
// cannot be made: then only downloads fail.
func (dr *downloadReceiver) makeIncoming(store download.Store) string {
	dir, remove, err := store.Incoming()
	dr.instance.mu.Lock()
	defer dr.instance.mu.Unlock()
	if err != nil && dr.err == nil {
		dr.instance.owner.log.Warn("downloads cannot be stored", "error", err)
	}
	dr.incoming, dr.removeIncoming, dr.err = dir, remove, err
	return dir
}

func (dr *downloadReceiver) onStart(ev *cdpbrowser.EventDownloadWillBegin) {
	dr.instance.mu.Lock()
	t, dir, cannotStore := dr.instance.frames.owners[ev.FrameID], dr.incoming, dr.err
	dr.instance.mu.Unlock()
	if t == nil { // the user of an attached browser started it
		return
	}
	d := download.Download{Tab: t.id, URL: fence.Line(ev.URL), Name: fence.Line(ev.SuggestedFilename)}
	from := download.Source{
		Browser: dr.instance, Life: dr.instance.ctx, Move: dir != "",
		Cancel: func(ctx context.Context) error { return dr.cancel(ctx, t.session, ev.GUID) },
	}
	if dir != "" {
		from.File = filepath.Join(dir, ev.GUID)
	}
	if cannotStore != nil {
		from.Problem = "it cannot be stored: " + cannotStore.Error()
	}
	onProgress := t.session.Downloads.Start(d, from)
	dr.instance.mu.Lock()
	dr.handlers[ev.GUID] = onProgress
	dr.instance.mu.Unlock()
}

func (dr *downloadReceiver) onProgress(ev *cdpbrowser.EventDownloadProgress) {
	dr.instance.mu.Lock()
	handle := dr.handlers[ev.GUID]
	if ev.State != cdpbrowser.DownloadProgressStateInProgress {
		delete(dr.handlers, ev.GUID)
	}
	dr.instance.mu.Unlock()
	if handle != nil {
		handle(ev)
	}
}

func (dr *downloadReceiver) cancel(ctx context.Context, s *Session, guid string) error {
	params := cdpbrowser.CancelDownloadParams{GUID: guid}
	s.contextMu.Lock()
	if s.contextInstance == dr.instance {
		params.BrowserContextID = s.context
	}
	s.contextMu.Unlock()
	return dr.instance.explain(protocol.Exec(ctx, dr.instance.conn, cdpbrowser.CancelDownload, params))
}
