package video_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/powertest"
)

// player shows a video and answers what is on it.
const player = `<!doctype html><title>Player</title><video id=v muted preload=auto></video><script>
const v = document.getElementById('v');
const until = (event) => new Promise((resolve, reject) => {
  v.addEventListener(event, resolve, { once: true });
  v.addEventListener('error', () => reject(new Error(v.error.message)), { once: true });
});
async function load() {
  const loaded = until('loadeddata');
  v.src = '/video.webm';
  await loaded;
  return { seconds: v.duration, width: v.videoWidth, height: v.videoHeight };
}
async function pictureAt(seconds) {
  const drawn = new Promise((resolve) => v.requestVideoFrameCallback(resolve)); // a busy machine draws after it has sought
  const seeked = until('seeked');
  v.currentTime = seconds;
  await Promise.all([seeked, drawn]);
  const c = new OffscreenCanvas(v.videoWidth, v.videoHeight), on = c.getContext('2d');
  on.drawImage(v, 0, 0);
  return { at: v.currentTime, pixel: [...on.getImageData(8, 8, 1, 1).data.slice(0, 3)] };
}
async function playToTheEnd() {
  v.playbackRate = 16;
  const ended = until('ended');
  await v.play();
  await ended;
  return { at: v.currentTime };
}
</script>`

// open opens a page in a browser of the test.
func open(t *testing.T, cfg browser.Config, address string) (context.Context, *browser.Browser, *browser.Tab) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cfg.Headless = true
	b := browser.New(cfg)
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	tab, _, err := b.Session("x").Open(ctx, powertest.Window, powertest.Navigation, address, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return ctx, b, tab
}

// serve serves a page at /, and the video at a path that is asked for at each request.
func serve(t *testing.T, page string, video func() string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/video.webm" {
			http.ServeFile(w, r, video())
			return
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// run evaluates a script and decodes its value.
func run(ctx context.Context, t *testing.T, tab *browser.Tab, script string, out any) {
	t.Helper()
	value, err := evaluate.Run(ctx, tab, powertest.Script, script)
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal(value.JSON, out); err != nil {
		t.Fatalf("%s: %s: %v", script, value.JSON, err)
	}
}

func openIn(ctx context.Context, t *testing.T, b *browser.Browser, address string) *browser.Tab {
	t.Helper()
	tab, _, err := b.Session("player").Open(ctx, powertest.Window, powertest.Navigation, address, browser.NavigateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tab
}
