// Package recording implements the tools of area recording: keeping what a session does, and giving
// it out as a file.
//
// It starts, stops and exports recordings; internal/record/recorder decides what a step holds, and
// internal/record/export what a file looks like.
package recording

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/callsheet/callsheet/gen/slicesx"
	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/generated/toolset"
	"github.com/callsheet/callsheet/generated/toolset/recordingapi"
	"github.com/callsheet/callsheet/internal/record/export"
	"github.com/callsheet/callsheet/internal/record/recorder"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/files"
)

// Tools are the handlers of the area.
type Tools struct {
	recorder  *recorder.Recorder
	output    *files.Dir
	artifacts *artifact.Store
}

// New makes the handlers; files go to artifacts, or below output when a path is given.
func New(recorder *recorder.Recorder, output *files.Dir, artifacts *artifact.Store) *Tools {
	return &Tools{recorder: recorder, output: output, artifacts: artifacts}
}

var _ recordingapi.Handlers = (*Tools)(nil)

func unknownRecording(id string) error {
	return toolkit.Refuse(codes.NotFound, fmt.Sprintf("there is no recording %q; %s lists this session's", id, toolset.ToolOcRecordingList))
}

// OcRecordingStart begins a recording, or goes on with one.
func (t *Tools) OcRecordingStart(ctx context.Context, call *toolkit.Call, in recordingapi.OcRecordingStartParams) (toolkit.Result, error) {
	rec, err := t.recorder.Start(ctx, call.Session.ID, recorder.Options{Label: in.Label.Value, Resume: in.Resume.Value, Screenshots: in.Screenshots})
	switch {
	case errors.Is(err, recorder.ErrNotFound):
		return toolkit.Result{}, unknownRecording(in.Resume.Value)
	case err != nil:
		return toolkit.Result{}, err
	case in.Resume.Value != "":
		return toolkit.Textf("recording %s again, after %s", rec.ID, steps(rec.StepCount)), nil
	}
	return toolkit.Textf("recording %s", rec.ID), nil
}

// OcRecordingStop ends the session's recording.
func (t *Tools) OcRecordingStop(ctx context.Context, call *toolkit.Call, _ recordingapi.OcRecordingStopParams) (toolkit.Result, error) {
	rec, err := t.recorder.Stop(ctx, call.Session.ID)
	if err != nil {
		return toolkit.Result{}, err
	}
	text := "stopped " + line(rec, false)
	if rec.MissedSteps > 0 {
		text += fmt.Sprintf("; %s could not be written", steps(rec.MissedSteps))
	}
	return toolkit.Text(text), nil
}

// OcRecordingList lists the session's recordings.
func (t *Tools) OcRecordingList(ctx context.Context, call *toolkit.Call, in recordingapi.OcRecordingListParams) (toolkit.Result, error) {
	all, err := t.recorder.Archive().List(ctx, call.Session.ID, in.Limit)
	if err != nil {
		return toolkit.Result{}, err
	}
	if len(all) == 0 {
		return toolkit.Text("no recordings"), nil
	}
	active := t.recorder.Active(call.Session.ID)
	lines := slicesx.List(all, func(rec recorder.Recording) string { return line(rec, rec.ID == active) })
	return toolkit.Text(strings.Join(lines, "\n")), nil
}

// line shows a recording: rec-… "label", 12 steps in 1m3s.
func line(rec recorder.Recording, active bool) string {
	text := rec.ID
	if rec.Label != "" {
		text += fmt.Sprintf(" %q", rec.Label)
	}
	text += fmt.Sprintf(", %s, %s", rec.StartedAt.Format(time.DateTime+"Z"), steps(rec.StepCount))
	switch {
	case rec.StoppedAt != nil:
		text += " in " + rec.StoppedAt.Sub(rec.StartedAt).Round(time.Second).String()
	case active:
		text += ", goes on"
	default: // of a process that was killed, or one that runs
		text += ", not stopped"
	}
	return text
}

func steps(n int) string {
	if n == 1 {
		return "1 step"
	}
	return fmt.Sprintf("%d steps", n)
}

