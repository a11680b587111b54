package video_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// animated is a page that is drawn all the time.
const animated = `<!doctype html><title>Animated</title><link rel=icon href=data:,>
<style>b { position: fixed; left: 200px; top: 200px; width: 80px; height: 80px; background: gray; animation: turn 1s linear infinite }
@keyframes turn { to { transform: rotate(360deg) } }</style><b></b>`

// player loads the video of its server.
const player = `<!doctype html><title>Player</title><link rel=icon href=data:,><video id=v muted></video><script>
const load = () => new Promise((resolve, reject) => {
  v.onloadeddata = () => resolve({ seconds: v.duration, width: v.videoWidth, height: v.videoHeight });
  v.onerror = () => reject(new Error(v.error.message));
  v.src = '/video.webm';
});
</script>`

func serve(t *testing.T, page, file string) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/video.webm" {
			http.ServeFile(w, r, file)
			return
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

var answer = regexp.MustCompile(`^page\.webm of tab (t\d+): ([0-9.]+) s, (\d+) frames, (\d+)x(\d+), (\d+) bytes\n(.+)`)

// check plays the video of an answer and holds the player's figures against those of the answer.
func check(t *testing.T, c tooltest.Client, said string) {
	t.Helper()
	m := answer.FindStringSubmatch(said)
	if m == nil {
		t.Fatalf("%s is not the answer of a video", said)
	}
	if info, err := os.Stat(m[7]); err != nil || strconv.FormatInt(info.Size(), 10) != m[6] {
		t.Errorf("%v, %v of %s", info, err, said)
	}
	c.Call("navigate", tooltest.Args{"url": serve(t, player, m[7])})
	var loaded struct {
		Seconds       float64
		Width, Height int
	}
	text := c.Call("javascript_tool", tooltest.Args{"code": "await load()"})
	if err := json.Unmarshal([]byte(text), &loaded); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if got := fmt.Sprintf("%.2f %dx%d", loaded.Seconds, loaded.Width, loaded.Height); got != m[2]+" "+m[4]+"x"+m[5] {
		t.Errorf("the player says %s of %s", got, said)
	}
}

func TestPageVideoRecords(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	c.Call("navigate", tooltest.Args{"url": serve(t, animated, "")})
	check(t, c, c.Call("page_video", tooltest.Args{"ms": 300}))
}

// TestPageVideoOfATabThatCloses starts a recording, closes its tab and stops the recording after that.
func TestPageVideoOfATabThatCloses(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{AllTools: true})
	home := serve(t, animated, "")
	c.Call("navigate", tooltest.Args{"url": home})
	c.ExpectRefusal("NOT_FOUND", "page_video", tooltest.Args{"action": "stop"}, "no video")
	tab := tooltest.TabID(c.Call("tabs_create", tooltest.Args{"url": home}))
	c.Expect("page_video", tooltest.Args{"action": "start", "tabId": tab}, "recording tab "+tab)
	c.ExpectRefusal("FAILED", "page_video", tooltest.Args{"action": "start", "tabId": tab}, "stop it first")
	c.Call("tabs_close", tooltest.Args{"tabId": tab})
	said := c.Expect("page_video", tooltest.Args{"action": "stop"}, "it ended before it was stopped: the tab has ended")
	check(t, c, said)
}

func TestPageVideoIsFound(t *testing.T) {
	t.Parallel()
	c := tooltest.Connect(t, toolkit.Options{})
	c.Expect("expand_tools", tooltest.Args{"query": "record a video"}, "page_video")
}
