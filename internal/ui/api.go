package ui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/callsheet/callsheet/internal/fault"
)

// maxBody bounds the body of a request in bytes.
const maxBody = 1 << 20

// API registers the requests of views. Every request has passed the guard and belongs to a signed-in
// person.
type API struct {
	mux    *http.ServeMux
	views  []string
	ending context.Context // done when streams must end
}

// Has tells the front end that a view is served: it shows the module assets/views/NAME.js.
func (a *API) Has(view string) { a.views = append(a.views, view) }

// Get answers GET /ui/api/PATH with the JSON of what fn returns. PATH may have wildcards of
// http.ServeMux.
func (a *API) Get(path string, fn func(*http.Request) (any, error)) {
	a.mux.HandleFunc("GET "+apiPath+path, func(w http.ResponseWriter, r *http.Request) { answer(w, r, fn) })
}

// Post is Get for requests that change something. The JSON of their body is for Decode.
func (a *API) Post(path string, fn func(*http.Request) (any, error)) {
	a.mux.HandleFunc("POST "+apiPath+path, func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		answer(w, r, fn)
	})
}

// Raw answers GET /ui/api/PATH by any handler, such as one of files. The handler sets the type of what
// it sends, which is a download or a picture and no page.
func (a *API) Raw(path string, h http.Handler) { a.mux.Handle("GET "+apiPath+path, h) }

// Stream answers GET /ui/api/PATH with server-sent events until fn returns; ctx ends when the person
// has left or the server ends.
func (a *API) Stream(path string, fn func(ctx context.Context, r *http.Request, out *Stream) error) {
	a.mux.HandleFunc("GET "+apiPath+path, func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("X-Accel-Buffering", "no")
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(a.ending, cancel)()
		out := &Stream{w: w, control: http.NewResponseController(w), cancel: cancel}
		if err := out.flush(); err != nil {
			return
		}
		if err := fn(ctx, r, out); err != nil && ctx.Err() == nil {
			_ = out.Send("failed", map[string]string{"error": err.Error()})
		}
	})
}

// Decode reads the JSON body of a request.
func Decode(r *http.Request, into any) error {
	if err := json.NewDecoder(r.Body).Decode(into); err != nil {
		return &Error{http.StatusBadRequest, fmt.Sprintf("read the request: %v", err)}
	}
	return nil
}

func answer(w http.ResponseWriter, r *http.Request, fn func(*http.Request) (any, error)) {
	out, err := fn(r)
	var refusal *Error
	var coded fault.Coded
	switch {
	case err == nil:
		writeJSON(w, out)
	case errors.As(err, &refusal):
		refusal.write(w)
	case errors.As(err, &coded):
		(&Error{http.StatusConflict, err.Error()}).write(w)
	default:
		(&Error{http.StatusInternalServerError, err.Error()}).write(w)
	}
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client is gone otherwise
}

// writeTime bounds the write of one event: a browser that reads nothing for so long is gone.
const writeTime = 10 * time.Second

// Stream sends server-sent events to one page. One goroutine uses it.
type Stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	cancel  context.CancelFunc
}

// Send sends an event with the JSON of data, which has no line breaks. The error says that the page has
// gone.
func (s *Stream) Send(event string, data any) error {
	text, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("encode the event %s: %w", event, err)
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(writeTime)) // what has no connection is not slow
	if _, err := fmt.Fprintf(s.w, "event: %s\ndata: %s\n\n", event, text); err != nil {
		s.cancel()
		return err
	}
	return s.flush()
}

func (s *Stream) flush() error {
	if err := s.control.Flush(); err != nil {
		s.cancel()
		return err
	}
	return nil
}
