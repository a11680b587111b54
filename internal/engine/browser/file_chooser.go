package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// FileChooser is a file chooser that a page has opened. No window is shown for it: whoever has files sets them on the input
// element, and whoever has not does nothing, as a person who closes the window.
type FileChooser struct {
	Multiple bool
	// Node is the file input; 0 when a script asks for files without one.
	Node  cdp.BackendNodeID
	Frame cdp.FrameID
}

// interceptFileChoosers keeps choosers from being shown, where no person would see them.
func (t *Tab) interceptFileChoosers(ctx context.Context) error {
	if t.adopted {
		return nil
	}
	return call(ctx, t.cdp, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
}

func (t *Tab) onFileChooser(ev *page.EventFileChooserOpened) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.fileChooserCount++
	t.fileChooser = &FileChooser{
		Multiple: ev.Mode == page.FileChooserOpenedModeSelectMultiple, Node: ev.BackendNodeID, Frame: ev.FrameID,
	}
	t.notifyLocked()
}

// FileChooser returns the file chooser that the document has opened last and how many the tab has opened in all; nil if the
// document has opened none, or if TakeFileChooser took it.
func (t *Tab) FileChooser() (c *FileChooser, opened int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fileChooser, t.fileChooserCount
}

// TakeFileChooser returns what Chooser does and marks it as answered.
func (t *Tab) TakeFileChooser() *FileChooser {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.fileChooser
	t.fileChooser = nil
	return c
}