// OcRecordingExport makes a file of a recording.
func (t *Tools) OcRecordingExport(ctx context.Context, call *toolkit.Call, in recordingapi.OcRecordingExportParams, powers recordingapi.OcRecordingExportPowers) (toolkit.Result, error) {
	rec, err := t.find(ctx, call.Session.ID, in.RecordingID.Value)
	if err != nil {
		return toolkit.Result{}, err
	}
	format, ok := export.Find(string(in.Format))
	if !ok { // every value of the enum has a row, which a test holds
		return toolkit.Result{}, toolkit.Refuse(toolkit.Internal, fmt.Sprintf("format %q has no writer", in.Format))
	}
	source := export.Source{Recording: rec, Artifact: Artifacts(t.artifacts)}
	if source.Steps, err = t.recorder.Archive().Steps(ctx, rec.ID); err != nil {
		return toolkit.Result{}, err
	}
	data, err := format.Write(source)
	if err != nil {
		return toolkit.Result{}, toolkit.Refuse(toolkit.Failed, err.Error())
	}
	text := fmt.Sprintf("%s of %s", steps(len(source.Steps)), rec.ID)
	if format.LeftOut != nil {
		if problems := format.LeftOut(data); len(problems) > 0 {
			text = fmt.Sprintf("%d of %s; left out: %s", len(source.Steps)-len(problems), text, strings.Join(problems, "; "))
		}
	}
	if in.Path.Set {
		path, err := t.output.For(call.Session.ID).Write(powers.FileWrite(), in.Path.Value, data)
		if err != nil {
			return toolkit.Result{}, err
		}
		return toolkit.Textf("%s: %s, %d bytes%s", text, path, len(data), opening(format, path)), nil
	}
	kept, err := t.artifacts.Put(ctx, artifact.Meta{Name: rec.ID + format.Extension, MIME: format.MIME, Session: call.Session.ID}, bytes.NewReader(data))
	if err != nil {
		return toolkit.Result{}, err
	}
	res := toolkit.Text(text + "\n" + kept.Line() + opening(format, kept.Path()))
	res.Links = []toolkit.Link{result.Link(kept)}
	return res, nil
}

// opening is a line that says how to open a file; "" for a format that needs no program of its own.
func opening(format export.Format, path string) string {
	if format.Open == "" {
		return ""
	}
	return fmt.Sprintf("\nopen it with %s %s", format.Open, path)
}

// find is the recording with an id, or the session's latest.
func (t *Tools) find(ctx context.Context, session, id string) (recorder.Recording, error) {
	if id == "" {
		all, err := t.recorder.Archive().List(ctx, session, 1)
		switch {
		case err != nil:
			return recorder.Recording{}, err
		case len(all) == 0:
			return recorder.Recording{}, toolkit.Refuse(codes.NotFound, "this session has no recordings; begin with "+toolset.ToolOcRecordingStart)
		}
		return all[0], nil
	}
	rec, err := t.recorder.Archive().Get(ctx, id)
	if errors.Is(err, recorder.ErrNotFound) {
		return rec, unknownRecording(id)
	}
	return rec, err
}

// Artifacts reads the pictures and videos of steps from artifacts. The function returns nil for one that
// is gone or has more than limit bytes.
func Artifacts(kept *artifact.Store) func(id string, limit int) []byte {
	return func(id string, limit int) []byte {
		a, f, err := kept.Open(id)
		if err != nil {
			return nil // newer artifacts needed its room
		}
		defer func() { _ = f.Close() }() // reading handle: nothing is lost
		if a.Size > int64(limit) {
			return nil
		}
		data, err := io.ReadAll(f)
		if err != nil {
			return nil
		}
		return data
	}
}

// Keep keeps the pictures of steps as artifacts.
func Keep(kept *artifact.Store) recorder.SaveScreenshot {
	return func(ctx context.Context, session, name string, jpeg []byte) (string, error) {
		a, err := kept.Put(ctx, artifact.Meta{Name: name, MIME: "image/jpeg", Session: session}, bytes.NewReader(jpeg))
		return a.ID, err
	}
}
