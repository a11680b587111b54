package browser

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"

	"github.com/callsheet/callsheet/generated/power"
	"github.com/callsheet/callsheet/internal/engine/protocol"
	"github.com/callsheet/callsheet/internal/text/fence"
)

const (
	// maxDownloads bounds the downloads that a session remembers. The oldest finished one is
	// dropped.
	maxDownloads = 100
	// closedFrameTTL is how long the frames of a closed tab are known. A window that a page opens
	// for a file closes before its download is announced.
	closedFrameTTL = 10 * time.Second
)

// DownloadStore stores the files that pages download.
type DownloadStore interface {
	// Incoming creates a directory for unfinished files, which remove deletes when the browser has
	// exited.
	Incoming() (path string, remove func() error, err error)
	// Save stores the complete file of a session's download. With move the file may be moved;
	// otherwise it belongs to a person and stays. It returns what is stored with an error, too.
	Save(session string, d Download, file string, move bool) (StoredDownload, error)
	// Limit returns the maximum size of a file in bytes.
	Limit() int64
}

// StoredDownload says where a DownloadStore has a file.
type StoredDownload struct {
	ID   string // in the store
	Path string // of a copy for people and programs; "" without one
}

// DownloadState is the progress of a download.
type DownloadState string

// The states.
const (
	DownloadRunning  DownloadState = "running"
	DownloadDone     DownloadState = "done"
	DownloadCanceled DownloadState = "canceled" // by a call, or because the server aborted it
	DownloadFailed   DownloadState = "failed"   // see Reason
)

// Download is a file that a page downloads.
type Download struct {
	ID       string // d1, d2 and so on, per session
	Tab      string // the tab whose page started it
	URL      string
	Name     string // as the server or page names it: not safe as a path
	State    DownloadState
	Received int64          // bytes
	Total    int64          // bytes; 0 if unknown
	Stored   StoredDownload // where a finished download is
	Reason   string         // of a failure
}

// download is a Download with what is needed to follow it.
type download struct {
	Download
	guid         string
	instance     *instance
	cancelReason string // why the size limit canceled it, or ""
}

