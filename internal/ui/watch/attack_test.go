package watch_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/callsheet/callsheet/gen/toolkit"
	"github.com/callsheet/callsheet/internal/app"
	"github.com/callsheet/callsheet/internal/tooltest"
)

// attacks are scripts of a hostile page in the browser of a signed-in person. Each returns the data it got; ""
// and an error are nothing.
const attacks = `
const ui = UI, api = ui + 'api/', id = ID;
const attempt = async (fn) => { try { return String((await Promise.race([fn(), new Promise((r) => setTimeout(r, 3000, ''))])) ?? ''); } catch { return ''; } };
const read = (path, init) => attempt(async () => { const r = await fetch(api + path, init); return r.ok ? await r.text() : ''; });
const answer = JSON.stringify({ id, allow: true, values: { covers: 'this tool, for the session' } });
const got = {
  'read the sessions': await read('live/events', { credentials: 'include' }),
  'read with a key': await read('server', { credentials: 'include', headers: { 'X-Callsheet-Key': 'guess' } }),
  'answer as JSON': await read('live/answer', { method: 'POST', credentials: 'include', headers: { 'Content-Type': 'application/json' }, body: answer }),
  'answer as text': await read('live/answer', { method: 'POST', credentials: 'include', mode: 'no-cors', body: answer }),
  'answer by a beacon': await attempt(async () => { navigator.sendBeacon(api + 'live/answer', new Blob([answer], { type: 'text/plain' })); return ''; }),
  'ask for a ticket': await read('ticket', { method: 'POST', credentials: 'include', mode: 'no-cors', body: '{}' }),
  'follow events': await attempt(() => new Promise((done) => {
    const s = new EventSource(api + 'live/questions', { withCredentials: true });
    s.onopen = () => done('opened'); s.onmessage = s.onerror = () => { s.close(); done(''); };
    s.addEventListener('questions', (e) => done(e.data)); })),
  'open a socket': await attempt(() => new Promise((done) => {
    const s = new WebSocket(api.replace('http', 'ws') + 'live/questions');
    s.onopen = () => done('opened'); s.onmessage = (e) => done(e.data); s.onerror = s.onclose = () => done(''); })),
  'load a script': await attempt(() => new Promise((done) => {
    const s = document.createElement('script'); s.type = 'text/javascript'; s.src = ui + 'dom.js'; s.onload = () => done('loaded'); s.onerror = () => done(''); document.head.append(s); })),
  'load a style': await attempt(() => new Promise((done) => {
    const s = document.createElement('link'); s.rel = 'stylesheet'; s.href = ui + 'style.css'; s.onload = () => done('loaded'); s.onerror = () => done(''); document.head.append(s); })),
  'import the modules': await attempt(async () => Object.keys(await import(ui + 'api.js')).join()),
  'submit a form': await attempt(() => new Promise((done) => {
    const frame = document.createElement('iframe'), form = document.createElement('form'), field = document.createElement('input');
    frame.name = 'answered'; form.target = 'answered'; form.method = 'post'; form.enctype = 'text/plain'; form.action = api + 'live/answer';
    field.name = answer.slice(0, -1) + ',"x":"'; field.value = '"}'; form.append(field); document.body.append(frame, form);
    frame.onload = () => { try { if (frame.contentDocument.URL === 'about:blank') return; done(frame.contentDocument.body.textContent); } catch { done(''); } }; form.submit(); })),
  'frame the page': await attempt(() => new Promise((done) => {
    const frame = document.createElement('iframe'); frame.src = ui; frame.id = 'framed'; document.body.append(frame);
    frame.onload = () => { frame.contentWindow.postMessage({ answer }, '*'); try { done(frame.contentDocument.body.textContent); } catch { done(''); } }; })),
  'hold a window': await attempt(() => new Promise((done) => {
    const w = open(ui); if (!w) return done('');
    setTimeout(() => { try { w.postMessage({ answer }, '*'); done(w.closed ? '' : w.document.title || w.frames.length || ''); } catch { done(''); } }, 1500); })),
};
JSON.stringify(got)`

