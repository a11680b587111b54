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
	"github.com/chromedp/cdproto/page"
)

const (
	// maxDownloads is how many downloads a session remembers; older ones that have ended are forgotten.
	maxDownloads = 100
	// closedFrameTTL is how long the frames of a closed tab are known: a window that a page opens for a file is closed before
	// its download is announced.
	closedFrameTTL = 10 * time.Second
)

// DownloadStore takes over the files that pages download.
type DownloadStore interface {
	// Incoming makes a directory for files on their way. It is removed with the browser.
	Incoming(name string) (string, error)
	// Save takes over the complete file of a session's download and returns by what it is found. With move the file is
	// nobody else's and may be moved; else it is a person's and stays.
	Save(session string, d Download, file string, move bool) (string, error)
	// Limit is how large a file may be, in bytes.
	Limit() int64
}

// DownloadState says how far a download is.
type DownloadState string

// The states.
const (
	DownloadRunning  DownloadState = "running"
	DownloadDone     DownloadState = "done"
	DownloadCanceled DownloadState = "canceled" // by somebody, or because the server broke off
	DownloadFailed   DownloadState = "failed"   // see Reason
)

// Download is a file that a page downloads.
type Download struct {
	ID       string // d1, d2 and so on, in the session
	Tab      string // whose page began it
	URL      string
	Name     string // as the server or page calls it: not to be trusted as a path
	State    DownloadState
	Received int64  // bytes
	Total    int64  // bytes; 0 is unknown
	StoredID string // of a done one: by what the Keeper finds it
	Reason   string // why it failed
}

// download is a Download with what is needed to follow it.
type download struct {
	Download
	guid         string
	instance     *instance
	cancelReason string // why we cancelled it, or ""
}

// allowDownloads has the browser put downloads of a context ("" is the default one) where the Keeper wants them, and
// tell of them. In somebody else's browser files go where they always go; without a Keeper nothing is downloaded.
func (e *instance) allowDownloads(ctx context.Context, in cdp.BrowserContextID) error {
	yes := true
	params := cdpbrowser.SetDownloadBehaviorParams{
		Behavior: cdpbrowser.SetDownloadBehaviorBehaviorDeny, BrowserContextID: in, EventsEnabled: &yes,
	}
	switch keeper := e.owner.cfg.Downloads; {
	case e.owner.profileKind() == AttachedProfile:
		params.Behavior = cdpbrowser.SetDownloadBehaviorBehaviorDefault
	case keeper != nil:
		e.mu.Lock()
		dir := e.incoming
		e.mu.Unlock()
		if dir == "" {
			var err error
			if dir, err = keeper.Incoming(strconv.Itoa(e.pid) + "-" + strconv.FormatInt(time.Now().UnixNano(), 36)); err != nil {
				return fmt.Errorf("make a directory for downloads: %w", err)
			}
			e.mu.Lock()
			e.incoming = dir
			e.mu.Unlock()
		}
		params.Behavior, params.DownloadPath = cdpbrowser.SetDownloadBehaviorBehaviorAllowAndName, dir
	}
	if err := call(ctx, e.conn, cdpbrowser.SetDownloadBehavior, params); err != nil {
		return fmt.Errorf("allow downloads: %w", err)
	}
	return nil
}

// setFrameOwner notes whose a frame is.
func (e *instance) setFrameOwner(id cdp.FrameID, t *Tab) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.frames[id] = t
}

func (e *instance) deleteFrame(id cdp.FrameID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.frames, id)
}

// dropFrames drops the frames of a dead tab after a while.
func (e *instance) expireFrames(t *Tab) {
	time.AfterFunc(closedFrameTTL, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		for id, o := range e.frames {
			if o == t {
				delete(e.frames, id)
			}
		}
	})
}

func (e *instance) onFrameEvent(t *Tab, ev any) {
	switch ev := ev.(type) {
	case *page.EventFrameAttached:
		e.setFrameOwner(ev.FrameID, t)
	case *page.EventFrameDetached:
		if ev.Reason == page.FrameDetachedReasonRemove {
			e.deleteFrame(ev.FrameID)
		}
	}
}