// Downloads are the downloads of a session. The session's mu guards them.
type Downloads struct {
	session *Session
	list    []*download
	count   int
	changed chan struct{} // closed at the next change of a download; nil without waiters
}

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
// attached browser keeps its own directory. Without a DownloadStore downloads are refused.
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
func (dr *downloadReceiver) makeIncoming(store DownloadStore) string {
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
	t, cannotStore := dr.instance.frames.owners[ev.FrameID], dr.err
	dr.instance.mu.Unlock()
	if t == nil { // the user of an attached browser started it
		return
	}
	d := &download{guid: ev.GUID, instance: dr.instance, Download: Download{
		Tab: t.id, URL: fence.Line(ev.URL), Name: fence.Line(ev.SuggestedFilename), State: DownloadRunning,
	}}
	if cannotStore != nil {
		d.cancelReason = "it cannot be stored: " + cannotStore.Error()
	}
	s := t.session
	s.mu.Lock()
	s.Downloads.count++
	d.ID = "d" + strconv.Itoa(s.Downloads.count)
	s.Downloads.list = append(s.Downloads.list, d)
	finished := slices.IndexFunc(s.Downloads.list, func(d *download) bool { return d.State != DownloadRunning })
	if i := finished; len(s.Downloads.list) > maxDownloads && i >= 0 {
		s.Downloads.list = slices.Delete(s.Downloads.list, i, i+1)
	}
	s.Downloads.notifyLocked()
	s.mu.Unlock()
	dr.instance.mu.Lock()
	dr.handlers[ev.GUID] = func(ev *cdpbrowser.EventDownloadProgress) { s.Downloads.onProgress(d, ev) }
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

// onProgress updates a download. It runs where events are read and must not wait.
func (dl *Downloads) onProgress(d *download, ev *cdpbrowser.EventDownloadProgress) {
	dl.session.mu.Lock()
	defer dl.session.mu.Unlock()
	defer dl.notifyLocked()
	d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
	store := dl.session.browser.cfg.Downloads
	switch ev.State {
	case cdpbrowser.DownloadProgressStateCanceled:
		d.State = DownloadCanceled
		if d.cancelReason != "" {
			d.State, d.Reason = DownloadFailed, d.cancelReason
		}
	case cdpbrowser.DownloadProgressStateCompleted:
		if store == nil {
			d.State = DownloadDone
			return
		}
		go dl.save(d, ev.FilePath)
	case cdpbrowser.DownloadProgressStateInProgress:
		if store != nil && d.cancelReason == "" && max(d.Received, d.Total) > store.Limit() {
			d.cancelReason = fmt.Sprintf("it is larger than %d bytes", store.Limit())
			go func() {
				ctx, cancel := context.WithTimeout(d.instance.ctx, closeTimeout)
				defer cancel()
				_ = dl.cancel(ctx, d) // the canceled event follows
			}()
		}
	}
}

// save hands a complete file to the DownloadStore.
func (dl *Downloads) save(d *download, file string) {
	d.instance.mu.Lock()
	dir := d.instance.downloads.incoming
	d.instance.mu.Unlock()
	if file == "" && dir != "" {
		file = filepath.Join(dir, d.guid)
	}
	dl.session.mu.Lock()
	info := d.Download
	dl.session.mu.Unlock()
	kept, err := dl.session.browser.cfg.Downloads.Save(dl.session.id, info, file, dir != "")
	dl.session.mu.Lock()
	defer dl.session.mu.Unlock()
	if d.Stored, d.State = kept, DownloadDone; err != nil {
		d.State, d.Reason = DownloadFailed, err.Error()
	}
	dl.notifyLocked()
}

func (dl *Downloads) cancel(ctx context.Context, d *download) error {
	params := cdpbrowser.CancelDownloadParams{GUID: d.guid}
	dl.session.contextMu.Lock()
	if dl.session.contextInstance == d.instance {
		params.BrowserContextID = dl.session.context
	}
	dl.session.contextMu.Unlock()
	return protocol.Exec(ctx, d.instance.conn, cdpbrowser.CancelDownload, params)
}

// fail marks the running downloads of an instance as failed. The caller holds mu.
func (dl *Downloads) fail(e *instance) {
	for _, d := range dl.list {
		if d.instance == e && d.State == DownloadRunning {
			d.State, d.Reason = DownloadFailed, "the browser ended"
		}
	}
	dl.notifyLocked()
}

func (dl *Downloads) notifyLocked() {
	if dl.changed != nil {
		close(dl.changed)
		dl.changed = nil
	}
}

// All lists the session's downloads, oldest first.
func (dl *Downloads) All() []Download {
	list, _ := dl.allWithChange()
	return list
}

// allWithChange also returns a channel that closes when the list changes.
func (dl *Downloads) allWithChange() ([]Download, <-chan struct{}) {
	dl.session.mu.Lock()
	defer dl.session.mu.Unlock()
	list := make([]Download, len(dl.list))
	for i, d := range dl.list {
		list[i] = d.Download
	}
	if dl.changed == nil {
		dl.changed = make(chan struct{})
	}
	return list, dl.changed
}

func (dl *Downloads) started() int {
	dl.session.mu.Lock()
	defer dl.session.mu.Unlock()
	return dl.count
}

// waitForStart waits up to followUpTimeout for a download of the tab with a sequence number
// above after. It returns nil if none starts.
func (dl *Downloads) waitForStart(ctx context.Context, tab string, after int) *Download {
	ctx, cancel := context.WithTimeout(ctx, followUpTimeout)
	defer cancel()
	for {
		list, changed := dl.allWithChange()
		for _, d := range list {
			if d.sequence() > after && d.Tab == tab {
				return &d
			}
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// sequence returns the number in the id.
func (d Download) sequence() int {
	n, _ := strconv.Atoi(d.ID[1:]) // the id is made here, so it is valid
	return n
}

// Wait waits until the download with this id, or for "" every download, has ended. It
// calls progress, which may be nil, at each change. It returns all downloads, also with an error of
// ctx.
func (dl *Downloads) Wait(
	ctx context.Context, p power.Download, id string, progress func([]Download),
) ([]Download, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for {
		list, changed := dl.allWithChange()
		awaited := func(d Download) bool { return d.State == DownloadRunning && d.ID == cmp.Or(id, d.ID) }
		if !slices.ContainsFunc(list, awaited) {
			return list, nil
		}
		if progress != nil {
			progress(list)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return list, fmt.Errorf("wait for downloads: %w", context.Cause(ctx))
		}
	}
}

// Cancel cancels a running download and waits until it has ended. It does nothing to a
// finished one.
func (dl *Downloads) Cancel(ctx context.Context, p power.Download, id string) error {
	if err := p.Check(); err != nil {
		return err
	}
	dl.session.mu.Lock()
	i := slices.IndexFunc(dl.list, func(d *download) bool { return d.ID == id })
	var d *download
	if i >= 0 {
		d = dl.list[i]
	}
	running := d != nil && d.State == DownloadRunning
	dl.session.mu.Unlock()
	if !running {
		return nil
	}
	if err := dl.cancel(ctx, d); err != nil {
		return fmt.Errorf("cancel download %s: %w", id, d.instance.explain(err))
	}
	_, err := dl.Wait(ctx, p, id, nil)
	return err
}
