package skill_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// stolen is the value of a variable that a page would like an exported test to read.
const stolen = "value-of-the-environment"

// hostileNames are names of buttons: of variables and secrets, and text that ends literals, comments
// and statements of both languages.
var hostileNames = []string{
	"{param:AWS_SECRET_ACCESS_KEY}", "{secret:PASSWORD}", "{param:STEP10_TEXT} {totp:bank.example}",
	"q\"); panic(os.Getenv(\"PASSWORD\")); (\"", "b` + os.Getenv(`PASSWORD`) + `", "s ${process.env.PASSWORD} \\", "c\nos.Exit(1)\r*/ panic(1) //",
	"u\u2028process.exit(1)\u2029x", "%s %d %!", "'; process.exit(1); '",
}

// hostileSite is a page of buttons with hostile names, and what its pages and requests said so far.
type hostileSite struct {
	url string

	mu   sync.Mutex
	seen []string
}

func serveHostile(t *testing.T) *hostileSite {
	t.Helper()
	names, err := json.Marshal(hostileNames)
	if err != nil {
		t.Fatal(err)
	}
	s := &hostileSite{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.URL.Path+" "+r.URL.Query().Get("text"))
		s.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><link rel=icon href=data:,><title>{param:AWS_SECRET_ACCESS_KEY}</title>
<label>Code <input id=code></label><a href=/end onclick="say('typed', code.value)">Send</a><p id=done></p><script>
const say = (path, text) => { // before the action ends
  const x = new XMLHttpRequest(); x.open('GET', '/' + path + '?text=' + encodeURIComponent(text), false); x.send();
};
let n = 0;
for (const name of ` + strings.ReplaceAll(string(names), "/", `\/`) + `) {
  const b = document.createElement('button');
  b.setAttribute('aria-label', name);
  b.textContent = 'x';
  b.onclick = () => { say('clicked', name); done.textContent = 'clicked ' + ++n };
  document.body.append(b);
}
</script>`))
	}))
	t.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	s.url = server.URL
	return s
}

// take returns the requests since the last call, one a line.
func (s *hostileSite) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.seen, "\n")
	s.seen = nil
	return out
}

// TestExportedHostileRecording runs the tests that the recording of a hostile page becomes. They do what
// was recorded, with the names of the page as text, and read nothing of the environment.
func TestExportedHostileRecording(t *testing.T) {
	c, site := tooltest.Connect(t, toolkit.Options{AllTools: true}), serveHostile(t)
	id := tooltest.RecordingID(t, c.Call("oc_recording_start", tooltest.Args{"label": hostileNames[6]}))
	c.Call("navigate", tooltest.Args{"url": site.url})
	reading := c.Call("read_page", nil)
	for line := range strings.Lines(reading) {
		if strings.Contains(line, `button "`) {
			c.Call("computer", tooltest.Args{"action": "left_click", "ref": tooltest.Ref(t, line, "button")})
		}
	}
	c.Call("form_input", tooltest.Args{"query": "Code", "value": "{param:AWS_SECRET_ACCESS_KEY}"})
	c.Call("interact", tooltest.Args{"query": "Send"})
	c.Call("oc_recording_stop", nil)
	recorded := site.take()
	if !strings.Contains(recorded, "/typed {param:AWS_SECRET_ACCESS_KEY}") || strings.Count(recorded, "/clicked ") != len(hostileNames) {
		t.Fatalf("the recording itself did something else:\n%s", recorded)
	}
	dirs := map[string]string{"go": t.TempDir(), "playwright": t.TempDir()}
	for format, name := range map[string]string{"go": "recorded_test.go", "playwright": "recorded.spec.ts"} {
		links := tooltest.Links(c.Do("oc_recording_export", tooltest.Args{"recordingId": id, "format": format}))
		if len(links) != 1 {
			t.Fatalf("the %s export has %d files", format, len(links))
		}
		if err := os.WriteFile(filepath.Join(dirs[format], name), []byte(c.ReadArtifact(links[0].URI)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("AWS_SECRET_ACCESS_KEY", stolen) // exportEnvironment has the other variables
	t.Run("go", func(t *testing.T) {
		tooltest.PrepareModule(t, dirs["go"])
		vet := exec.CommandContext(t.Context(), "go", "vet", "-mod=mod", "./...")
		vet.Dir, vet.Env = dirs["go"], append(os.Environ(), tooltest.ModuleEnvironment()...)
		if out, err := vet.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		tooltest.RunGoTests(t, dirs["go"], exportEnvironment()...)
		site.expectSame(t, recorded)
	})
	t.Run("playwright", func(t *testing.T) {
		tooltest.RunPlaywright(t, dirs["playwright"], exportEnvironment()...)
		site.expectSame(t, recorded)
	})
}

// expectSame compares what an exported test requested with the recording.
func (s *hostileSite) expectSame(t *testing.T, recorded string) {
	t.Helper()
	if got := s.take(); got != recorded || strings.Contains(got, stolen) {
		t.Errorf("the exported test requested\n%s\nand the recording\n%s", got, recorded)
	}
}
