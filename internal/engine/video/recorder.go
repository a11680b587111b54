package video

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/callsheet/callsheet/generated/codes"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/fault"
	"github.com/callsheet/callsheet/internal/storage/artifact"
)

// Bounds of recordings.
const (
	// DefaultLimit is how long one lasts that names no limit.
	DefaultLimit = 2 * time.Minute
	// MaxLimit is how long one lasts at most.
	MaxLimit = 10 * time.Minute
	// maxBytes is the room for the pictures of one, on disk.
	maxBytes = 512 << 20
	// maxRunning is how many run at once.
	maxRunning = 8
	// maxEnded is how many are remembered after they ended without a Stop.
	maxEnded = 64
	// encodeTime bounds the encoding of one, closeTime the end of all when the server stops.
	encodeTime, closeTime = 15 * time.Minute, 10 * time.Second
	// firstPictureTime is how long Start waits for the first picture, which a hidden tab has not.
	firstPictureTime = 10 * time.Second
)

// ErrNotRecorded is returned for a tab without a recording.
var ErrNotRecorded = fault.New(codes.NotFound, "no video of the tab is being recorded")

// Video is a recorded video.
type Video struct {
	Artifact      artifact.Artifact
	Started       time.Time     // of the first picture, by the clock of the browser
	Duration      time.Duration // from the first picture to the end of the recording
	Frames        int           // pictures that differ or were drawn anew; the file repeats some
	Width, Height int           // pixels
	Tab           string
	// Ended says why the recording ended before it was stopped; "" otherwise.
	Ended string
}

// Options say what is recorded.
type Options struct {
	// Limit is how long the recording lasts at most; 0 is DefaultLimit, and more than MaxLimit is
	// MaxLimit.
	Limit time.Duration
	// OnFrame, if set, is called with each picture that the video has, on the goroutine that keeps them.
	OnFrame func(Frame)
}

// Recorder records tabs, each once at a time. It is safe for concurrent use.
type Recorder struct {
	casts     *screencast.Screencasts
	artifacts *artifact.Store
	encoder   *Encoder
	log       *slog.Logger

	mu         sync.Mutex
	closed     bool
	recordings []*recording // oldest first; those that were stopped are not among them
}

// New returns a recorder that keeps videos as artifacts.
func New(casts *screencast.Screencasts, artifacts *artifact.Store, encoder *Encoder, log *slog.Logger) *Recorder {
	return &Recorder{casts: casts, artifacts: artifacts, encoder: encoder, log: log}
}

// Encoder returns the encoder of the recorder, which makes files of other pictures too.
func (r *Recorder) Encoder() *Encoder { return r.encoder }

// Start begins the recording of a tab of a client's session, and returns when its first picture is kept. The
// recording also ends with the tab, the browser and the server, and at its limits; what it has until then
// becomes a video too. The errors are those of the tab and of the disk.
func (r *Recorder) Start(ctx context.Context, session string, tab *browser.Tab, o Options) error {
	if err := cmp.Or(tab.Calls.Blocked(), tab.CrashError(), r.encoder.Check()); err != nil {
		return err
	}
	rec := newRecording(r, session, tab, o)
	if err := r.register(rec); err != nil {
		return err
	}
	if err := rec.open(); err != nil {
		r.remove(rec)
		return fmt.Errorf("record the tab: %w", err)
	}
	limit := o.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	go rec.run(min(limit, MaxLimit))
	first := time.NewTimer(firstPictureTime)
	defer first.Stop()
	select {
	case <-rec.began:
	case <-first.C:
	case <-rec.done:
		r.remove(rec)
		if rec.err != nil {
			return rec.err
		}
		return screencast.ErrEnded
	case <-ctx.Done():
		rec.cancel(nil)
		rec.discard()
		r.remove(rec)
		return context.Cause(ctx)
	}
	return nil
}

// register notes a recording, unless there is one of the tab or too many run.
func (r *Recorder) register(rec *recording) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	running := 0
	for _, other := range r.recordings {
		if other.isDone() {
			continue
		}
		running++
		if other.tab == rec.tab {
			return fault.New(codes.Failed, "a video of the tab is being recorded; stop it first")
		}
	}
	switch {
	case r.closed:
		return fault.New(codes.Failed, "the server stops")
	case running >= maxRunning:
		return fault.New(codes.Failed, fmt.Sprintf("%d videos are being recorded, and no more are at once; stop one", running))
	}
	for extra := len(r.recordings) - running - maxEnded; extra >= 0; extra-- {
		i := slices.IndexFunc(r.recordings, (*recording).isDone)
		r.recordings = slices.Delete(r.recordings, i, i+1)
	}
	r.recordings = append(r.recordings, rec)
	return nil
}

func (r *Recorder) remove(rec *recording) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recordings = slices.DeleteFunc(r.recordings, func(o *recording) bool { return o == rec })
}

// find returns the latest recording of a tab in a session; "" is the only tab that has one.
func (r *Recorder) find(session, tab string) (*recording, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found *recording
	for _, rec := range slices.Backward(r.recordings) {
		switch {
		case rec.session != session || tab != "" && rec.tab.ID() != tab:
		case found == nil:
			found = rec
		case tab == "" && found.tab != rec.tab:
			return nil, fault.New(codes.Ambiguous, "videos of several tabs are recorded; name the tab")
		}
	}
	if found == nil {
		return nil, ErrNotRecorded
	}
	return found, nil
}

// Stop ends a recording of a session and returns its video, once. tab is the id of a tab, which may have
// ended; "" is the only one that is recorded. When ctx ends first, the video is made all the same and a
// later Stop returns it. The errors are ErrNotRecorded, and those of making the video, which is lost then.
func (r *Recorder) Stop(ctx context.Context, session, tab string) (Video, error) {
	rec, err := r.find(session, tab)
	if err != nil {
		return Video{}, err
	}
	rec.cancel(nil)
	select {
	case <-rec.done:
	case <-ctx.Done():
		return Video{}, context.Cause(ctx)
	}
	r.remove(rec)
	return rec.video, rec.err
}

// Ended returns a channel that is closed when a recording of the tab has ended and its video is made; nil
// without a recording.
func (r *Recorder) Ended(session, tab string) <-chan struct{} {
	rec, err := r.find(session, tab)
	if err != nil {
		return nil
	}
	return rec.done
}

// Records reports whether a recording of the tab is kept for Stop.
func (r *Recorder) Records(session, tab string) bool {
	_, err := r.find(session, tab)
	return err == nil
}

// errServerStops ends the recordings of a server that stops.
var errServerStops = errors.New("the server stopped")

// Close ends all recordings. They become videos while ctx lasts, for ten seconds at most; what is not made
// then is lost, and logged.
func (r *Recorder) Close(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, closeTime)
	defer cancel()
	r.mu.Lock()
	r.closed = true
	all := slices.Clone(r.recordings)
	r.mu.Unlock()
	for _, rec := range all {
		rec.cancel(errServerStops)
	}
	for _, rec := range all {
		select {
		case <-rec.done:
			continue
		case <-ctx.Done():
		}
		rec.discard()
		r.log.Warn("a video is lost, as the server stops before it is made", "tab", rec.tab.ID(), "frames", rec.frameCount())
	}
}
