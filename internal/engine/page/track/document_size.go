package track

import "github.com/chromedp/cdproto/cdp"

// DocumentLimit bounds the bytes of each document of the page.
type DocumentLimit struct {
	Most int64 // 0 is no limit
	// Exceeded is called once for a document beyond it, while the tracker is locked: it must return at once.
	Exceeded func(OversizedDocument)
}

// OversizedDocument is a document that has more bytes than the limit, and still loads.
type OversizedDocument struct {
	Frame   cdp.FrameID
	Loader  cdp.LoaderID
	Session cdp.Session // of a frame of another process, or nil
}

// LimitDocuments sets the limit. It comes before the first event.
func (t *Tracker) LimitDocuments(l DocumentLimit) { t.documentLimit = l }

// CutAt returns the bytes after which the load of the document that is shown, or of a frame of it, was stopped, or 0.
func (t *Tracker) CutAt() int64 {
	if !t.IsMarked(MarkCut) {
		return 0
	}
	return t.documentLimit.Most
}

// countDocument adds received bytes to a pending document.
func (t *Tracker) countDocument(request *operation, n trackerEvent) {
	before := request.received
	request.received += n.DataLength
	most := t.documentLimit.Most
	if most <= 0 || before > most || request.received <= most {
		return
	}
	t.mark(MarkCut)
	t.documentLimit.Exceeded(OversizedDocument{Frame: request.frame, Loader: request.loader, Session: n.Session})
}
