package browser

import (
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// FileChooser is a file chooser that a page opened. It has no window. A caller with files sets them
// on the input element; a page that gets none behaves as after a cancelled chooser.
type FileChooser struct {
	Multiple bool
	// Node is the file input; 0 when a script asks for files without one.
	Node  cdp.BackendNodeID
	Frame cdp.FrameID
}

// FileChoosers are the file choosers that the page of a tab opened.
type FileChoosers struct {
	tab    *Tab
	latest *FileChooser // of the document, until it is handled
	count  int          // number opened so far
}

func (f *FileChoosers) onOpen(ev *page.EventFileChooserOpened) {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	f.count++
	f.latest = &FileChooser{
		Multiple: ev.Mode == page.FileChooserOpenedModeSelectMultiple, Node: ev.BackendNodeID, Frame: ev.FrameID,
	}
	f.tab.changes.notify()
}

// Latest returns the latest file chooser of the document and how many the tab has opened. c is
// nil if the document opened none, or if TakeFileChooser took it.
func (f *FileChoosers) Latest() (c *FileChooser, opened int) {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	return f.latest, f.count
}

// Take returns what FileChooser does and marks it as handled.
func (f *FileChoosers) Take() *FileChooser {
	f.tab.mu.Lock()
	defer f.tab.mu.Unlock()
	c := f.latest
	f.latest = nil
	return c
}
