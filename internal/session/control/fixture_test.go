package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/engine/browser"
	"github.com/callsheet/callsheet/internal/engine/browser/evaluate"
	"github.com/callsheet/callsheet/internal/engine/page/document"
	"github.com/callsheet/callsheet/internal/engine/page/input"
	"github.com/callsheet/callsheet/internal/powertest"
	"github.com/callsheet/callsheet/internal/session/control"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// sharedPage is worked on by an agent, who may use what is above the line, and a person, who may use what is below. It
// logs each event with the phase that the test has set.
const sharedPage = `<!doctype html><title>Shared</title>
<style>button,input{position:absolute;width:120px;height:30px}</style>
<button data-id=a1 style="left:10px;top:10px">Alpha</button>
<button data-id=a2 style="left:150px;top:10px">Beta</button>
<button data-id=a3 style="left:290px;top:10px">Gamma</button>
<input data-id=af style="left:430px;top:10px" aria-label="Agent field">
<button data-id=p1 style="left:10px;top:210px">Person</button>
<button data-id=swap style="left:150px;top:210px">Swap</button>
<button data-id=rename style="left:290px;top:210px">Rename</button>
<button data-id=ask style="left:570px;top:210px">Ask</button>
<a data-id=go style="position:absolute;left:720px;top:215px" href="/next">Next</a>
<input data-id=pf style="left:430px;top:210px" aria-label="Person field">
<input data-id=secret type=password style="left:430px;top:250px" aria-label="Passphrase">
<script>
let phase = 'agent', count = 0;
const events = [];
for (const type of ['mousedown', 'mouseup', 'click', 'keydown', 'keyup', 'input']) {
  addEventListener(type, (e) => {
    if (phase === 'over' && !(e.type === 'mouseup' || e.type === 'click') ) phase = 'agent';
    const el = e.target.closest?.('[data-id]');
    events.push({ type, phase, id: el?.dataset.id ?? '', name: el?.textContent ?? '', key: e.key ?? '', trusted: e.isTrusted });
  }, true);
}
document.addEventListener('click', (e) => {
  const id = e.target.dataset.id;
  if (id === 'swap') { // another element in the same place
    const old = document.querySelector('[data-id^=a2]'), other = old.cloneNode(true);
    other.dataset.id = 'a2-' + ++count;
    old.replaceWith(other);
  }
  if (id === 'rename') document.querySelector('[data-id=a3]').textContent = 'Gamma ' + ++count;
  if (id === 'ask') confirm('Sure?');
});
</script>`

// place is the middle of an element of sharedPage.
var place = map[string]document.Point{
	"Person": {X: 70, Y: 225}, "Swap": {X: 210, Y: 225}, "Rename": {X: 350, Y: 225}, "Ask": {X: 630, Y: 225}, "Next": {X: 730, Y: 223},
	"Person field": {X: 490, Y: 225}, "Passphrase": {X: 490, Y: 265}, "Alpha": {X: 70, Y: 25},
}

// blocker is an address whose response waits for the test.
type blocker struct{ arrived, release chan struct{} }

func serveShared(t *testing.T) (string, blocker) {
	t.Helper()
	block := blocker{arrived: make(chan struct{}, 16), release: make(chan struct{})}
	mux := http.NewServeMux()
	html := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, text)
		}
	}
	mux.HandleFunc("/", html(sharedPage))
	mux.HandleFunc("/next", html("<!doctype html><title>Next</title><button>Onwards</button>"))
	mux.HandleFunc("/block", func(_ http.ResponseWriter, r *http.Request) {
		block.arrived <- struct{}{}
		select {
		case <-block.release:
		case <-r.Context().Done():
		}
	})
	site := httptest.NewServer(mux)
	t.Cleanup(site.Close)
	return site.URL, block
}

// shared is an agent and a person on one page.
type shared struct {
	tooltest.Client
	*control.Controls

	t      *testing.T
	server *tooltest.Server
	id     string
	tab    *browser.Tab
	block  blocker
}

// openShared starts a server and opens sharedPage. With other times than those by default it has a browser of its
// own.
func openShared(t *testing.T, cfg control.Config) *shared {
	t.Helper()
	server := tooltest.NewServer(t, app.Config{})
	if cfg != (control.Config{}) {
		server = tooltest.NewOwnServer(t, app.Config{Control: cfg})
	}
	server.Control.Enable()
	s := &shared{Client: server.Connect(t.Name(), tooltest.SessionRevision, nil), Controls: server.Control, t: t, server: server, id: t.Name()}
	address, block := serveShared(t)
	s.block = block
	s.Call("navigate", tooltest.Args{"url": address})
	s.tab = server.Session(s.id).Peek("", "")
	return s
}

