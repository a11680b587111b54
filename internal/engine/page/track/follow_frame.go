package track

import (
	"encoding/json"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
)

// FollowFrame also records the requests of a session with a frame of another process. It subscribes
// to its events, which may arrive after later responses.
func (t *Tracker) FollowFrame(s cdp.Session) (leave func()) {
	var cancels []func()
	for method, handle := range map[string]func(trackerEvent){
		"Network.requestWillBeSent": t.requestStarted,
		"Network.responseReceived":  t.responseStarted,
		"Network.dataReceived":      t.dataReceived,
		"Network.loadingFinished":   t.requestEnded,
		"Network.loadingFailed":     t.requestEnded,
	} {
		events, cancel := s.Subscribe(method)
		cancels = append(cancels, cancel)
		t.readers.Add(1)
		go t.readEvents(s, events, handle)
	}
	return func() {
		for _, cancel := range cancels {
			cancel()
		}
		t.handle(t.sessionEnded, trackerEvent{Session: s})
	}
}

func (t *Tracker) readEvents(s cdp.Session, events <-chan jsonv2.Value, handle func(trackerEvent)) {
	defer t.readers.Done()
	for raw := range events {
		n := trackerEvent{}
		if err := json.Unmarshal(raw, &n); err != nil {
			continue // skip events that this build cannot decode
		}
		n.Session = s
		t.handle(handle, n)
	}
}

// WaitForReaders waits until no goroutine reads the events of a frame.
func (t *Tracker) WaitForReaders() { t.readers.Wait() }
