// Package download lists what the pages of a session download, and hands complete files to a store.
//
// It must not know how a browser gets the directory of its files, nor what a store does with them.
package download

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/generated/power"
)

// maxDownloads bounds the downloads that a session remembers. The oldest finished one is dropped.
const maxDownloads = 100

const (
	// cancelTimeout bounds the command that cancels a download which is too large.
	cancelTimeout = 10 * time.Second
	// startTimeout bounds the wait for the event of a start, which follows a command's result at once.
	startTimeout = time.Second
)

// Store stores the files that pages download.
type Store interface {
	// Incoming creates a directory for unfinished files, which remove deletes when the browser has
	// exited.
	Incoming() (path string, remove func() error, err error)
	// Save stores the complete file of a session's download. With move the file may be moved;
	// otherwise it belongs to a person and stays. It returns what is stored with an error, too.
	Save(session string, d Download, file string, move bool) (Stored, error)
	// Limit returns the maximum size of a file in bytes.
	Limit() int64
}

// Stored says where a Store has a file.
type Stored struct {
	ID   string // in the store
	Path string // of a copy for people and programs; "" without one
}

// State is the progress of a download.
type State string

// The states.
const (
	Running  State = "running"
	Done     State = "done"
	Canceled State = "canceled" // by a call, or because the server aborted it
	Failed   State = "failed"   // see Reason
)

// Download is a file that a page downloads.
type Download struct {
	ID       string // d1, d2 and so on, per session
	Tab      string // the tab whose page started it
	URL      string
	Name     string // as the server or page names it: not safe as a path
	State    State
	Received int64  // bytes
	Total    int64  // bytes; 0 if unknown
	Stored   Stored // where a finished download is
	Reason   string // of a failure
}

// entry is a Download with what is needed to follow it.
type entry struct {
	Download
	source       Source
	cancelReason string // why the size limit canceled it, or ""
}

// Source is the browser that a page downloads with.
type Source struct {
	Browser any             // identifies its process
	Life    context.Context // ends with it
	File    string          // the complete file, where the browser does not name it
	Move    bool            // the file need not stay
	Cancel  func(ctx context.Context) error
	Problem string // why the file cannot be stored, or ""
}

// List is the downloads of a session. It is safe for concurrent use.
type List struct {
	session string
	store   Store // nil refuses downloads

	mu      sync.Mutex // innermost
	list    []*entry
	count   int
	changed chan struct{} // closed at the next change of a download; nil without waiters
}

// NewList makes the list of a session.
func NewList(session string, store Store) *List { return &List{session: session, store: store} }

// Start adds a download that has begun. The result takes its progress, where events are read, and does not wait.
func (l *List) Start(d Download, from Source) func(*cdpbrowser.EventDownloadProgress) {
	e := &entry{Download: d, source: from, cancelReason: from.Problem}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	e.ID, e.State = "d"+strconv.Itoa(l.count), Running
	l.list = append(l.list, e)
	finished := slices.IndexFunc(l.list, func(d *entry) bool { return d.State != Running })
	if i := finished; len(l.list) > maxDownloads && i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	}
	l.notifyLocked()
	return func(ev *cdpbrowser.EventDownloadProgress) { l.onProgress(e, ev) }
}

// onProgress updates a download. It runs where events are read and must not wait.
func (l *List) onProgress(d *entry, ev *cdpbrowser.EventDownloadProgress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.notifyLocked()
	d.Received, d.Total = int64(ev.ReceivedBytes), int64(ev.TotalBytes)
	switch ev.State {
	case cdpbrowser.DownloadProgressStateCanceled:
		d.State = Canceled
		if d.cancelReason != "" {
			d.State, d.Reason = Failed, d.cancelReason
		}
	case cdpbrowser.DownloadProgressStateCompleted:
		if l.store == nil {
			d.State = Done
			return
		}
		go l.save(d, ev.FilePath)
	case cdpbrowser.DownloadProgressStateInProgress:
		if l.store != nil && d.cancelReason == "" && max(d.Received, d.Total) > l.store.Limit() {
			d.cancelReason = fmt.Sprintf("it is larger than %d bytes", l.store.Limit())
			go func() {
				ctx, cancel := context.WithTimeout(d.source.Life, cancelTimeout)
				defer cancel()
				_ = d.source.Cancel(ctx) // the canceled event follows
			}()
		}
	}
}

// save hands a complete file to the Store.
func (l *List) save(d *entry, file string) {
	l.mu.Lock()
	info := d.Download
	l.mu.Unlock()
	stored, err := l.store.Save(l.session, info, cmp.Or(file, d.source.File), d.source.Move)
	l.mu.Lock()
	defer l.mu.Unlock()
	if d.Stored, d.State = stored, Done; err != nil {
		d.State, d.Reason = Failed, err.Error()
	}
	l.notifyLocked()
}

// Fail marks the running downloads of a browser that has ended as failed.
func (l *List) Fail(browser any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.list {
		if d.source.Browser == browser && d.State == Running {
			d.State, d.Reason = Failed, "the browser ended"
		}
	}
	l.notifyLocked()
}

func (l *List) notifyLocked() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// All lists the session's downloads, oldest first.
func (l *List) All() []Download {
	list, _ := l.AllWithChange()
	return list
}

// AllWithChange lists them too, and returns a channel that closes when the list changes.
func (l *List) AllWithChange() ([]Download, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slicesx.List(l.list, func(d *entry) Download { return d.Download })
	if l.changed == nil {
		l.changed = make(chan struct{})
	}
	return list, l.changed
}

// Started returns how many downloads have begun.
func (l *List) Started() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// WaitForStart waits up to startTimeout for a download of the tab with a sequence number
// above after. It returns nil if none starts.
func (l *List) WaitForStart(ctx context.Context, tab string, after int) *Download {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		list, changed := l.AllWithChange()
		for _, d := range list {
			if d.Sequence() > after && d.Tab == tab {
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

// Sequence returns the number in the id.
func (d Download) Sequence() int {
	n, _ := strconv.Atoi(d.ID[1:]) // the id is made here, so it is valid
	return n
}

// Wait waits until the download with this id, or for "" every download, has ended. It
// calls progress, which may be nil, at each change. It returns all downloads, also with an error of
// ctx.
func (l *List) Wait(
	ctx context.Context, p power.Download, id string, progress func([]Download),
) ([]Download, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	for {
		list, changed := l.AllWithChange()
		awaited := func(d Download) bool { return d.State == Running && d.ID == cmp.Or(id, d.ID) }
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
func (l *List) Cancel(ctx context.Context, p power.Download, id string) error {
	if err := p.Check(); err != nil {
		return err
	}
	l.mu.Lock()
	i := slices.IndexFunc(l.list, func(d *entry) bool { return d.ID == id })
	var d *entry
	if i >= 0 {
		d = l.list[i]
	}
	running := d != nil && d.State == Running
	l.mu.Unlock()
	if !running {
		return nil
	}
	if err := d.source.Cancel(ctx); err != nil {
		return fmt.Errorf("cancel download %s: %w", id, err)
	}
	_, err := l.Wait(ctx, p, id, nil)
	return err
}
