package page

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// A navigation the page asked for normally starts within a few milliseconds;
// one that has not by then was blocked or went elsewhere (mailto:, a download).
const navigationStartTimeout = 250 * time.Millisecond

// tracker follows what is under way in the target: navigations of the top
// frame and requests, each with the moment it began, so that an action can
// wait for what began after it.
type tracker struct {
	mu sync.Mutex
	// mainFrame is the top frame, "" until the first installation.
	mainFrame cdp.FrameID
	loader    cdp.LoaderID
	// seq counts beginnings; what has a larger number began later.
	seq        int
	navigation *operation
	requests   map[string]operation
	// pollCounts counts, by address without query, the data requests of the document
	// that no action can have caused. marked is when the last action began.
	pollCounts map[string]int
	lastAction time.Time
	// mainResponse is the status of the last navigation's response and its loader.
	mainResponse struct {
		loader cdp.LoaderID
		status int
	}
	// navigations counts commits and same-document navigations of the top frame, and
	// navigationsAtAction is what it was when the last action began.
	navigations, navigationsAtAction int
	// lastActivity is when a request that counts last began or ended.
	lastActivity time.Time
	// changed is closed and replaced at every event.
	changed chan struct{}

	readers sync.WaitGroup // of the goroutines of join
}

type operation struct {
	seq       int
	loader    cdp.LoaderID
	url       string
	started   bool
	startedAt time.Time
}