// TestAHostilePageCannotReachTheUI attacks from another port of the same host, whose pages are of the same
// site and get the cookie, and from another site, while a question is open.
func TestAHostilePageCannotReachTheUI(t *testing.T) {
	t.Parallel()
	s := serveAsking(t)
	person, pages := s.OpenUI()
	person.WaitScript(noQuestion)
	agent := s.Connect("agent", "", nil)
	waiting := navigate(t, agent, "Asked")
	person.WaitScript(questionIsOpen)
	question := s.Live.Since("", 0).Questions[0].ID
	hostile := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<!doctype html><title>Hostile</title><p>A page of another origin"))
	}))
	t.Cleanup(hostile.Close)
	port := hostile.Listener.Addr().String()
	port = port[strings.LastIndex(port, ":"):]
	tabs, _ := person.Do("tabs_context", nil).StructuredContent.(map[string]any)
	uiTab := tabs["current"]
	for _, site := range []string{"http://127.0.0.1" + port, "http://localhost" + port} {
		tab := tooltest.TabID(person.Call("tabs_create", tooltest.Args{"url": site}))
		address, _ := json.Marshal(pages.Address)
		id, _ := json.Marshal(question)
		code := strings.NewReplacer("UI", string(address), "ID", string(id)).Replace(attacks)
		text := person.Call("javascript_tool", tooltest.Args{"code": code, "tabId": tab, "timeout": 60000})
		_, text, _ = strings.Cut(text, "{")
		text, _, _ = strings.Cut(text, "}")
		var got map[string]string
		if err := json.Unmarshal([]byte("{"+text+"}"), &got); err != nil || len(got) != 14 {
			t.Fatalf("%v: %d attacks: %s", err, len(got), text)
		}
		for attack, loot := range got {
			if loot != "" {
				t.Errorf("%s can %s: %s", site, attack, loot)
			}
		}
		if reading := person.Call("read_page", tooltest.Args{"tabId": tab}); strings.Contains(reading, "Sessions") || strings.Contains(reading, "Sign in") {
			t.Errorf("%s frames the ui: %s", site, reading)
		}
	}
	if left := s.Live.Since("", 0).Questions; len(left) != 1 || left[0].ID != question {
		t.Errorf("a hostile page answered: %+v", left)
	}
	person.Call("interact", tooltest.Args{"query": "Refuse button", "tabId": uiTab})
	if res := <-waiting; !res.IsError {
		t.Errorf("a hostile page allowed the call: %s", tooltest.Text(res))
	}
}

// TestTextsOfPagesAreNoMarkup puts markup where a page, a client and a policy have texts.
func TestTextsOfPagesAreNoMarkup(t *testing.T) {
	t.Parallel()
	const markup = `<img src=x onerror="globalThis.hostile=1"><script>globalThis.hostile=1</script>`
	s := tooltest.NewOwnServer(t, app.Config{})
	agent := s.Connect(`<b id=hostile>agent</b>`, "", nil)
	person, _ := s.OpenUI()
	agent.Call("navigate", tooltest.Args{"url": "data:text/html," + url.PathEscape(`<title>"><img src=x onerror=globalThis.hostile=1></title><button aria-label='`+strings.ReplaceAll(markup, "'", "")+`'>x</button>`)})
	agent.Call("read_page", nil)
	agent.Do("find", tooltest.Args{"query": markup})
	_, withdraw := s.Live.Show(markup, markup, toolkit.Question{
		Message: markup, Schema: []byte(`{"properties": {"<b>": {"title": "<b id=hostile>", "enum": ["<b id=hostile>"]}}}`),
	})
	t.Cleanup(withdraw)
	person.WaitScript(questionIsOpen)
	person.WaitScript(`document.querySelector('main h1').textContent.includes('onerror')`)
	person.WaitScript(`[...document.querySelectorAll('.calls dd')].some((d) => d.textContent.includes('onerror'))`)
	person.Call("interact", tooltest.Args{"query": "Refs button"})
	person.WaitScript(`document.querySelector('.refs')?.textContent.includes('onerror')`)
	person.WaitScript(`globalThis.hostile === undefined && document.querySelectorAll('img').length === 1 && document.querySelectorAll('script').length === 1 && !document.querySelector('b')`)
}
