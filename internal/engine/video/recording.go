package video

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// fileName is the name of a video's artifact.
const fileName = "page.webm"

// recording is one recording, from its start until its video is made.
type recording struct {
	recorder *Recorder
	session  string
	tab      *browser.Tab
	onFrame  func(Frame)
	asked    time.Time

	dir       string
	removeDir func() error
	spool     spool
	frames    atomic.Int64

	ctx      context.Context         // of the recording
	cancel   context.CancelCauseFunc // the cause says why it ends; nil for Stop
	encoding context.Context
	discard  context.CancelFunc // ends the encoding, if there is one

	began chan struct{} // closed when the first picture is kept
	once  sync.Once     // closes began

	done  chan struct{} // closed when the video is made or lost
	video Video         // read after done, as is err
	err   error
}

func newRecording(r *Recorder, session string, tab *browser.Tab, o Options) *recording {
	rec := &recording{
		recorder: r, session: session, tab: tab, onFrame: o.OnFrame, asked: time.Now(),
		began: make(chan struct{}), done: make(chan struct{}),
	}
	rec.ctx, rec.cancel = context.WithCancelCause(context.Background())
	rec.encoding, rec.discard = context.WithCancel(context.Background())
	return rec
}

// open makes the directory of the recording.
func (rec *recording) open() (err error) {
	if rec.dir, rec.removeDir, err = rec.recorder.artifacts.Incoming(); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(rec.dir, "pictures"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return errors.Join(err, rec.removeDir())
	}
	rec.spool = spool{file: file, limit: min(maxBytes, rec.recorder.artifacts.Limit())}
	return nil
}

func (rec *recording) isDone() bool {
	select {
	case <-rec.done:
		return true
	default:
		return false
	}
}

func (rec *recording) frameCount() int64 { return rec.frames.Load() }

// run records until the recording ends, and makes the video.
func (rec *recording) run(limit time.Duration) {
	defer close(rec.done)
	defer func() { _ = errors.Join(rec.spool.file.Close(), rec.removeDir()) }() // the next process sweeps what stays
	defer rec.discard()
	timed, stop := context.WithTimeoutCause(rec.ctx, limit, fmt.Errorf("it reached its limit of %g s", limit.Seconds()))
	err := rec.recorder.watch(timed, rec.tab, rec.keep)
	end := time.Now()
	if err == nil && timed.Err() != nil {
		if err = context.Cause(timed); errors.Is(err, context.Canceled) {
			err = nil
		}
	}
	stop()
	switch {
	case rec.frames.Load() > 0:
		encoding, stopEncoding := context.WithTimeout(rec.encoding, encodeTime)
		rec.video, rec.err = rec.make(encoding, end)
		stopEncoding()
		if err != nil {
			rec.video.Ended = err.Error()
		}
	case err != nil:
		rec.err = err
	default:
		rec.err = fault.New(codes.Failed, "the browser has drawn no picture of the tab, which is hidden in its window perhaps")
	}
}

// keep keeps a picture.
func (rec *recording) keep(f *screencast.Frame) error {
	if len(f.JPEG) == 0 || f.Hidden {
		return nil
	}
	if err := rec.spool.add(f, time.Now(), rec.asked); err != nil {
		return err
	}
	rec.frames.Add(1)
	rec.once.Do(func() { close(rec.began) })
	if rec.onFrame != nil {
		rec.onFrame(Frame{At: rec.spool.last, JPEG: f.JPEG})
	}
	return nil
}

// make encodes the pictures and keeps the video.
func (rec *recording) make(ctx context.Context, end time.Time) (Video, error) {
	s := &rec.spool
	path := filepath.Join(rec.dir, fileName)
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return Video{}, fmt.Errorf("make the video: %w", err)
	}
	format := Format{Width: s.width, Height: s.height, Duration: s.duration(end)}
	if err := rec.recorder.encoder.Encode(ctx, s.frames(), format, file); err != nil {
		return Video{}, err
	}
	a, err := rec.recorder.artifacts.PutFile(artifact.Meta{Name: fileName, MIME: "video/webm", Session: rec.session}, path)
	if err != nil {
		return Video{}, err
	}
	return Video{
		Artifact: a, Started: s.started, Duration: format.Duration, Frames: len(s.entries),
		Width: s.width &^ 1, Height: s.height &^ 1, Tab: rec.tab.ID(),
	}, nil
}
