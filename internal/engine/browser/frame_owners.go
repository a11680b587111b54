package browser

import (
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"github.com/callsheet/callsheet/internal/engine/browser/intercept"
)

// closedFrameTTL is how long the frames of a closed tab are known. A window that a page opens for a file closes before
// its download is announced.
const closedFrameTTL = 10 * time.Second

// frameOwners knows the tab of each frame. The instance's mu guards it.
type frameOwners struct {
	instance *instance
	owners   map[cdp.FrameID]*Tab
}

// set records the tab of a frame.
func (fo *frameOwners) set(id cdp.FrameID, t *Tab) {
	fo.instance.mu.Lock()
	defer fo.instance.mu.Unlock()
	fo.owners[id] = t
}

func (fo *frameOwners) delete(id cdp.FrameID) {
	fo.instance.mu.Lock()
	defer fo.instance.mu.Unlock()
	delete(fo.owners, id)
}

// expire drops the frames of a closed tab after closedFrameTTL.
func (fo *frameOwners) expire(t *Tab) {
	time.AfterFunc(closedFrameTTL, func() {
		fo.instance.mu.Lock()
		defer fo.instance.mu.Unlock()
		for id, o := range fo.owners {
			if o == t {
				delete(fo.owners, id)
			}
		}
	})
}

func (fo *frameOwners) onEvent(t *Tab, ev any) {
	switch ev := ev.(type) {
	case *page.EventFrameAttached:
		fo.set(ev.FrameID, t)
	case *page.EventFrameDetached:
		if ev.Reason == page.FrameDetachedReasonRemove {
			fo.delete(ev.FrameID)
		}
	}
}

// tab returns the tab that shows a frame, or nil.
func (fo *frameOwners) tab(id cdp.FrameID) *Tab {
	fo.instance.mu.Lock()
	defer fo.instance.mu.Unlock()
	if t := fo.owners[id]; t != nil {
		return t
	}
	return fo.instance.tabs[target.ID(id)]
}

// describe completes a request with the session and the tab of its frame.
func (fo *frameOwners) describe(frame cdp.FrameID, r *intercept.PageRequest) {
	t := fo.tab(frame)
	if t == nil {
		r.Session = fo.instance.soleSession()
		return
	}
	r.Session, r.Tab = t.session.id, t.id
	r.MainFrame = r.Document && string(frame) == string(t.target)
}

// onRefusal records that the guard refused a navigation of the main frame of a tab.
func (fo *frameOwners) onRefusal(frame cdp.FrameID, loader cdp.LoaderID) {
	if t := fo.tab(frame); t != nil {
		t.Document.update(func(f *frameState) { f.refusal.onRefusal(loader) })
	}
}