// attend connects the page of a person until the end of the test.
func (s *shared) attend(person string) (leave func()) {
	s.t.Helper()
	leave, err := s.Attend(s.id, person)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(leave)
	return leave
}

func (s *shared) take(person string) {
	s.t.Helper()
	if err := s.Take(s.t.Context(), s.id, person); err != nil {
		s.t.Fatalf("take over: %v", err)
	}
}

func (s *shared) handBack(person, note string) {
	s.t.Helper()
	if err := s.Return(s.t.Context(), s.id, person, note); err != nil {
		s.t.Fatalf("hand back: %v", err)
	}
}

func (s *shared) act(person string, events ...input.Event) {
	s.t.Helper()
	if err := s.Input(s.t.Context(), s.id, person, s.tab.ID(), events); err != nil {
		s.t.Fatalf("input %v: %v", events, err)
	}
}

// eval returns the JSON of an expression of the page, also while the person controls it.
func (s *shared) eval(expression string, into any) {
	s.t.Helper()
	value, err := evaluate.Run(s.t.Context(), s.tab, powertest.Script, expression)
	if err == nil {
		err = json.Unmarshal(value.JSON, into)
	}
	if err != nil {
		s.t.Fatalf("evaluate %s: %v", expression, err)
	}
}

// pageEvent is an event as the page saw it.
type pageEvent struct {
	Type, Phase, ID, Name, Key string
	Trusted                    bool
}

func (s *shared) events() (out []pageEvent) {
	s.t.Helper()
	s.eval("events", &out)
	return out
}

func move(name string) input.Event {
	return input.Event{Kind: input.MouseMove, X: place[name].X, Y: place[name].Y}
}

func down(name string) input.Event {
	return input.Event{Kind: input.MouseDown, X: place[name].X, Y: place[name].Y, Button: input.ButtonLeft, Clicks: 1}
}

func up(name string) input.Event {
	e := down(name)
	e.Kind = input.MouseUp
	return e
}

func click(name string) []input.Event {
	return []input.Event{move(name), down(name), up(name)}
}

// keys are the presses and releases of the characters of a text.
func keys(text string) (out []input.Event) {
	for _, r := range text {
		code := "Key" + strings.ToUpper(string(r))
		e := input.Event{Kind: input.KeyDown, Key: string(r), Code: code, KeyCode: int64(strings.ToUpper(string(r))[0])}
		out = append(out, e)
		e.Kind = input.KeyUp
		out = append(out, e)
	}
	return out
}

// refOf returns the ref of an element in a reading.
func refOf(t *testing.T, reading, name string) string {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(fmt.Sprintf("%q", name)) + ` \[(e\d+)\]`).FindStringSubmatch(reading)
	if m == nil {
		t.Fatalf("no ref of %q in %s", name, reading)
	}
	return m[1]
}

// start makes a call in the background.
func (s *shared) start(ctx context.Context, tool string, a tooltest.Args) <-chan called {
	done := make(chan called, 1)
	go func() {
		res, err := s.CallTool(ctx, tooltest.Params(tool, a))
		if err != nil {
			done <- called{err: err}
			return
		}
		done <- called{text: tooltest.Text(res), refused: res.IsError}
	}()
	return done
}

type called struct {
	text    string
	refused bool
	err     error
}

// awaitState waits until the state of the session is as wanted.
func (s *shared) awaitState(person string, want func(control.State) bool) control.State {
	s.t.Helper()
	for {
		state, changed, err := s.State(s.id, person)
		if err != nil {
			s.t.Fatal(err)
		}
		if want(state) {
			return state
		}
		select {
		case <-changed:
		case <-s.t.Context().Done():
			s.t.Fatalf("the state stays %+v", state)
		}
	}
}

// pictures counts the pictures of a result.
func pictures(res *mcp.CallToolResult) (n int) {
	for _, c := range res.Content {
		if img, ok := c.(*mcp.ImageContent); ok && img.MIMEType == "image/png" && len(img.Data) > 0 {
			n++
		}
	}
	return n
}
