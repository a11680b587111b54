package track

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
)

// The time between the latest event of a response and the first check whether the page reads its body.
// A body that is read ends a few milliseconds after its last data.
const (
	completeBodyDelay = 20 * time.Millisecond
	openBodyDelay     = 25 * time.Millisecond
)

// streamTypes are the media types of responses without an end.
var streamTypes = []string{
	"text/event-stream", "multipart/x-mixed-replace", "application/x-ndjson", "application/ndjson",
	"application/stream+json", "application/jsonl", "application/json-seq",
}

// responseBody is the state of a response whose body has not ended. Chromium reports no end of a body that
// the page does not read and may not cache.
type responseBody struct {
	length   int64 // as declared, or -1
	received int64
	latest   time.Time // of its headers or data
	check    time.Time // when the next check is due
	checks   int
}

// Body is a response that may never be read.
type Body struct {
	Request string
	Session cdp.Session // of a frame of another process, or nil
	// Complete says that all declared bytes arrived, Endless that no length is declared.
	Complete, Endless bool
	HasData           bool
	// Alone says that no other request is pending.
	Alone bool
	// Quiet is the time since its latest data, or since its headers.
	Quiet time.Duration
}

// responseStarted records the headers of a fetch. Those of a stream end the request.
func (t *Tracker) responseStarted(n trackerEvent) {
	request, counts := t.requests[n.RequestID]
	switch {
	case !counts:
	case request.isData && slices.Contains(streamTypes, n.Response.MimeType):
		t.requestEnded(trackerEvent{RequestID: n.RequestID})
	case request.isFetch:
		now := time.Now()
		request.body = &responseBody{length: declaredLength(n.Response.Headers), latest: now}
		request.body.schedule(now)
		t.requests[n.RequestID] = request
	}
}

func (t *Tracker) dataReceived(n trackerEvent) {
	request := t.requests[n.RequestID]
	if request.document {
		t.countDocument(&request, n)
		t.requests[n.RequestID] = request
	}
	if body := request.body; body != nil {
		body.received += n.DataLength
		body.latest = time.Now()
		if body.isComplete() {
			body.checks = 0
			body.schedule(body.latest)
		}
	}
}

func (b *responseBody) isComplete() bool { return b.length >= 0 && b.received >= b.length }

// schedule sets the next check: each waits four times as long as the one before.
func (b *responseBody) schedule(now time.Time) {
	delay := openBodyDelay
	if b.isComplete() {
		delay = completeBodyDelay
	}
	b.check = now.Add(delay << (2 * b.checks))
}

// declaredLength returns the number of bytes that a response announces, or -1. A compressed body has
// more bytes than its length.
func declaredLength(headers network.Headers) int64 {
	length := int64(-1)
	for name, value := range headers {
		text, _ := value.(string)
		switch strings.ToLower(name) {
		case "content-encoding":
			return -1
		case "content-length":
			if n, err := strconv.ParseInt(text, 10, 64); err == nil {
				length = n
			}
		}
	}
	return length
}

// DueBodies returns the responses that are due to be checked, of all requests, and schedules the check
// after it.
func (t *Tracker) DueBodies() (due []Body) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for id, r := range t.requests {
		b := r.body
		if b == nil || now.Before(b.check) {
			continue
		}
		isLoading := b.length >= 0 && !b.isComplete() && now.Sub(b.latest) < openBodyDelay
		if !isLoading {
			b.checks = min(b.checks+1, 3)
		}
		b.schedule(now)
		if isLoading {
			continue
		}
		due = append(due, Body{
			Request: id, Session: r.session, Complete: b.isComplete(), Endless: b.length < 0,
			HasData: b.received > 0, Alone: len(t.requests) == 1, Quiet: now.Sub(b.latest),
		})
	}
	return due
}

// EndBody ends a request whose body nothing waits for, and reports whether it was pending. If the browser reports its
// end after all, that counts as another one.
func (t *Tracker) EndBody(request string) (pending bool) {
	t.handle(func(n trackerEvent) {
		if _, pending = t.requests[n.RequestID]; pending {
			t.requestEnded(n)
			t.unread[n.RequestID] = true
		}
	}, trackerEvent{RequestID: request})
	return pending
}

// nextCheck returns the time until a response is due to be checked, or 0 for none. The caller holds mu.
func (t *Tracker) nextCheck() (next time.Duration) {
	for _, r := range t.requests {
		if r.body == nil {
			continue
		}
		if left := max(time.Until(r.body.check), time.Millisecond); next == 0 || left < next {
			next = left
		}
	}
	return next
}
