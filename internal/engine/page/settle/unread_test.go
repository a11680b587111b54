package settle_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/callsheet/callsheet/internal/engine/page/pagetest"
	"github.com/callsheet/callsheet/internal/engine/page/settle"
	"github.com/callsheet/callsheet/internal/proctest"
)

// respond sends its parts in order: texts are sent at once, durations are pauses. The headers come first.
func respond(contentType string, parts ...any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(http.StatusOK)
		for _, part := range parts {
			w.(http.Flusher).Flush()
			switch part := part.(type) {
			case string:
				fmt.Fprint(w, part)
			case time.Duration:
				select {
				case <-time.After(part):
				case <-r.Context().Done():
				}
			}
		}
	}
}

const long = 30 * time.Second

var bodyRoutes = map[string]any{
	"/save": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		fmt.Fprint(w, `{"saved":true}`)
	}),
	"/chunked": respond("application/json", `{"saved":`, 20*time.Millisecond, `true}`),
	"/late":    respond("application/json", 700*time.Millisecond, `{"saved":true}`),
	"/parts":   respond("application/json", `{"saved":`, 250*time.Millisecond, ` `, 250*time.Millisecond, `true}`),
	"/never":   respond("application/json", long),
	"/large":   respond("text/plain", string(make([]byte, 4<<20))),
	"/events":  respond("text/event-stream", "data: saved\n\n", long),
	"/endless": respond("text/plain", "one\n", 20*time.Millisecond, "two\n", long),
	"/work.js": respond("text/javascript", "postMessage('worked')"),
}

const pieces = "const d=r.body.getReader();for(;;){const x=await d.read();if(x.done)break;out.textContent='saved'}"

// A response that the page does not read is over when its headers are there, and so is one that has no
// end. One that the page reads is over with its body.
func TestClickEndsWithUnreadResponse(t *testing.T) {
	t.Parallel()
	routes := map[string]any{"/": ""}
	for path, handler := range bodyRoutes {
		routes[path] = handler
	}
	tab := pagetest.Open(t, routes)
	for name, click := range proctest.Pick(t, map[string]string{
		"not read":            "fetch('/save',{method:'POST'}).then(r=>{if(r.ok)out.textContent='saved'})",
		"kept":                "fetch('/save',{method:'PUT'}).then(r=>{kept=r;out.textContent='saved'})",
		"headers only":        "(async()=>{const r=await fetch('/chunked',{method:'DELETE'});out.textContent=r.headers.get('content-type')?'saved':''})()",
		"body comes later":    "fetch('/late').then(r=>{out.textContent='saved'})",
		"body never comes":    "fetch('/never').then(r=>{out.textContent='saved'})",
		"large":               "fetch('/large').then(r=>{out.textContent='saved'})",
		"event stream":        "fetch('/events').then(async r=>{" + pieces + "})",
		"events by XHR":       "x=new XMLHttpRequest;x.open('GET','/events');x.onprogress=()=>{out.textContent='saved'};x.send()",
		"endless":             "fetch('/endless').then(async r=>{" + pieces + "})",
		"endless iteration":   "fetch('/endless').then(async r=>{for await(const c of r.body)out.textContent='saved'})",
		"blob":                "fetch(URL.createObjectURL(new Blob(['x'])),{cache:'no-store'}).then(r=>{out.textContent='saved'})",
		"in a frame":          "f.contentWindow.fetch('/save').then(r=>{out.textContent='saved'})",
		"read":                "fetch('/save').then(r=>r.json()).then(x=>{out.textContent=x.saved&&'saved'})",
		"read, late":          "fetch('/late').then(r=>r.json()).then(x=>{out.textContent=x.saved&&'saved'})",
		"read, in parts":      "fetch('/parts').then(r=>r.json()).then(x=>{out.textContent=x.saved&&'saved'})",
		"clone read, late":    "fetch('/late').then(r=>(kept=r).clone().json()).then(x=>{out.textContent=x.saved&&'saved'})",
		"read in a frame":     "f.contentWindow.fetch('/late').then(r=>r.text()).then(x=>{out.textContent='saved'})",
		"read by XHR, late":   "x=new XMLHttpRequest;x.open('GET','/late');x.onload=()=>{out.textContent='saved'};x.send()",
		"awaited, late":       "(async()=>{const r=await fetch('/late');const x=await r.text();out.textContent='saved'})()",
		"one read, one not":   "fetch('/save');fetch('/late').then(r=>r.text()).then(()=>{out.textContent='saved'})",
		"beside idle promise": "new Promise(f=>{idle=f}).then(()=>{});fetch('/chunked').then(r=>{out.textContent='saved'})",
	}, "not read", "body never comes", "large", "event stream", "endless iteration", "in a frame", "read, late", "read by XHR, late", "one read, one not") {
		t.Run(name, func(t *testing.T) {
			b := tab.Row(t, "<button>Save</button><p id=out>-</p><iframe id=f srcdoc=Frame></iframe><script>document.querySelector('button').onclick=()=>{"+click+"}</script>")
			if e := b.MustClick(b.Ref("button")); e.Pending != "" || !slices.Contains(e.Changes, "+ saved") {
				t.Errorf("%+v", e)
			}
			if _, err := b.Settle.WaitFor(b.WithTimeout(20*time.Second), settle.WaitOptions{Idle: true}); err != nil {
				t.Errorf("the network is not idle: %v", err)
			}
		})
	}
}

