// Package video implements the tools of area video: a tab as a film.
//
// It says in texts what internal/engine/video records. It must not know how a video is made.
package video

import (
	"context"
	"fmt"
	"time"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/generated/toolset/videoapi"
	"github.com/callsheet/callsheet/internal/engine/video"
	"github.com/callsheet/callsheet/internal/result"
	"github.com/callsheet/callsheet/internal/session"
)

// Tools are the handlers of the area.
type Tools struct {
	sessions session.Lookup
	videos   *video.Recorder
}

// New makes the handlers.
func New(sessions session.Lookup, videos *video.Recorder) *Tools {
	return &Tools{sessions: sessions, videos: videos}
}

var _ videoapi.Handlers = (*Tools)(nil)

// PageVideo records a tab as a video.
func (t *Tools) PageVideo(ctx context.Context, call *toolkit.Call, in videoapi.PageVideoParams) (toolkit.Result, error) {
	if in.Action == videoapi.PageVideoActionStop {
		return t.stop(ctx, call, t.recorded(ctx, call, in.TabID))
	}
	tab, err := t.sessions.Tab(ctx, call, in.TabID)
	if err != nil {
		return toolkit.Result{}, err
	}
	limit := time.Duration(in.MaxSeconds) * time.Second
	if in.Action == videoapi.PageVideoActionRecord {
		limit = video.MaxLimit // the call stops it
	}
	if err := t.videos.Start(ctx, call.Session.ID, tab, video.Options{Limit: limit}); err != nil {
		return toolkit.Result{}, err
	}
	if in.Action == videoapi.PageVideoActionStart {
		said := fmt.Sprintf("recording tab %s for %d s at most; page_video with action stop ends it and returns the video", tab.ID(), in.MaxSeconds)
		if len(tab.Concealed()) > 0 {
			said += "\nthis server has secrets: the video has about two pictures a second, with secrets concealed, and none while another call works on the tab"
		}
		return toolkit.Text(said), nil
	}
	timer := time.NewTimer(time.Duration(in.Ms) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.videos.Ended(call.Session.ID, tab.ID()):
	case <-ctx.Done():
	}
	return t.stop(ctx, call, tab.ID())
}

// recorded returns the id of the tab whose recording a call means: the tab that it names, which may have
// ended, or the current one; "" is the only one that is recorded, if the current one is not.
func (t *Tools) recorded(ctx context.Context, call *toolkit.Call, named toolkit.Opt[string]) string {
	if named.Value != "" {
		return named.Value
	}
	tab, err := t.sessions.Tab(ctx, call, named)
	if err != nil || !t.videos.Records(call.Session.ID, tab.ID()) {
		return ""
	}
	return tab.ID()
}

// stop ends a recording and returns its video.
func (t *Tools) stop(ctx context.Context, call *toolkit.Call, tab string) (toolkit.Result, error) {
	v, err := t.videos.Stop(ctx, call.Session.ID, tab)
	if err != nil {
		return toolkit.Result{}, err
	}
	said := fmt.Sprintf("%s of tab %s: %.2f s, %d frames, %dx%d, %d bytes\n%s",
		v.Artifact.Name, v.Tab, v.Duration.Seconds(), v.Frames, v.Width, v.Height, v.Artifact.Size, v.Artifact.Path())
	if v.Ended != "" {
		said += "\nit ended before it was stopped: " + v.Ended
	}
	r := toolkit.Text(said)
	r.Links = []toolkit.Link{result.Link(v.Artifact)}
	return r, nil
}
