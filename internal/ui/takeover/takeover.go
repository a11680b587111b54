// Package takeover is the part of the live view by which a person acts: the requests that take over a
// session, bring its mouse and keyboard, hand it back and mark a place for the agent.
//
// It must not know tools or browsers; internal/session/control does what it asks for.
package takeover

import (
	"context"
	"errors"
	"net/http"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/ui"
)

// maxPerson bounds the name that a page gives itself, in bytes.
const maxPerson = 64

// View registers the requests. person is a name that each page makes at random: who knows it acts as that
// page.
//
//	GET  control/state?session=ID&person=P  event: state; the person attends until the stream ends
//	POST control/take                       {session, person}
//	POST control/return                     {session, person, note}
//	POST control/input                      {session, person, tab, events}
//	POST control/dialog                     {session, person, tab, answer}
//	POST control/annotate                   {session, tab, area, text}
func View(controls *control.Controls) ui.View {
	v := view{controls}
	return func(api *ui.API) {
		api.Stream("control/state", v.sendState)
		api.Post("control/take", v.post(func(ctx context.Context, in request) (any, error) {
			return nil, controls.Take(ctx, in.Session, in.Person)
		}))
		api.Post("control/return", v.post(func(ctx context.Context, in request) (any, error) {
			return nil, controls.Return(ctx, in.Session, in.Person, in.Note)
		}))
		api.Post("control/input", v.post(func(ctx context.Context, in request) (any, error) {
			return nil, controls.Input(ctx, in.Session, in.Person, in.Tab, in.Events)
		}))
		api.Post("control/dialog", v.post(func(ctx context.Context, in request) (any, error) {
			return nil, controls.AnswerDialog(ctx, in.Session, in.Person, in.Tab, in.Answer)
		}))
		api.Post("control/annotate", v.post(func(ctx context.Context, in request) (any, error) {
			return controls.Annotate(ctx, in.Session, in.Tab, in.Area, in.Text)
		}))
	}
}

type view struct{ controls *control.Controls }

// request is the body of every POST.
type request struct {
	Session string               `json:"session"`
	Person  string               `json:"person"`
	Tab     string               `json:"tab"`
	Note    string               `json:"note"`
	Events  []input.Event        `json:"events"`
	Answer  control.DialogAnswer `json:"answer"`
	Area    control.Area         `json:"area"`
	Text    string               `json:"text"`
}

// post decodes a request, and gives its errors a status.
func (v view) post(fn func(context.Context, request) (any, error)) func(*http.Request) (any, error) {
	return func(r *http.Request) (any, error) {
		var in request
		if err := ui.Decode(r, &in); err != nil {
			return nil, err
		}
		out, err := fn(r.Context(), in)
		if out == nil {
			out = struct{}{}
		}
		return out, withStatus(err)
	}
}

// withStatus gives an error the status that says whose fault it is.
func withStatus(err error) error {
	status := 0
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*control.UnknownSessionError)), errors.As(err, new(*browser.UnknownTabError)):
		status = http.StatusNotFound
	case errors.As(err, new(*input.BadEventError)):
		status = http.StatusBadRequest
	case errors.As(err, new(*control.InControlError)), errors.As(err, new(*control.NotInControlError)), errors.As(err, new(*control.TooManyError)):
		status = http.StatusConflict
	default:
		return err
	}
	return &ui.Error{Status: status, Message: err.Error()}
}

// sendState sends the state of a session at each change. While it runs, the person attends.
func (v view) sendState(ctx context.Context, r *http.Request, out *ui.Stream) error {
	session, person := r.URL.Query().Get("session"), r.URL.Query().Get("person")
	if person == "" || len(person) > maxPerson {
		return errors.New("a person has a name of at most 64 bytes")
	}
	leave, err := v.controls.Attend(session, person)
	if err != nil {
		return err
	}
	defer leave()
	for {
		state, changed, err := v.controls.State(session, person)
		if err != nil {
			return err
		}
		if err := out.Send("state", state); err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}
