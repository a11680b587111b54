package ui

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/callsheet/callsheet/internal/fault"
)

// maxBody bounds the body of a request in bytes.
const maxBody = 1 << 20

// API registers the requests of views. Every request has passed the guard and belongs to a signed-in
// person.
type API struct {
	mux     *http.ServeMux
	views   []string
	streams *streams
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
