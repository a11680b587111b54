// Package recordingview is the view of the ui that shows recordings: their steps with pictures, two of
// them side by side, files of them, and a replay that a person steps through.
//
// Recordings hold no secrets, and the view shows what they hold. It must not know tools.
package recordingview

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/callsheet/callsheet/internal/record/compare"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/record/replay"
	"github.com/callsheet/callsheet/internal/ui"
)

// recordingsOfPage and stepsOfPage are the sizes of pages; maxCompared bounds the steps of each
// recording that are compared, and maxPictureBytes a picture.
const (
	recordingsOfPage = 50
	stepsOfPage      = 100
	maxCompared      = 1500
	maxPictureBytes  = 16 << 20
)

// Source supplies the data of the view.
type Source struct {
	Archive *recorder.Archive
	// Artifact returns the bytes of a step's artifact, nil when it is gone or has more than limit.
	Artifact func(id string, limit int) []byte
	// Begin begins a session for a replay, and Ending ends the replay.
	Begin  func() Stage
	Ending context.Context
}

// List is a page of recordings, the newest first.
type List struct {
	Recordings []recorder.Recording `json:"recordings"`
	Formats    []Format             `json:"formats"`
	Next       int64                `json:"next,omitempty"` // the parameter offset of the next page; 0: this is the last
}

// Format is a kind of file that a recording can be written as.
type Format struct {
	Name      string `json:"name"`
	Extension string `json:"extension"` // with its dot
}

// Steps is a page of a recording.
type Steps struct {
	Recording  recorder.Recording `json:"recording"`
	Steps      []recorder.Step    `json:"steps"`
	Parameters []replay.Parameter `json:"parameters"`     // values that a replay needs
	Next       int64              `json:"next,omitempty"` // the parameter from of the next page; 0: this is the last
}

// Comparison is two recordings side by side.
type Comparison struct {
	A    recorder.Recording `json:"a"`
	B    recorder.Recording `json:"b"`
	Rows []compare.Row      `json:"rows"`
	Same int                `json:"same"` // the rest of the rows differ
	// Clipped says that only the first maxCompared steps are compared.
	Clipped bool `json:"clipped,omitempty"`
}

// View registers the requests of the view:
//
//	GET  recordings?offset=             a List
//	GET  recordings/{id}?from=          Steps
//	GET  recordings/{id}/picture/{seq}  a JPEG
//	GET  recordings/{id}/file/{format}  a file
//	GET  comparison?a=&b=               a Comparison
//	GET  replay/events                  event: replay, the State when it changes
//	POST replay/start                   {recording, params}: waits before its first step
//	POST replay/next, replay/run, replay/stop
func View(src Source) ui.View {
	v := &view{Source: src, replays: newReplays(src)}
	return func(api *ui.API) {
		api.Has("recordings")
		api.Get("recordings", v.list)
		api.Get("recordings/{id}", v.steps)
		api.Raw("recordings/{id}/picture/{seq}", http.HandlerFunc(v.picture))
		api.Raw("recordings/{id}/file/{format}", http.HandlerFunc(v.file))
		api.Get("comparison", v.compare)
		v.replays.register(api)
	}
}

type view struct {
	Source

	replays *replays
}

func (v *view) list(r *http.Request) (any, error) {
	offset, err := ui.Number(r, "offset", 0, 0, 1_000_000)
	if err != nil {
		return nil, err
	}
	all, err := v.Archive.List(r.Context(), "", int(offset)+recordingsOfPage+1)
	if err != nil {
		return nil, err
	}
	out := List{Recordings: append([]recorder.Recording{}, all[min(int(offset), len(all)):]...), Formats: []Format{}}
	if len(out.Recordings) > recordingsOfPage {
		out.Recordings, out.Next = out.Recordings[:recordingsOfPage], offset+recordingsOfPage
	}
	for _, f := range export.Formats() {
		out.Formats = append(out.Formats, Format{f.Name, f.Extension})
	}
	return out, nil
}

// get returns a recording with its steps; the error for an unknown one is a refusal.
func (v *view) get(ctx context.Context, id string) (rec recorder.Recording, steps []recorder.Step, err error) {
	if rec, err = v.Archive.Get(ctx, id); errors.Is(err, recorder.ErrNotFound) {
		return rec, nil, &ui.Error{Status: http.StatusNotFound, Message: fmt.Sprintf("there is no recording %.60q", id)}
	}
	if err == nil {
		steps, err = v.Archive.Steps(ctx, id)
	}
	return rec, steps, err
}

func (v *view) steps(r *http.Request) (any, error) {
	from, err := ui.Number(r, "from", 0, 0, 1_000_000)
	if err != nil {
		return nil, err
	}
	rec, steps, err := v.get(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	script, err := replay.Generalise(steps, nil, "")
	if err != nil {
		return nil, err
	}
	page := steps[min(int(from), len(steps)):]
	out := Steps{Recording: rec, Parameters: append([]replay.Parameter{}, script.Parameters...)}
	if len(page) > stepsOfPage {
		page, out.Next = page[:stepsOfPage], from+stepsOfPage
	}
	out.Steps = append([]recorder.Step{}, page...)
	return out, nil
}

func (v *view) compare(r *http.Request) (any, error) {
	a, left, err := v.get(r.Context(), r.URL.Query().Get("a"))
	if err != nil {
		return nil, err
	}
	b, right, err := v.get(r.Context(), r.URL.Query().Get("b"))
	if err != nil {
		return nil, err
	}
	out := Comparison{A: a, B: b, Clipped: len(left) > maxCompared || len(right) > maxCompared}
	out.Rows = append([]compare.Row{}, compare.Steps(left[:min(len(left), maxCompared)], right[:min(len(right), maxCompared)])...)
	for _, row := range out.Rows {
		if row.Kind == compare.Same {
			out.Same++
		}
	}
	return out, nil
}

// picture sends the screenshot of a step, and no other artifact.
func (v *view) picture(w http.ResponseWriter, r *http.Request) {
	_, steps, err := v.get(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	seq, err := strconv.Atoi(r.PathValue("seq"))
	var data []byte
	if err == nil && seq > 0 && seq <= len(steps) && steps[seq-1].Screenshot != "" {
		data = v.Artifact(steps[seq-1].Screenshot, maxPictureBytes)
	}
	if data == nil {
		ui.WriteError(w, http.StatusNotFound, "the step has no picture, or newer artifacts needed its room")
		return
	}
	w.Header().Set("Content-Type", "image/jpeg")
	_, _ = w.Write(data) // the client is gone otherwise
}

// file sends a recording in a format.
func (v *view) file(w http.ResponseWriter, r *http.Request) {
	format, ok := export.Find(r.PathValue("format"))
	if !ok {
		ui.WriteError(w, http.StatusNotFound, "there is no such format")
		return
	}
	rec, steps, err := v.get(r.Context(), r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	data, err := format.Write(export.Source{Recording: rec, Steps: steps, Artifact: v.Artifact})
	if err != nil {
		ui.WriteError(w, http.StatusConflict, err.Error())
		return
	}
	w.Header().Set("Content-Type", format.MIME)
	w.Header().Set("Content-Disposition", "attachment; filename*=UTF-8''"+url.PathEscape(rec.ID+format.Extension))
	_, _ = w.Write(data) // the client is gone otherwise
}

func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	if refusal := (*ui.Error)(nil); errors.As(err, &refusal) {
		status = refusal.Status
	}
	ui.WriteError(w, status, err.Error())
}
