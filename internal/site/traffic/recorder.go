package traffic

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/internal/engine/browser/intercept"

	"github.com/callsheet/callsheet/internal/engine/network"
	"github.com/callsheet/callsheet/internal/site/har"
)

// maxBodies bounds the bodies of a recording, in bytes. Their encoding in an archive is longer, and Open reads no
// longer one than har.MaxSize.
const maxBodies = har.MaxSize / 2

// Recorder records the traffic of a browser. It is a intercept.Traffic.
type Recorder struct {
	mu      sync.Mutex
	entries []network.Entry
	size    int // of the bodies; beyond maxBodies no more are kept
}

var _ intercept.Traffic = (*Recorder)(nil)

// Replays reports that the pages use the network.
func (*Recorder) Replays() bool { return false }

// Answer is not called.
func (*Recorder) Answer(intercept.Request) intercept.Response { return intercept.Response{} }

// Record keeps a request and its response.
func (r *Recorder) Record(q intercept.Request, a intercept.Response) {
	e := network.Entry{
		Method: q.Method, URL: q.URL, Type: q.Type, Started: q.Paused, Duration: time.Since(q.Paused), RequestHeaders: headers(q.Headers), PostData: bodyText(q),
		Status: a.Status, StatusText: a.StatusText, ResponseHeader: headers(a.Headers), Body: a.Body, BodyOmitted: a.BodyOmitted, Failure: a.Failure, Done: true,
	}
	for _, h := range a.Headers {
		switch strings.ToLower(h.Name) {
		case "content-type":
			e.MIME = h.Value
		case "location":
			e.RedirectURL = h.Value
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.size += len(e.Body); r.size > maxBodies {
		e.Body = nil
	}
	r.entries = append(r.entries, e)
}

func headers(in []intercept.Header) []network.Header {
	return slicesx.List(in, func(h intercept.Header) network.Header { return network.Header(h) })
}

// Summary counts the requests of a recording.
type Summary struct {
	Requests int
	Bodiless int // responses whose body is too large, or a stream
}

// HAR returns the recording without secrets. redact takes the values of secrets out of a text. A recording that
// Open would refuse is an error.
func (r *Recorder) HAR(redact func(string) string) ([]byte, Summary, error) {
	r.mu.Lock()
	entries, size := slices.Clone(r.entries), r.size
	r.mu.Unlock()
	if size > maxBodies || len(entries) > har.MaxEntries {
		return nil, Summary{}, fmt.Errorf("the site answered %d requests with %d MiB, and a recording has at most %d with %d MiB; record fewer tools at once",
			len(entries), size>>20, har.MaxEntries, maxBodies>>20)
	}
	sum := Summary{Requests: len(entries)}
	for i := range entries {
		entries[i].Number = i + 1
		if entries[i].BodyOmitted != "" {
			sum.Bodiless++
		}
	}
	data, err := network.HAR(mask(entries, redact), "Chromium")
	if err == nil && len(data) > har.MaxSize {
		err = fmt.Errorf("the recording has %d MiB, and at most %d are read; record fewer tools at once", len(data)>>20, har.MaxSize>>20)
	}
	return data, sum, err
}
