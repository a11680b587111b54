package video_test

import (
	"bytes"
	"context"
	"fmt"
	"image/jpeg"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/screencast"
	"github.com/callsheet/callsheet/internal/engine/video"
	"github.com/callsheet/callsheet/internal/storage/artifact"
	"github.com/callsheet/callsheet/internal/storage/statedir"
)

// animated is a page that is drawn all the time, and whose background the test changes.
const animated = `<!doctype html><title>Animated</title><link rel=icon href=data:,>
<style>b { position: fixed; left: 200px; top: 200px; width: 80px; height: 80px; background: gray; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(360deg) } }</style><b></b>`

// color is the name of a pixel's color.
type color string

// nearest returns the color of the steps that a pixel has, or "" for another.
func nearest(r, g, b float64) color {
	for name, want := range map[color][3]float64{"red": {255, 0, 0}, "lime": {0, 255, 0}, "blue": {0, 0, 255}, "white": {255, 255, 255}} {
		if math.Abs(r-want[0])+math.Abs(g-want[1])+math.Abs(b-want[2]) < 90 {
			return name
		}
	}
	return ""
}

// sight is the first picture with a color.
type sight struct {
	color color
	at    time.Duration
}

func newRecorder(t *testing.T) (*video.Recorder, *artifact.Store) {
	t.Helper()
	dir, err := statedir.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	artifacts := artifact.New(dir, 0)
	r := video.New(new(screencast.Screencasts), artifacts, video.NewEncoder(browser.Config{}), slog.New(slog.DiscardHandler))
	t.Cleanup(func() { r.Close(context.Background()) })
	return r, artifacts
}

// watchColors returns options of a recording that sends each change of the background.
func watchColors(t *testing.T) (video.Options, <-chan sight) {
	changes := make(chan sight, 100)
	var last color
	return video.Options{OnFrame: func(f video.Frame) {
		picture, err := jpeg.Decode(bytes.NewReader(f.JPEG))
		if err != nil {
			t.Error(err)
			return
		}
		r, g, b, _ := picture.At(8, 8).RGBA()
		if c := nearest(float64(r>>8), float64(g>>8), float64(b>>8)); c != "" && c != last {
			last = c
			changes <- sight{c, f.At}
		}
	}}, changes
}

// await returns the first picture with a color.
func await(ctx context.Context, t *testing.T, changes <-chan sight, want color) sight {
	t.Helper()
	for {
		select {
		case s := <-changes:
			if s.color == want {
				return s
			}
		case <-ctx.Done():
			t.Fatalf("no picture is %s", want)
		}
	}
}

// recordColors records a tab while its background changes, and returns when each color began, and later changes.
func recordColors(ctx context.Context, t *testing.T, r *video.Recorder, tab *browser.Tab) ([]sight, <-chan sight) {
	t.Helper()
	o, changes := watchColors(t)
	if err := r.Start(ctx, "x", tab, o); err != nil {
		t.Fatal(err)
	}
	var out []sight
	for _, c := range []color{"red", "lime", "blue"} {
		run(ctx, t, tab, fmt.Sprintf("document.documentElement.style.background = '%s'; 1", c), nil)
		out = append(out, await(ctx, t, changes, c))
	}
	return out, changes
}

// TestAVideoPlaysAndSeeks records a page that is animated while its background changes, and looks at the
// file in a player: at each time it shows what the page showed then, also when it seeks back.
func TestAVideoPlaysAndSeeks(t *testing.T) {
	t.Parallel()
	r, _ := newRecorder(t)
	file := ""
	ctx, b, tab := open(t, browser.Config{}, serve(t, animated, nil))
	colors, later := recordColors(ctx, t, r, tab)
	v, err := r.Stop(ctx, "x", tab.ID())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d frames, %v, %d bytes, %dx%d", v.Frames, v.Duration, v.Artifact.Size, v.Width, v.Height)
	if v.Ended != "" || v.Frames < 3 || v.Width != 1280 || v.Height != 720 || v.Artifact.MIME != "video/webm" {
		t.Errorf("%+v", v)
	}
	if len(later) > 0 {
		t.Errorf("a picture is older than the one before it: %+v", <-later)
	}
	file = v.Artifact.Path()
	checkVideo(ctx, t, b, file, v, colors)
	if _, err := r.Stop(ctx, "x", tab.ID()); err == nil {
		t.Error("a video was returned twice")
	}
}

// checkVideo plays a file and looks at each color in the middle of its time.
func checkVideo(ctx context.Context, t *testing.T, b *browser.Browser, file string, v video.Video, colors []sight) {
	t.Helper()
	watching := openIn(ctx, t, b, serve(t, player, func() string { return file }))
	var loaded struct {
		Seconds       float64
		Width, Height int
	}
	run(ctx, t, watching, "load()", &loaded)
	if math.Abs(loaded.Seconds-v.Duration.Seconds()) > 0.002 || loaded.Width != v.Width || loaded.Height != v.Height {
		t.Errorf("the player says %+v of %v, %dx%d", loaded, v.Duration, v.Width, v.Height)
	}
	ends := v.Duration
	for i := range colors {
		s := colors[len(colors)-1-i]
		at := (s.at + ends).Seconds() / 2
		ends = s.at
		var seen struct {
			At    float64
			Pixel []float64
		}
		run(ctx, t, watching, fmt.Sprintf("pictureAt(%g)", at), &seen)
		if got := nearest(seen.Pixel[0], seen.Pixel[1], seen.Pixel[2]); got != s.color {
			t.Errorf("at %.3f s, %s begins at %v: %+v is %q", at, s.color, s.at, seen, got)
		}
	}
	var end struct{ At float64 }
	run(ctx, t, watching, "v.currentTime = 0; playToTheEnd()", &end)
	if math.Abs(end.At-v.Duration.Seconds()) > 0.05 {
		t.Errorf("playing ends at %v s of %v", end.At, v.Duration)
	}
}

// TestTheLastPictureIsKept changes a page that is not animated, many times at once: the recording has what
// the page shows in the end.
func TestTheLastPictureIsKept(t *testing.T) {
	t.Parallel()
	r, _ := newRecorder(t)
	ctx, _, tab := open(t, browser.Config{}, serve(t, "<!doctype html><title>Still</title><link rel=icon href=data:,>", nil))
	o, changes := watchColors(t)
	if err := r.Start(ctx, "x", tab, o); err != nil {
		t.Fatal(err)
	}
	for _, last := range []color{"lime", "blue", "red"} {
		run(ctx, t, tab, fmt.Sprintf(`let n = 0; new Promise((done) => requestAnimationFrame(function next() {
  document.documentElement.style.background = n++ < 10 ? 'rgb(' + 20 * n + ' 120 120)' : '%s';
  if (n < 12) requestAnimationFrame(next); else done(1);
}))`, last), nil)
		await(ctx, t, changes, last)
	}
	if _, err := r.Stop(ctx, "x", ""); err != nil {
		t.Error(err)
	}
}
