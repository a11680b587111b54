package browser

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
)

// Chooser is a file chooser that a page has opened. No window is shown for it: whoever has files sets them on the input
// element, and whoever has not does nothing, as a person who closes the window.
type Chooser struct {
	Multiple bool
	// Node is the file input; 0 when a script asks for files without one.
	Node  cdp.BackendNodeID
	Frame cdp.FrameID
}

// interceptChoosers keeps choosers from being shown, where no person would see them.
func (t *Tab) interceptChoosers(ctx context.Context) error {
	if t.adopted {
		return nil
	}
	return call(ctx, t.cdp, page.SetInterceptFileChooserDialog, page.SetInterceptFileChooserDialogParams{Enabled: true})
}

func (t *Tab) onChooser(ev *page.EventFileChooserOpened) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.choosers++
	t.chooser = &Chooser{
		Multiple: ev.Mode == page.FileChooserOpenedModeSelectMultiple, Node: ev.BackendNodeID, Frame: ev.FrameID,
	}
	t.notifyLocked()
}

// Chooser returns the file chooser that the document has opened last and how many the tab has opened in all; nil if the
// document has opened none, or if TakeChooser took it.
func (t *Tab) Chooser() (c *Chooser, opened int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.chooser, t.choosers
}

// TakeChooser returns what Chooser does and marks it as answered.
func (t *Tab) TakeChooser() *Chooser {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.chooser
	t.chooser = nil
	return c
}
