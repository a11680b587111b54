package track

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// A navigation that the page requested normally starts within a few milliseconds. One that has not
// started after this time was blocked or went elsewhere (mailto:, a download).
const navigationStartTimeout = 250 * time.Millisecond

// RequestTimeout bounds the wait for requests that an action started.
const RequestTimeout = 5 * time.Second

// Tracker records the navigations and requests of one target so that an action can wait for the
// ones it caused.
type Tracker struct {
	mu sync.Mutex
	// mainFrame is the top frame, "" until the first installation.
	mainFrame cdp.FrameID
	loader    cdp.LoaderID
	// seq numbers operations in the order in which they began.
	seq        int
	navigation *operation
	requests   map[string]operation
	// pollCounts counts, by address without query, the data requests of the document that no action
	// can have caused. lastAction is when the last action began.
	pollCounts map[string]int
	lastAction time.Time
	// mainResponse is the loader and the status of the last navigation's response.
	mainResponse struct {
		loader cdp.LoaderID
		status int
	}
	// navigations counts commits and same-document navigations of the top frame.
	// navigationsAtAction is the count when the last action began.
	navigations, navigationsAtAction int
	actions                          int // begun in the tab so far
	// lastActivity is the time at which a counted request last began or ended.
	lastActivity time.Time
	// marks are the documents of each Mark, by loader.
	marks [markCount]map[cdp.LoaderID]bool
	// unread has the requests that EndBody ended, by id.
	unread map[string]bool
	// ended counts the requests that ended.
	ended         int
	documentLimit DocumentLimit
	// changed is closed and replaced at every event.
	changed chan struct{}

	readers sync.WaitGroup // of the goroutines that FollowFrame starts
}

// operation is a pending navigation or request.
type operation struct {
	seq    int
	loader cdp.LoaderID
	// frame is the frame of a request. session is the session of a frame of another process that
	// reported it, or nil.
	frame    cdp.FrameID
	session  cdp.Session
	document bool  // it requests the document of its frame
	received int64 // bytes of a document
	// isData says that a script made the request, and isFetch that it did so with fetch. body is the
	// state of a fetch's response, or nil.
	isData, isFetch bool
	body            *responseBody
	url             string
	started         bool
	startedAt       time.Time
}

// trackerEvent holds the parameters of CDP events that the tracker reads.
type trackerEvent struct {
	FrameID        cdp.FrameID  `json:"frameId"`
	Session        cdp.Session  `json:"-"`
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
		Status   int             `json:"status"`
		MimeType string          `json:"mimeType"`
		Headers  network.Headers `json:"headers"`
	} `json:"response"`
	DataLength int64 `json:"dataLength"`
}

// New returns a tracker that has seen no event.
func New() *Tracker {
	return &Tracker{
		requests: map[string]operation{}, pollCounts: map[string]int{}, unread: map[string]bool{}, changed: make(chan struct{}),
	}
}

// handle applies one event and wakes the waiters.
func (t *Tracker) handle(handle func(trackerEvent), n trackerEvent) {
	t.mu.Lock()
	defer t.mu.Unlock()
	handle(n)
	close(t.changed)
	t.changed = make(chan struct{})
}

// SetMainFrame says which frame is the page's own.
func (t *Tracker) SetMainFrame(id cdp.FrameID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mainFrame = id
}

func (t *Tracker) newOperation(n trackerEvent, started bool) *operation {
	t.seq++
	return &operation{
		seq: t.seq, loader: n.LoaderID, frame: n.FrameID, session: n.Session, url: n.URL, started: started, startedAt: time.Now(),
	}
}

func (t *Tracker) navigationRequested(n trackerEvent) {
	if n.FrameID != t.mainFrame || n.Disposition != "currentTab" || t.navigation != nil || isScriptURL(n.URL) {
		return
	}
	t.navigation = t.newOperation(n, false)
}

