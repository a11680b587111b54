package track

import (
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
)

// HandleEvent records an event of the session as cdproto decodes it. It does not block. The owner
// calls it in line with responses, so that a request that an action started is known when the
// response to the next call arrives. A subscription delivers events on another path, and late on a
// busy machine.
func (t *Tracker) HandleEvent(event any) {
	switch e := event.(type) {
	case *cdppage.EventFrameRequestedNavigation:
		t.handle(t.navigationRequested, trackerEvent{FrameID: e.FrameID, URL: e.URL, Disposition: string(e.Disposition)})
	case *cdppage.EventFrameStartedNavigating:
		t.handle(t.navigationStarted, trackerEvent{
			FrameID: e.FrameID, LoaderID: e.LoaderID, URL: e.URL, NavigationType: string(e.NavigationType),
		})
	case *cdppage.EventFrameNavigated:
		var n trackerEvent
		n.Frame.ID, n.Frame.ParentID, n.Frame.LoaderID = e.Frame.ID, e.Frame.ParentID, e.Frame.LoaderID
		t.handle(t.navigationCommitted, n)
	case *cdppage.EventFrameDetached:
		t.handle(t.frameDetached, trackerEvent{FrameID: e.FrameID})
	case *cdppage.EventFrameStoppedLoading:
		t.handle(t.loadingStopped, trackerEvent{FrameID: e.FrameID})
	case *cdppage.EventNavigatedWithinDocument:
		t.handle(t.navigatedWithinDocument, trackerEvent{FrameID: e.FrameID, URL: e.URL})
	case *network.EventRequestWillBeSent:
		n := trackerEvent{FrameID: e.FrameID, LoaderID: e.LoaderID, RequestID: string(e.RequestID), Type: string(e.Type)}
		n.Request.URL = e.Request.URL
		t.handle(t.requestStarted, n)
	case *network.EventResponseReceived:
		n := trackerEvent{FrameID: e.FrameID, LoaderID: e.LoaderID, RequestID: string(e.RequestID)}
		n.Response.Status, n.Response.MimeType, n.Response.Headers = int(e.Response.Status), e.Response.MimeType, e.Response.Headers
		t.handle(t.responseReceived, n)
	case *network.EventDataReceived:
		t.handle(t.dataReceived, trackerEvent{RequestID: string(e.RequestID), DataLength: e.DataLength})
	case *network.EventLoadingFinished:
		t.handle(t.requestEnded, trackerEvent{RequestID: string(e.RequestID)})
	case *network.EventLoadingFailed:
		t.handle(t.requestEnded, trackerEvent{RequestID: string(e.RequestID), Type: string(e.Type)})
	}
}
