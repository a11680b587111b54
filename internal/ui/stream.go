package ui

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
)

// A browser opens six connections to a server, for all its pages together. So a page follows all its
// topics over one stream, and a signed-in person has at most maxStreams: the oldest ends for a new one.
const (
	maxStreams = 4
	maxTopics  = 16
)

// writeTime bounds the write of one event: a browser that reads nothing for so long is gone.
const writeTime = 10 * time.Second

// Follower sends what there is to a Stream, and then each change. ctx ends when the page has left or the
// server ends.
type Follower = func(ctx context.Context, r *http.Request, out *Stream) error

// streams are the topics of the views, and the open streams.
type streams struct {
	ending context.Context // done when streams must end
	topics map[string]Follower

	mu   sync.Mutex
	open []*openStream // oldest first
}

type openStream struct {
	key [sha256.Size]byte // of the session
	out *eventWriter
}

// Stream registers a topic of server-sent events: GET /ui/api/PATH, or /ui/api/stream?topic=PATH for
// several at once. Its last event is "failed" with the error of fn, or "ended".
func (a *API) Stream(path string, fn Follower) {
	a.streams.topics[path] = fn
	a.mux.HandleFunc("GET "+apiPath+path, func(w http.ResponseWriter, r *http.Request) {
		a.streams.serve(w, r, []topic{{fn: fn, request: r}})
	})
}

// topic is one topic of a stream. prefix stands before the names of its events.
type topic struct {
	prefix  string
	fn      Follower
	request *http.Request
}

// serveTopics serves a stream of all the topics that the request names, as topic=PATH?QUERY. The names of
// their events begin with the number of the topic and a space.
func (s *streams) serveTopics(w http.ResponseWriter, r *http.Request) {
	names := r.URL.Query()["topic"]
	if len(names) == 0 || len(names) > maxTopics {
		(&Error{http.StatusBadRequest, fmt.Sprintf("a stream has 1 to %d topics", maxTopics)}).write(w)
		return
	}
	topics := make([]topic, len(names))
	for i, name := range names {
		path, query, _ := strings.Cut(name, "?")
		fn := s.topics[path]
		if fn == nil {
			(&Error{http.StatusNotFound, fmt.Sprintf("there is no topic %q", path)}).write(w)
			return
		}
		one := r.Clone(r.Context())
		one.URL = &url.URL{Path: apiPath + path, RawQuery: query}
		topics[i] = topic{strconv.Itoa(i) + " ", fn, one}
	}
	s.serve(w, r, topics)
}

// serve follows topics until all have ended, or the page or the server has.
func (s *streams) serve(w http.ResponseWriter, r *http.Request, topics []topic) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no")
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	out := &eventWriter{w: w, control: http.NewResponseController(w), cancel: cancel}
	defer out.close()
	defer s.add(r, out)()
	if out.write("") != nil {
		return
	}
	var following sync.WaitGroup
	for _, t := range topics {
		following.Go(func() {
			to := &Stream{out, t.prefix}
			if err := t.fn(ctx, t.request, to); err != nil && ctx.Err() == nil {
				_ = to.Send("failed", map[string]string{"error": err.Error()})
			} else if ctx.Err() == nil {
				_ = to.Send("ended", struct{}{})
			}
		})
	}
	following.Wait()
}

// add counts a stream, and ends the oldest one of the session if there are too many: its page learns that
// it was displaced, and does not come back.
func (s *streams) add(r *http.Request, out *eventWriter) (remove func()) {
	added := &openStream{digest(r.Header.Get(keyHeader)), out}
	s.mu.Lock()
	defer s.mu.Unlock()
	same := slicesx.Filter(s.open, func(o *openStream) bool { return o.key == added.key })
	if len(same) >= maxStreams {
		s.remove(same[0])         // at once, so that the next stream displaces another one
		go same[0].out.displace() // a slow reader holds up no other
	}
	s.open = append(s.open, added)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.remove(added)
	}
}

// remove forgets a stream. It needs the lock.
func (s *streams) remove(stream *openStream) {
	s.open = slices.DeleteFunc(s.open, func(o *openStream) bool { return o == stream })
}

// Stream sends the events of one topic.
type Stream struct {
	out    *eventWriter
	prefix string
}

// Send sends an event with the JSON of data, which has no line breaks. The error says that the page has
// gone.
func (s *Stream) Send(event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", event, err)
	}
	return s.out.write(fmt.Sprintf("event: %s%s\ndata: %s\n\n", s.prefix, event, text))
}

// eventWriter writes events whole, in any order of its callers.
type eventWriter struct {
	mu      sync.Mutex
	w       http.ResponseWriter
	control *http.ResponseController
	cancel  context.CancelFunc
	closed  bool // the handler has returned
}

// close refuses later writes.
func (e *eventWriter) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

// displace sends the last event of a stream that another one takes the place of.
func (e *eventWriter) displace() {
	_ = e.write("event: displaced\ndata: {}\n\n")
	e.cancel()
}

func (e *eventWriter) write(text string) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return net.ErrClosed
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(writeTime)) // what has no connection is not slow
	_, err := e.w.Write([]byte(text))
	if err == nil {
		err = e.control.Flush()
	}
	if err != nil {
		e.cancel()
	}
	return err
}
