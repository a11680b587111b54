package video

import (
	"context"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/capture"
	"github.com/callsheet/callsheet/internal/engine/screencast"
)

const (
	// maxSide is the most pixels that a video has on a side, and jpegQuality that of its pictures before
	// they are encoded.
	maxSide     = 1280
	jpegQuality = 70
	// frameInterval is the shortest time between two pictures.
	frameInterval = 100 * time.Millisecond
	// concealedInterval is that of a browser that conceals secrets, at least; a picture and the time until
	// the next are in a ratio of 1 to concealedShare, so that a slow page has time for its own work.
	concealedInterval = 500 * time.Millisecond
	concealedShare    = 4
)

// watch calls fn with the pictures of a tab until ctx ends or fn returns an error. A tab that has ended is
// screencast.ErrEnded.
func (r *Recorder) watch(ctx context.Context, tab *browser.Tab, fn func(*screencast.Frame) error) error {
	if len(tab.Concealed()) > 0 {
		return watchConcealed(ctx, tab, fn)
	}
	return r.casts.Watch(ctx, tab, screencast.Settings{MaxSide: maxSide, Quality: jpegQuality, Interval: frameInterval, Sparing: true}, fn)
}

// watchConcealed is watch by screenshots, which conceal secrets. A tab has none while a call works on it,
// a dialog is open or its page is paused or has crashed.
func watchConcealed(ctx context.Context, tab *browser.Tab, fn func(*screencast.Frame) error) error {
	next := time.NewTimer(0)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-next.C:
		}
		begun := time.Now()
		shot, err := capture.Screenshot(ctx, tab, capture.Options{Format: capture.JPEG, Quality: jpegQuality, MaxSide: maxSide})
		switch {
		case ctx.Err() != nil:
			return nil
		case tab.Closed():
			return screencast.ErrEnded
		case err == nil:
			if err := fn(&screencast.Frame{JPEG: shot.Data, Time: time.Now()}); err != nil {
				return err
			}
		}
		next.Reset(max(concealedInterval, concealedShare*time.Since(begun)))
	}
}