func (e *instance) onDownloadStart(ev *cdpbrowser.EventDownloadWillBegin) {
	e.mu.Lock()
	t := e.frames[ev.FrameID]
	e.mu.Unlock()
	if t == nil { // a person's own, in a browser that is theirs
		return
	}
	d := &download{guid: ev.GUID, instance: e, Download: Download{
		Tab: t.id, URL: ev.URL, Name: ev.SuggestedFilename, State: DownloadRunning,
	}}
	s := t.session
	s.mu.Lock()
	s.downloadCount++
	d.ID = "d" + strconv.Itoa(s.downloadCount)
	s.downloads = append(s.downloads, d)
	if i := slices.IndexFunc(s.downloads, func(d *download) bool { return d.State != DownloadRunning }); len(s.downloads) > maxDownloads && i >= 0 {
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
	tell := e.downloadHandlers[ev.GUID]
	if ev.State != cdpbrowser.DownloadProgressStateInProgress {
		delete(e.downloadHandlers, ev.GUID)
	}
	e.mu.Unlock()
	if tell != nil {
		tell(ev)
	}
}

// onDownloadProgress follows one download. Like everything that hears events it does not wait.
func (s *Session) onDownloadProgress(d *download, ev *cdpbrowser.EventDownloadProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.notifyDownloadsLocked()
	d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
	keeper := s.browser.cfg.Downloads
	switch ev.State {
	case cdpbrowser.DownloadProgressStateCanceled:
		d.State = DownloadCanceled
		if d.cancelReason != "" {
			d.State, d.Reason = DownloadFailed, d.cancelReason
		}
	case cdpbrowser.DownloadProgressStateCompleted:
		if keeper == nil {
			d.State = DownloadDone
			return
		}
		go s.saveDownload(d, ev.FilePath)
	case cdpbrowser.DownloadProgressStateInProgress:
		if keeper != nil && d.cancelReason == "" && max(d.Received, d.Total) > keeper.Limit() {
			d.cancelReason = fmt.Sprintf("it is larger than %d bytes", keeper.Limit())
			go func() {
				ctx, cancel := context.WithTimeout(d.instance.ctx, closeTimeout)
				defer cancel()
				_ = s.cancelDownload(ctx, d) // it tells how it ends
			}()
		}
	}
}

// saveDownload hands a complete file to the Keeper.
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
	if d.StoredID, d.State = kept, DownloadDone; err != nil {
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
	return call(ctx, d.instance.conn, cdpbrowser.CancelDownload, params)
}

// failDownloads tells that the downloads of an engine that is gone will not end. The caller holds mu.
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

// waitForDownloadStart waits a moment for the download that a tab began when there had been so many; nil if none comes.
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

// DownloadMark is a point in a tab's life, to ask later what has begun since.
type DownloadMark struct{ fileResponses, downloads int }

// DownloadMark returns the present one.
func (t *Tab) DownloadMark() DownloadMark {
	t.mu.Lock()
	files := t.frame.fileResponses
	t.mu.Unlock()
	return DownloadMark{fileResponses: files, downloads: t.session.countDownloads()}
}

// DownloadsSince lists the downloads of the session that began since a moment. Chromium announces a download only some
// time after the navigation to it has ended, so where the tab's page has led to a file, this waits for that.
func (t *Tab) DownloadsSince(ctx context.Context, m DownloadMark) []Download {
	t.mu.Lock()
	files := t.frame.fileResponses - m.fileResponses
	t.mu.Unlock()
	if files > 0 {
		t.session.waitForDownloadStart(ctx, t.id, m.downloads)
	}
	list := t.session.Downloads()
	return slices.DeleteFunc(list, func(d Download) bool { return d.sequence() <= m.downloads })
}

// sequence is that of the id.
func (d Download) sequence() int {
	n, _ := strconv.Atoi(d.ID[1:]) // made here
	return n
}

// WaitForDownloads waits until the download of this id, or for "" all of them, have ended, calling progress (nil for
// nobody) at each change. It returns all downloads, with an error of ctx too.
func (s *Session) WaitForDownloads(ctx context.Context, id string, progress func([]Download)) ([]Download, error) {
	for {
		list, changed := s.downloadsWithChange()
		if !slices.ContainsFunc(list, func(d Download) bool { return d.State == DownloadRunning && d.ID == cmp.Or(id, d.ID) }) {
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

// CancelDownload ends a running download and waits until it has ended. One that has ended stays as it is.
func (s *Session) CancelDownload(ctx context.Context, id string) error {
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
	_, err := s.WaitForDownloads(ctx, id, nil)
	return err
}
