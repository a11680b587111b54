package page

import (
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
)

// Notice takes an event of the session as cdproto decodes it. It returns at once. Only because events come by here, in line with
// answers, is a request that an action started known, without fail, when the answer to the next question arrives: a
// subscription's events come by another way, and late on a busy machine.
func (p *Page) Notice(event any) {
	t := p.track
	switch e := event.(type) {
	case *cdppage.EventFrameRequestedNavigation:
		t.hear(t.navigationRequested, notice{FrameID: e.FrameID, URL: e.URL, Disposition: string(e.Disposition)})
	case *cdppage.EventFrameStartedNavigating:
		t.hear(t.navigationStarted, notice{FrameID: e.FrameID, LoaderID: e.LoaderID, URL: e.URL, NavigationType: string(e.NavigationType)})
	case *cdppage.EventFrameNavigated:
		var n notice
		n.Frame.ID, n.Frame.ParentID, n.Frame.LoaderID = e.Frame.ID, e.Frame.ParentID, e.Frame.LoaderID
		t.hear(t.navigationCommitted, n)
	case *cdppage.EventFrameStoppedLoading:
		t.hear(t.loadingStopped, notice{FrameID: e.FrameID})
	case *cdppage.EventNavigatedWithinDocument:
		t.hear(t.navigatedWithin, notice{FrameID: e.FrameID, URL: e.URL})
	case *network.EventRequestWillBeSent:
		n := notice{FrameID: e.FrameID, LoaderID: e.LoaderID, RequestID: string(e.RequestID), Type: string(e.Type)}
		n.Request.URL = e.Request.URL
		t.hear(t.requestStarted, n)
	case *network.EventResponseReceived:
		n := notice{FrameID: e.FrameID, LoaderID: e.LoaderID, RequestID: string(e.RequestID)}
		n.Response.Status = int(e.Response.Status)
		t.hear(t.responded, n)
	case *network.EventLoadingFinished:
		t.hear(t.requestEnded, notice{RequestID: string(e.RequestID)})
	case *network.EventLoadingFailed:
		t.hear(t.requestEnded, notice{RequestID: string(e.RequestID), Type: string(e.Type)})
	}
}