// trackerEvent is the part of the events' parameters that the tracker reads.
type trackerEvent struct {
	FrameID        cdp.FrameID  `json:"frameId"`
	LoaderID       cdp.LoaderID `json:"loaderId"`
	RequestID      string       `json:"requestId"`
	URL            string       `json:"url"`
	Type           string       `json:"type"`
	NavigationType string       `json:"navigationType"`
	Disposition    string       `json:"disposition"`
	Frame          struct {
		ID       cdp.FrameID  `json:"id"`
		ParentID cdp.FrameID  `json:"parentId"`
		LoaderID cdp.LoaderID `json:"loaderId"`
	} `json:"frame"`
	Request struct {
		URL string `json:"url"`
	} `json:"request"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
}

func newTracker() *tracker {
	return &tracker{requests: map[string]operation{}, pollCounts: map[string]int{}, changed: make(chan struct{})}
}

// followFrame also follows the requests of a session with a frame of another process. It subscribes to them: they may be told of later
// than the answers that follow them.
func (t *tracker) followFrame(s cdp.Session) (leave func()) {
	var cancels []func()
	for method, handle := range map[string]func(trackerEvent){
		"Network.requestWillBeSent": t.requestStarted,
		"Network.loadingFinished":   t.requestEnded,
		"Network.loadingFailed":     t.requestEnded,
	} {
		events, cancel := s.Subscribe(method)
		cancels = append(cancels, cancel)
		t.readers.Add(1)
		go t.readEvents(events, handle)
	}
	return func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

func (t *tracker) readEvents(events <-chan jsonv2.Value, handle func(trackerEvent)) {
	defer t.readers.Done()
	for raw := range events {
		var n trackerEvent
		if err := json.Unmarshal(raw, &n); err != nil {
			continue // an event this build cannot read tells it nothing
		}
		t.handle(handle, n)
	}
}

// handle handles one event and wakes who waits for one.
func (t *tracker) handle(handle func(trackerEvent), n trackerEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	handle(n)
	close(t.changed)
	t.changed = make(chan struct{})
}

func (t *tracker) setMainFrame(id cdp.FrameID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mainFrame = id
}

func (t *tracker) newOperation(n trackerEvent, started bool) *operation {
	t.seq++
	return &operation{seq: t.seq, loader: n.LoaderID, url: n.URL, started: started, startedAt: time.Now()}
}

func (t *tracker) navigationRequested(n trackerEvent) {
	if n.FrameID != t.mainFrame || n.Disposition != "currentTab" || t.navigation != nil || isScriptURL(n.URL) {
		return
	}
	t.navigation = t.newOperation(n, false)
}

func (t *tracker) navigationStarted(n trackerEvent) {
	if n.FrameID != t.mainFrame {
		return
	}
	if n.NavigationType == "sameDocument" || n.NavigationType == "historySameDocument" {
		if t.navigation != nil && !t.navigation.started {
			t.navigation = nil
		}
		return
	}
	if t.navigation != nil {
		t.navigation.started, t.navigation.loader, t.navigation.url = true, n.LoaderID, n.URL
		return
	}
	t.navigation = t.newOperation(n, true)
}

// navigationCommitted forgets the requests of the document that is gone: the
// browser does not always tell how they ended. Events of different kinds may
// arrive out of order, so those of the new document are kept.
func (t *tracker) navigationCommitted(n trackerEvent) {
	if n.Frame.ParentID != "" {
		return
	}
	t.mainFrame, t.loader = n.Frame.ID, n.Frame.LoaderID
	if t.navigation != nil && (t.navigation.loader == "" || t.navigation.loader == n.Frame.LoaderID) {
		t.navigation = nil
	}
	t.navigations++
	clear(t.pollCounts)
	for id, r := range t.requests {
		if r.loader != n.Frame.LoaderID {
			delete(t.requests, id)
		}
	}
}

func (t *tracker) navigatedWithinDocument(n trackerEvent) {
	if n.FrameID == t.mainFrame {
		t.navigations++
	}
}

// responseReceived keeps the status of a document's own response: the request is then
// named by the loader.
func (t *tracker) responseReceived(n trackerEvent) {
	if n.FrameID == t.mainFrame && n.RequestID != "" && n.RequestID == string(n.LoaderID) {
		t.mainResponse.loader, t.mainResponse.status = n.LoaderID, n.Response.Status
	}
}

// status is the HTTP status that the loader's document came with, or 0.
func (t *tracker) status(loader cdp.LoaderID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mainResponse.loader != loader {
		return 0
	}
	return t.mainResponse.status
}

// navigatedSinceAction says whether the top frame has navigated since the last action began, and
// what to wait for if not.
func (t *tracker) navigatedSinceAction() (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.navigations != t.navigationsAtAction, t.changed
}

// loadingStopped ends a navigation that never commits: a download, a 204.
func (t *tracker) loadingStopped(n trackerEvent) {
	if n.FrameID == t.mainFrame && t.navigation != nil && t.navigation.started {
		t.navigation = nil
	}
}

// requestStarted counts only what a page waits for to change itself. Streams,
// beacons, media and pictures go on by themselves, and so does polling.
func (t *tracker) requestStarted(n trackerEvent) {
	url := n.Request.URL
	switch n.Type {
	case "Fetch", "XHR":
		if t.isPolling(url) {
			return
		}
	case "Script", "Document":
	default:
		return
	}
	n.URL, t.lastActivity = url, time.Now()
	t.requests[n.RequestID] = *t.newOperation(n, true)
}

// isPolling learns what the page requests by itself, long after any action, and
// recognises it when it happens to fall into one.
func (t *tracker) isPolling(url string) bool {
	const enough, most = 3, 256
	address, _, _ := strings.Cut(url, "?")
	if time.Since(t.lastAction) > requestTimeout && len(t.pollCounts) < most {
		t.pollCounts[address]++
	}
	return t.pollCounts[address] >= enough
}

func (t *tracker) requestEnded(n trackerEvent) {
	if _, counts := t.requests[n.RequestID]; counts {
		t.lastActivity = time.Now()
	}
	delete(t.requests, n.RequestID)
	if t.navigation != nil && string(t.navigation.loader) == n.RequestID && n.Type != "" {
		t.navigation = nil // only loadingFailed carries a type
	}
}

func isScriptURL(url string) bool { return strings.HasPrefix(url, "javascript:") }

// markAction begins an action; what begins after it has a larger number.
func (t *tracker) markAction() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastAction = time.Now()
	t.navigationsAtAction = t.navigations
	return t.seq
}

// latestSeq is the number of what began last.
func (t *tracker) latestSeq() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seq
}

// committedLoader is the loader of the last document whose commit was seen, or "".
func (t *tracker) committedLoader() cdp.LoaderID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loader
}

// committedFrame is the top frame and its document as the last commit told, or "".
func (t *tracker) committedFrame() (cdp.FrameID, cdp.LoaderID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mainFrame, t.loader
}

// pending describes what began after mark, no later than until, and still goes
// on, and whether it is a navigation, for which until does not count; "" is nothing. moved is closed at the next event, and again
// worth asking after at most `grace` (0: only events matter).
func (t *tracker) pending(mark, until int) (what string, navigating bool, moved <-chan struct{}, grace time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.navigation; n != nil && !n.started {
		grace = navigationStartTimeout - time.Since(n.startedAt)
		if grace <= 0 {
			t.navigation, grace = nil, 0
		}
	}
	if t.navigation != nil && t.navigation.seq > mark {
		return "the navigation to " + t.navigation.url + " is still under way", true, t.changed, grace
	}
	count, url := 0, ""
	for _, r := range t.requests {
		if r.seq > mark && r.seq <= until {
			count++
			if url == "" || r.url < url {
				url = r.url
			}
		}
	}
	if count == 0 {
		return "", false, t.changed, 0
	}
	return fmt.Sprintf("%d request(s) still under way, such as %s", count, url), false, t.changed, 0
}

// nextEvent is closed at the tracker's next event.
func (t *tracker) nextEvent() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// idleFor is how long no request or navigation has been under way; 0 while one is.
func (t *tracker) idleFor() (time.Duration, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.requests) > 0 || t.navigation != nil {
		return 0, t.changed
	}
	return max(1, time.Since(t.lastActivity)), t.changed
}
