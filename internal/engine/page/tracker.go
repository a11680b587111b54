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
const requestGrace = 250 * time.Millisecond

// tracker follows what is under way in the target: navigations of the top
// frame and requests, each with the moment it began, so that an action can
// wait for what began after it.
type tracker struct {
	mu sync.Mutex
	// main is the top frame, "" until the first installation.
	main   cdp.FrameID
	loader cdp.LoaderID
	// seq counts beginnings; what has a larger number began later.
	seq        int
	navigation *undertaking
	requests   map[string]undertaking
	// habits counts, by address without query, the data requests of the document
	// that no action can have caused. marked is when the last action began.
	habits map[string]int
	marked time.Time
	// answered is the status of the last navigation's response and its loader.
	answered struct {
		loader cdp.LoaderID
		status int
	}
	// turns counts commits and same-document navigations of the top frame, and
	// turnsMarked is what it was when the last action began.
	turns, turnsMarked int
	// ended is when a request that counts last began or ended.
	ended time.Time
	// moved is closed and replaced at every event.
	moved chan struct{}

	done sync.WaitGroup // of the goroutines of join
}

type undertaking struct {
	seq     int
	loader  cdp.LoaderID
	url     string
	started bool
	since   time.Time
}

// notice is the part of the events' parameters that the tracker reads.
type notice struct {
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
	return &tracker{requests: map[string]undertaking{}, habits: map[string]int{}, moved: make(chan struct{})}
}

// join also follows the requests of a session with a frame of another process. It subscribes to them: they may be told of later
// than the answers that follow them.
func (t *tracker) join(s cdp.Session) (leave func()) {
	var cancels []func()
	for method, handle := range map[string]func(notice){
		"Network.requestWillBeSent": t.requestStarted,
		"Network.loadingFinished":   t.requestEnded,
		"Network.loadingFailed":     t.requestEnded,
	} {
		events, cancel := s.Subscribe(method)
		cancels = append(cancels, cancel)
		t.done.Add(1)
		go t.follow(events, handle)
	}
	return func() {
		for _, cancel := range cancels {
			cancel()
		}
	}
}

func (t *tracker) follow(events <-chan jsonv2.Value, handle func(notice)) {
	defer t.done.Done()
	for raw := range events {
		var n notice
		if err := json.Unmarshal(raw, &n); err != nil {
			continue // an event this build cannot read tells it nothing
		}
		t.hear(handle, n)
	}
}

// hear handles one event and wakes who waits for one.
func (t *tracker) hear(handle func(notice), n notice) {
	t.mu.Lock()
	defer t.mu.Unlock()
	handle(n)
	close(t.moved)
	t.moved = make(chan struct{})
}

func (t *tracker) setMain(id cdp.FrameID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.main = id
}

func (t *tracker) begin(n notice, started bool) *undertaking {
	t.seq++
	return &undertaking{seq: t.seq, loader: n.LoaderID, url: n.URL, started: started, since: time.Now()}
}

func (t *tracker) navigationRequested(n notice) {
	if n.FrameID != t.main || n.Disposition != "currentTab" || t.navigation != nil || isScriptURL(n.URL) {
		return
	}
	t.navigation = t.begin(n, false)
}

func (t *tracker) navigationStarted(n notice) {
	if n.FrameID != t.main {
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
	t.navigation = t.begin(n, true)
}

// navigationCommitted forgets the requests of the document that is gone: the
// browser does not always tell how they ended. Events of different kinds may
// arrive out of order, so those of the new document are kept.
func (t *tracker) navigationCommitted(n notice) {
	if n.Frame.ParentID != "" {
		return
	}
	t.main, t.loader = n.Frame.ID, n.Frame.LoaderID
	if t.navigation != nil && (t.navigation.loader == "" || t.navigation.loader == n.Frame.LoaderID) {
		t.navigation = nil
	}
	t.turns++
	clear(t.habits)
	for id, r := range t.requests {
		if r.loader != n.Frame.LoaderID {
			delete(t.requests, id)
		}
	}
}

func (t *tracker) navigatedWithin(n notice) {
	if n.FrameID == t.main {
		t.turns++
	}
}

// responded keeps the status of a document's own response: the request is then
// named by the loader.
func (t *tracker) responded(n notice) {
	if n.FrameID == t.main && n.RequestID != "" && n.RequestID == string(n.LoaderID) {
		t.answered.loader, t.answered.status = n.LoaderID, n.Response.Status
	}
}

// status is the HTTP status that the loader's document came with, or 0.
func (t *tracker) status(loader cdp.LoaderID) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.answered.loader != loader {
		return 0
	}
	return t.answered.status
}

