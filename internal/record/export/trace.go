package export

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"time"

	"github.com/callsheet/callsheet/internal/record/recorder"
)

// traceVersion is the version of the format that a trace declares. Playwright 1.60 reads no later
// one; viewers of later releases convert it.
const traceVersion = 8

// Bounds of a trace in bytes. A picture counts once, and a trace holds it twice: as a frame of the
// film strip and in the snapshot of its step.
const (
	maxTracePictures = 16 << 20
	maxTraceText     = 16 << 20
)

// traceClock is the time of the trace's beginning in the trace's clock, in milliseconds. Viewers
// read 0 as an absent time.
const traceClock = 1

// writeTrace writes the ZIP file that the trace viewer of Playwright opens. Pictures stand for
// snapshots: a recording keeps no HTML of pages.
func writeTrace(s Source) ([]byte, error) { return boundedTrace(s, maxTracePictures) }

// boundedTrace is writeTrace with at most room bytes of pictures.
func boundedTrace(s Source, room int) ([]byte, error) {
	w := &traceWriter{source: s, start: traceStart(s), pictureRoom: room, textRoom: maxTraceText}
	if err := encodeLine(&w.events, w.contextOptions()); err != nil {
		return nil, err
	}
	for i, step := range s.Steps {
		fits, err := w.step(step)
		if err != nil {
			return nil, fmt.Errorf("write step %d to a trace: %w", step.Seq, err)
		}
		if !fits {
			w.omittedSteps = len(s.Steps) - i
			break
		}
	}
	if err := w.omissions(); err != nil {
		return nil, err
	}
	return w.zip()
}

// traceWriter collects the files of a trace.
type traceWriter struct {
	source                Source
	start                 time.Time
	events, network       bytes.Buffer // lines of JSON
	pictures              []tracePicture
	pictureRoom, textRoom int // bytes that are left
	end                   float64

	omittedPictures, omittedSteps int
}

// tracePicture is a JPEG of a step.
type tracePicture struct {
	file          string // below resources/
	jpeg          []byte
	width, height int // pixels
}

// traceStart returns the time of the recording's beginning, or that of its earliest step.
func traceStart(s Source) time.Time {
	start := s.Recording.StartedAt
	for i, step := range s.Steps {
		if step.StartedAt.Before(start) || i == 0 && start.IsZero() {
			start = step.StartedAt
		}
	}
	return start
}

// clock converts a time to the clock of the trace, in milliseconds.
func (w *traceWriter) clock(t time.Time) float64 {
	return traceClock + max(0, float64(t.Sub(w.start).Microseconds())/1000)
}

// step writes the events of a step. It returns false, and writes nothing, when the trace has no
// room for them.
func (w *traceWriter) step(s recorder.Step) (fits bool, err error) {
	e := newTraceStep(w, s)
	var events, network bytes.Buffer
	for _, event := range e.events() {
		if err := encodeLine(&events, event); err != nil {
			return false, err
		}
	}
	for _, q := range s.Requests {
		if err := encodeLine(&network, e.resource(q)); err != nil {
			return false, err
		}
	}
	if w.textRoom -= events.Len() + network.Len(); w.textRoom < 0 {
		return false, nil
	}
	w.events.Write(events.Bytes())
	w.network.Write(network.Bytes())
	w.end = max(w.end, e.end)
	if s.Screenshot == "" {
		return true, nil
	}
	picture, ok := w.picture(s)
	if !ok {
		w.omittedPictures++
		return true, nil
	}
	w.pictures = append(w.pictures, picture)
	for _, event := range []any{e.frame(picture), e.snapshot(picture)} {
		if err := encodeLine(&w.events, event); err != nil {
			return false, err
		}
	}
	return true, nil
}

// picture reads the picture of a step; false when it is gone, is no JPEG or finds no room.
func (w *traceWriter) picture(s recorder.Step) (tracePicture, bool) {
	data := w.source.artifact(s.Screenshot, w.pictureRoom)
	size, kind, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || kind != "jpeg" || len(data) > w.pictureRoom {
		return tracePicture{}, false
	}
	w.pictureRoom -= len(data)
	return tracePicture{file: fmt.Sprintf("step-%d.jpeg", s.Seq), jpeg: data, width: size.Width, height: size.Height}, true
}

// omissions writes what the trace lacks to its console.
func (w *traceWriter) omissions() error {
	for _, o := range []struct {
		count int
		what  string
	}{{w.omittedPictures, "pictures are gone, or left out for the size of this trace"}, {w.omittedSteps, "steps are left out for the size of this trace"}} {
		if o.count == 0 {
			continue
		}
		if err := encodeLine(&w.events, traceOutput{Type: "stderr", Time: max(w.end, traceClock), Text: fmt.Sprintf("%d %s", o.count, o.what)}); err != nil {
			return err
		}
	}
	return nil
}

// zip writes the files. The same recording gives the same bytes.
func (w *traceWriter) zip() ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { return flate.NewWriter(out, flate.DefaultCompression) })
	add := func(name string, data []byte, method uint16) error {
		f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method, Modified: w.start.UTC()})
		if err == nil {
			_, err = f.Write(data)
		}
		if err != nil {
			return fmt.Errorf("write %s of a trace: %w", name, err)
		}
		return nil
	}
	if err := add("trace.trace", w.events.Bytes(), zip.Deflate); err != nil {
		return nil, err
	}
	if err := add("trace.network", w.network.Bytes(), zip.Deflate); err != nil {
		return nil, err
	}
	for _, p := range w.pictures {
		if err := add("resources/"+p.file, p.jpeg, zip.Store); err != nil {
			return nil, err
		}
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("write a trace: %w", err)
	}
	return b.Bytes(), nil
}

// encodeLine writes a value as one line of JSON.
func encodeLine(b *bytes.Buffer, v any) error {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode an event of a trace: %w", err)
	}
	return nil
}
