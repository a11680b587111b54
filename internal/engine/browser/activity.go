package browser

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/browser/download"
	"github.com/callsheet/callsheet/internal/engine/browser/requestlog"
)

// Mark is a point in a tab's life from which requests and downloads are counted.
type Mark struct {
	Time      time.Time
	request   int
	Downloads DownloadMark
}

// Activity records the requests and downloads of a tab since its document was requested and since its last action.
type Activity struct {
	tab *Tab
	log requestlog.Log

	mu     sync.Mutex
	load   Mark // when the document was requested
	action Mark
}

// observe records a protocol event. It runs where events are read.
func (a *Activity) observe(event any) {
	a.log.Observe(event)
	ev, ok := event.(*page.EventFrameNavigated)
	if !ok || ev.Frame.ParentID != "" {
		return
	}
	now := a.Mark()
	// The document's own request precedes it, and is the first one with its loader's id.
	if position, known := a.log.PositionOf(network.RequestID(ev.Frame.LoaderID)); known {
		now.request = position
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.load = now
}

// Mark returns the present point.
func (a *Activity) Mark() Mark {
	return Mark{Time: time.Now(), Downloads: a.Downloads(), request: a.log.Position()}
}

// Load returns the point at which the present document was requested; zero if that was not observed.
func (a *Activity) Load() Mark {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.load
}

// Action returns the point at which the latest acting call began; zero if there was none.
func (a *Activity) Action() Mark {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.action
}

// MarkAction records that a call begins to act on the page.
func (t *Tab) MarkAction() {
	now := t.Activity.Mark()
	t.Activity.mu.Lock()
	defer t.Activity.mu.Unlock()
	t.Activity.action = now
}

// Requests lists the requests since a mark, oldest first. whole reports that none of them was evicted.
func (a *Activity) Requests(m Mark) (list []requestlog.Request, whole bool) {
	list, whole = a.log.Since(m.request)
	return list, whole && !m.Time.IsZero()
}

// DownloadMark is a point in a tab's life from which DownloadsSince counts.
type DownloadMark struct{ fileResponses, downloads int }

// Downloads returns the present point.
func (a *Activity) Downloads() DownloadMark {
	a.tab.mu.Lock()
	files := a.tab.Document.state.fileResponses
	a.tab.mu.Unlock()
	return DownloadMark{fileResponses: files, downloads: a.tab.session.Downloads.Started()}
}

// DownloadsSince lists the downloads of the session since a mark. Chromium announces a download
// some time after the navigation to it has ended, so it waits for that if the page navigated to a
// file.
func (a *Activity) DownloadsSince(ctx context.Context, m DownloadMark) []download.Download {
	a.tab.mu.Lock()
	files := a.tab.Document.state.fileResponses - m.fileResponses
	a.tab.mu.Unlock()
	if files > 0 {
		a.tab.session.Downloads.WaitForStart(ctx, a.tab.id, m.downloads)
	}
	list := a.tab.session.Downloads.All()
	return slices.DeleteFunc(list, func(d download.Download) bool { return d.Sequence() <= m.downloads })
}

// downloadStartTimeout bounds the wait for a download that an action may have caused: the server
// decides late whether a response is a file.
const downloadStartTimeout = 5 * time.Second

// WaitForDownloadStart waits until the latest action in the tab has started a download, for up to
// 5 s. It reports whether one has started.
func (a *Activity) WaitForDownloadStart(ctx context.Context) bool {
	after := a.Action().Downloads.downloads
	ctx, cancel := context.WithTimeout(ctx, downloadStartTimeout)
	defer cancel()
	for {
		list, changed := a.tab.session.Downloads.AllWithChange()
		if slices.ContainsFunc(list, func(d download.Download) bool { return d.Sequence() > after || d.State == download.Running }) {
			return true
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return false
		}
	}
}