// An answer has what a page shows beside a request that goes on, also what comes while the action waits.
func TestClickTellsWhatComesBesideALongRequest(t *testing.T) {
	poll := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	b := pagetest.Open(t, map[string]any{"/poll": poll, "/late": bodyRoutes["/late"], "/": `<button>Save</button><p id=one><p id=two><p id=three><script>
document.querySelector('button').onclick=()=>{fetch('/poll');setTimeout(()=>{one.textContent='by a timer'},900);
fetch('/late').then(r=>r.text()).then(()=>{two.textContent='by a response';x=new XMLHttpRequest;x.open('GET','/late?2');x.onload=()=>{three.textContent='by another'};x.send()})}</script>`})
	e := b.MustClick(b.Ref("button"))
	slices.Sort(e.Changes)
	if want := []string{"+ by a response", "+ by a timer", "+ by another"}; !strings.Contains(e.Pending, "/poll") || !slices.Equal(e.Changes, want) {
		t.Errorf("%+v, want the changes %q", e, want)
	}
}

// What a page starts beside itself does not delay a click: no message of it is awaited.
func TestClickDoesNotWaitForBackground(t *testing.T) {
	routes := map[string]any{"/": `<button>Start</button>`}
	for path, handler := range bodyRoutes {
		routes[path] = handler
	}
	b := pagetest.Open(t, routes)
	ref := b.Ref("button")
	for _, start := range []string{
		"new EventSource('/events')", "new Worker('/work.js')", "new Worker('/work.js',{type:'module'})", "new SharedWorker('/work.js')",
		"new Worker(URL.createObjectURL(new Blob(['postMessage(1)'])))", "new WebSocket('ws://'+location.host+'/never')",
	} {
		b.JS("(document.querySelector('button').onclick=()=>{" + start + "},1)")
		if e := b.MustClick(ref); e.Pending != "" {
			t.Errorf("%s: %+v", start, e)
		}
		if _, err := b.Settle.WaitFor(b.WithTimeout(20*time.Second), settle.WaitOptions{Idle: true}); err != nil {
			t.Errorf("%s: the network is not idle: %v", start, err)
		}
	}
}

const saveButtons = `<button id=read>Read</button><button id=unread>Unread</button><p id=out></p><script>n=0
read.onclick=()=>fetch('/save').then(r=>r.text()).then(()=>{out.textContent=n++})
unread.onclick=()=>fetch('/save').then(r=>{out.textContent=n++})</script>`

func TestUnreadResponseIsAsFastAsReadOne(t *testing.T) {
	b := pagetest.Open(t, map[string]any{"/": saveButtons, "/save": bodyRoutes["/save"]})
	// The fastest of several, by turns: what else the machine does must not decide. A busy one gets more turns.
	fastest := map[string]time.Duration{"#read": time.Hour, "#unread": time.Hour}
	for turn := 0; turn < 12 || turn < 60 && fastest["#unread"] > fastest["#read"]+50*time.Millisecond; turn++ {
		for css, before := range fastest {
			ref, begun := b.Ref(css), time.Now()
			if e := b.MustClick(ref); e.Pending != "" {
				t.Fatalf("%s: %+v", css, e)
			}
			fastest[css] = min(before, time.Since(begun))
		}
	}
	read, unread := fastest["#read"], fastest["#unread"]
	t.Logf("read %v, unread %v", read, unread)
	if unread > read+50*time.Millisecond {
		t.Errorf("a click takes %v where the response is not read, and %v where it is", unread, read)
	}
}

func BenchmarkUnreadResponse(b *testing.B) {
	tab := pagetest.Open(b, map[string]any{"/": saveButtons, "/save": bodyRoutes["/save"]})
	for _, css := range []string{"read", "unread"} {
		b.Run(css, func(b *testing.B) {
			ref := tab.Ref("#" + css)
			for b.Loop() {
				tab.MustClick(ref)
			}
		})
	}
}
