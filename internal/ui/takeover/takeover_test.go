package takeover_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

const workedPage = `<!doctype html><title>Worked</title><body style="margin:0">` +
	`<button onclick="document.title='Pressed'" style="position:absolute;left:100px;top:100px;width:200px;height:60px">Go</button>` +
	`<input aria-label="Name" style="position:absolute;left:100px;top:200px;width:200px;height:40px">` +
	`<input aria-label="Code" type=password style="position:absolute;left:100px;top:260px;width:200px;height:40px">` +
	`<button onclick="document.title=confirm('Sure?')" style="position:absolute;left:100px;top:320px;width:200px;height:40px">Ask</button>` +
	`<div style="height:4000px">`

// open returns an agent on a page, and a person whose ui shows it.
func open(t *testing.T) (agent, person tooltest.Client) {
	t.Helper()
	s := tooltest.NewOwnServer(t, app.Config{})
	agent = s.Connect("agent", tooltest.SessionRevision, nil)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(workedPage))
	}))
	t.Cleanup(site.Close)
	agent.Call("navigate", tooltest.Args{"url": site.URL + "/form"})
	person, _ = s.OpenUI()
	person.WaitScript("document.querySelector('.screen img')?.naturalWidth && document.querySelector('.control-state').textContent === 'The agent has control.'")
	return agent, person
}

// at returns the point of the ui that shows a point of the agent's page.
func at(t *testing.T, person tooltest.Client, x, y int) []int {
	t.Helper()
	text := person.Call("javascript_tool", tooltest.Args{"code": fmt.Sprintf(
		`(() => { scrollTo(0, 0); const b = document.querySelector('.surface').getBoundingClientRect(); return 'at ' + Math.round(b.left + %d * b.width / 1280) + ' ' + Math.round(b.top + %d * b.height / 720) })()`, x, y)})
	out := make([]int, 2)
	_, text, _ = strings.Cut(text, "at ")
	if _, err := fmt.Sscan(text, &out[0], &out[1]); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return out
}

func clickAt(t *testing.T, person tooltest.Client, x, y int) {
	t.Helper()
	person.Call("computer", tooltest.Args{"action": "left_click", "coordinate": at(t, person, x, y)})
}

// TestTakeOverInThePicture takes over by mouse and keyboard in the picture, answers a dialog and hands back with a note.
func TestTakeOverInThePicture(t *testing.T) {
	t.Parallel()
	agent, person := open(t)
	person.Call("interact", tooltest.Args{"query": "Take over button"})
	person.WaitScript("document.activeElement.className === 'surface' && document.querySelector('.control-state').textContent.startsWith('You have had control')")
	person.Call("emulate_device", tooltest.Args{"width": 1280, "height": 800})
	person.WaitScript("scrollTo(0, 0), document.querySelector('.hand-back [type=submit]').getBoundingClientRect().bottom < 800 && document.querySelector('.screen').getBoundingClientRect().bottom < 800")
	clickAt(t, person, 200, 130)
	person.WaitScript("document.querySelector('main h1').textContent === 'Pressed'")
	clickAt(t, person, 200, 220)
	person.Call("computer", tooltest.Args{"action": "type", "text": "Ann B"})
	person.Call("computer", tooltest.Args{"action": "key", "text": "Tab"}) // of the page
	person.Call("computer", tooltest.Args{"action": "type", "text": "swordfish"})
	person.Call("computer", tooltest.Args{"action": "key", "text": "Shift+Escape"})
	person.WaitScript("document.activeElement.id === 'control-note'")
	clickAt(t, person, 200, 340)
	person.WaitScript("document.querySelector('.dialog')")
	person.Call("interact", tooltest.Args{"query": "Accept button"})
	person.WaitScript("document.querySelector('main h1').textContent === 'true'")
	person.Call("form_input", tooltest.Args{"ref": tooltest.Ref(t, person.Call("read_page", nil), "Note for the agent"), "value": "the code is in"})
	person.Call("interact", tooltest.Args{"query": "Hand back button"})
	person.WaitScript("document.querySelector('.control-state').textContent.startsWith('The agent has control.')")
	got := agent.Call("read_page", nil)
	for _, want := range []string{
		"with this note:\nthe code is in", `clicked button "Go"`, `typed into textbox "Name" = "Ann B"`, `pressed Tab in textbox "Name"`,
		`typed into textbox "Code", a secret field`, `clicked button "Ask"`, `accepted a confirm dialog "Sure?"`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the agent's result lacks %q: %s", want, got)
		}
	}
	if strings.Contains(got, "swordfish") {
		t.Errorf("a secret is in the result: %s", got)
	}
}

