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

// allowDownloads sets the download behavior of a browser context; "" is the default one. An
// attached browser keeps its own directory. Without a DownloadStore downloads are refused.
func (e *instance) allowDownloads(ctx context.Context, in cdp.BrowserContextID) error {
	yes := true
	params := cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: in, EventsEnabled: &yes,
	}
	switch store := e.owner.cfg.Downloads; {
	case e.remote != nil:
		params.Behavior = cdpbrowser.SetDownloadBehaviorBehaviorDefault
	case store != nil:
		e.mu.Lock()
		dir := e.incoming
		e.mu.Unlock()
		if dir == "" {
			dir = e.makeIncoming(store)
		}
		if dir != "" {
			params.Behavior, params.DownloadPath = cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, dir
		}
	}
	if err := protocol.Exec(ctx, e.conn, cdpbrowser.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("allow downloads: %w", err)
	}
	return nil
}

// makeIncoming creates the directory for unfinished downloads. It returns "" when the directory
// cannot be made: then only downloads fail.
func (e *instance) makeIncoming(store DownloadStore) string {
	dir, remove, err := store.Incoming()
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil && e.downloadsErr == nil {
		e.owner.log.Warn("downloads cannot be stored", "error", err)
	}
	e.incoming, e.removeIncoming, e.downloadsErr = dir, remove, err
	return dir
}

func (e *instance) onDownloadStart(ev *cdpbrowser.EventDownloadWillBegin) {
	e.mu.Lock()
	t, cannotStore := e.frames[ev.FrameID], e.downloadsErr
	e.mu.Unlock()
	if t == nil { // the user of an attached browser started it
		return
	}
	d := &download{guid: ev.GUID, instance: e, Download: Download{
		Tab: t.id, URL: fence.Line(ev.URL), Name: fence.Line(ev.SuggestedFilename), State: DownloadRunning,
	}}
	if cannotStore != nil {
		d.cancelReason = "it cannot be stored: " + cannotStore.Error()
	}
	s := t.session
	s.mu.Lock()
	s.downloadCount++
	d.ID = "d" + strconv.Itoa(s.downloadCount)
	s.downloads = append(s.downloads, d)
	finished := slices.IndexFunc(s.downloads, func(d *download) bool { return d.State != DownloadRunning })
	if i := finished; len(s.downloads) > maxDownloads && i >= 0 {
		s.downloads = slices.Delete(s.downloads, i, i+1)
	}
	s.notifyDownloadsLocked()
	s.mu.Unlock()
	e.mu.Lock()
	e.downloadHandlers[ev.GUID] = func(ev *cdpbrowser.EventDownloadProgress) { s.onDownloadProgress(d, ev) }
	e.mu.Unlock()
}

func (e *instance) onDownloadProgress(ev *cdpbrowser.EventDownloadProgress) {
	e.mu.Lock()
	handle := e.downloadHandlers[ev.GUID]
	if ev.State != cdpbrowser.DownloadProgressStateInProgress {
		delete(e.downloadHandlers, ev.GUID)
	}
	e.mu.Unlock()
	if handle != nil {
		handle(ev)
	}
}

// onDownloadProgress updates a download. It runs where events are read and must not wait.
func (s *Session) onDownloadProgress(d *download, ev *cdpbrowser.EventDownloadProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notifyDownloadsLocked()
	d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
	store := s.browser.cfg.Downloads
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
		go s.saveDownload(d, ev.FilePath)
	case cdpbrowser.DownloadProgressStateInProgress:
		if store != nil && d.cancelReason == "" && max(d.Received, d.Total) > store.Limit() {
			d.cancelReason = fmt.Sprintf("it is larger than %d bytes", store.Limit())
			go func() {
				ctx, cancel := context.WithTimeout(d.instance.ctx, closeTimeout)
				defer cancel()
				_ = s.cancelDownload(ctx, d) // the canceled event follows
			}()
		}
	}
}

// saveDownload hands a complete file to the DownloadStore.
func (s *Session) saveDownload(d *download, file string) {
	d.instance.mu.Lock()
	dir := d.instance.incoming
	d.instance.mu.Unlock()
	if file == "" && dir != "" {
		file = filepath.Join(dir, d.guid)
	}
	s.mu.Lock()
	info := d.Download
	s.mu.Unlock()
	kept, err := s.browser.cfg.Downloads.Save(s.id, info, file, dir != "")
	s.mu.Lock()
	defer s.mu.Unlock()
	if d.Stored, d.State = kept, DownloadDone; err != nil {
		d.State, d.Reason = DownloadFailed, err.Error()
	}
	s.notifyDownloadsLocked()
}

func (s *Session) cancelDownload(ctx context.Context, d *download) error {
	params := cdpbrowser.CancelDownloadParams{GUID: d.guid}
	s.contextMu.Lock()
	if s.contextInstance == d.instance {
		params.BrowserContextID = s.context
	}
	s.contextMu.Unlock()
	return protocol.Exec(ctx, d.instance.conn, cdpbrowser.CancelDownload, params)
}

// failDownloads marks the running downloads of an instance as failed. The caller holds mu.
func (s *Session) failDownloads(e *instance) {
	for _, d := range s.downloads {
		if d.instance == e && d.State == DownloadRunning {
			d.State, d.Reason = DownloadFailed, "the browser ended"
		}
	}
	s.notifyDownloadsLocked()
}

func (s *Session) notifyDownloadsLocked() {
	if s.downloadsChanged != nil {
		close(s.downloadsChanged)
		s.downloadsChanged = nil
	}
}

// Downloads lists the session's downloads, oldest first.
func (s *Session) Downloads() []Download {
	list, _ := s.downloadsWithChange()
	return list
}

// downloadsWithChange also returns a channel that closes when the list changes.
func (s *Session) downloadsWithChange() ([]Download, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]Download, len(s.downloads))
	for i, d := range s.downloads {
		list[i] = d.Download
	}
	if s.downloadsChanged == nil {
		s.downloadsChanged = make(chan struct{})
	}
	return list, s.downloadsChanged
}

func (s *Session) countDownloads() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.downloadCount
}

// waitForDownloadStart waits up to followUpTimeout for a download of the tab with a sequence number
// above after. It returns nil if none starts.
func (s *Session) waitForDownloadStart(ctx context.Context, tab string, after int) *Download {
	ctx, cancel := context.WithTimeout(ctx, followUpTimeout)
	defer cancel()
	for {
		list, changed := s.downloadsWithChange()
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

// WaitForDownloads waits until the download with this id, or for "" every download, has ended. It
// calls progress, which may be nil, at each change. It returns all downloads, also with an error of
// ctx.
func (s *Session) WaitForDownloads(
	ctx context.Context, p power.Download, id string, progress func([]Download),
) ([]Download, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for {
		list, changed := s.downloadsWithChange()
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

// CancelDownload cancels a running download and waits until it has ended. It does nothing to a
// finished one.
func (s *Session) CancelDownload(ctx context.Context, p power.Download, id string) error {
	if err := p.Check(); err != nil {
		return err
	}
	s.mu.Lock()
	i := slices.IndexFunc(s.downloads, func(d *download) bool { return d.ID == id })
	var d *download
	if i >= 0 {
		d = s.downloads[i]
	}
	running := d != nil && d.State == DownloadRunning
	s.mu.Unlock()
	if !running {
		return nil
	}
	if err := s.cancelDownload(ctx, d); err != nil {
		return fmt.Errorf("cancel download %s: %w", id, d.instance.explain(err))
	}
	_, err := s.WaitForDownloads(ctx, p, id, nil)
	return err
}