func (t *Tracker) navigationStarted(n trackerEvent) {
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

// navigationCommitted removes the requests of the previous document: the browser does not always
// report their end. Events of different kinds may arrive out of order, so those of the new document
// stay.
func (t *Tracker) navigationCommitted(n trackerEvent) {
	if n.Frame.ParentID != "" {
		return
	}
	t.mainFrame, t.loader = n.Frame.ID, n.Frame.LoaderID
	if t.navigation != nil && (t.navigation.loader == "" || t.navigation.loader == n.Frame.LoaderID) {
		t.navigation = nil
	}
	t.navigations++
	for _, marks := range t.marks {
		delete(marks, "") // of a document that was here before the tracker had events
	}
	clear(t.pollCounts)
	clear(t.unread)
	for id, r := range t.requests {
		if r.loader != n.Frame.LoaderID {
			delete(t.requests, id)
		}
	}
}

func (t *Tracker) navigatedWithinDocument(n trackerEvent) {
	if n.FrameID == t.mainFrame {
		t.navigations++
	}
}

// responseReceived keeps the status of a document's own response, whose request ID is the loader
// ID, and the state of a script's response.
func (t *Tracker) responseReceived(n trackerEvent) {
	if n.FrameID == t.mainFrame && n.RequestID != "" && n.RequestID == string(n.LoaderID) {
		t.mainResponse.loader, t.mainResponse.status = n.LoaderID, n.Response.Status
	}
	t.responseStarted(n)
}

// Status returns the HTTP status of the loader's document, or 0.
func (t *Tracker) Status(loader cdp.LoaderID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.mainResponse.loader != loader {
		return 0
	}
	return t.mainResponse.status
}

// NavigatedSinceAction reports whether the top frame has navigated since the last action began, and
// the channel of the next event.
func (t *Tracker) NavigatedSinceAction() (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.navigations != t.navigationsAtAction, t.changed
}

// loadingStopped ends a navigation that never commits: a download, a 204.
func (t *Tracker) loadingStopped(n trackerEvent) {
	if n.FrameID == t.mainFrame && t.navigation != nil && t.navigation.started {
		t.navigation = nil
	}
	t.frameStopped(n)
}

// requestStarted counts the requests that a page waits for. Streams, beacons, media and pictures do
// not count, nor does polling. The script of a worker, which has no loader here, ends in the worker's
// session.
func (t *Tracker) requestStarted(n trackerEvent) {
	url := n.Request.URL
	switch n.Type {
	case "Fetch", "XHR":
		if t.isPolling(url) {
			return
		}
	case "Script":
		if n.LoaderID == "" {
			return
		}
	case "Document":
	default:
		return
	}
	n.URL, t.lastActivity = url, time.Now()
	request := t.newOperation(n, true)
	request.document, request.isFetch = n.Type == "Document", n.Type == "Fetch"
	request.isData = request.isFetch || n.Type == "XHR"
	t.requests[n.RequestID] = *request
}

// isPolling learns the addresses that the page requests long after any action, and recognises them
// when such a request happens to begin during one.
func (t *Tracker) isPolling(url string) bool {
	const enough, most = 3, 256
	address, _, _ := strings.Cut(url, "?")
	if time.Since(t.lastAction) > RequestTimeout && len(t.pollCounts) < most {
		t.pollCounts[address]++
	}
	return t.pollCounts[address] >= enough
}

func (t *Tracker) requestEnded(n trackerEvent) {
	if _, counts := t.requests[n.RequestID]; counts || t.unread[n.RequestID] {
		t.lastActivity = time.Now()
		t.ended++
	}
	delete(t.requests, n.RequestID)
	delete(t.unread, n.RequestID)
	if t.navigation != nil && string(t.navigation.loader) == n.RequestID && n.Type != "" {
		t.navigation = nil // only loadingFailed carries a type
	}
}

// frameDetached removes the requests of a frame that left the page, or that now runs in another
// process: the session that reported their start does not report their end.
func (t *Tracker) frameDetached(n trackerEvent) {
	t.dropRequests(func(r operation) bool { return r.frame == n.FrameID && r.session == nil })
}

// frameStopped removes the request for the document of a frame below the top one. The browser
// reports its end to the session of the process that shows the document.
func (t *Tracker) frameStopped(n trackerEvent) {
	if n.FrameID != t.mainFrame {
		t.dropRequests(func(r operation) bool { return r.frame == n.FrameID && r.document })
	}
}

// sessionEnded removes the requests that a session with a frame reported: it reports no end.
func (t *Tracker) sessionEnded(n trackerEvent) {
	t.dropRequests(func(r operation) bool { return r.session == n.Session })
}

func (t *Tracker) dropRequests(ended func(operation) bool) {
	for id, r := range t.requests {
		if ended(r) {
			t.lastActivity = time.Now()
			delete(t.requests, id)
		}
	}
}

func isScriptURL(url string) bool { return strings.HasPrefix(url, "javascript:") }

// MarkAction begins an action and returns the last number before it.
func (t *Tracker) MarkAction() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastAction = time.Now()
	t.actions++
	t.navigationsAtAction = t.navigations
	return t.seq
}

// ActionCount returns how many actions have begun in the tab.
func (t *Tracker) ActionCount() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.actions
}

// RequestsEnded returns how many requests have ended so far.
func (t *Tracker) RequestsEnded() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// LatestSeq returns the number of the newest operation.
func (t *Tracker) LatestSeq() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seq
}

// CommittedLoader returns the loader of the last committed document, or "".
func (t *Tracker) CommittedLoader() cdp.LoaderID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loader
}

// CommittedFrame returns the top frame and its loader as of the last commit, or "".
func (t *Tracker) CommittedFrame() (cdp.FrameID, cdp.LoaderID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.mainFrame, t.loader
}

// Pending describes the operations that began after start and still run; "" is none. Requests count
// if they began no later than until, navigations always. changed is closed at the next event. grace
// is the time after which the caller checks [Tracker.DueBodies] and asks again; 0 leaves that to events.
func (t *Tracker) Pending(start, until int) (what string, navigating bool, changed <-chan struct{}, grace time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.navigation; n != nil && !n.started {
		grace = navigationStartTimeout - time.Since(n.startedAt)
		if grace <= 0 {
			t.navigation, grace = nil, 0
		}
	}
	if t.navigation != nil && t.navigation.seq > start {
		return "the navigation to " + t.navigation.url + " is still under way", true, t.changed, grace
	}
	count, url := 0, ""
	for _, r := range t.requests {
		if r.seq > start && r.seq <= until {
			count++
			if url == "" || r.url < url {
				url = r.url
			}
		}
	}
	if count == 0 {
		return "", false, t.changed, 0
	}
	return fmt.Sprintf("%d request(s) still under way, such as %s", count, url), false, t.changed, t.nextCheck()
}

// NextEvent returns a channel that is closed when the tracker records another event.
func (t *Tracker) NextEvent() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.changed
}

// IdleFor returns how long the network has been idle; 0 while a request or navigation is pending.
func (t *Tracker) IdleFor() (time.Duration, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.requests) > 0 || t.navigation != nil {
		return 0, t.changed
	}
	return max(1, time.Since(t.lastActivity)), t.changed
}