// TestTextAndScrolling uses what a phone has: a field for the on-screen keyboard and an input method, and the wheel that
// a swipe makes.
func TestTextAndScrolling(t *testing.T) {
	t.Parallel()
	agent, person := open(t)
	person.Call("interact", tooltest.Args{"query": "Take over button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	touch := func(x, y, toX, toY int) {
		from, to := at(t, person, x, y), at(t, person, toX, toY)
		person.Call("javascript_tool", tooltest.Args{"code": fmt.Sprintf(`(() => {
			const el = document.querySelector('.surface'); el.setPointerCapture = () => {};
			const send = (type, clientX, clientY) => el.dispatchEvent(new PointerEvent(type, { pointerId: 7, pointerType: 'touch', clientX, clientY, bubbles: true, cancelable: true }));
			send('pointerdown', %d, %d); send('pointermove', %d, %d); send('pointerup', %d, %d);
		})()`, from[0], from[1], to[0], to[1], to[0], to[1])})
	}
	touch(200, 220, 200, 220) // a tap
	person.Call("interact", tooltest.Args{"query": "Text for the page, from an on-screen keyboard or an input method"})
	person.ExpectRefusal("NOT_APPLIED", "computer", tooltest.Args{"action": "type", "text": "日本x"}, "it is empty") // it passes the text on
	person.Call("computer", tooltest.Args{"action": "key", "text": "Backspace"})
	touch(600, 600, 600, 200) // a swipe
	person.Call("interact", tooltest.Args{"query": "Hand back button"})
	person.WaitScript("document.querySelector('.control-state').textContent.startsWith('The agent has control.')")
	got := agent.Call("read_page", nil)
	for _, want := range []string{`typed into textbox "Name" = "日本"`, "scrolled"} {
		if !strings.Contains(got, want) {
			t.Errorf("the agent's result lacks %q: %s", want, got)
		}
	}
	agent.ExpectScript("new Promise((done) => { const look = () => (scrollY > 100 ? done('it has scrolled') : setTimeout(look, 20)); look(); })", "it has scrolled")
}

// TestMarkAPlace marks an element by a drag, and another one by keys, without taking over.
func TestMarkAPlace(t *testing.T) {
	t.Parallel()
	agent, person := open(t)
	send := func(words string) {
		person.WaitScript("document.activeElement.id === 'mark-text'")
		person.Call("computer", tooltest.Args{"action": "type", "text": words})
		person.Call("computer", tooltest.Args{"action": "key", "text": "Enter"})
		person.WaitScript("!document.querySelector('#mark-text') && document.querySelector('.control-state').textContent.includes('next call')")
	}
	person.Call("interact", tooltest.Args{"query": "Mark a place button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	person.Call("drag_drop", tooltest.Args{"start": at(t, person, 90, 90), "end": at(t, person, 310, 170)})
	send("press this")
	res := agent.Do("tabs_context", nil)
	if text := tooltest.Text(res); !strings.Contains(text, "press this") || !strings.Contains(text, `button "Go" [e`) || len(pictureOf(res)) == 0 {
		t.Errorf("the agent gets %s", text)
	}
	person.Call("computer", tooltest.Args{"action": "key", "text": "Tab"})
	person.Call("interact", tooltest.Args{"query": "Mark a place button"})
	person.WaitScript("document.activeElement.className === 'surface'")
	person.Call("computer", tooltest.Args{"action": "key", "text": "ArrowLeft ArrowLeft Shift+ArrowUp Enter"})
	send("by keys")
	agent.Expect("tabs_context", nil, "by keys", "a person marked a place")
}

// pictureOf returns the picture of a result, or nil.
func pictureOf(res *mcp.CallToolResult) []byte {
	for _, c := range res.Content {
		if img, ok := c.(*mcp.ImageContent); ok {
			return img.Data
		}
	}
	return nil
}