// turned says whether the top frame has navigated since the last action began, and
// what to wait for if not.
func (t *tracker) turned() (bool, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.turns != t.turnsMarked, t.moved
}

// loadingStopped ends a navigation that never commits: a download, a 204.
func (t *tracker) loadingStopped(n notice) {
	if n.FrameID == t.main && t.navigation != nil && t.navigation.started {
		t.navigation = nil
	}
}

// requestStarted counts only what a page waits for to change itself. Streams,
// beacons, media and pictures go on by themselves, and so does polling.
func (t *tracker) requestStarted(n notice) {
	url := n.Request.URL
	switch n.Type {
	case "Fetch", "XHR":
		if t.isHabit(url) {
			return
		}
	case "Script", "Document":
	default:
		return
	}
	n.URL, t.ended = url, time.Now()
	t.requests[n.RequestID] = *t.begin(n, true)
}

// isHabit learns what the page requests by itself, long after any action, and
// recognises it when it happens to fall into one.
func (t *tracker) isHabit(url string) bool {
	const enough, most = 3, 256
	address, _, _ := strings.Cut(url, "?")
	if time.Since(t.marked) > requestLimit && len(t.habits) < most {
		t.habits[address]++
	}
	return t.habits[address] >= enough
}

func (t *tracker) requestEnded(n notice) {
	if _, counts := t.requests[n.RequestID]; counts {
		t.ended = time.Now()
	}
	delete(t.requests, n.RequestID)
	if t.navigation != nil && string(t.navigation.loader) == n.RequestID && n.Type != "" {
		t.navigation = nil // only loadingFailed carries a type
	}
}

func isScriptURL(url string) bool { return strings.HasPrefix(url, "javascript:") }

// mark begins an action; what begins after it has a larger number.
func (t *tracker) mark() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.marked = time.Now()
	t.turnsMarked = t.turns
	return t.seq
}

// latest is the number of what began last.
func (t *tracker) latest() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.seq
}

// committed is the loader of the last document whose commit was seen, or "".
func (t *tracker) committed() cdp.LoaderID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.loader
}

// shown is the top frame and its document as the last commit told, or "".
func (t *tracker) shown() (cdp.FrameID, cdp.LoaderID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.main, t.loader
}

// pending describes what began after mark, no later than until, and still goes
// on, and whether it is a navigation, for which until does not count; "" is nothing. moved is closed at the next event, and again
// worth asking after at most `grace` (0: only events matter).
func (t *tracker) pending(mark, until int) (what string, navigating bool, moved <-chan struct{}, grace time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := t.navigation; n != nil && !n.started {
		grace = requestGrace - time.Since(n.since)
		if grace <= 0 {
			t.navigation, grace = nil, 0
		}
	}
	if t.navigation != nil && t.navigation.seq > mark {
		return "the navigation to " + t.navigation.url + " is still under way", true, t.moved, grace
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
		return "", false, t.moved, 0
	}
	return fmt.Sprintf("%d request(s) still under way, such as %s", count, url), false, t.moved, 0
}

// stirred is closed at the tracker's next event.
func (t *tracker) stirred() <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.moved
}

// quiet is how long no request or navigation has been under way; 0 while one is.
func (t *tracker) quiet() (time.Duration, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.requests) > 0 || t.navigation != nil {
		return 0, t.moved
	}
	return max(1, time.Since(t.ended)), t.moved
}
