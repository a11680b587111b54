package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"

	"github.com/callsheet/callsheet/internal/engine/protocol"
)

// FileChooser is a file chooser that a page opened. It has no window. A caller with files sets them
// on the input element; a page that gets none behaves as after a cancelled chooser.
type FileChooser struct {
	Multiple bool
	// Node is the file input; 0 when a script asks for files without one.
	Node  cdp.BackendNodeID
	Frame cdp.FrameID
}

// interceptFileChoosers suppresses the windows of file choosers, which no person would see.
func (t *Tab) interceptFileChoosers(ctx context.Context) error {
	if t.adopted {
		return nil
	}
	return protocol.Exec(ctx, t.cdp, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
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

// FileChooser returns the latest file chooser of the document and how many the tab has opened. c is
// nil if the document opened none, or if TakeFileChooser took it.
func (t *Tab) FileChooser() (c *FileChooser, opened int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.fileChooser, t.fileChooserCount
}

// TakeFileChooser returns what FileChooser does and marks it as handled.
func (t *Tab) TakeFileChooser() *FileChooser {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.fileChooser
	t.fileChooser = nil
	return c
}
